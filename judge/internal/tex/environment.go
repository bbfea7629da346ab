package tex

import (
	"strings"
)

// environment reads an environment, whose name is the next argument.
func (r *reader) environment(s string, i, depth int) int {
	word, i := argument(s, i)
	word = strings.TrimSuffix(word, "*")
	body, end := bodyOf(s, i, word)
	switch word {
	case "itemize", "enumerate", "description":
		r.list(body, word, depth)
	case "verbatim", "lstlisting", "Verbatim", "minted", "alltt":
		r.code(body, word)
	case "quote", "quotation", "displayquote":
		r.write("\n\n" + prefixed(r.inner(body, depth), "> ") + "\n\n")
	case "tabular", "tabularx", "tabulary", "longtable", "array":
		r.tabular(body, word, depth)
	case "equation", "align", "gather", "displaymath", "eqnarray", "multline":
		r.math(body, true)
	case "math":
		r.math(body, false)
	case "comment":
	case "Input", "Output", "Interaction", "Notes", "Note", "Scoring":
		r.write("\n\n## " + word + "\n\n")
		r.text(body, depth+1)
		r.write("\n\n")
	default: // center, figure, minipage, ...
		for {
			_, next, found := option(body, 0)
			if !found {
				break
			}
			body = body[next:]
		}
		if args := environmentArgs[word]; args > 0 {
			at := 0
			for range args {
				_, at = argument(body, at)
			}
			body = body[at:]
		}
		r.write("\n\n")
		r.text(body, depth+1)
		r.write("\n\n")
	}
	return end
}

// environmentArgs are how many arguments environments have that are not text.
var environmentArgs = map[string]int{"wrapfigure": 2, "minipage": 1, "multicols": 1, "adjustbox": 1, "spacing": 1, "thebibliography": 1, "subfigure": 1}

// bodyOf finds the end of an environment, with others of its name inside.
func bodyOf(s string, i int, word string) (body string, end int) {
	open, closing := `\begin{`+word+`}`, `\end{`+word+`}`
	if !strings.Contains(s[i:], closing) { // a starred name, or none at all
		open, closing = `\begin{`+word+`*}`, `\end{`+word+`*}`
	}
	depth := 1
	for at := i; at < len(s); {
		next := strings.Index(s[at:], closing)
		if next < 0 {
			break
		}
		depth += strings.Count(s[at:at+next], open) - 1
		at += next + len(closing)
		if depth <= 0 {
			return s[i : at-len(closing)], at
		}
	}
	return s[i:], len(s)
}

// list reads a list: each item is indented below its mark.
func (r *reader) list(body, kind string, depth int) {
	_, at, _ := option(body, 0)
	mark := "- "
	if kind == "enumerate" {
		mark = "1. "
	}
	sub := r.sub()
	sub.text(body[at:], depth+1)
	r.runs = sub.runs
	r.write("\n\n")
	for i, item := range strings.Split(sub.out.String(), itemMark) {
		if strings.TrimSpace(item) == "" || i == 0 {
			continue
		}
		r.write(mark + strings.TrimLeft(prefixed(item, strings.Repeat(" ", len(mark))), " ") + "\n")
	}
	r.write("\n")
}

// itemMark stands between the items of a list while it is read: no text has it.
const itemMark = "\x00item\x00"

func (r *reader) item(s string, i, depth int) int {
	label, end, found := option(s, i)
	r.write(itemMark)
	if found {
		r.write("**" + strings.TrimSpace(r.inner(label, depth)) + "** ")
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
	return manyLines.ReplaceAllString(trailing.ReplaceAllString(text, "\n"), "\n\n")
}

// code writes a text as it is.
func (r *reader) code(body, kind string) {
	if _, at, found := option(body, 0); found {
		body = body[at:]
	}
	if kind == "minted" {
		_, at := argument(body, 0)
		body = body[at:]
	}
	body = strings.ReplaceAll(body, "```", "'''")
	r.write("\n\n```\n" + strings.Trim(body, "\n") + "\n```\n\n")
}

// tabular reads a table. The first row is its head, as Markdown wants one.
func (r *reader) tabular(body, kind string, depth int) {
	_, at, _ := option(body, 0)
	if kind == "tabularx" || kind == "tabulary" {
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
			sub.text(cell, depth+1)
			text := strings.ReplaceAll(strings.Join(strings.Fields(sub.out.String()), " "), "|", `\|`)
			text = strings.ReplaceAll(text, `\\|`, `\|`)
			empty = empty && text == ""
			cells = append(cells, text)
		}
		r.runs = sub.runs
		if !empty {
			rows = append(rows, cells)
			columns = max(columns, len(cells))
		}
	}
	if len(rows) == 0 || columns > 200 {
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

// splitTop splits at a mark that stands in no braces, no formula and no inner
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
