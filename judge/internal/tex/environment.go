package tex

import (
	"strings"
)

// environment reads an environment. The next argument is its name.
func (r *reader) environment(s string, i, depth int) int {
	full, i := argument(s, i)
	full = strings.TrimSpace(full)
	word := strings.TrimSuffix(full, "*")
	body, end := bodyOf(s, i, full)
	if own, ok := r.environments[full]; ok {
		r.ownEnvironment(own, full, body, depth)
		return end
	}
	if verbatims[word] && word != "comment" {
		r.codeEnvironment(body, word)
		return end
	}
	switch word {
	case "itemize", "enumerate", "description", "compactitem", "compactenum", "asparaenum", "asparaitem":
		r.list(body, word, depth)
	case "quote", "quotation", "displayquote", "verse":
		r.write("\n\n" + prefixed(r.convert(body, depth), "> ") + "\n\n")
	case "tabular", "tabularx", "tabulary", "longtable", "array", "supertabular", "tblr":
		r.tabular(body, full, depth)
	case "equation", "align", "gather", "displaymath", "eqnarray", "multline", "flalign":
		r.math(body, true)
	case "alignat":
		_, at := argument(body, 0)
		r.math(body[at:], true)
	case "math":
		r.math(body, false)
	case "comment", "filecontents":
	case "afterSample":
		r.write("\n\n{{remainingsamples}}\n\n")
		r.text(body, depth+1)
		r.write("\n\n")
	case "Input", "Output", "Interaction", "Notes", "Note", "Scoring":
		r.write("\n\n## " + Word(r.Language, word) + "\n\n")
		r.text(body, depth+1)
		r.write("\n\n")
	case "problem":
		r.problem(body, depth)
	default:
		r.textEnvironment(body, word, depth)
	}
	return end
}

// ownEnvironment reads an environment that the statement defines. While it reads the content, the statement's
// definition of this environment does not apply.
func (r *reader) ownEnvironment(own ownEnvironment, word, body string, depth int) {
	begin, at := own.begin.expand(body, 0)
	if r.runs++; r.runs > maxMacros || len(begin) > maxText {
		return
	}
	delete(r.environments, word)
	defer func() { r.environments[word] = own }()
	r.write("\n\n")
	r.text(begin+body[at:]+own.end, depth+1)
	r.write("\n\n")
}

// layouts maps the environments that only affect the layout of their text to the number of arguments that are not
// text.
var layouts = map[string]int{
	"center": 0, "flushleft": 0, "flushright": 0, "centering": 0, "raggedright": 0, "document": 0, "abstract": 0,
	"titlepage": 0, "samepage": 0, "sloppypar": 0,
	"table": 0, "wraptable": 2, "sidewaystable": 0, "threeparttable": 0, "tablenotes": 0, "framed": 0, "shaded": 0,
	"mdframed": 0, "tcolorbox": 0,
	"minipage": 1, "multicols": 1, "adjustbox": 1, "spacing": 1, "thebibliography": 1, "landscape": 0, "proof": 0,
	"singlespace": 0, "onehalfspace": 0,
	"tiny": 0, "scriptsize": 0, "footnotesize": 0, "small": 0, "normalsize": 0, "large": 0, "Large": 0, "LARGE": 0,
	"huge": 0, "Huge": 0,
	"bf": 0, "it": 0, "em": 0, "bfseries": 0, "itshape": 0, "sffamily": 0, "ttfamily": 0, "savenotes": 0,
	"subequations": 0, "changemargin": 2,
	"adjustwidth": 2, "otherlanguage": 1, "russian": 0, "english": 0, "indentation": 0, "tutorial": 0,
	"example": 0, "examplewide": 0, "examplethree": 0,
	"examples": 0, "sampletable": 0, "Sample": 0, "theorem": 0, "definition": 0, "lemma": 0,
	"remark": 0, "Constraints": 0, "hint": 0,
	"frame": 0, "block": 1, "columns": 0, "column": 1, "exampleblock": 1, "alertblock": 1, "subtasks": 0,
	"varwidth": 1, "wrapfig": 2, "trivlist": 0,
	"displaycquote": 1, "lrbox": 1, "group": 0, "ruledtabular": 0, "center*": 0, "raggedleft": 0, "floatrow": 0,
}

// figures maps the environments of pictures with captions to the number of arguments before the content. The last
// argument may be a width.
var figures = map[string]int{
	"figure": 0, "wrapfigure": 2, "subfigure": 1, "subfloat": 0, "SCfigure": 0, "sidewaysfigure": 0,
	"floatingfigure": 1, "marginfigure": 0, "subcaptionblock": 1,
}

// textEnvironment reads the text in an environment. An unknown environment may be a drawing whose source is
// useless to readers, so it is replaced by a mark.
func (r *reader) textEnvironment(body, word string, depth int) {
	args, known := layouts[word]
	figureArgs, isFigure := figures[word]
	switch {
	case isFigure:
		args = figureArgs
	case !known:
		r.write("\n\n")
		r.warnOmitted(word, `{`+word+`}`)
		r.write("\n\n")
		return
	}
	options := func() {
		for strings.HasPrefix(body, "[") {
			_, next, found := option(body, 0)
			if !found {
				return
			}
			body = body[next:]
		}
	}
	share := r.share
	options()
	for range args {
		arg, at := argument(body, 0)
		body = body[at:]
		options()
		if width, ok := r.shareOf(arg); ok {
			share = min(width, 1)
		}
	}
	sub := r.sub()
	if sub.share = share; !strings.HasPrefix(word, "wrap") && word != "floatingfigure" {
		sub.block = share
	}
	sub.enter(floats[word])
	if isFigure {
		sub.figure(body, depth)
	} else {
		sub.text(body, depth+1)
	}
	r.write("\n\n" + strings.Trim(sub.out.String(), " \n") + "\n\n")
}

// verbatims contains the environments whose text is not LaTeX.
var verbatims = map[string]bool{
	"verbatim": true, "Verbatim": true, "BVerbatim": true, "alltt": true, "lstlisting": true, "minted": true, "comment": true,
}

// bodyOf returns the body of an environment and the index after it. It supports nested environments of the same
// name.
func bodyOf(s string, i int, word string) (body string, end int) {
	depth := 1
	raw := verbatims[strings.TrimSuffix(word, "*")]
	for k := i; k < len(s); {
		switch {
		case s[k] == '%' && !raw:
			k = comment(s, k)
		case s[k] != '\\':
			k++
		default:
			command, at := name(s, k)
			if command != "begin" && command != "end" {
				k = max(at, k+1)
				continue
			}
			found, after := argument(s, at)
			switch {
			case strings.TrimSpace(found) != word:
			case command == "end":
				depth--
			case !raw:
				depth++
			}
			if depth == 0 {
				return s[i:k], after
			}
			k = at
		}
	}
	return s[i:], len(s)
}

// list reads a list, and indents each item below its mark.
func (r *reader) list(body, kind string, depth int) {
	_, at, _ := option(body, 0)
	sub := r.sub()
	if sub.items = nil; strings.Contains(kind, "enum") {
		sub.items = new(int)
	}
	sub.text(body[at:], depth+1)
	items := strings.Split(sub.out.String(), itemMark)
	labels := strings.Count(sub.out.String(), labelMark)
	mark := "- "
	if strings.Contains(kind, "enum") && labels < len(items)-1 {
		mark = "1. "
	}
	r.write("\n\n")
	for i, item := range items {
		item = strings.ReplaceAll(item, labelMark, "")
		if strings.TrimSpace(item) == "" || i == 0 {
			continue
		}
		r.write(mark + strings.TrimLeft(prefixed(item, strings.Repeat(" ", len(mark))), " ") + "\n")
	}
	r.write("\n")
}

// itemMark precedes each item of a list while the list is read, and labelMark precedes an item's own label.
const (
	itemMark  = "\x00item\x00"
	labelMark = "\x00label\x00"
)

func (r *reader) item(s string, i, depth int) int {
	label, end, found := option(s, i)
	r.write(itemMark)
	if r.items != nil && !found {
		*r.items++
	}
	if found {
		r.write(labelMark)
		r.marked(label, "**", depth)
		r.write(" ")
	}
	return swallow(s, end, "item")
}

// prefixed writes a prefix before each line of a text.
func prefixed(text, prefix string) string {
	lines := strings.Split(strings.TrimSpace(tidyLines(text)), "\n")
	for k, line := range lines {
		lines[k] = strings.TrimRight(prefix+line, " ")
	}
	return strings.Join(lines, "\n")
}

func tidyLines(text string) string {
	return manyLines().ReplaceAllString(trailing().ReplaceAllString(text, "\n"), "\n\n")
}

// codeEnvironment reads a code environment.
func (r *reader) codeEnvironment(body, kind string) {
	if _, at, found := option(body, 0); found {
		body = body[at:]
	}
	if kind == "minted" {
		_, at := argument(body, 0)
		body = body[at:]
	}
	r.code(body)
}

// code writes body as a code block.
func (r *reader) code(body string) {
	r.write("\n\n```\n" + strings.Trim(strings.ReplaceAll(body, "```", "'''"), "\n") + "\n```\n\n")
}

// tabular reads a table. The first row is its head, as Markdown wants one.
func (r *reader) tabular(body, kind string, depth int) {
	_, at, _ := option(body, 0)
	if kind == "tabularx" || kind == "tabulary" || kind == "tabular*" {
		_, at = argument(body, at)
	}
	_, at = argument(body, at)
	var rows [][]string
	columns := 0
	for _, line := range splitTop(body[at:], `\\`) {
		sub := r.sub()
		sub.column = true
		var cells []string
		empty := true
		for _, cell := range splitTop(line, "&") {
			sub.out.Reset()
			r.span = 1
			sub.text(cell, depth+1)
			text := strings.ReplaceAll(oneLine(sub.out.String()), "|", `\|`)
			text = strings.ReplaceAll(text, `\\|`, `\|`)
			empty = empty && text == ""
			cells = append(append(cells, text), make([]string, r.span-1)...)
		}
		if !empty {
			rows = append(rows, cells)
			columns = max(columns, len(cells))
		}
	}
	if len(rows) == 0 || columns > maxColumns {
		return
	}
	r.write("\n\n")
	for k, cells := range rows {
		for len(cells) < columns {
			cells = append(cells, "")
		}
		r.write("| " + strings.Join(cells, " | ") + " |\n")
		if k == 0 {
			r.write(strings.Repeat("|---", columns) + "|\n")
		}
	}
	r.write("\n")
}

// splitTop splits at a mark that is in no braces, no formula and no inner
// environment.
func splitTop(s, mark string) (parts []string) {
	depth, start := 0, 0
	inMath := false
	for i := 0; i < len(s); i++ {
		switch {
		case depth == 0 && !inMath && strings.HasPrefix(s[i:], mark):
			parts = append(parts, s[start:i])
			i += len(mark) - 1
			start = i + 1
		case strings.HasPrefix(s[i:], `\begin{`):
			depth++
			i += len(`\begin{`) - 1
			depth++
		case strings.HasPrefix(s[i:], `\end{`):
			depth--
			i += len(`\end{`) - 1
			depth++
		case s[i] == '\\':
			i++
		case s[i] == '%':
			i = comment(s, i) - 1
		case s[i] == '$':
			inMath = !inMath
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth = max(depth-1, 0)
		}
	}
	return append(parts, s[start:])
}
