// Package tex reads statements in LaTeX, as problem packages have them, and writes
// them as Markdown: the subset that the package format names, with formulas between
// dollars and images by their names. A command that it does
// not know is omitted and what is in its braces is stored, so that any
// statement can be read.
//
// It also reads formulas, and writes them as MathML Core, which browsers draw without
// scripts or fonts, or as plain text ("10^5", "n ≤ m"). A formula with something in it that
// it does not know is not drawn at all: then its source is what a reader sees.
//
// It sets nothing itself, and it runs no macros but simple ones that a statement defines
// itself. Pictures become images of Markdown, with their size in the fragment of the path;
// drawings, and environments that it does not know, leave a mark and a Warning. Other files
// are read only through Source.Read. Where samples belong it writes the marks
// {{nextsample}} and {{remainingsamples}}, and for constants {{name}}, as statements
// in Markdown have them.
//
//	tex.go      characters, groups and arguments; command.go, tables.go: commands
//	source.go   Convert: preamble, files that are included, where something stands
//	picture.go  pictures and figures; olymp.go: what Polygon's statements have
package tex

import (
	"strings"
	"unicode/utf8"

	"assay/judge/internal/pattern"
)

// What a text may cost.
const (
	maxText   = 4 << 20  // bytes that are read
	maxOut    = 8 << 20  // bytes that are written
	maxDepth  = 60       // braces inside braces
	maxMacros = 10_000   // expansions
	maxOption = 2000     // bytes of an option
	maxSought = 64 << 20 // bytes that are read to find an end which may be missing

	maxColumns = 200 // of a table
)

// Markdown returns the statement in Markdown.
func Markdown(latex string) string { return Source{Text: latex}.Convert().Markdown }

// Plain returns a short text, such as a name, without any marks.
func Plain(latex string) string {
	return plain(Markdown(latex))
}

// plain returns a piece of what Markdown wrote without any marks.
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

// reader writes Markdown as it reads.
type reader struct {
	*shared
	out     strings.Builder
	column  bool    // in a table, where & parts cells
	caption *string // of the figure that is read, as plain text; nil outside of figures
	share   float64 // of the text's width that a line has
	kind    string  // of the float that is read: Figure, Table; "" outside of floats
	part    bool    // in a figure in that float
}

// sub makes a reader for a text inside of this one.
func (r *reader) sub() *reader {
	return &reader{shared: r.shared, column: r.column, caption: r.caption, share: r.share, kind: r.kind, part: r.part}
}

// macro is a command that the statement defines.
type macro struct {
	args     int
	body     string
	optional bool // the first argument is in brackets, and has a default
	standard string
	alias    string // the command that it is, if it is one of those that are known
}

// write writes Markdown. Blanks at the start of a line would mean something there.
func (r *reader) write(s string) {
	if strings.HasSuffix(r.out.String(), "\n") {
		s = strings.TrimLeft(s, " ")
	}
	if r.out.Len() < maxOut {
		r.out.WriteString(s)
	}
}

// special are characters that mean something in Markdown.
var special = strings.NewReplacer(`*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `$`, `\$`)

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

// ligatures are what typing stands for other characters, the longer first.
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

// comment skips to the end of a comment, with the line's end and what indents the
// next line.
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

// group reads a group in braces that starts at i, and says where it ends.
func group(s string, i int) (body string, end int) {
	depth := 0
	for k := i; k < len(s); k++ {
		switch s[k] {
		case '\\':
			k++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s[i+1 : k], k + 1
			}
		}
	}
	return s[i+1:], len(s)
}

// argument reads the next argument: a group, a command or a character.
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

// option reads an argument in brackets, if there is one.
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

// name reads the name of the command at i: letters, or one other character.
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

// formula reads the formula at i, between dollars.
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

// dollars finds those that end a formula; -1 for none. Those in braces are of words in it.
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

// math writes a formula, on a line of its own or in the text, as Markdown has it: its
// source between dollars, on one line, with the statement's own commands replaced.
func (r *reader) math(s string, display bool) {
	formula := strings.Join(strings.Fields(r.source(s, 0)), " ")
	r.check(s, formula)
	if r.column { // a bar would end the cell
		formula = bars.Replace(formula)
	}
	for strings.HasSuffix(formula, `\`) { // a blank or a line's end; it would hide the dollar
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

// source returns a formula without comments, macros, and dollars inside. Braces that stand
// together are parted: in Markdown they are marks.
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
			if before := b.String(); (c == '{' || c == '}') && strings.HasSuffix(before, string(c)) && !strings.HasSuffix(before, `\`+string(c)) {
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
			body, end := m.with(s, end)
			if r.runs++; r.runs <= maxMacros && len(body) <= maxText {
				b.WriteString(r.source(body, depth+1))
			}
			i = end
		}
	}
	return b.String()
}

// with puts the arguments that are at i into a macro's body.
func (m macro) with(s string, i int) (body string, end int) {
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

// tidy makes the layout even: no blanks at the ends of lines, one empty line at
// most. Code is unchanged.
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
			part.WriteString("\n") // with the empty lines after it
		default:
			part.WriteString(line)
		}
	}
	flush()
	return strings.Trim(b.String(), "\n ") + "\n"
}
