package tex

import (
	"fmt"
	"strings"
)

// command reads the command at i, and says where the text goes on.
func (r *reader) command(s string, i, depth int) int {
	word, end := name(s, i)
	if word == "" {
		return i + 1
	}
	if m, ok := r.macros[word]; ok {
		return r.expand(s, end, m, depth)
	}
	if accent, ok := accents[word]; ok {
		base, end := argument(s, end)
		r.write(accented(accent, strings.TrimPrefix(base, `\`)))
		return end
	}
	if text, ok := symbols[word]; ok {
		r.write(text)
		return swallow(s, end, word)
	}
	if mark, ok := fonts[word]; ok {
		body, end := argument(s, end)
		r.marked(body, mark, depth)
		return end
	}
	if do, ok := r.commands[word]; ok {
		return do(r, s, end, depth)
	}
	if text, ok := mathSymbols[word]; ok { // a symbol of formulas in the text
		r.write(text)
		return swallow(s, end, word)
	}
	if isLetter(word[0]) {
		return swallow(s, end, word) // unknown: its arguments are read as text
	}
	r.write(special.Replace(word))
	return end
}

// swallow skips the blanks behind a command's name, which part it from the text.
func swallow(s string, i int, word string) int {
	if isLetter(word[0]) {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
	}
	return i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// marked writes text between marks of Markdown. Blanks at its ends stand outside.
func (r *reader) marked(body, mark string, depth int) {
	if mark == "`" {
		code := strings.TrimSpace(plainFormulas(r.inner(body, depth)))
		code = unescape.ReplaceAllString(code, "$1")
		switch {
		case code == "":
		case strings.Contains(code, "`"):
			r.write("`` " + code + " ``")
		default:
			r.write("`" + code + "`")
		}
		return
	}
	text := r.inner(body, depth)
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || mark == "" || strings.Contains(trimmed, "\n\n") {
		r.write(text)
		return
	}
	before, after, _ := strings.Cut(text, trimmed)
	r.write(before + mark + trimmed + mark + after)
}

// inner reads LaTeX into a text of its own.
func (r *reader) inner(s string, depth int) string {
	sub := r.sub()
	sub.text(s, depth+1)
	r.runs = sub.runs
	return sub.out.String()
}

// expand runs a macro of the statement.
func (r *reader) expand(s string, end int, m macro, depth int) int {
	body, end := m.with(s, end)
	if r.runs++; r.runs > maxMacros || len(body) > maxText {
		return end
	}
	r.text(body, depth+1)
	return end
}

// act does what a command says, from the end of its name on, and returns where the
// text goes on.
type act func(r *reader, s string, i, depth int) int

// fonts are commands whose argument stands between marks.
var fonts = map[string]string{
	"textbf": "**", "emph": "*", "textit": "*", "texttt": "`", "t": "`", "textsl": "*", "underline": "", "textsc": "",
	"sout": "", "text": "", "mbox": "", "textrm": "", "textsf": "", "textnormal": "", "hbox": "", "makebox": "", "fbox": "",
	"centerline": "", "ensuremath": "", "uline": "",
}

// symbols are commands that stand for characters.
var symbols = map[string]string{
	"%": "%", "$": `\$`, "&": "&", "#": `\#`, "_": `\_`, "{": "{", "}": "}", " ": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "",
	"-": "", "@": "", "\n": " ", "|": "|", "ldots": "...", "dots": "...", "textellipsis": "...", "textbackslash": `\\`, "textasciitilde": `\~`,
	"textasciicircum": "^", "textless": `\<`, "textgreater": ">", "textbar": "|", "textunderscore": `\_`, "textquotedblleft": "“",
	"textquotedblright": "”", "textquotesingle": "'", "textendash": "–", "textemdash": "—", "textdegree": "°", "degree": "°",
	"euro": "€", "pounds": "£", "S": "§", "copyright": "©", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø",
	"aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "quad": " ", "qquad": "  ", "LaTeX": "LaTeX", "TeX": "TeX", "guillemotleft": "«",
	"guillemotright": "»", "newline": "\\\n", "linebreak": "\\\n", "par": "\n\n", "slash": "/", "textdollar": `\$`, "textasteriskcentered": `\*`,
}

// commands makes the table of commands that need more than a mark. It is no
// variable, as it refers to functions that refer to it.
func commands() map[string]act {
	skip := func(n int) act { // drops arguments
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			for range n {
				_, i = argument(s, i)
			}
			return i
		}
	}
	heading := func(level int) act {
		return func(r *reader, s string, i, depth int) int {
			_, i, _ = option(s, i)
			body, end := argument(s, i)
			r.write("\n\n" + strings.Repeat("#", level) + " " + strings.Join(strings.Fields(r.inner(body, depth)), " ") + "\n\n")
			return end
		}
	}
	return map[string]act{
		"problemname": heading(1), "section": heading(2), "subsection": heading(3), "subsubsection": heading(4), "paragraph": heading(4),
		"begin": (*reader).environment, "end": skip(1), "item": (*reader).item,
		"\\": (*reader).lineBreak, "hline": skip(0), "cline": skip(1), "toprule": skip(0), "midrule": skip(0), "bottomrule": skip(0),
		"multicolumn": (*reader).multicolumn, "multirow": (*reader).multicolumn,
		"(": (*reader).parenMath, "[": (*reader).bracketMath,
		"url": (*reader).url, "href": (*reader).href, "includegraphics": (*reader).image, "illustration": (*reader).illustration,
		"caption": (*reader).caption, "footnote": (*reader).footnote, "epigraph": (*reader).epigraph, "verb": (*reader).verb, "lstinline": (*reader).verb,
		"nextsample": mark("\n\n{{nextsample}}\n\n"), "remainingsamples": mark("\n\n{{remainingsamples}}\n\n"), "constant": (*reader).constant,
		"newcommand": (*reader).define, "renewcommand": (*reader).define, "providecommand": (*reader).define, "def": (*reader).plainDefine,
		"DeclareMathOperator": (*reader).operator,
		"label":               skip(1), "vspace": skip(1), "hspace": skip(1), "usepackage": skip(1), "documentclass": skip(1), "input": skip(1), "include": skip(1),
		"setlength": skip(2), "addtolength": skip(2), "ref": skip(1), "cite": skip(1), "pagestyle": skip(1), "thispagestyle": skip(1), "color": skip(1),
		"textcolor": skip(1), "rule": skip(2), "sampleinputname": skip(0), "lstset": skip(1), "bibliographystyle": skip(1), "captionsetup": skip(1),
		"graphicspath": skip(1), "scalebox": skip(1), "resizebox": skip(2), "raisebox": skip(1), "fontsize": skip(2), "plainproblemname": skip(1),
	}
}

func mark(text string) act {
	return func(r *reader, s string, i, depth int) int {
		r.write(text)
		return i
	}
}

func (r *reader) lineBreak(s string, i, depth int) int {
	_, i, _ = option(s, i)
	r.write("\\\n")
	return i
}

func (r *reader) multicolumn(s string, i, depth int) int {
	_, i = argument(s, i)
	_, i, _ = option(s, i)
	_, i = argument(s, i)
	body, end := argument(s, i)
	r.text(body, depth+1)
	return end
}

// until reads a formula up to its closing command.
func (r *reader) until(s string, i int, closing string, display bool) int {
	body, _, found := strings.Cut(s[i:], closing)
	if !found {
		return i
	}
	r.math(body, display)
	return i + len(body) + len(closing)
}

func (r *reader) parenMath(s string, i, depth int) int   { return r.until(s, i, `\)`, false) }
func (r *reader) bracketMath(s string, i, depth int) int { return r.until(s, i, `\]`, true) }

func (r *reader) url(s string, i, depth int) int {
	body, end := argument(s, i)
	r.write("<" + strings.NewReplacer(`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", "\n", "", ">", "%3E", "<", "%3C", " ", "").Replace(body) + ">")
	return end
}

func (r *reader) href(s string, i, depth int) int {
	address, i := argument(s, i)
	body, end := argument(s, i)
	address = strings.NewReplacer(`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", "\n", "", ")", "%29", " ", "%20", "<", "", ">", "").Replace(address)
	r.write("[" + strings.TrimSpace(r.inner(body, depth)) + "](" + address + ")")
	return end
}

func (r *reader) image(s string, i, depth int) int {
	_, i, _ = option(s, i)
	file, end := argument(s, i)
	r.write(imageOf(file))
	return end
}

// imageOf names an image, as nothing here can show it.
func imageOf(file string) string {
	return `\[image: ` + special.Replace(strings.Join(strings.Fields(file), " ")) + `\]`
}

func (r *reader) illustration(s string, i, depth int) int {
	_, i = argument(s, i)
	file, i := argument(s, i)
	caption, end := argument(s, i)
	r.write("\n\n" + imageOf(file) + " " + strings.TrimSpace(r.inner(caption, depth)) + "\n\n")
	return end
}

func (r *reader) caption(s string, i, depth int) int {
	_, i, _ = option(s, i)
	body, end := argument(s, i)
	r.write(" " + strings.TrimSpace(r.inner(body, depth)) + " ")
	return end
}

func (r *reader) footnote(s string, i, depth int) int {
	_, i, _ = option(s, i)
	body, end := argument(s, i)
	r.write(" (" + strings.TrimSpace(r.inner(body, depth)) + ")")
	return end
}

func (r *reader) epigraph(s string, i, depth int) int {
	body, i := argument(s, i)
	who, end := argument(s, i)
	r.write("\n\n" + prefixed(r.inner(body, depth)+"\n\n— "+strings.TrimSpace(r.inner(who, depth)), "> ") + "\n\n")
	return end
}

// verb reads \verb|code|.
func (r *reader) verb(s string, i, depth int) int {
	if i >= len(s) {
		return i
	}
	if s[i] == '{' {
		body, end := group(s, i)
		r.write("`" + strings.ReplaceAll(body, "`", "'") + "`")
		return end
	}
	body, _, found := strings.Cut(s[i+1:], s[i:i+1])
	if !found {
		return i
	}
	r.write("`" + strings.ReplaceAll(body, "`", "'") + "`")
	return i + len(body) + 2
}

func (r *reader) constant(s string, i, depth int) int {
	body, end := argument(s, i)
	r.write("{{" + body + "}}")
	return end
}

// define reads \newcommand{\name}[args]{body}.
func (r *reader) define(s string, i, depth int) int {
	command, i := argument(s, i)
	args, i, _ := option(s, i)
	_, i, _ = option(s, i) // a default
	body, end := argument(s, i)
	n := 0
	fmt.Sscan(args, &n)
	if word := strings.TrimPrefix(strings.TrimSpace(command), `\`); word != "" && n >= 0 && n < 10 {
		r.macros[word] = macro{n, body}
	}
	return end
}

// operator reads \DeclareMathOperator.
func (r *reader) operator(s string, i, depth int) int {
	command, i := argument(s, i)
	body, end := argument(s, i)
	if word := strings.TrimPrefix(strings.TrimSpace(command), `\`); word != "" {
		r.macros[word] = macro{0, `\operatorname{` + body + `}`}
	}
	return end
}

// plainDefine reads \def\name#1{body}.
func (r *reader) plainDefine(s string, i, depth int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i >= len(s) || s[i] != '\\' {
		return i
	}
	word, end := name(s, i)
	params, _, found := strings.Cut(s[end:], "{")
	if !found {
		return end
	}
	body, end := group(s, end+len(params))
	r.macros[word] = macro{strings.Count(params, "#"), body}
	return end
}
