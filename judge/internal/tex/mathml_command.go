package tex

import (
	"html"
	"strings"

	"assay/judge/internal/pattern"
)

// command reads a command and its arguments.
func (p *parser) command() atom {
	word := p.name()
	if s, ok := operators[word]; ok {
		return atom{html: "<mo>" + s + "</mo>"}
	}
	if s, ok := letters[word]; ok {
		return atom{html: "<mi>" + s + "</mi>"}
	}
	if s, ok := large[word]; ok {
		return atom{html: "<mo>" + s + "</mo>", limits: !strings.Contains("∫∬∭∮", s)}
	}
	if over, ok := functions[word]; ok {
		return atom{html: named(spelled(word)), limits: over}
	}
	if s, ok := fences[word]; ok {
		return atom{html: fence(s)}
	}
	if width, ok := spaces[word]; ok {
		return atom{html: space(width), empty: true}
	}
	if mark, ok := marks[word]; ok {
		return atom{html: "<mover>" + p.argument() + `<mo stretchy="` + stretchy(word) + `">` + mark + "</mo></mover>"}
	}
	if mark, ok := below[word]; ok {
		return atom{html: "<munder>" + p.argument() + "<mo>" + mark + "</mo></munder>", limits: word == "underbrace"}
	}
	if style, ok := alphabets[word]; ok {
		before := p.style
		p.style = style
		defer func() { p.style = before }()
		body := p.group()
		if word == "mathrm" || word == "mathsf" || word == "mathtt" || word == "mathbf" || word == "mathit" {
			if text, plain := words(body); plain && len(text) > 1 {
				return atom{html: "<mi>" + html.EscapeString(style.apply(text)) + "</mi>"}
			}
		}
		if word == "mathrm" && len(body) == 1 && isLetter(body[0]) {
			return atom{html: `<mi mathvariant="normal">` + body + "</mi>"}
		}
		return atom{html: p.inside(body)}
	}
	if texts[word] {
		return atom{html: p.text(p.group())}
	}
	return p.construct(word)
}

func stretchy(word string) string {
	if strings.HasPrefix(word, "wide") || strings.HasPrefix(word, "over") {
		return "true"
	}
	return "false"
}

// named returns a function or an operator whose name consists of letters.
func named(text string) string {
	return `<mo movablelimits="true" lspace="0" rspace=".17em">` + html.EscapeString(text) + "</mo>"
}

// thin replaces the spacing commands in a name by blanks.
var thin = strings.NewReplacer(`\,`, " ", `\ `, " ", `~`, " ", `\rm `, "", `\;`, " ")

// words returns s as the text of a name. It returns false if s is empty, or contains other characters than
// letters, digits, hyphens and blanks.
func words(s string) (string, bool) {
	s = strings.TrimSpace(thin.Replace(s))
	for _, c := range []byte(s) {
		if !isLetter(c) && !digit(c) && c != '-' && c != ' ' {
			return "", false
		}
	}
	return strings.ReplaceAll(s, " ", "\u00a0"), s != ""
}

// construct reads a command that is not just a symbol.
func (p *parser) construct(word string) atom {
	switch word {
	case "frac", "dfrac", "tfrac", "cfrac":
		above := p.argument()
		return atom{html: "<mfrac>" + above + p.argument() + "</mfrac>"}
	case "binom", "dbinom", "tbinom":
		above := p.argument()
		return atom{html: `<mrow><mo>(</mo><mfrac linethickness="0">` + above + p.argument() + "</mfrac><mo>)</mo></mrow>"}
	case "sqrt":
		if root, ok := p.option(); ok {
			degree := p.inside(root)
			return atom{html: "<mroot>" + p.argument() + degree + "</mroot>"}
		}
		return atom{html: "<msqrt>" + p.argument() + "</msqrt>"}
	case "overset", "stackrel":
		above := p.argument()
		return atom{html: "<mover>" + p.argument() + above + "</mover>"}
	case "underset":
		under := p.argument()
		return atom{html: "<munder>" + p.argument() + under + "</munder>"}
	case "xrightarrow", "xleftarrow":
		p.option()
		arrow := map[string]string{"xrightarrow": "→", "xleftarrow": "←"}[word]
		return atom{html: `<mover><mo stretchy="true">` + arrow + "</mo>" + p.argument() + "</mover>"}
	case "overbrace":
		return atom{html: "<mover>" + p.argument() + "<mo>⏞</mo></mover>", limits: true}
	case "operatorname", "mathop":
		star := p.s[p.i-1] == '*'
		if text, plain := words(p.group()); plain {
			return atom{html: named(text), limits: star || word == "mathop"}
		}
	case "mathbin", "mathrel", "mathord", "mathopen", "mathclose", "mathpunct", "mathinner", "boxed", "ensuremath":
		return atom{html: p.argument()}
	case "phantom", "hphantom", "vphantom":
		return atom{html: "<mphantom>" + p.argument() + "</mphantom>"}
	case "color":
		p.group()
		return atom{empty: true}
	case "textcolor":
		p.group()
		return atom{html: p.argument()}
	case "label", "vspace", "tag":
		p.group()
		return atom{empty: true}
	case "hspace":
		p.group()
		return atom{html: space(".5em"), empty: true}
	case "nonumber", "notag", "mathstrut", "strut", "centering", "displaylimits", "relax",
		"scriptscriptstyle", "protect", "allowbreak", "hfill", "noindent", "newline":
		return atom{empty: true}
	case "pmod":
		return atom{html: `<mrow><mspace width=".6em"></mspace><mo stretchy="false">(</mo><mi>mod</mi>` +
			`<mspace width=".3em"></mspace>` + p.argument() + `<mo stretchy="false">)</mo></mrow>`}
	case "bmod", "mod":
		return atom{html: `<mo lspace=".25em" rspace=".25em">mod</mo>`}
	case "not":
		return p.not()
	case "left":
		return p.left()
	case "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm", "Bigm":
		size := map[byte]string{'b': "1.2em", 'B': "1.8em"}[word[0]]
		if strings.Contains(word, "gg") {
			size = map[byte]string{'b': "2.4em", 'B': "3em"}[word[0]]
		}
		if d, ok := p.delimiter(); ok {
			return atom{html: `<mo stretchy="true" minsize="` + size + `" maxsize="` + size + `">` + html.EscapeString(d) + "</mo>"}
		}
	case "substack":
		q := &parser{s: p.group(), depth: p.depth + 1, style: p.style, size: p.size}
		rows := q.rows(false)
		if !q.bad && q.i == len(q.s) {
			return atom{html: table(rows, "")}
		}
	case "begin":
		return p.environment()
	}
	p.fail()
	return atom{}
}

// not reads the next relation and renders it negated.
func (p *parser) not() atom {
	p.blank()
	if p.i >= len(p.s) {
		p.fail()
		return atom{}
	}
	a := p.atom()
	inner, ok := strings.CutPrefix(a.html, "<mo>")
	if !ok {
		p.fail()
		return a
	}
	inner = strings.TrimSuffix(inner, "</mo>")
	if one, known := map[string]string{
		"=": "≠", "∈": "∉", "≡": "≢", "⊂": "⊄", "⊆": "⊈", "∣": "∤", "∃": "∄", "≤": "≰", "≥": "≱", "∼": "≁",
		"≈": "≉",
	}[inner]; known {
		return atom{html: "<mo>" + one + "</mo>"}
	}
	return atom{html: "<mo>" + inner + "\u0338</mo>"}
}

// delimiter reads the delimiter after \left or a similar command. It returns an empty string for a dot.
func (p *parser) delimiter() (string, bool) {
	p.blank()
	if p.i >= len(p.s) {
		return "", false
	}
	c := p.s[p.i]
	if c == '\\' {
		word := p.name()
		if d, ok := fences[word]; ok {
			return d, true
		}
		d, ok := map[string]string{"uparrow": "↑", "downarrow": "↓", "backslash": "\\", "mid": "|"}[word]
		return d, ok
	}
	if strings.IndexByte("()[]|/.<>", c) < 0 {
		return "", false
	}
	p.i++
	switch c {
	case '.':
		return "", true
	case '<':
		return "⟨", true
	case '>':
		return "⟩", true
	}
	return string(c), true
}

// left reads a formula until the matching \right.
func (p *parser) left() atom {
	grown := func(form string) string {
		d, ok := p.delimiter()
		if !ok {
			p.fail()
		}
		if d == "" {
			return ""
		}
		return `<mo fence="true" stretchy="true" form="` + form + `">` + html.EscapeString(d) + "</mo>"
	}
	out := grown("prefix")
	for !p.bad {
		rows := p.rows(false)
		if len(rows) == 1 && len(rows[0]) == 1 {
			out += rows[0][0]
		} else {
			out += table(rows, "")
		}
		switch {
		case p.bad:
		case p.word("middle"):
			p.name()
			out += grown("infix")
			continue
		case p.word("right"):
			p.name()
			return atom{html: "<mrow>" + out + grown("postfix") + "</mrow>"}
		}
		break
	}
	p.fail()
	return atom{}
}

// environment reads an environment until its \end.
func (p *parser) environment() atom {
	word := p.group()
	open, closing, class := "", "", ""
	switch strings.TrimSuffix(word, "*") {
	case "matrix", "smallmatrix", "gathered", "gather", "multline":
	case "pmatrix":
		open, closing = "(", ")"
	case "bmatrix":
		open, closing = "[", "]"
	case "Bmatrix":
		open, closing = "{", "}"
	case "vmatrix":
		open, closing = "|", "|"
	case "Vmatrix":
		open, closing = "‖", "‖"
	case "cases", "dcases":
		open, class = "{", "m-left"
	case "rcases":
		closing, class = "}", "m-left"
	case "array":
		p.option()
		columns := p.group()
		if strings.Trim(columns, "l| ") == "" {
			class = "m-left"
		}
	case "aligned", "align", "split", "eqnarray", "alignat", "equation", "flalign":
		class = "m-sides"
	default:
		p.fail()
		return atom{}
	}
	rows := p.rows(true)
	if p.bad || !p.word("end") {
		p.fail()
		return atom{}
	}
	if p.name(); p.group() != word {
		p.fail()
		return atom{}
	}
	out := table(rows, class)
	if open != "" {
		out = `<mo fence="true" stretchy="true" form="prefix">` + open + "</mo>" + out
	}
	if closing != "" {
		out += `<mo fence="true" stretchy="true" form="postfix">` + closing + "</mo>"
	}
	return atom{html: "<mrow>" + out + "</mrow>"}
}

// inText matches formulas between dollar signs in text.
var inText = pattern.New(`((?:^|[^\\]))\$((?:[^$\\]|\\.)+)\$`)

// signInWords returns the characters that the command at i stands for, and the index after the command. For a font
// command, sign is empty.
func signInWords(s string, i int) (sign string, end int, ok bool) {
	word, end := name(s, i)
	if word == "" {
		return "", end, false
	}
	if accent, is := accents[word]; is {
		base, end := argument(s, end)
		return accented(accent, strings.TrimPrefix(base, `\`)), end, true
	}
	_, font := fonts[word]
	_, toggle := switches[word]
	sign, ok = symbols[word]
	switch {
	case word == "quad" || word == "qquad":
		sign = strings.Repeat("\u2003", len(word)-len("uad"))
	case strings.Contains(sign, "\n"): // a line break
		sign = " "
	case ok:
		sign = unescape().ReplaceAllString(sign, "$1")
	case !font && !toggle:
		return "", end, false
	}
	return sign, swallow(s, end, word), true
}

// text renders text in a formula, including nested formulas.
func (p *parser) text(s string) string {
	s = inText().ReplaceAllString(s, `$1\($2\)`)
	var out strings.Builder
	plain := func(s string) {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case c == '\\':
				sign, end, ok := signInWords(s, i)
				if !ok {
					p.fail()
					return
				}
				b.WriteString(sign)
				i = end - 1
			case c == '$':
				p.fail()
				return
			case c == '{' || c == '}':
			case c == '~':
				b.WriteByte(' ')
			default:
				b.WriteByte(c)
			}
		}
		text := b.String()
		if text == "" {
			return
		}
		if strings.HasPrefix(text, " ") {
			text = "\u00a0" + text[1:]
		}
		if strings.HasSuffix(text, " ") {
			text = text[:len(text)-1] + "\u00a0"
		}
		out.WriteString("<mtext>" + html.EscapeString(text) + "</mtext>")
	}
	for {
		before, rest, found := strings.Cut(s, `\(`)
		plain(before)
		if !found {
			break
		}
		inner, after, closed := strings.Cut(rest, `\)`)
		if !closed {
			p.fail()
			break
		}
		out.WriteString(p.inside(inner))
		s = after
	}
	return "<mrow>" + out.String() + "</mrow>"
}
