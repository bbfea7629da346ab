package tex

import "strings"

// operators maps commands to operators, relations and punctuation.
var operators = map[string]string{
	"le": "≤", "leq": "≤", "leqslant": "⩽", "leqq": "≦", "ge": "≥", "geq": "≥", "geqslant": "⩾", "geqq": "≧",
	"ne": "≠", "neq": "≠", "lt": "&lt;", "gt": "&gt;",
	"ll": "≪", "gg": "≫", "equiv": "≡", "approx": "≈", "sim": "∼", "simeq": "≃", "cong": "≅", "in": "∈",
	"notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "subsetneq": "⊊",
	"supset": "⊃", "supseteq": "⊇", "nsubseteq": "⊈", "cup": "∪", "cap": "∩", "setminus": "∖",
	"smallsetminus": "∖", "sqcup": "⊔", "sqcap": "⊓", "uplus": "⊎",
	"cdot": "⋅", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "ast": "∗", "star": "⋆", "circ": "∘",
	"bullet": "∙", "oplus": "⊕", "ominus": "⊖", "otimes": "⊗", "odot": "⊙",
	"land": "∧", "wedge": "∧", "lor": "∨", "vee": "∨", "neg": "¬", "lnot": "¬", "veebar": "⊻", "forall": "∀", "exists": "∃", "nexists": "∄",
	"to": "→", "rightarrow": "→", "longrightarrow": "⟶", "leftarrow": "←", "longleftarrow": "⟵", "gets": "←",
	"Rightarrow": "⇒", "Longrightarrow": "⟹", "implies": "⟹", "impliedby": "⟸",
	"Leftarrow": "⇐", "leftrightarrow": "↔", "Leftrightarrow": "⇔", "Longleftrightarrow": "⟺", "iff": "⟺",
	"mapsto": "↦", "longmapsto": "⟼", "uparrow": "↑", "downarrow": "↓",
	"nearrow": "↗", "searrow": "↘", "swarrow": "↙", "nwarrow": "↖", "hookrightarrow": "↪", "leadsto": "⇝",
	"rightsquigarrow": "⇝", "leftrightarrows": "⇆", "rightleftharpoons": "⇌",
	"ldots": "…", "dots": "…", "dotsc": "…", "cdots": "⋯", "dotsb": "⋯", "dotsm": "⋯", "dotso": "…", "vdots": "⋮", "ddots": "⋱",
	"mid": "∣", "nmid": "∤", "divides": "∣", "parallel": "∥", "perp": "⊥", "propto": "∝", "colon": ":",
	"coloneqq": "≔", "vdash": "⊢", "models": "⊨", "top": "⊤", "bot": "⊥",
	"prec": "≺", "preceq": "⪯", "succ": "≻", "succeq": "⪰", "triangleq": "≜", "doteq": "≐", "asymp": "≍",
	"lesssim": "≲", "gtrsim": "≳", "bowtie": "⋈",
	"prime": "′", "backslash": "∖", "slash": "/", "%": "%", "$": "$", "&": "&amp;", "#": "#", "_": "_",
	"cdotp": "⋅", "ldotp": ".", "And": "&amp;",
	"triangleleft": "◃", "triangleright": "▹", "diamond": "⋄", "amalg": "⨿", "wr": "≀", "bigcirc": "◯",
	"lll": "⋘", "ggg": "⋙", "nless": "≮", "ngtr": "≯", "nleq": "≰", "ngeq": "≱",
}

// letters maps commands to letters and similar symbols.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ",
	"eta": "η", "theta": "θ", "vartheta": "ϑ",
	"iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "omicron": "ο", "pi": "π",
	"varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς",
	"tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ",
	"Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"ell": "ℓ", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "imath": "ı", "jmath": "ȷ", "wp": "℘", "aleph": "ℵ",
	"infty": "∞", "emptyset": "∅", "varnothing": "∅", "partial": "∂", "nabla": "∇",
	"angle": "∠", "degree": "°", "dagger": "†", "ddagger": "‡", "checkmark": "✓", "square": "□", "Box": "□",
	"blacksquare": "■", "triangle": "△", "lozenge": "◊", "clubsuit": "♣",
	"diamondsuit": "♢", "heartsuit": "♡", "spadesuit": "♠", "complement": "∁", "surd": "√", "copyright": "©",
	"pounds": "£", "P": "¶", "S": "§", "textdollar": "$",
}

// large maps commands to large operators such as sums.
var large = map[string]string{
	"sum": "∑", "prod": "∏", "coprod": "∐", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂",
	"bigvee": "⋁", "bigwedge": "⋀", "bigsqcup": "⨆", "biguplus": "⨄",
	"int": "∫", "iint": "∬", "iiint": "∭", "oint": "∮",
}

// functions contains the functions whose names consist of letters. The map value is true if an index is written
// below the name.
var functions = map[string]bool{
	"log": false, "ln": false, "lg": false, "exp": false, "sin": false, "cos": false, "tan": false,
	"cot": false, "sec": false, "csc": false, "arcsin": false, "arccos": false, "arctan": false,
	"sinh": false, "cosh": false, "tanh": false, "deg": false, "dim": false, "ker": false, "hom": false, "arg": false,
	"min": true, "max": true, "lim": true, "sup": true, "inf": true, "gcd": true, "det": true, "Pr": true, "liminf": true, "limsup": true,
}

func spelled(word string) string {
	switch word {
	case "liminf", "limsup":
		return strings.Replace(word, "lim", "lim\u00a0", 1)
	}
	return word
}

// fences are brackets.
var fences = map[string]string{
	"{": "{", "}": "}", "|": "‖", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "lfloor": "⌊",
	"rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "langle": "⟨", "rangle": "⟩",
	"vert": "|", "lvert": "|", "rvert": "|", "Vert": "‖", "lVert": "‖", "rVert": "‖", "lgroup": "(",
	"rgroup": ")", "ulcorner": "⌜", "urcorner": "⌝",
}

// spaces maps spacing commands to widths.
var spaces = map[string]string{
	",": ".17em", "thinspace": ".17em", ":": ".22em", ">": ".22em", "medspace": ".22em", ";": ".28em",
	"thickspace": ".28em", " ": ".25em", "\n": ".25em", "!": "-.17em", "/": "0", "-": "0",
	"quad": "1em", "qquad": "2em", "enspace": ".5em", "space": ".25em", "nobreakspace": ".25em",
}

// marks maps commands to the marks that they put above their argument. The map below contains the marks under the
// argument.
var (
	marks = map[string]string{
		"bar": "¯", "overline": "¯", "hat": "^", "widehat": "^", "vec": "→", "overrightarrow": "→",
		"overleftarrow": "←", "tilde": "~", "widetilde": "~", "dot": "˙", "ddot": "¨", "check": "ˇ",
		"breve": "˘", "acute": "´", "grave": "`", "mathring": "˚",
	}
	below = map[string]string{"underline": "_", "underbrace": "⏟", "underbar": "_"}
)

// texts are commands whose argument is text.
var texts = map[string]bool{
	"text": true, "textrm": true, "textbf": true, "textit": true, "texttt": true, "textsf": true,
	"textsc": true, "textnormal": true, "mbox": true, "hbox": true, "emph": true, "textup": true,
	"mathtext": true, "intertext": true,
}

// alphabet is a way of writing letters and digits. Unicode has characters for them.
type alphabet struct {
	upper, lower, zero rune            // where A, a and 0 begin; zero if there is none
	others             map[rune]string // that stand elsewhere
}

// alphabets are the commands that choose one.
var alphabets = map[string]alphabet{
	"mathrm": {}, "mathit": {}, "mathnormal": {},
	"mathbf": {
		upper: 0x1D400, lower: 0x1D41A, zero: 0x1D7CE,
	}, "boldsymbol": {upper: 0x1D468, lower: 0x1D482, zero: 0x1D7CE}, "bm": {upper: 0x1D468, lower: 0x1D482, zero: 0x1D7CE},
	"mathbb": {upper: 0x1D538, lower: 0x1D552, zero: 0x1D7D8, others: map[rune]string{
		'C': "ℂ", 'H': "ℍ", 'N': "ℕ", 'P': "ℙ", 'Q': "ℚ", 'R': "ℝ", 'Z': "ℤ",
	}},
	"mathcal": scriptLetters, "mathscr": scriptLetters,
	"mathfrak": {upper: 0x1D504, lower: 0x1D51E, others: map[rune]string{'C': "ℭ", 'H': "ℌ", 'I': "ℑ", 'R': "ℜ", 'Z': "ℨ"}},
	"mathtt":   {upper: 0x1D670, lower: 0x1D68A, zero: 0x1D7F6}, "mathsf": {upper: 0x1D5A0, lower: 0x1D5BA, zero: 0x1D7E2},
}

var scriptLetters = alphabet{upper: 0x1D49C, lower: 0x1D4B6, others: map[rune]string{
	'B': "ℬ", 'E': "ℰ", 'F': "ℱ", 'H': "ℋ", 'I': "ℐ", 'L': "ℒ", 'M': "ℳ", 'R': "ℛ", 'e': "ℯ", 'g': "ℊ", 'o': "ℴ",
}}

// apply writes a text in the alphabet.
func (a alphabet) apply(text string) string {
	if a.upper == 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch other := a.others[r]; {
		case other != "":
			out.WriteString(other)
		case r >= 'A' && r <= 'Z':
			out.WriteRune(a.upper + r - 'A')
		case r >= 'a' && r <= 'z':
			out.WriteRune(a.lower + r - 'a')
		case r >= '0' && r <= '9' && a.zero != 0:
			out.WriteRune(a.zero + r - '0')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
