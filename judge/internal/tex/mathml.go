package tex

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MathML returns a formula as MathML Core, either inline or as a displayed formula. It returns false if part of
// the formula cannot be rendered, such as an unknown command or an unmatched brace.
func MathML(tex string, display bool) (string, bool) {
	if len(tex) > maxFormula {
		return "", false
	}
	p := &parser{s: tex, display: display}
	rows := p.rows(false)
	if p.i < len(p.s) || p.bad {
		return "", false
	}
	open := "<math>"
	if display {
		open = `<math display="block">`
	}
	body := ""
	if len(rows) == 1 && len(rows[0]) == 1 {
		body = rows[0][0]
	} else {
		body = table(rows, "m-sides")
	}
	return open + body + "</math>", len(body) <= maxDrawn
}

// Limits for a formula, in bytes: maxFormula for its source and maxDrawn for its MathML.
const (
	maxFormula = 64 << 10
	maxDrawn   = 1 << 20
)

// parser reads a formula and writes elements. It sets bad on a syntax error or an unknown command.
type parser struct {
	s       string
	i       int
	depth   int
	display bool
	style   alphabet // of letters
	bad     bool
	size    int // bytes written so far
}

// atom is an element and the position of its scripts.
type atom struct {
	html   string
	limits bool // scripts go above and below if there is room
	empty  bool // a space, a label or nothing: not a base for scripts
}

func (p *parser) fail() {
	p.bad = true
	p.i = len(p.s)
}

// rows reads cells separated by & in rows separated by \\. It stops where the text, the group or the environment
// ends, and does not consume the mark that ends it.
func (p *parser) rows(inner bool) (rows [][]string) {
	row := []string{}
	for {
		row = append(row, p.row())
		if p.bad {
			return nil
		}
		switch {
		case p.i < len(p.s) && p.s[p.i] == '&':
			p.i++
		case strings.HasPrefix(p.s[p.i:], `\\`):
			p.i += 2
			p.option() // extra space between the rows
			rows, row = append(rows, row), []string{}
			if p.blank(); p.i == len(p.s) || inner && strings.HasPrefix(p.s[p.i:], `\end`) {
				return rows // line break after the last row
			}
		default:
			return append(rows, row)
		}
	}
}

// row reads elements until the end of a cell or a group.
func (p *parser) row() string {
	if p.depth++; p.depth > maxDepth {
		p.fail()
	}
	style := p.style
	defer func() { p.depth, p.style = p.depth-1, style }()
	var out strings.Builder
	n := 0
	for {
		p.blank()
		if p.i >= len(p.s) || p.s[p.i] == '}' || p.s[p.i] == '&' || strings.HasPrefix(p.s[p.i:], `\\`) ||
			p.word("right") || p.word("end") || p.word("middle") {
			break
		}
		if p.word("displaystyle") || p.word("textstyle") || p.word("scriptstyle") || p.word("limits") {
			display := "false"
			if p.word("displaystyle") {
				display = "true"
			}
			if p.word("limits") {
				p.fail() // it must follow an operator
				break
			}
			p.name()
			out.WriteString(`<mstyle displaystyle="` + display + `">` + p.row() + `</mstyle>`)
			n++
			break
		}
		switch {
		case p.word("over"):
			p.name()
			return "<mfrac><mrow>" + out.String() + "</mrow>" + p.row() + "</mfrac>"
		case p.word("choose"):
			p.name()
			return `<mrow><mo>(</mo><mfrac linethickness="0"><mrow>` + out.String() + "</mrow>" + p.row() + "</mfrac><mo>)</mo></mrow>"
		}
		if style, ok := p.switches(); ok {
			p.style = style
			continue
		}
		a := p.scripted()
		if p.bad {
			return ""
		}
		if a.html != "" {
			out.WriteString(a.html)
			n++
		}
		if p.size += len(a.html); p.size > maxDrawn {
			p.fail()
		}
	}
	if n == 1 {
		return out.String()
	}
	return "<mrow>" + out.String() + "</mrow>"
}

// switches reads a command, such as \rm, that sets the alphabet for the rest of its group. It returns false if the
// text does not continue with such a command.
func (p *parser) switches() (alphabet, bool) {
	for short, word := range map[string]string{
		"rm": "mathrm", "bf": "mathbf", "it": "mathit", "cal": "mathcal", "tt": "mathtt", "sf": "mathsf",
	} {
		if p.word(short) {
			p.name()
			return alphabets[word], true
		}
	}
	return alphabet{}, false
}

// word reports whether the text continues with the command called name.
func (p *parser) word(name string) bool {
	rest, ok := strings.CutPrefix(p.s[p.i:], `\`+name)
	return ok && (rest == "" || !isLetter(rest[0]))
}

// blank skips blanks and comments.
func (p *parser) blank() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		case '%':
			if end := strings.IndexByte(p.s[p.i:], '\n'); end >= 0 {
				p.i += end + 1
			} else {
				p.i = len(p.s)
			}
		default:
			return
		}
	}
}

// name reads the command name after the backslash: letters, or one other character.
func (p *parser) name() string {
	start := p.i + 1
	end := start
	for end < len(p.s) && isLetter(p.s[end]) {
		end++
	}
	if end == start {
		_, n := utf8.DecodeRuneInString(p.s[end:])
		end += n
	} else if end < len(p.s) && p.s[end] == '*' && starred[p.s[start:end]] {
		p.i = end + 1
		return p.s[start:end]
	}
	p.i = end
	return p.s[start:end]
}

// starred contains the commands that also exist with a star.
var starred = map[string]bool{"operatorname": true, "hspace": true, "tag": true}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// thousands reports whether the text continues with a comma in braces that separates the digits of a number.
func (p *parser) thousands() bool {
	rest, ok := strings.CutPrefix(p.s[p.i:], "{,}")
	return ok && rest != "" && digit(rest[0])
}

// scripted reads an atom and its exponent, index and primes.
func (p *parser) scripted() atom {
	var a atom
	if c := p.s[p.i]; c == '^' || c == '_' || c == '\'' {
		a = atom{html: "<mrow></mrow>"}
	} else {
		a = p.atom()
	}
	var sub, sup string
	limits := a.limits
	for !p.bad {
		p.blank()
		switch {
		case p.word("limits"):
			p.name()
			limits = true
			a.html = strings.Replace(a.html, `<mo`, `<mo movablelimits="false"`, 1)
			continue
		case p.word("nolimits"):
			p.name()
			limits = false
			continue
		case a.empty || p.i >= len(p.s):
		case p.s[p.i] == '_' && sub == "":
			p.i++
			sub = p.argument()
			continue
		case p.s[p.i] == '^' && sup == "":
			p.i++
			sup = p.argument()
			continue
		case p.s[p.i] == '\'' && sup == "":
			primes := 0
			for p.i < len(p.s) && p.s[p.i] == '\'' {
				primes++
				p.i++
			}
			sup = "<mo>" + strings.Repeat("′", primes) + "</mo>"
			if p.blank(); p.i < len(p.s) && p.s[p.i] == '^' {
				p.i++
				sup = "<mrow>" + sup + p.argument() + "</mrow>"
			}
			continue
		case p.s[p.i] == '_' || p.s[p.i] == '^' || p.s[p.i] == '\'':
			p.fail() // a second exponent or index
		}
		break
	}
	switch {
	case sub == "" && sup == "":
		return a
	case limits && sub != "" && sup != "":
		a.html = "<munderover>" + a.html + sub + sup + "</munderover>"
	case limits && sub != "":
		a.html = "<munder>" + a.html + sub + "</munder>"
	case limits:
		a.html = "<mover>" + a.html + sup + "</mover>"
	case sub != "" && sup != "":
		a.html = "<msubsup>" + a.html + sub + sup + "</msubsup>"
	case sub != "":
		a.html = "<msub>" + a.html + sub + "</msub>"
	default:
		a.html = "<msup>" + a.html + sup + "</msup>"
	}
	a.limits = false
	return a
}

// argument reads a group, a command or a character, as one element.
func (p *parser) argument() string {
	p.blank()
	if p.i >= len(p.s) || strings.IndexByte("}&^_'", p.s[p.i]) >= 0 || strings.HasPrefix(p.s[p.i:], `\\`) {
		p.fail()
		return ""
	}
	if digit(p.s[p.i]) { // a single digit, as in TeX
		p.i++
		return "<mn>" + p.style.apply(p.s[p.i-1:p.i]) + "</mn>"
	}
	a := p.atom()
	if a.html == "" {
		return "<mrow></mrow>"
	}
	return a.html
}

// group returns the unparsed text of a group.
func (p *parser) group() string {
	p.blank()
	if p.i >= len(p.s) {
		p.fail()
		return ""
	}
	if p.s[p.i] != '{' {
		start := p.i
		if p.s[p.i] == '\\' {
			p.name()
		} else {
			_, n := utf8.DecodeRuneInString(p.s[p.i:])
			p.i += n
		}
		return p.s[start:p.i]
	}
	depth := 0
	for k := p.i; k < len(p.s); k++ {
		switch p.s[k] {
		case '\\':
			k++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				body := p.s[p.i+1 : k]
				p.i = k + 1
				return body
			}
		}
	}
	p.fail()
	return ""
}

// option reads an optional argument in brackets.
func (p *parser) option() (string, bool) {
	k := p.i
	for k < len(p.s) && (p.s[k] == ' ' || p.s[k] == '\t') {
		k++
	}
	if k >= len(p.s) || p.s[k] != '[' {
		return "", false
	}
	end := strings.IndexByte(p.s[k:], ']')
	if end < 0 {
		return "", false
	}
	p.i = k + end + 1
	return p.s[k+1 : k+end], true
}

// inside renders a piece of the formula.
func (p *parser) inside(tex string) string {
	q := &parser{s: tex, depth: p.depth + 1, display: p.display, style: p.style, size: p.size}
	out := q.row()
	if q.bad || q.i < len(q.s) || q.depth > maxDepth {
		p.fail()
	}
	p.size = q.size
	return out
}

// atom reads one element.
func (p *parser) atom() atom {
	c := p.s[p.i]
	switch {
	case c == '{':
		p.i++
		rows := p.rows(false)
		if p.bad || p.i >= len(p.s) || p.s[p.i] != '}' {
			p.fail()
			return atom{}
		}
		p.i++
		if len(rows) == 1 && len(rows[0]) == 1 {
			return atom{html: rows[0][0]}
		}
		return atom{html: table(rows, "")}
	case c == '\\':
		return p.command()
	case c == '~':
		p.i++
		return atom{html: space(".25em"), empty: true}
	case digit(c) || c == '.' && p.i+1 < len(p.s) && digit(p.s[p.i+1]):
		start := p.i
		for p.i < len(p.s) && (digit(p.s[p.i]) || p.thousands() || p.s[p.i] == '.' && p.i+1 < len(p.s) && digit(p.s[p.i+1])) {
			if p.thousands() {
				p.i += 2
			}
			p.i++
		}
		return atom{html: "<mn>" + p.style.apply(strings.ReplaceAll(p.s[start:p.i], "{,}", ",")) + "</mn>"}
	}
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	p.i += n
	switch {
	case r == utf8.RuneError || r == '#' || r == '$' || unicode.IsControl(r):
		p.fail()
		return atom{}
	case unicode.IsLetter(r):
		return atom{html: identifier(p.style.apply(string(r)))}
	case r == '-':
		return atom{html: "<mo>−</mo>"}
	case r == '*':
		return atom{html: "<mo>∗</mo>"}
	case r == ':':
		return atom{html: "<mo>:</mo>"}
	case strings.ContainsRune("()[]|", r):
		return atom{html: fence(string(r))}
	case unicode.IsDigit(r):
		return atom{html: "<mn>" + string(r) + "</mn>"}
	case unicode.IsSpace(r):
		return atom{html: space(".25em"), empty: true}
	}
	return atom{html: "<mo>" + html.EscapeString(string(r)) + "</mo>"}
}

func identifier(s string) string { return "<mi>" + html.EscapeString(s) + "</mi>" }

// fence returns a bracket of fixed size.
func fence(s string) string {
	if s == "|" || s == "‖" { // may be a left or a right bracket
		return `<mo stretchy="false" lspace="0" rspace="0">` + s + `</mo>`
	}
	return `<mo stretchy="false">` + html.EscapeString(s) + `</mo>`
}

func space(width string) string { return `<mspace width="` + width + `"></mspace>` }

// table renders rows of cells.
func table(rows [][]string, class string) string {
	var out strings.Builder
	out.WriteString("<mtable")
	if class != "" {
		out.WriteString(` class="` + class + `"`)
	}
	out.WriteString(">")
	for _, row := range rows {
		out.WriteString("<mtr>")
		for _, cell := range row {
			out.WriteString("<mtd>" + cell + "</mtd>")
		}
		out.WriteString("</mtr>")
	}
	out.WriteString("</mtable>")
	return out.String()
}
