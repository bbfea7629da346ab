// Package tex converts LaTeX statements of problem packages to Markdown. It supports the subset of LaTeX that the
// package format names. Formulas remain in dollar signs, and images are referenced by name. The package skips
// unknown commands but reads the text in their braces, so every statement can be read.
//
// The package also converts formulas to MathML Core, which browsers render without scripts or fonts, or to plain
// text ("10^5", "n ≤ m"). A formula that contains anything unknown is not rendered. Its source is displayed
// instead.
//
// The package does no typesetting. It expands only simple macros that the statement defines. Pictures become
// Markdown images with the size in the URL fragment. A drawing or an unknown environment is replaced by a mark and
// causes a Warning. Other files are read only through Source.Read. The marks for samples are {{nextsample}} and
// {{remainingsamples}}, and the mark for a constant is {{name}}, as in Markdown statements.
//
//	tex.go      characters, groups and arguments; command.go, tables.go: commands
//	source.go   Convert: preamble, included files, positions
//	picture.go  pictures and figures; olymp.go: Polygon statements
package tex

import (
	"strings"
	"unicode/utf8"

	"assay/judge/internal/pattern"
)

// What a text may cost.
const (
	maxText     = 4 << 20  // bytes that are read
	maxOut      = 8 << 20  // bytes that are written
	maxDepth    = 60       // nesting depth of braces
	maxMacros   = 10_000   // expansions
	maxOption   = 2000     // bytes of an option
	maxSearched = 64 << 20 // bytes searched for end marks that may be missing

	maxColumns = 200 // of a table
)

// Markdown returns the statement in Markdown.
func Markdown(latex string) string { return Source{Text: latex}.Convert().Markdown }

// Plain returns a short text, such as a name, without markup.
func Plain(latex string) string {
	return plain(Markdown(latex))
}

// plain removes the markup from Markdown that this package wrote.
func plain(markdown string) string {
	text := links().ReplaceAllString(tags().ReplaceAllString(plainFormulas(oneLine(markdown)), "$1"), "$1")
	text = marksOfFonts().ReplaceAllString(text, "$1")
	text = unescape().ReplaceAllString(strings.ReplaceAll(text, "`", ""), "$1")
	return strings.Join(strings.Fields(text), " ")
}

var (
	tags         = pattern.New(`(\\.)|</?(?:s|sup|sub)>`)
	links        = pattern.New(`!?\[((?:[^\[\]\\]|\\.)*)\]\([^()]*\)`)
	marksOfFonts = pattern.New(`(\\.)|\*+`)
)

var unescape = pattern.New("\\\\([\\\\`*_{}\\[\\]<>#|~$])")

// reader reads LaTeX and writes Markdown.
type reader struct {
	*shared
	out     strings.Builder
	column  bool    // in a table, where & separates cells
	caption *string // plain text of the current figure's caption; nil outside figures
	share   float64 // \linewidth as a fraction of the page's text width
	block   float64 // \textwidth as a fraction of the page's text width; in figures with text around them, more than share
	kind    string  // kind of the current float: Figure or Table; empty outside floats
	part    bool    // in a subfigure of the float
	items   *int    // number of the current item; nil outside of numbered lists
}

// sub returns a reader for a nested text.
func (r *reader) sub() *reader {
	return &reader{shared: r.shared, column: r.column, caption: r.caption, share: r.share, block: r.block, kind: r.kind,
		part: r.part, items: r.items}
}

// macro is a command or the beginning of an environment that the statement defines.
type macro struct {
	args     int
	body     string
	optional bool // the first argument is in brackets and has a default value
	standard string
	alias    string // built-in command with the same meaning; empty if there is none
}

// write writes Markdown. It removes blanks at the beginning of a line, because Markdown interprets them.
func (r *reader) write(s string) {
	if strings.HasSuffix(r.out.String(), "\n") {
		s = strings.TrimLeft(s, " ")
	}
	if r.out.Len() < maxOut {
		r.out.WriteString(s)
	}
}

// special escapes characters that have a special meaning in Markdown. A tab, which would indent code there, becomes a
// space.
var special = strings.NewReplacer("\t", " ", `*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `$`, `\$`)

// text reads a piece of LaTeX.
func (r *reader) text(s string, depth int) {
	if depth > maxDepth {
		return
	}
	for i := 0; i < len(s) && r.out.Len() < maxOut; {
		if depth == r.from.depth {
			r.from.at = i
		}
		c := s[i]
		switch {
		case c == '\\':
			i = r.command(s, i, depth)
		case c == '%':
			i = comment(s, i)
		case c == '$':
			i = r.formula(s, i)
		case c == '{':
			body, end := group(s, i)
			r.group(body, depth)
			i = end
		case c == '}':
			i++
		case c == '~':
			r.write(" ")
			i++
		case c == '&' && !r.column:
			r.write("&")
			i++
		case c == '\n' && strings.HasPrefix(strings.TrimLeft(s[i+1:], " \t"), "\n"):
			r.write("\n\n")
			i++
		case c == '\n':
			r.write(" ")
			i++
			for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
				i++
			}
		default:
			word, n := typed(s[i:])
			r.write(word)
			i += n
		}
	}
}

// ligatures lists typed characters and the characters that they produce, the longest first.
var ligatures = []struct{ typed, means string }{
	{"---", "—"}, {"--", "–"}, {"``", "“"}, {"''", "”"}, {"<<", "«"}, {">>", "»"}, {"`", "‘"}, {"'", "’"},
}

// typed reads one or more characters of text.
func typed(s string) (text string, n int) {
	for _, l := range ligatures {
		if strings.HasPrefix(s, l.typed) {
			return l.means, len(l.typed)
		}
	}
	n = 1
	for n < len(s) && !strings.ContainsRune("\\%${}~&\n-`'<>", rune(s[n])) {
		n++
	}
	return special.Replace(s[:n]), n
}

// comment skips a comment, its line feed and the indentation of the next line.
func comment(s string, i int) int {
	end := strings.IndexByte(s[i:], '\n')
	if end < 0 {
		return len(s)
	}
	i += end + 1
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// group returns the text in the braces that start at i, and the index after them. If the braces are not closed, the text
// ends with s.
func group(s string, i int) (body string, end int) {
	body, end, _ = Group(s, i)
	return body, end
}

// Group returns the text in the braces that start at i, and the index after them. It reports whether the braces are closed.
// If they are not, the text ends with s.
func Group(s string, i int) (body string, end int, closed bool) {
	depth := 0
	for k := i; k < len(s); k++ {
		switch s[k] {
		case '\\':
			k++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[i+1 : k], k + 1, true
			}
		}
	}
	return s[i+1:], len(s), false
}

// argument returns the next argument: a group, a command or a character.
func argument(s string, i int) (body string, end int) {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	switch {
	case i >= len(s):
		return "", i
	case s[i] == '{':
		return group(s, i)
	case s[i] == '\\':
		_, end := name(s, i)
		return s[i:end], end
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[i : i+n], i + n
}

// option returns an optional argument in brackets.
func option(s string, i int) (body string, end int, found bool) {
	k := i
	for k < len(s) && (s[k] == ' ' || s[k] == '\t') {
		k++
	}
	if k >= len(s) || s[k] != '[' {
		return "", i, false
	}
	depth := 0
	for at := k; at < min(len(s), k+maxOption); at++ {
		switch s[at] {
		case '\\':
			at++
		case '{':
			depth++
		case '}':
			depth--
		case ']':
			if depth <= 0 {
				return s[k+1 : at], at + 1, true
			}
		}
	}
	return "", i, false
}

// name returns the command name at i: letters, or one other character.
func name(s string, i int) (name string, end int) {
	k := i + 1
	for k < len(s) && (s[k] >= 'a' && s[k] <= 'z' || s[k] >= 'A' && s[k] <= 'Z' || s[k] == '@') {
		k++
	}
	if k == i+1 && k < len(s) {
		_, n := utf8.DecodeRuneInString(s[k:])
		k += n
		return s[i+1 : k], k
	}
	end = k
	if k > i+1 && k < len(s) && s[k] == '*' {
		end = k + 1
	}
	return s[i+1 : k], end
}

// formula reads the formula between dollar signs at i.
func (r *reader) formula(s string, i int) int {
	mark := "$"
	if strings.HasPrefix(s[i:], "$$") {
		mark = "$$"
	}
	start := i + len(mark)
	end := dollars(s[start:min(start+maxFormula, len(s))], mark, true)
	if end < 0 {
		end = dollars(s[start:], mark, false)
	}
	if end >= 0 {
		r.math(s[start:start+end], mark == "$$")
		return start + end + len(mark)
	}
	r.broken(
		s[i:min(len(s), start+1)], "the dollar sign begins a formula that does not end",
		`close it; a dollar sign that is meant is written \$`,
	)
	r.write(`\$`)
	return start
}

// dollars returns the index of the dollar signs that end a formula, or -1. If braces is set, it skips dollar signs
// in braces, which belong to text in the formula.
func dollars(s, mark string, braces bool) int {
	depth := 0
	for k := 0; k < len(s); k++ {
		switch {
		case s[k] == '\\':
			k++
		case s[k] == '{':
			depth++
		case s[k] == '}':
			depth--
		case strings.HasPrefix(s[k:], mark) && (depth <= 0 || !braces):
			return k
		}
	}
	return -1
}

// math writes a formula in Markdown, either displayed or inline. The formula is written on one line between dollar
// signs, and the statement's own commands are expanded.
func (r *reader) math(s string, display bool) {
	formula := strings.Join(strings.Fields(r.source(s, 0)), " ")
	r.check(s, formula)
	if r.column { // a bar would end the cell
		formula = bars.Replace(formula)
	}
	for strings.HasSuffix(formula, `\`) { // a final backslash would escape the closing dollar sign
		formula = strings.TrimSpace(strings.TrimRight(formula, `\`))
	}
	switch {
	case formula == "":
	case display:
		r.write("\n\n$$" + formula + "$$\n\n")
	default:
		r.write("$" + formula + "$")
	}
}

var bars = strings.NewReplacer(`\|`, `\Vert `, `|`, `\vert `)

// source returns a formula without comments, with expanded macros, and without dollar signs inside. It separates
// adjacent braces, because double braces are marks in Markdown.
func (r *reader) source(s string, depth int) string {
	if depth > maxDepth {
		return ""
	}
	var b strings.Builder
	inner := false
	for i := 0; i < len(s) && b.Len() < maxText; {
		switch c := s[i]; {
		case c == '%':
			i = comment(s, i)
		case c == '$': // in \text
			if inner = !inner; inner {
				b.WriteString(`\(`)
			} else {
				b.WriteString(`\)`)
			}
			i++
		case c != '\\':
			if before := b.String(); (c == '{' || c == '}') && strings.HasSuffix(before, string(c)) &&
				!strings.HasSuffix(before, `\`+string(c)) {
				b.WriteByte(' ')
			}
			b.WriteByte(c)
			i++
		default:
			word, end := name(s, i)
			if word == "constant" {
				body, end := argument(s, end)
				b.WriteString("{{" + body + "}}")
				i = end
				continue
			}
			if text, next := quantity(s, end, word); next > end {
				b.WriteString(r.source(text, depth+1))
				i = next
				continue
			}
			m, ok := r.macros[word]
			if !ok {
				b.WriteString(s[i:end])
				i = end
				continue
			}
			body, end := m.expand(s, end)
			if r.runs++; r.runs <= maxMacros && len(body) <= maxText {
				b.WriteString(r.source(body, depth+1))
			}
			i = end
		}
	}
	return b.String()
}

// expand returns the body of a macro with the arguments at i inserted, and the index after the arguments.
func (m macro) expand(s string, i int) (body string, end int) {
	args := make([]string, m.args)
	for k := range args {
		if k == 0 && m.optional {
			var found bool
			if args[k], i, found = option(s, i); !found {
				args[k] = m.standard
			}
			continue
		}
		args[k], i = argument(s, i)
	}
	return parameter().ReplaceAllStringFunc(m.body, func(mark string) string {
		if k := int(mark[1] - '1'); k < len(args) {
			return args[k]
		}
		return mark
	}), i
}

var parameter = pattern.New(`#[1-9]`)

var (
	manyLines  = pattern.New(`\n[ \t]*\n[ \t\n]*\n`)
	trailing   = pattern.New(`[ \t]+\n`)
	manyBlanks = pattern.New(`([^\n ]) {2,}`)
)

// tidy removes blanks at the ends of lines and repeated empty lines. It does not change code.
func tidy(text string) string {
	var b, part strings.Builder
	flush := func() {
		s := manyBlanks().ReplaceAllString(part.String(), "$1 ")
		s = trailing().ReplaceAllString(s, "\n")
		b.WriteString(manyLines().ReplaceAllString(s, "\n\n"))
		part.Reset()
	}
	fence := ""
	for line := range strings.Lines(text) {
		mark := strings.Trim(line, "> \n")
		switch ticks := mark[:len(mark)-len(strings.TrimLeft(mark, "`"))]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
			flush()
			b.WriteString(line)
		case fence != "":
			if ticks != mark || len(ticks) < len(fence) {
				b.WriteString(line)
				continue
			}
			fence = ""
			b.WriteString(strings.TrimSuffix(line, "\n"))
			part.WriteString("\n") // expand the empty lines after it
		default:
			part.WriteString(line)
		}
	}
	flush()
	return strings.Trim(b.String(), "\n ") + "\n"
}
