package ctd

import (
	"fmt"
	"slices"
	"strings"

	"assay/judge/internal/suggest"
)

// kind is the kind of a token.
type kind string

const (
	atEnd   kind = "the end of the script"
	word    kind = "a command" // upper case
	name    kind = "a variable"
	integer kind = "a whole number"
	decimal kind = "a decimal number"
	text    kind = "a string"
	symbol  kind = "a symbol"
)

// token is a piece of a script.
type token struct {
	kind         kind
	text         string // for a string, its value without quotes and escapes
	start, end   int    // offsets in the script
	line, column int    // from 1
}

func (t token) String() string {
	switch t.kind {
	case atEnd:
		return string(atEnd)
	case text:
		return fmt.Sprintf("the string %q", t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// words lists all reserved words of a script.
var words = []string{
	"ASSERT", "ELSE", "END", "EOF", "FIXED", "FLOAT", "FLOATP", "IF", "INARRAY", "INT", "ISEOF", "MATCH", "NEWLINE", "REGEX",
	"REP", "REPI", "SCIENTIFIC", "SET", "SPACE", "STRING", "STRLEN", "UNIQUE", "UNSET", "WHILE", "WHILEI",
}

// symbols lists the operators and brackets, longer ones first.
var symbols = []string{"&&", "||", "<=", ">=", "==", "!=", "<", ">", "!", "=", "+", "-", "*", "/", "%", "^", "(", ")", "[", "]", ","}

// scanner splits a script into tokens.
type scanner struct {
	file string
	src  string
	at   int
	line int
	bol  int // offset of the beginning of the line
}

// next returns the next token.
func (s *scanner) next() (token, error) {
	s.blanks()
	t := token{start: s.at, line: s.line, column: s.at - s.bol + 1}
	if s.at == len(s.src) {
		t.kind, t.end = atEnd, s.at
		return t, nil
	}
	c := s.src[s.at]
	var err error
	switch {
	case c == '"':
		t.kind = text
		t.text, err = s.quoted()
	case isUpper(c):
		t.kind, t.text = word, s.span(isUpper)
		err = s.known(t)
	case isLower(c):
		t.kind, t.text = name, s.span(func(c byte) bool { return isLower(c) || isDigit(c) })
	case isDigit(c):
		t.kind, t.text = s.number()
	default:
		i := slices.IndexFunc(symbols, func(sym string) bool { return strings.HasPrefix(s.src[s.at:], sym) })
		if i < 0 {
			return t, fault(s.file, t.line, t.column, "commands are in upper case, variables in lower case", "nothing starts with %q", c)
		}
		t.kind, t.text = symbol, symbols[i]
		s.at += len(t.text)
	}
	t.end = s.at
	return t, err
}

// blanks skips white space and comments.
func (s *scanner) blanks() {
	for ; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\n':
			s.line++
			s.bol = s.at + 1
		case ' ', '\t', '\r':
		case '#':
			if i := strings.IndexByte(s.src[s.at:], '\n'); i >= 0 {
				s.at += i - 1
			} else {
				s.at = len(s.src) - 1
			}
		default:
			return
		}
	}
}

func (s *scanner) known(t token) error {
	if slices.Contains(words, t.text) {
		return nil
	}
	return fault(s.file, t.line, t.column, suggest.Hint(t.text, words), "unknown word %s", t.text)
}

// span consumes and returns the next bytes that satisfy the function `is`.
func (s *scanner) span(is func(byte) bool) string {
	start := s.at
	for s.at < len(s.src) && is(s.src[s.at]) {
		s.at++
	}
	return s.src[start:s.at]
}

// number consumes a number. It is a decimal if it has a point or an exponent.
func (s *scanner) number() (kind, string) {
	start, k := s.at, integer
	s.span(isDigit)
	if s.at < len(s.src) && s.src[s.at] == '.' {
		k = decimal
		s.at++
		s.span(isDigit)
	}
	if s.at < len(s.src) && s.src[s.at]|0x20 == 'e' {
		back := s.at
		s.at++
		if s.at < len(s.src) && (s.src[s.at] == '+' || s.src[s.at] == '-') {
			s.at++
		}
		if s.span(isDigit) == "" {
			s.at = back
		} else {
			k = decimal
		}
	}
	return k, s.src[start:s.at]
}

// escapes maps the character after a backslash in a string to the character that it stands for.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\'}

// quoted consumes a string literal and returns its value.
func (s *scanner) quoted() (string, error) {
	line, column := s.line, s.at-s.bol+1
	var b strings.Builder
	for s.at++; s.at < len(s.src); s.at++ {
		c := s.src[s.at]
		switch {
		case c == '"':
			s.at++
			return b.String(), nil
		case c == '\\' && s.at+1 < len(s.src):
			if err := s.escape(&b); err != nil {
				return "", err
			}
		case c == '\n':
			s.line++
			s.bol = s.at + 1
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return "", fault(s.file, line, column, `end it with "`, "a string without an end")
}

// escape writes the value of a backslash and the characters after it. If they form no escape, the backslash is
// literal.
func (s *scanner) escape(b *strings.Builder) error {
	c := s.src[s.at+1]
	switch stands, ok := escapes[c]; {
	case ok:
		b.WriteByte(stands)
		s.at++
	case c == '\n': // the line continues
		s.at++
		s.line++
		s.bol = s.at + 1
	case isOctal(c):
		n, digits := 0, 0
		for ; digits < 3 && s.at+1 < len(s.src) && isOctal(s.src[s.at+1]); digits++ {
			n = n*8 + int(s.src[s.at+1]-'0')
			s.at++
		}
		if n > 255 {
			return fault(s.file, s.line, s.at-s.bol+1-digits, `\377 is the last one`, `\%o is not a byte`, n)
		}
		b.WriteByte(byte(n))
	default:
		b.WriteByte('\\')
	}
	return nil
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isOctal(c byte) bool { return '0' <= c && c <= '7' }
