package tex

import (
	"fmt"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// command reads the command at i, and returns the index after it.
func (r *reader) command(s string, i, depth int) int {
	word, end := name(s, i)
	if word == "" {
		return i + 1
	}
	if m, ok := r.macros[word]; ok && m.alias == "" {
		return r.expand(s, end, m, depth)
	} else if ok {
		word = m.alias
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
		for found := true; found; {
			_, end, found = option(s, end)
		}
		body, end := argument(s, end)
		r.marked(body, mark, depth)
		return end
	}
	if mark, ok := switches[word]; ok {
		if !strings.HasPrefix(s[end:], "{") {
			return swallow(s, end, word)
		}
		body, end := group(s, end)
		r.marked(body, mark, depth)
		return end
	}
	if do, ok := r.commands[word]; ok {
		return do(r, s, end, depth)
	}
	if text, ok := mathSymbols[word]; ok { // a math symbol in the text
		r.write(text)
		return swallow(s, end, word)
	}
	if isLetter(word[0]) {
		return unknown(s, end, word)
	}
	r.write(special.Replace(word))
	return end
}

// lengths matches a dimension, such as 0.5em, -1 cm or .3\textwidth, including stretchable lengths.
const lengths = `[-+]?(?:[0-9]*\.?[0-9]+)?\s*(?:` +
	`(?:true\s*)?(?:pt|pc|in|bp|cm|mm|dd|cc|sp|ex|em|mu|px|fil+)\b|` +
	`\\[a-z]*(?:width|height|skip|sep|indent|baseline|size)\b)`

var (
	lengthGroup = pattern.New(`^\{\s*` + lengths + `\s*\}`)
	assigned    = pattern.New(`^\s*=?\s*` + lengths + `(?:\s*(?:plus|minus)\s*` + lengths + `)*|^\s*=\s*[-+]?[0-9.]+`)
	register    = pattern.New(`(?:skip|sep|width|height|indent|penalty|tolerance|stretch|size|depth|margin|offset)$|` +
		`^(?:kern|raise|lower)$`)
)

// unknown skips the name of an unknown command, its options, its lengths, and a value assigned to a register. It
// does not skip arguments in braces, so they are read as text.
func unknown(s string, i int, word string) int {
	if register().MatchString(word) {
		if found := assigned().FindString(s[i:min(len(s), i+200)]); found != "" {
			return i + len(found)
		}
	}
	if strings.HasPrefix(s[i:], "[") && !bare[word] {
		_, i, _ = option(s, i)
	}
	for {
		found := lengthGroup().FindString(s[i:min(len(s), i+200)])
		if found == "" {
			return swallow(s, i, word)
		}
		i += len(found)
	}
}

// swallow skips the blanks that separate a command name from the text.
func swallow(s string, i int, word string) int {
	if isLetter(word[0]) {
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
	}
	return i
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// marked writes text between Markdown marks. Leading and trailing blanks stay outside the marks.
func (r *reader) marked(body, mark string, depth int) {
	if mark == "`" {
		for i, line := range strings.Split(r.convert(body, depth), breakMark) {
			if i > 0 {
				r.write(breakMark + "\n")
			}
			r.codeSpan(line)
		}
		return
	}
	text := r.convert(body, depth)
	trimmed := breaksAround().ReplaceAllString(text, "")
	if trimmed == "" || mark == "" || strings.Contains(trimmed, "\n\n") {
		r.write(text)
		return
	}
	before, after, _ := strings.Cut(text, trimmed)
	r.write(before + mark + trimmed + strings.Replace(mark, "<", "</", 1) + after)
}

// codeSpan writes a line of Markdown as code.
func (r *reader) codeSpan(line string) {
	code := strings.TrimSpace(tags().ReplaceAllString(plainFormulas(line), "$1"))
	code = unescape().ReplaceAllString(code, "$1")
	switch {
	case code == "":
	case strings.Contains(code, "`"):
		r.write("`` " + code + " ``")
	default:
		r.write("`" + code + "`")
	}
}

// group reads a group in the text. A font command at its beginning applies to the whole group.
func (r *reader) group(body string, depth int) {
	rest := strings.TrimLeft(body, " \t\n")
	if strings.HasPrefix(rest, `\`) {
		word, end := name(rest, 0)
		if mark, ok := switches[word]; ok && !strings.HasPrefix(rest[end:], "{") {
			r.marked(rest[swallow(rest, end, "a"):], mark, depth)
			return
		}
	}
	r.text(body, depth+1)
}

// convert returns the Markdown of a piece of LaTeX.
func (r *reader) convert(s string, depth int) string {
	sub := r.sub()
	sub.text(s, depth+1)
	return sub.out.String()
}

// expand expands a macro that the statement defines.
func (r *reader) expand(s string, end int, m macro, depth int) int {
	body, end := m.expand(s, end)
	if r.runs++; r.runs > maxMacros || len(body) > maxText {
		return end
	}
	r.text(body, depth+1)
	return end
}

// action is a function that executes a command. The parameter i is the index after the command name. The result is
// the index at which the text continues.
type action func(r *reader, s string, i, depth int) int

func mark(text string) action {
	return func(r *reader, s string, i, depth int) int {
		r.write(text)
		return i
	}
}

func (r *reader) lineBreak(s string, i, depth int) int {
	_, i, _ = option(s, i)
	r.write(breakMark + "\n")
	return i
}

// multicolumn reads \multicolumn{columns}{form}{text}.
func (r *reader) multicolumn(s string, i, depth int) int {
	columns, i := argument(s, i)
	if n, err := strconv.Atoi(strings.TrimSpace(columns)); err == nil && n > 0 {
		r.span = min(n, maxColumns)
	}
	_, i, _ = option(s, i)
	_, i = argument(s, i)
	body, end := argument(s, i)
	r.text(body, depth+1)
	return end
}

// until reads a formula until its closing command.
func (r *reader) until(s string, i int, closing string, display bool) int {
	body, _, found := strings.Cut(r.lookahead(s, i), closing)
	if !found {
		r.broken(s[i-len(closing):i], fmt.Sprintf("the formula has no %s at its end", closing), "add it")
		return i
	}
	r.math(body, display)
	return i + len(body) + len(closing)
}

func (r *reader) parenMath(s string, i, depth int) int   { return r.until(s, i, `\)`, false) }
func (r *reader) bracketMath(s string, i, depth int) int { return r.until(s, i, `\]`, true) }

func (r *reader) url(s string, i, depth int) int {
	body, end := argument(s, i)
	r.write("<" + strings.NewReplacer(
		`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", "\n", "", ">", "%3E", "<", "%3C", " ", "",
	).Replace(body) + ">")
	return end
}

func (r *reader) href(s string, i, depth int) int {
	address, i := argument(s, i)
	body, end := argument(s, i)
	address = strings.NewReplacer(
		`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", "\n", "", "(", "%28", ")", "%29", " ", "%20", "<", "", ">", "",
	).Replace(address)
	r.write("[" + strings.TrimSpace(r.convert(body, depth)) + "](" + address + ")")
	return end
}

func (r *reader) footnote(s string, i, depth int) int {
	_, i, _ = option(s, i)
	body, end := argument(s, i)
	if text := strings.TrimSpace(r.convert(body, depth)); text != "" {
		r.write(" (" + text + ")")
	}
	return end
}

func (r *reader) epigraph(s string, i, depth int) int {
	body, i := argument(s, i)
	who, end := argument(s, i)
	r.write("\n\n" + prefixed(r.convert(body, depth)+"\n\n— "+strings.TrimSpace(r.convert(who, depth)), "> ") + "\n\n")
	return end
}

// verb reads \verb|code|.
func (r *reader) verb(s string, i, depth int) int {
	if _, after, found := option(s, i); found { // option of \lstinline
		i = after
	}
	if i >= len(s) {
		return i
	}
	if s[i] == '{' {
		body, end := group(s, i)
		r.write("`" + strings.ReplaceAll(body, "`", "'") + "`")
		return end
	}
	line, _, _ := strings.Cut(s[i+1:min(len(s), i+maxOption)], "\n")
	body, _, found := strings.Cut(line, s[i:i+1])
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

// define reads \newcommand{\name}[args][default]{body}.
func (r *reader) define(s string, i, depth int) int {
	command, i := argument(s, i)
	args, i, _ := option(s, i)
	standard, i, optional := option(s, i)
	body, end := argument(s, i)
	n := 0
	fmt.Sscan(args, &n)
	if word := strings.TrimPrefix(strings.TrimSpace(command), `\`); word != "" && n >= 0 && n < 10 && !ofFormat(word, n) {
		r.macros[word] = macro{args: n, body: body, optional: optional, standard: standard}
	}
	return end
}

// ofFormat reports whether a command with this number of arguments belongs to the problem package format. A
// statement may define such a command so that it compiles without the document class of the format.
func ofFormat(word string, args int) bool {
	return word == "problemname" && args == 1 || word == "illustration" && args == 3
}

// defineEnvironment reads \newenvironment{name}[args][default]{begin}{end}.
func (r *reader) defineEnvironment(s string, i, depth int) int {
	word, i := argument(s, i)
	args, i, _ := option(s, i)
	standard, i, optional := option(s, i)
	begin, i := argument(s, i)
	finish, end := argument(s, i)
	n := 0
	fmt.Sscan(args, &n)
	if n >= 0 && n < 10 {
		r.environments[strings.TrimSpace(word)] = ownEnvironment{
			macro{args: n, body: begin, optional: optional, standard: standard}, finish,
		}
	}
	return end
}

// theorem reads \newtheorem{name}[counter]{Title}[counter].
func (r *reader) theorem(s string, i, depth int) int {
	word, i := argument(s, i)
	_, i, _ = option(s, i)
	title, i := argument(s, i)
	_, end, _ := option(s, i)
	r.environments[strings.TrimSpace(word)] = ownEnvironment{macro{body: `\par\textbf{` + title + `.} `}, ""}
	return end
}

// delimiters reads \DeclarePairedDelimiter{\ceil}{\lceil}{\rceil}.
func (r *reader) delimiters(s string, i, depth int) int {
	command, i := argument(s, i)
	left, i := argument(s, i)
	right, end := argument(s, i)
	if word := strings.TrimPrefix(strings.TrimSpace(command), `\`); word != "" {
		r.macros[word] = macro{args: 1, body: left + " #1" + right + " "}
	}
	return end
}

// let reads \let\name=\other.
func (r *reader) let(s string, i, depth int) int {
	command, i := argument(s, i)
	for i < len(s) && (s[i] == '=' || s[i] == ' ') {
		i++
	}
	other, end := argument(s, i)
	word, means := strings.TrimPrefix(command, `\`), strings.TrimPrefix(other, `\`)
	switch m, known := r.macros[means]; {
	case word == "" || word == means:
		delete(r.macros, word)
	case known:
		r.macros[word] = m
	case strings.HasPrefix(other, `\`):
		r.macros[word] = macro{body: other, alias: means}
	default:
		r.macros[word] = macro{body: other}
	}
	return end
}

// branch reads a conditional. For \iftrue and \iffalse, it reads the text that the condition selects. For other
// conditionals, which only TeX can evaluate, it omits the text and adds a warning.
func (r *reader) branch(s string, i, depth int) int {
	word := s[strings.LastIndexByte(s[:i], '\\')+1 : i]
	inner, orElse := 0, -1
	for k, limit := i, i+len(r.lookahead(s, i)); k < limit; {
		if s[k] != '\\' {
			k++
			continue
		}
		found, end := name(s, k)
		switch {
		case found == "fi" && inner == 0:
			first, second := s[i:k], ""
			if orElse >= 0 {
				first, second = s[i:orElse], s[orElse+len(`\else`):k]
			}
			switch word {
			case "iftrue":
				r.text(first, depth+1)
			case "iffalse":
				r.text(second, depth+1)
			default:
				if !r.quiet {
					r.warn(
						`\`+word,
						fmt.Sprintf("the text between \\%s and \\fi is not shown", word),
						"write the text without the condition",
					)
				}
			}
			return end
		case found == "fi":
			inner--
		case found == "else" && inner == 0:
			orElse = k
		case conditions[found]:
			inner++
		}
		k = end
	}
	return i
}

// operator reads \DeclareMathOperator.
func (r *reader) operator(s string, i, depth int) int {
	command, i := argument(s, i)
	body, end := argument(s, i)
	if word := strings.TrimPrefix(strings.TrimSpace(command), `\`); word != "" {
		r.macros[word] = macro{body: `\operatorname{` + body + `}`}
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
	if args := min(strings.Count(params, "#"), 9); !ofFormat(word, args) {
		r.macros[word] = macro{args: args, body: body}
	}
	return end
}

// columnType skips \newcolumntype{L}[1]{...}.
func (r *reader) columnType(s string, i, depth int) int {
	_, i = argument(s, i)
	_, i, _ = option(s, i)
	_, end := argument(s, i)
	return end
}

// rule skips \cmidrule(lr){2-3}.
func (r *reader) rule(s string, i, depth int) int {
	_, i, _ = option(s, i)
	if strings.HasPrefix(s[i:], "(") {
		if k := strings.IndexByte(s[i:], ')'); k >= 0 {
			i += k + 1
		}
	}
	_, end := argument(s, i)
	return end
}

// multirow reads \multirow[pos]{rows}{width}{text}.
func (r *reader) multirow(s string, i, depth int) int {
	_, i, _ = option(s, i)
	_, i = argument(s, i)
	_, i, _ = option(s, i)
	_, i = argument(s, i)
	_, i, _ = option(s, i)
	body, end := argument(s, i)
	r.text(body, depth+1)
	return end
}

// ensure reads \ensuremath{formula}.
func (r *reader) ensure(s string, i, depth int) int {
	body, end := argument(s, i)
	r.math(body, false)
	return end
}

// quantity reads a siunitx quantity, such as \SI{number}{unit}, and returns it as a formula. For other commands it
// returns an empty formula and i.
func quantity(s string, i int, word string) (formula string, end int) {
	var number, unit string
	start := i
	_, i, _ = option(s, i)
	switch word {
	case "SI", "qty":
		number, i = argument(s, i)
		unit, i = argument(s, i)
		return number + `\,\mathrm{` + unitNames().ReplaceAllStringFunc(unit, unitOf) + `}`, i
	case "num":
		number, i = argument(s, i)
		return number, i
	case "si", "unit":
		unit, i = argument(s, i)
		return `\mathrm{` + unitNames().ReplaceAllStringFunc(unit, unitOf) + `}`, i
	}
	return "", start
}

var unitNames = pattern.New(`\\([a-zA-Z]+)\s*`)

// unitOf returns the symbol for a unit command, such as m for \meter and cm for \cm.
func unitOf(command string) string {
	word := strings.TrimSpace(strings.TrimPrefix(command, `\`))
	if sign, ok := units[word]; ok {
		return sign
	}
	return word
}

// units maps the names of units and prefixes in siunitx to their symbols.
var units = map[string]string{
	"meter": "m", "metre": "m", "second": "s", "gram": "g", "kilogram": "kg", "litre": "l", "liter": "l",
	"minute": "min", "hour": "h", "day": "d",
	"newton": "N", "joule": "J", "watt": "W", "volt": "V", "ampere": "A", "kelvin": "K", "hertz": "Hz",
	"degree": "°", "celsius": "°C", "percent": "%",
	"byte": "B", "bit": "bit", "kilo": "k", "mega": "M", "giga": "G", "milli": "m", "micro": "µ", "nano": "n",
	"centi": "c", "deci": "d", "per": "/",
	"square": "²", "squared": "²", "cubic": "³", "cubed": "³", "euro": "€",
}

// siunitx returns the act that reads a quantity in the text.
func siunitx(word string) action {
	return func(r *reader, s string, i, depth int) int {
		formula, end := quantity(s, i, word)
		r.math(formula, false)
		return end
	}
}

// mintinline reads \mintinline{language}{code}.
func (r *reader) mintinline(s string, i, depth int) int {
	_, i, _ = option(s, i)
	_, i = argument(s, i)
	return r.verb(s, i, depth)
}
