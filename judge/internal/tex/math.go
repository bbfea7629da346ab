package tex

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// plainMath returns a formula as plain text, such as "10^5", "a/b" or "n ≤ m".
func plainMath(s string, depth int) string {
	if depth > maxDepth {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < maxOut; {
		switch c := s[i]; {
		case c == '\\':
			text, end := mathCommand(s, i, depth)
			spaced(&b, text)
			i = end
		case c == '%':
			i = comment(s, i)
		case c == '{':
			body, end := group(s, i)
			b.WriteString(plainMath(body, depth+1))
			i = end
		case c == '^' || c == '_':
			body, end := argument(s, i+1)
			b.WriteString(script(c, plainMath(body, depth+1)))
			i = end
		case c == '}' || c == '&':
			i++
		case c == '~' || c == '\n' || c == '\t' || c == ' ':
			if !strings.HasSuffix(b.String(), " ") {
				b.WriteByte(' ')
			}
			i++
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
			i += n
		}
	}
	return strings.TrimSpace(b.String())
}

// spaced writes a symbol. It avoids a second blank before a relation.
func spaced(b *strings.Builder, text string) {
	if strings.HasPrefix(text, " ") && (strings.HasSuffix(b.String(), " ") || b.Len() == 0) {
		text = strings.TrimPrefix(text, " ")
	}
	b.WriteString(text)
}

// script returns an exponent or index as text, in parentheses if it has several parts.
func script(mark byte, text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return ""
	case mark == '^' && (text == "'" || text == "′" || text == "°" || text == "∘"):
		return text
	case len([]rune(text)) > 1 && strings.ContainsAny(text, " +-*/=,<>≤≥·"):
		return string(mark) + "(" + text + ")"
	}
	return string(mark) + text
}

// mathCommand reads a command in a formula.
func mathCommand(s string, i, depth int) (text string, end int) {
	word, end := name(s, i)
	inner := func() string {
		var body string
		body, end = argument(s, end)
		return plainMath(body, depth+1)
	}
	switch word {
	case "frac", "dfrac", "tfrac", "cfrac":
		above := inner()
		below := inner()
		return part(above) + "/" + part(below), end
	case "binom", "dbinom", "tbinom":
		above := inner()
		below := inner()
		return "C(" + above + ", " + below + ")", end
	case "sqrt":
		root, next, found := option(s, end)
		end = next
		body := inner()
		if found {
			return plainMath(root, depth+1) + "√(" + body + ")", end
		}
		return "√" + part(body), end
	case "text", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb", "mathtt", "textbf", "textit",
		"texttt", "operatorname", "mbox",
		"textrm", "boldsymbol", "bm", "mathfrak", "hbox", "emph", "mathop", "textsc", "underline", "mathscr",
		"mathnormal", "mathbin", "mathrel", "mathord", "mathopen", "mathclose",
		"mathpunct", "mathinner", "textsf", "textnormal", "textup", "underbrace", "overbrace", "substack", "boxed",
		"fbox", "ensuremath", "pmb", "mathds",
		"smash", "t", "cancel", "bcancel", "xcancel":
		return inner(), end
	case "begin":
		return mathEnvironment(s, end, depth)
	case "end", "label", "tag", "hspace", "vspace", "phantom", "hphantom", "vphantom", "color", "mspace":
		_, end = argument(s, end)
		return "", end
	case "constant":
		body, next := argument(s, end)
		return "{{" + body + "}}", next
	case "\\":
		return "; ", end
	case "(", ")": // a formula as text
		return "", end
	case "left", "right", "middle", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr",
		"Biggl", "Biggr", "bigm", "Bigm",
		"limits", "nolimits", "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "nonumber", "notag",
		"hline", "boldmath", "rm", "bf", "it",
		"tt", "sf", "cal", "sc", "small", "large", "allowbreak", "nobreak", "strut", "mathstrut", "relax", "hfill":
		if end < len(s) && s[end] == '.' {
			end++
		}
		return "", end
	case "pmod":
		return " (mod " + inner() + ")", end
	case "bmod", "mod":
		return " mod ", end
	case "not":
		_, end = name(s, end)
		return "≠", end
	}
	if text, end, ok := stackCommand(word, s, end, depth); ok {
		return text, end
	}
	if mark, ok := overMarks[word]; ok {
		return marked(inner(), word, mark), end
	}
	if text, ok := mathSymbols[word]; ok {
		return text, swallow(s, end, " ")
	}
	for _, signs := range []map[string]string{operators, large} {
		if sign, ok := signs[word]; ok {
			return " " + html.UnescapeString(sign) + " ", swallow(s, end, " ")
		}
	}
	for _, signs := range []map[string]string{letters, fences} {
		if sign, ok := signs[word]; ok {
			return html.UnescapeString(sign), end
		}
	}
	if text, ok := symbols[word]; ok {
		return unescape().ReplaceAllString(text, "$1"), end
	}
	if _, known := functions[word]; !known && word != "" && isLetter(word[0]) && strings.HasPrefix(s[end:], "{") {
		return word + "(" + inner() + ")", end
	}
	return word, end // \log, \min, \gcd
}

// stackCommand reads a command that puts one argument above or below another or an arrow, or whose last argument
// is text and whose other arguments only change the appearance. For any other command, ok is false.
func stackCommand(word, s string, end, depth int) (text string, after int, ok bool) {
	inner := func() string {
		var body string
		body, end = argument(s, end)
		return plainMath(body, depth+1)
	}
	switch word {
	case "textcolor", "raisebox", "stackrel", "colorbox", "parbox", "href", "scalebox":
		_, end, _ = option(s, end)
		_, end = argument(s, end)
		return inner(), end, true
	case "overset":
		over := inner()
		return inner() + script('^', over), end, true
	case "underset":
		under := inner()
		return inner() + script('_', under), end, true
	case "xrightarrow":
		_, end, _ = option(s, end)
		return " →" + script('^', inner()) + " ", end, true
	case "xleftarrow":
		_, end, _ = option(s, end)
		return " ←" + script('^', inner()) + " ", end, true
	}
	return "", end, false
}

// overMarks maps the commands that put a mark on a letter to the combining characters of Unicode.
var overMarks = map[string]rune{
	"overline": '\u0305', "bar": '\u0304', "hat": '\u0302', "widehat": '\u0302', "vec": '\u20D7',
	"overrightarrow": '\u20D7', "tilde": '\u0303',
	"widetilde": '\u0303', "dot": '\u0307', "ddot": '\u0308', "check": '\u030C', "breve": '\u0306',
	"mathring": '\u030A', "acute": '\u0301',
	"grave": '\u0300',
}

// marked puts a mark on a letter. For several letters it writes the name of the mark, as in vec(AB).
func marked(text, word string, mark rune) string {
	letters := []rune(text)
	if len(letters) == 1 {
		return norm.NFC.String(text + string(mark))
	}
	if word == "overline" && len(letters) < 20 && !strings.ContainsFunc(text, func(r rune) bool { return !isDigitOrLetter(r) }) {
		var b strings.Builder // for example, the digits of a number
		for _, letter := range letters {
			b.WriteString(string(letter) + string(mark))
		}
		return b.String()
	}
	return strings.TrimPrefix(word, "wide") + "(" + text + ")"
}

func isDigitOrLetter(r rune) bool { return unicode.IsDigit(r) || unicode.IsLetter(r) }

// brackets maps matrix environments to the brackets around their rows.
var brackets = map[string][2]string{
	"pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"}, "vmatrix": {"|", "|"},
	"Vmatrix": {"‖", "‖"}, "matrix": {"", ""},
	"smallmatrix": {"", ""}, "array": {"", ""}, "cases": {"{ ", " }"}, "dcases": {"{ ", " }"}, "rcases": {"{ ", " }"},
}

// mathEnvironment reads an environment in a formula. Semicolons separate the rows of a matrix, and commas separate
// its cells, as in (1, 0; 0, 1).
func mathEnvironment(s string, i, depth int) (text string, end int) {
	word, i := argument(s, i)
	word = strings.TrimSpace(word)
	body, end := bodyOf(s, i, word)
	around, ok := brackets[strings.TrimSuffix(word, "*")]
	if !ok { // aligned and the like
		return plainMath(body, depth+1), end
	}
	between := ", "
	if strings.HasSuffix(word, "cases") {
		between = " "
	}
	_, at, _ := option(body, 0)
	if word == "array" {
		_, at = argument(body, at)
	}
	var rows []string
	for _, row := range splitTop(body[at:], `\\`) {
		_, skip, _ := option(row, 0) // option of the preceding line break
		var cells []string
		for _, cell := range splitTop(row[skip:], "&") {
			cells = append(cells, plainMath(cell, depth+1))
		}
		if text := strings.TrimSpace(strings.Join(cells, between)); text != "" {
			rows = append(rows, text)
		}
	}
	return around[0] + strings.Join(rows, "; ") + around[1], end
}

// part puts the numerator or denominator of a fraction in parentheses if necessary.
func part(text string) string {
	if strings.ContainsAny(text, " +-*/·") {
		return "(" + text + ")"
	}
	return text
}

// mathSymbols maps math commands to the characters that they represent.
var mathSymbols = map[string]string{
	"le": " ≤ ", "leq": " ≤ ", "leqslant": " ≤ ", "ge": " ≥ ", "geq": " ≥ ", "geqslant": " ≥ ", "ne": " ≠ ",
	"neq": " ≠ ", "lt": " < ", "gt": " > ",
	"ll": " ≪ ", "gg": " ≫ ", "equiv": " ≡ ", "approx": " ≈ ", "sim": " ~ ", "in": " ∈ ", "notin": " ∉ ",
	"subset": " ⊂ ", "subseteq": " ⊆ ",
	"supset": " ⊃ ", "supseteq": " ⊇ ", "cup": " ∪ ", "cap": " ∩ ", "setminus": " ∖ ", "emptyset": "∅",
	"varnothing": "∅", "infty": "∞",
	"cdot": " · ", "times": " × ", "div": " ÷ ", "pm": "±", "mp": "∓", "ast": "*", "star": "⋆", "circ": "°",
	"oplus": " ⊕ ", "otimes": " ⊗ ",
	"land": " ∧ ", "wedge": " ∧ ", "lor": " ∨ ", "vee": " ∨ ", "neg": "¬", "lnot": "¬", "forall": "∀", "exists": "∃",
	"to": " → ", "rightarrow": " → ", "longrightarrow": " → ", "leftarrow": " ← ", "gets": " ← ",
	"Rightarrow": " ⇒ ", "implies": " ⇒ ",
	"Leftarrow": " ⇐ ", "leftrightarrow": " ↔ ", "Leftrightarrow": " ⇔ ", "iff": " ⇔ ", "mapsto": " ↦ ",
	"uparrow": "↑", "downarrow": "↓",
	"ldots": "...", "dots": "...", "cdots": "...", "dotsc": "...", "dotsb": "...", "vdots": "⋮", "ddots": "⋱",
	"sum": "Σ", "prod": "Π", "int": "∫", "partial": "∂", "nabla": "∇", "mid": " | ", "vert": "|", "lvert": "|",
	"rvert": "|", "Vert": "‖", "|": "‖",
	"lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩", "lbrace": "{",
	"rbrace": "}", "lbrack": "[", "rbrack": "]",
	"prime": "′", "ell": "ℓ", "hbar": "ħ", "Re": "Re", "Im": "Im", "angle": "∠", "perp": " ⊥ ", "parallel": " ∥ ",
	"propto": " ∝ ", "colon": ": ",
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
	"eta": "η", "theta": "θ", "vartheta": "ϑ",
	"iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
	"tau": "τ", "upsilon": "υ",
	"phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
	"Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
	"Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "bullet": "•", "dagger": "†",
	"checkmark": "✓", "square": "□", "triangle": "△",
}

// accents maps the commands that put an accent on a letter to the combining characters of Unicode.
var accents = map[string]rune{
	"'": '\u0301', "`": '\u0300', "^": '\u0302', "\"": '\u0308', "~": '\u0303', "=": '\u0304', ".": '\u0307',
	"u": '\u0306', "v": '\u030C', "H": '\u030B',
	"c": '\u0327', "d": '\u0323', "b": '\u0331', "k": '\u0328', "r": '\u030A',
}

func accented(accent rune, base string) string {
	base = strings.TrimSpace(strings.NewReplacer("{", "", "}", "", `\`, "").Replace(base))
	r, n := utf8.DecodeRuneInString(base)
	if n == 0 {
		return ""
	}
	return norm.NFC.String(string(r)+string(accent)) + base[n:]
}
