package tex

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// opener is the beginning of a construct in a formula that must be closed.
type opener struct {
	kind string // "{", "left" or "begin"
	word string // name of the environment
}

func (o opener) String() string {
	switch o.kind {
	case "begin":
		return `\begin{` + o.word + "}"
	case "left":
		return `\left`
	}
	return o.kind
}

// arguments maps commands to the number of arguments that they require.
var arguments = map[string]int{
	"frac": 2, "dfrac": 2, "tfrac": 2, "cfrac": 2, "binom": 2, "dbinom": 2, "tbinom": 2, "sqrt": 1,
	"overset": 2, "underset": 2, "stackrel": 2, "text": 1, "mathrm": 1, "mathbf": 1, "mathbb": 1, "mathcal": 1, "mathit": 1,
	"operatorname": 1, "overline": 1, "underline": 1, "hat": 1, "vec": 1, "pmod": 1, "substack": 1, "begin": 1, "end": 1,
}

// unsupported lists the math environments of LaTeX that MathML does not render.
var unsupported = []string{"tabular", "alignedat", "subarray", "CD", "psmallmatrix", "bsmallmatrix", "math", "displaymath",
	"tikzpicture", "picture", "minipage", "multlined", "xy"}

// FormulaError describes an error in a formula that LaTeX would also reject, such as an unclosed brace or an unknown
// environment. It returns an empty string if the formula has no such error. The own parameter lists the
// environments that the statement defines.
func FormulaError(formula string, own ...string) string {
	if flaw := hiddenByComment(formula); flaw != "" {
		return flaw
	}
	var open []opener
	depth := 0      // of braces
	inText := false // between dollars in \text
	closes := func(o opener) string {
		switch {
		case len(open) == 0 || o.kind == "{" && depth == 0:
			return map[string]string{"{": "a } has no { before it", "left": `a \right has no \left before it`,
				"begin": `\end{` + o.word + `} has no \begin before it`}[o.kind]
		case open[len(open)-1] != o:
			return fmt.Sprintf("%v is not closed", open[len(open)-1])
		}
		open = open[:len(open)-1]
		return ""
	}
	flaw := ""
	for i := 0; i < len(formula) && flaw == ""; {
		switch c := formula[i]; c {
		case '\\':
			word, end := name(formula, i)
			if flaw = needs(formula, end, `\`+word, arguments[word]); flaw != "" {
				break
			}
			i = end
			switch word {
			case "left":
				open = append(open, opener{kind: "left"})
			case "right":
				flaw = closes(opener{kind: "left"})
			case "begin":
				var environment string
				environment, i = argument(formula, end)
				if environment = strings.TrimSpace(environment); !known(environment) && !slices.Contains(own, environment) {
					return fmt.Sprintf("there is no environment %q", environment)
				}
				open = append(open, opener{"begin", environment})
			case "end":
				var environment string
				environment, i = argument(formula, end)
				flaw = closes(opener{"begin", strings.TrimSpace(environment)})
			}
		case '{':
			open, depth = append(open, opener{kind: "{"}), depth+1
			i++
		case '}':
			if flaw = closes(opener{kind: "{"}); flaw == "" {
				depth--
			}
			i++
		case '^', '_':
			flaw = scripts(formula, i)
			i++
		case '$':
			if inText = !inText; depth == 0 {
				flaw = "it has a dollar sign in it; an earlier formula may not be closed"
			}
			i++
		case '%':
			i = comment(formula, i)
		default:
			i++
		}
	}
	switch {
	case flaw == "" && len(open) > 0:
		flaw = fmt.Sprintf("%v is not closed", open[len(open)-1])
	case flaw == "" && inText:
		flaw = "a dollar sign in it is not closed"
	}
	return flaw
}

// check warns about errors in a formula. The parameter stands is the formula as written in the statement. The
// parameter formula is the same formula after expansion of the statement's own commands.
func (r *reader) check(stands, formula string) {
	r.doc.Formulas++
	flaw := FormulaError(formula, slices.Collect(maps.Keys(r.environments))...)
	if flaw == "" {
		flaw = hiddenByComment(stands)
	}
	if flaw != "" {
		r.broken(stands, BrokenMessage(formula, flaw), "correct it")
	}
}

// hiddenByComment returns an error message if a comment hides the end of a formula, otherwise an empty string.
func hiddenByComment(formula string) string {
	last := formula[strings.LastIndexByte(formula, '\n')+1:]
	if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(last, `\\`, ""), `\%`, ""), "%") {
		return `% begins a comment, which hides the rest: write \%`
	}
	return ""
}

// shown is the maximum number of characters of a formula in a message.
const shown = 40

// Excerpt returns the beginning of a formula, enclosed in dollar signs.
func Excerpt(formula string) string {
	one := strings.Join(strings.Fields(formula), " ")
	if r := []rune(one); len(r) > shown {
		return "$" + string(r[:shown]) + "…"
	}
	return "$" + one + "$"
}

// BrokenMessage returns an error message about a formula.
func BrokenMessage(formula, flaw string) string {
	return fmt.Sprintf("the formula %s is broken: %s", Excerpt(formula), flaw)
}

// known reports whether an environment exists in formulas.
func known(environment string) bool {
	word := strings.TrimSuffix(environment, "*")
	_, bracketed := brackets[word]
	return bracketed || slices.Contains(unsupported, word) || slices.Contains(environments, word)
}

// environments lists the math environments without brackets.
var environments = []string{"aligned", "align", "split", "eqnarray", "alignat", "equation", "flalign", "gathered", "gather", "multline"}

// needs returns an error message if fewer than n arguments follow a command, otherwise an empty string.
func needs(s string, i int, command string, n int) string {
	if command == `\sqrt` {
		_, i, _ = option(s, i)
	}
	for range n {
		for i < len(s) && strings.IndexByte(" \t\n", s[i]) >= 0 {
			i++
		}
		if i == len(s) || s[i] == '}' || s[i] == '&' || strings.HasPrefix(s[i:], `\\`) || strings.HasPrefix(s[i:], `\end{`) {
			word := "arguments"
			if n == 1 {
				word = "argument"
			}
			return fmt.Sprintf("%s needs %d %s", command, n, word)
		}
		_, i = argument(s, i)
	}
	return ""
}

// scripts returns an error message if an exponent or index at i has no argument, or if two exponents or two
// indices follow each other there. Otherwise it returns an empty string.
func scripts(s string, i int) string {
	words := map[byte]string{'^': "exponents", '_': "indices"}
	var seen []byte
	for i < len(s) && words[s[i]] != "" {
		if slices.Contains(seen, s[i]) {
			return "it has two " + words[s[i]] + " in a row: put braces around one"
		}
		seen = append(seen, s[i])
		if flaw := needs(s, i+1, s[i:i+1], 1); flaw != "" {
			return flaw
		}
		start := i + 1
		if _, i = argument(s, start); strings.HasPrefix(strings.TrimLeft(s[start:i], " \t\n"), `\`) {
			return "" // the command has its own arguments
		}
		for i < len(s) && strings.IndexByte(" \t\n", s[i]) >= 0 {
			i++
		}
	}
	return ""
}
