package tex

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// Limits for included files, warnings and pictures.
const (
	maxIncluded = 200 // files
	maxNested   = 20  // nesting depth of included files
	maxWarnings = 1000
	maxPictures = 1000 // pictures in the statement
)

// A Source is a statement in LaTeX and gives access to its files.
type Source struct {
	Text string
	File string // file name for warnings and pictures
	// Language is the language code of the statement. Headings for commands of the format are written in this
	// language, or in English if it is unknown.
	Language string
	PDF      string // name of the statement's PDF file; empty if there is none
	// Read returns the text of a file. The name is relative to the statement's directory. If Read is nil, no file
	// can be read.
	Read func(name string) (string, error)
	// Find returns the path of a picture relative to the statement's directory, or an empty string if the picture does not
	// exist. If Find is nil, all pictures are expected in the first directory of \graphicspath.
	Find func(picture string) string
}

// A Document is a converted Source.
type Document struct {
	Markdown string
	Examples int // number of examples in the statement itself
	Pictures []Picture
	Warnings []Warning
	Formulas int
	Broken   []Warning // formulas that LaTeX rejects
}

// A Picture is an image in a statement.
type Picture struct {
	Name string // path relative to the statement's directory
	File string // source file that contains the command
	Line int    // line in File, from 1
}

// A Warning reports a difference from the output of LaTeX.
type Warning struct {
	File, Text, Hint string
	Line             int
}

// shared is the state that all readers of a statement share.
type shared struct {
	Source
	commands     map[string]action
	macros       map[string]macro
	environments map[string]ownEnvironment
	runs         int     // of macros
	from         *origin // current file
	included     int     // files
	bytes        int     // of files
	warned       int
	searched     int // bytes searched for end marks
	pictureDirs  []string
	span         int  // columns of the current table cell
	quiet        bool // in the preamble, which produces no output
	numbers      numbers
	doc          Document
}

// ownEnvironment is an environment that the statement defines.
type ownEnvironment struct {
	begin macro
	end   string
}

// origin is a file that is being read, and the position in it.
type origin struct {
	file, text string
	line       int // lines before the text
	at         int // offset of the current position
	depth      int // of its text
	parent     *origin
}

var (
	documentStart = pattern.New(`\\begin\s*\{document\}`)
	documentEnd   = pattern.New(`\\end\s*\{document\}`)
)

// Convert converts the statement. From the preamble it uses only the definitions.
func (s Source) Convert() Document {
	text := cleaned(s.Text)
	r := &reader{share: 1, block: 1, shared: &shared{Source: s, commands: commands()}}
	r.macros, r.environments = map[string]macro{}, map[string]ownEnvironment{}
	r.from = &origin{file: s.File, text: text}
	if at := documentStart().FindStringIndex(text); at != nil {
		r.quiet = true
		r.sub().text(text[:at[0]], 0)
		r.quiet = false
	}
	text, line := document(text)
	r.from = &origin{file: s.File, text: text, line: line}
	r.text(text, 0)
	r.doc.Markdown = tidy(broken(r.resolveReferences(r.placed(r.out.String()))))
	return r.doc
}

// document returns the text between \begin{document} and \end{document}, and the number of lines before it. It
// returns the entire text if there is no \begin{document}.
func document(text string) (body string, line int) {
	at := documentStart().FindStringIndex(text)
	if at == nil {
		return text, 0
	}
	body = text[at[1]:]
	if end := documentEnd().FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	return body, strings.Count(text[:at[1]], "\n")
}

// cleaned truncates the text of a file to the maximum size, and converts its line ends to line feeds.
func cleaned(text string) string {
	if len(text) > maxText {
		text = text[:maxText]
	}
	text = strings.TrimPrefix(text, "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// place returns the file and line of text in the statement. It finds the next occurrence of text in the current
// file. If there is none, as for text from a macro, it returns the current position.
func (r *reader) place(text string) (file string, line int) {
	o := r.from
	at := min(o.at, len(o.text))
	for next := at; text != ""; next += len(text) {
		k := strings.Index(o.text[next:], text)
		if k < 0 {
			break
		}
		if next += k; !inComment(o.text, next) {
			at, o.at = next, next+len(text)
			break
		}
	}
	return o.file, o.line + 1 + strings.Count(o.text[:at], "\n")
}

// inComment reports whether i is inside a comment.
func inComment(s string, i int) bool {
	line := s[strings.LastIndexByte(s[:i], '\n')+1 : i]
	return strings.Contains(strings.ReplaceAll(line, `\%`, ""), "%")
}

func (r *reader) warn(stands, text, hint string) {
	r.addWarning(&r.doc.Warnings, stands, text, hint)
}

// broken adds a Warning about an invalid formula.
func (r *reader) broken(stands, text, hint string) { r.addWarning(&r.doc.Broken, stands, text, hint) }

func (r *reader) addWarning(list *[]Warning, stands, text, hint string) {
	if r.quiet || r.warned >= maxWarnings {
		return
	}
	r.warned++ // duplicates count too, because finding the position is slow
	file, line := r.place(stands)
	w := Warning{File: file, Line: line, Text: text, Hint: hint}
	if list == &r.doc.Broken && slices.Contains(*list, w) {
		return // captions are read more than once
	}
	*list = append(*list, w)
}

// lookahead returns the text from i on, to search it for an end mark. It returns an empty string if the searches have
// already read too much.
func (r *reader) lookahead(s string, i int) string {
	if r.searched += len(s) - i; r.searched > maxSearched {
		return ""
	}
	return s[i:]
}

// warnOmitted writes a mark for content that cannot be displayed, and adds a Warning.
func (r *reader) warnOmitted(what, stands string) {
	shown, instead := special.Replace(what), "not shown"
	if strings.HasPrefix(what, "tikz") {
		shown = "drawing in TikZ"
	}
	if r.PDF != "" {
		instead = "see " + special.Replace(r.PDF)
	}
	r.write(`\[` + shown + ": " + instead + `\]`)
	r.warn(stands, fmt.Sprintf("the statement has a %s, which is not shown", what), "show it as a picture: \\includegraphics")
}

// input reads another file: \input{name}, \input name, \include, \import{dir/}{name}.
func (r *reader) input(s string, i, depth int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i < len(s) && s[i] != '{' {
		end := i
		for end < len(s) && !strings.ContainsRune(" \n\t{}\\%", rune(s[end])) {
			end++
		}
		r.include(s[i:end], depth)
		return end
	}
	name, end := argument(s, i)
	r.include(name, depth)
	return end
}

func (r *reader) imported(s string, i, depth int) int {
	folder, i := argument(s, i)
	name, end := argument(s, i)
	r.include(path.Join(strings.TrimSpace(folder), strings.TrimSpace(name)), depth)
	return end
}

// include reads a file at the current position.
func (r *reader) include(name string, depth int) {
	name = strings.Trim(strings.TrimSpace(r.source(name, 0)), `"`)
	text, file, ok := r.file(name, ".tex")
	if !ok || name == "" {
		return
	}
	nested := 0
	for o := r.from; o != nil; o = o.parent {
		if nested++; o.file == file || nested > maxNested {
			r.warn(name, fmt.Sprintf("%s includes itself, or files are nested too deeply", file), "remove the command")
			return
		}
	}
	before := r.from
	text, line := document(text)
	r.from = &origin{file: file, text: text, line: line, depth: depth + 1, parent: before}
	r.text(text, depth+1)
	r.from = before
}

// listing writes a file as a code block.
func (r *reader) listing(s string, i, depth int) int {
	_, i, _ = option(s, i)
	name, end := argument(s, i)
	if text, _, ok := r.file(strings.TrimSpace(name), ""); ok {
		r.code(text)
	}
	return end
}

// file reads a file that the statement includes. It first tries name with the extension appended, and then name
// alone.
func (r *reader) file(name, extension string) (text, file string, ok bool) {
	if r.Read == nil || r.quiet && extension == "" {
		return "", "", false
	}
	var err error
	for _, file := range []string{name + extension, name} {
		if r.included >= maxIncluded || r.bytes >= maxText {
			r.warn(name, "the statement includes too many or too long files",
				fmt.Sprintf("at most %d files of %d bytes in all are read", maxIncluded, maxText))
			return "", "", false
		}
		r.included++
		if text, err = r.Read(file); err == nil {
			text = cleaned(text)
			r.bytes += len(text)
			return text, path.Clean(file), true
		}
	}
	if !r.quiet {
		r.write(`\[` + special.Replace(name) + `: not found\]`)
		r.warn(
			name, fmt.Sprintf("the statement includes %s: %v", name, err),
			"add the file below the statement's directory, or remove the command",
		)
	}
	return "", "", false
}
