package mutate

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind byte

const (
	word      kind = 'w' // a name or a keyword
	number    kind = 'n'
	quoted    kind = 't' // a string, a character, or a regular expression between slashes
	sign      kind = 's' // an operator or a bracket
	directive kind = 'd' // a preprocessor line or an attribute
	lineEnd   kind = 'e' // the end of a statement, in languages where line ends terminate statements
)

// tok is a token of a program. Its text is [start, end) of the program text.
type tok struct {
	kind       kind
	text       string
	start, end int
	match      int  // index of a bracket's partner; -1 if there is none
	angle      bool // whether it is < or > around types
	depth      int  // number of enclosing brackets
}

// Lexis describes the tokens of a family of languages.
type Lexis struct {
	Comments   []string   `toml:"comments"`   // prefixes of comments that extend to the end of the line
	Blocks     []string   `toml:"blocks"`     // start and end of block comments
	Nested     bool       `toml:"nested"`     // block comments can nest
	Directives bool       `toml:"directives"` // lines that begin with # are for the preprocessor
	Attributes bool       `toml:"attributes"` // #[...] is an attribute
	Lines      bool       `toml:"lines"`      // line ends terminate statements
	Angles     bool       `toml:"angles"`     // < and > enclose types
	Lifetimes  bool       `toml:"lifetimes"`  // 'a is a name
	Slashes    bool       `toml:"slashes"`    // /.../ is a regular expression if no operand precedes it
	Quotes     [][]string `toml:"quotes"`     // start and end of strings, longest first
	Raw        []string   `toml:"raw"`        // prefixes of strings without escapes: R of R"x(...)x", r of r#"..."#
	Signs      []string   `toml:"signs"`      // operators of more than one character
}

// lexer splits a text into tokens. It terminates for any text.
type lexer struct {
	*Lexis
	text string
	at   int
	toks []tok
}

// tokens splits a text into tokens. It omits comments and blanks.
func (l *Lexis) tokens(text string) []tok {
	x := &lexer{Lexis: l, text: text}
	for x.at < len(x.text) {
		x.next()
	}
	pairBrackets(x.toks)
	if l.Lines {
		x.toks = withoutInnerLineEnds(x.toks)
		pairBrackets(x.toks)
	}
	if l.Angles {
		markAngles(x.toks)
	}
	return x.toks
}

func (x *lexer) rest() string { return x.text[x.at:] }

// put appends a token that ends at offset end.
func (x *lexer) put(k kind, end int) {
	x.toks = append(x.toks, tok{kind: k, text: x.text[x.at:end], start: x.at, end: end, match: -1})
	x.at = end
}

// next reads a token, or skips a comment or blanks.
func (x *lexer) next() {
	rest := x.rest()
	switch c := rest[0]; {
	case c == '\n':
		if x.Lines {
			x.put(lineEnd, x.at+1)
			return
		}
		x.at++
	case c == '\\' && x.Lines && strings.HasPrefix(rest[1:], "\n"):
		x.at += 2
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		x.at++
	case x.skipComment():
	case c == '#' && x.Directives && x.lineStart():
		x.put(directive, x.directiveEnd())
	case c == '#' && x.Attributes && (strings.HasPrefix(rest, "#[") || strings.HasPrefix(rest, "#![")):
		x.put(directive, x.at+attributeEnd(rest))
	case x.string():
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		x.put(number, x.at+numberEnd(rest))
	case inName(c):
		n := 1
		for n < len(rest) && (inName(rest[n]) || rest[n] >= '0' && rest[n] <= '9') {
			n++
		}
		x.put(word, x.at+n)
	default:
		for _, s := range x.Signs {
			if strings.HasPrefix(rest, s) {
				x.put(sign, x.at+len(s))
				return
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		x.put(sign, x.at+n)
	}
}

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// lineStart reports whether only blanks precede the current position on its line.
func (x *lexer) lineStart() bool {
	before := x.text[:x.at]
	return strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == ""
}

func (x *lexer) skipComment() bool {
	rest := x.rest()
	for _, c := range x.Comments {
		if strings.HasPrefix(rest, c) {
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				x.at += n
			} else {
				x.at = len(x.text)
			}
			return true
		}
	}
	if len(x.Blocks) < 2 || !strings.HasPrefix(rest, x.Blocks[0]) {
		return false
	}
	begin, end := x.Blocks[0], x.Blocks[1]
	x.at += len(begin)
	for depth := 1; x.at < len(x.text); {
		switch rest := x.rest(); {
		case strings.HasPrefix(rest, end):
			x.at += len(end)
			if depth--; depth == 0 {
				return true
			}
		case x.Nested && strings.HasPrefix(rest, begin):
			x.at += len(begin)
			depth++
		default:
			x.at++
		}
	}
	return true
}

// directiveEnd returns the end of the line, including lines continued by a backslash.
func (x *lexer) directiveEnd() int {
	at := x.at
	for {
		n := strings.IndexByte(x.text[at:], '\n')
		if n < 0 {
			return len(x.text)
		}
		line := strings.TrimRight(x.text[at:at+n], "\r")
		at += n
		if !strings.HasSuffix(line, "\\") {
			return at
		}
		at++
	}
}

// attributeEnd returns the length of an attribute.
func attributeEnd(rest string) int {
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(rest)
}

// numberEnd returns the length of a number such as 1_000, 0x1f, 1.5e-3, 10n or 7LL. For 0..n it returns 1.
func numberEnd(rest string) int {
	n := 0
	for n < len(rest) {
		c := rest[n]
		exponent := n > 0 && (c == '+' || c == '-') && (rest[n-1] == 'e' || rest[n-1] == 'E') && !strings.HasPrefix(rest, "0x")
		point := c == '.' && !strings.HasPrefix(rest[n:], "..") && (n+1 == len(rest) || !inName(rest[n+1]) || rest[n+1] == 'e')
		grouped := c == '\'' && n+1 < len(rest) && rest[n+1] >= '0' && rest[n+1] <= '9'
		if !inName(c) && (c < '0' || c > '9') && !exponent && !point && !grouped || c >= utf8.RuneSelf {
			break
		}
		n++
	}
	return max(n, 1)
}

// string reads a string, a character, or a regular expression between slashes. It reports whether one begins here.
func (x *lexer) string() bool {
	rest := x.rest()
	prefix := 0
	for prefix < len(rest) && prefix < 3 && inName(rest[prefix]) && rest[prefix] < utf8.RuneSelf {
		prefix++
	}
	if prefix > 0 && x.raw(rest, prefix) {
		return true
	}
	if x.Lifetimes && rest[0] == '\'' && len(rest) > 2 && inName(rest[1]) && rest[2] != '\'' && rest[1] < utf8.RuneSelf {
		n := 2
		for n < len(rest) && (inName(rest[n]) || rest[n] >= '0' && rest[n] <= '9') {
			n++
		}
		x.put(word, x.at+n)
		return true
	}
	if x.Slashes && rest[0] == '/' && !x.operandBefore() {
		if n := patternEnd(rest); n > 0 {
			x.put(quoted, x.at+n)
			return true
		}
		return false
	}
	for _, q := range x.Quotes {
		if strings.HasPrefix(rest[prefix:], q[0]) {
			x.put(quoted, x.at+prefix+stringEnd(rest[prefix:], q))
			return true
		}
	}
	return false
}

// raw reads a string without escapes.
func (x *lexer) raw(rest string, prefix int) bool {
	if !slices.Contains(x.Raw, rest[:prefix]) {
		return false
	}
	after := rest[prefix:]
	hashes := len(after) - len(strings.TrimLeft(after, "#"))
	body := after[hashes:]
	if !strings.HasPrefix(body, `"`) {
		return false
	}
	end := `"` + after[:hashes]
	if mark, _, found := strings.Cut(body[1:], "("); !x.Lifetimes && found && len(mark) <= 16 && !strings.ContainsAny(mark, " \n\"\\)") {
		end = ")" + mark + `"`
	}
	if n := strings.Index(body[1:], end); n >= 0 {
		x.put(quoted, x.at+prefix+hashes+1+n+len(end))
	} else {
		x.put(quoted, len(x.text))
	}
	return true
}

// stringEnd returns the length of a string. If a string may not span lines, it ends at the end of the line at the
// latest. Q[2] and q[3] are the start and end of embedded code in the string.
func stringEnd(rest string, q []string) int {
	for i := len(q[0]); i < len(rest); {
		switch {
		case rest[i] == '\\':
			i += 2
		case strings.HasPrefix(rest[i:], q[1]):
			return i + len(q[1])
		case len(q) == 4 && strings.HasPrefix(rest[i:], q[2]):
			depth := 0
			for i += len(q[2]) - 1; i < len(rest); i++ {
				if rest[i] == '{' {
					depth++
				} else if rest[i] == '}' {
					if depth--; depth == 0 {
						break
					}
				}
			}
		case rest[i] == '\n' && len(q) == 2 && len(q[0]) == 1:
			return i
		default:
			i++
		}
	}
	return len(rest)
}

// patternEnd returns the length of a regular expression between slashes, or zero if none begins here.
func patternEnd(rest string) int {
	class := false
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\n':
			return 0
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			for i++; i < len(rest) && rest[i] >= 'a' && rest[i] <= 'z'; i++ {
			}
			return i
		}
	}
	return 0
}

// operandBefore reports whether the last token ends an operand, so that / is a division.
func (x *lexer) operandBefore() bool {
	if len(x.toks) == 0 {
		return false
	}
	last := x.toks[len(x.toks)-1]
	switch last.kind {
	case word:
		return !slices.Contains([]string{"return", "typeof", "case", "in", "of", "do", "else"}, last.text)
	case number, quoted:
		return true
	}
	return last.text == ")" || last.text == "]" || last.text == "}"
}

var partners = map[string]string{")": "(", "]": "[", "}": "{"}

// pairBrackets finds the partners of brackets.
func pairBrackets(toks []tok) {
	var open []int
	for i := range toks {
		t := &toks[i]
		t.match, t.depth = -1, len(open)
		if t.kind != sign {
			continue
		}
		switch t.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 && toks[open[n-1]].text == partners[t.text] {
				t.match, toks[open[n-1]].match = open[n-1], i
				open = open[:n-1]
				t.depth = len(open)
			}
		}
	}
}

// withoutInnerLineEnds removes line ends inside brackets and on empty lines.
func withoutInnerLineEnds(toks []tok) (kept []tok) {
	for _, t := range toks {
		if t.kind == lineEnd && (t.depth > 0 || len(kept) == 0 || kept[len(kept)-1].kind == lineEnd) {
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// markAngles marks < and > around types, as far as tokens allow. The tokens between them must be names and parts
// of types, and the next token must be one that can follow a type.
func markAngles(toks []tok) {
	for i := range toks {
		if t := &toks[i]; t.kind != sign || t.text != "<" || t.angle || i == 0 ||
			toks[i-1].kind != word && toks[i-1].text != "::" && toks[i-1].text != "." {
			continue
		}
		if end := angleEnd(toks, i); end > 0 {
			for j := i; j <= end; j++ {
				if toks[j].kind == sign && strings.Trim(toks[j].text, "<>") == "" {
					toks[j].angle = true
				}
			}
		}
	}
}

func angleEnd(toks []tok, start int) int {
	depth := 0
	for j := start; j < len(toks); j++ {
		t := toks[j]
		switch {
		case t.kind == word || t.kind == number:
			continue
		case t.kind != sign:
			return 0
		}
		switch t.text {
		case "<":
			depth++
		case ">", ">>", ">>>":
			if depth -= len(t.text); depth > 0 {
				continue
			}
			if depth < 0 || j+1 == len(toks) {
				return 0
			}
			if next := toks[j+1]; next.kind == word || next.kind == sign && slices.Contains(
				[]string{"(", ")", "::", "{", ">", ",", ";", "&", "*", "[", "]", ".", "=", "...", "&&", ">>", "?", "->", "=>", "|"},
				next.text,
			) {
				return j
			}
			return 0
		case ",", "::", ".", "*", "&", "[", "]", "(", ")", "?", ":", "->", "...", "=":
			if t.match >= 0 && (t.match < start || t.match > start+200) {
				return 0
			}
		default:
			return 0
		}
	}
	return 0
}
