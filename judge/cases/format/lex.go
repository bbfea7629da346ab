package format

import (
	"fmt"
	"math/big"
	"strings"

	"assay/judge"
)

// A token is a word, symbol, number or string of a declaration.
type token struct {
	kind   tokenKind
	text   string   // for a string, the unescaped text without quotes
	n      *big.Int // value of an integer
	f      float64  // value of a decimal
	line   int      // from 1
	column int      // from 1, in bytes
	end    int      // byte offset in the line after the token
}

type tokenKind int

const (
	endToken  tokenKind = iota // of the line
	nameToken                  // a name or a keyword
	integerToken
	decimalToken
	stringToken
	symbolToken
)

// symbols lists the punctuation tokens, longer ones first.
var symbols = []string{"..", "!=", "<=", ">=", "==", "<", ">", "=", ":", ",", "(", ")", "[", "]", "|", "&", "+", "-", "*", "/", "%", "^"}

// A row is a line of a declaration with its tokens. If a bracket is open, the row continues on the next line of
// the file.
type row struct {
	indent string
	tokens []token
	text   string // text of the row's first line
}

const maxDeclaration = 1 << 20 // bytes

// lex splits a declaration into rows, without comments and empty lines.
func lex(file, text string) (rows []row, faults judge.ProblemErrors) {
	if len(text) > maxDeclaration {
		return nil, judge.ProblemErrors{
			{File: file, Text: fmt.Sprintf("the declaration has %d bytes, more than %d", len(text), maxDeclaration)},
		}
	}
	depth := 0
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		tokens, fault := lexLine(file, i+1, line)
		if fault != nil {
			faults = append(faults, fault)
			continue
		}
		if len(tokens) == 0 {
			continue
		}
		if depth > 0 && len(rows) > 0 {
			last := &rows[len(rows)-1]
			last.tokens = append(last.tokens, tokens...)
		} else {
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			rows = append(rows, row{indent, tokens, line})
		}
		for _, t := range tokens {
			switch {
			case t.kind == symbolToken && (t.text == "(" || t.text == "["):
				depth++
			case t.kind == symbolToken && (t.text == ")" || t.text == "]"):
				depth = max(depth-1, 0)
			}
		}
	}
	return rows, faults
}

func lexLine(file string, number int, line string) (tokens []token, fault *judge.ProblemError) {
	for at := 0; ; {
		for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
			at++
		}
		if at == len(line) || line[at] == '#' {
			return tokens, nil
		}
		t := token{line: number, column: at + 1}
		n, problem := t.scan(line[at:])
		if problem != "" {
			return nil, &judge.ProblemError{File: file, Line: number, Column: at + 1, Text: problem}
		}
		at += n
		t.end = at
		tokens = append(tokens, t)
	}
}

// scan reads the token at the start of text, and returns its length.
func (t *token) scan(text string) (n int, problem string) {
	switch c := text[0]; {
	case c == '"':
		return t.scanString(text)
	case isDigit(c):
		return t.scanNumber(text)
	case isNameByte(c):
		for n < len(text) && (isNameByte(text[n]) || isDigit(text[n])) {
			n++
		}
		t.kind, t.text = nameToken, text[:n]
		return n, ""
	}
	for _, s := range symbols {
		if strings.HasPrefix(text, s) {
			t.kind, t.text = symbolToken, s
			if s == "==" {
				t.text = "="
			}
			return len(s), ""
		}
	}
	r := []rune(text)[0]
	return 0, fmt.Sprintf("unexpected character %q", r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

// scanString reads a quoted string, in which \" \\ and \- are escapes. It keeps \\ and \- as escapes in the text
// of the token, because a hyphen has a meaning in sets of characters.
func (t *token) scanString(text string) (n int, problem string) {
	var b strings.Builder
	for n = 1; n < len(text); n++ {
		switch c := text[n]; c {
		case '"':
			t.kind, t.text = stringToken, b.String()
			return n + 1, ""
		case '\\':
			n++
			if n == len(text) || !strings.ContainsRune(`"\-`, rune(text[n])) {
				return 0, `a backslash may only precede ", \ or -`
			}
			if text[n] != '"' {
				b.WriteByte('\\')
			}
			b.WriteByte(text[n])
		default:
			b.WriteByte(c)
		}
	}
	return 0, "the string has no end"
}

// scanNumber reads a number such as 17, 200_000, 1e18 or 0.5. In a range such as 1..9, the dots are not part of
// the number.
func (t *token) scanNumber(text string) (n int, problem string) {
	for n < len(text) && (isDigit(text[n]) || text[n] == '_') {
		n++
	}
	digits := strings.ReplaceAll(text[:n], "_", "")
	if n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		end := n + 1
		for end < len(text) && isDigit(text[end]) {
			end++
		}
		t.kind, t.text = decimalToken, digits+text[n:end]
		if _, err := fmt.Sscan(t.text, &t.f); err != nil {
			return 0, fmt.Sprintf("%.40q is not a number", t.text)
		}
		return end, ""
	}
	if n+1 < len(text) && (text[n] == 'e' || text[n] == 'E') && isDigit(text[n+1]) {
		end, zeros := n+1, 0
		for end < len(text) && isDigit(text[end]) {
			zeros = min(10*zeros+int(text[end]-'0'), 1000)
			end++
		}
		if zeros > 100 {
			return 0, fmt.Sprintf("%.40q is far beyond 64 bits", text[:end])
		}
		digits += strings.Repeat("0", zeros)
		n = end
	}
	if len(digits) > 200 {
		return 0, fmt.Sprintf("%.40q is far beyond 64 bits", text[:n])
	}
	if n < len(text) && isNameByte(text[n]) {
		return 0, fmt.Sprintf("%.40q is neither a number nor a name", text[:n+1])
	}
	t.kind, t.text = integerToken, digits
	t.n, _ = new(big.Int).SetString(digits, 10)
	return n, ""
}
