package example

import (
	"html"
	"regexp"
	"strings"

	"assay/judge/internal/pattern"
)

var (
	atxHeading  = pattern.New(`^ {0,3}(#{1,6})(?:[ \t]+|$)(.*?)[ \t]*#*[ \t]*$`)
	htmlHeading = pattern.New(`(?i)^\s*<h([1-6])[^>]*>(.*?)</h[1-6]>\s*$`)
	setext      = pattern.New(`^ {0,3}(=+|-+)[ \t]*$`)
	opening     = pattern.New("^([ \\t]*)(?:(?:[-*+]|\\d+[.)])[ \\t]+)?(`{3,}|~{3,})([^`]*)$")
	listItem    = pattern.New(`^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+`)
	delimiter   = pattern.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	quoteMark   = pattern.New(`^ {0,3}>[ ]?`)
	preStart    = pattern.New(`(?i)<pre[^>]*>`)
	preEnd      = pattern.New(`(?i)</pre\s*>`)
	tableStart  = pattern.New(`(?i)<table[^>]*>`)
	tableEnd    = pattern.New(`(?i)</table\s*>`)
	rowStart    = pattern.New(`(?i)<tr[^>]*>`)
	cellStart   = pattern.New(`(?i)<t[hd](?:\s[^>]*)?>`)
	cellEnd     = pattern.New(`(?i)</t[hdr]\s*>`)
)

// reader reads Markdown line by line.
type reader struct {
	lines  []string
	at     int // the next line
	events []event
	para   []string // lines of the current paragraph
	from   int      // index of its first line
	inList bool
}

func scanMarkdown(s string) []event {
	r := &reader{lines: strings.Split(s, "\n")}
	for r.at < len(r.lines) {
		first, known := r.at, len(r.events)
		r.line()
		for i := known; i < len(r.events); i++ {
			if e := &r.events[i]; e.after == 0 {
				e.first, e.after = first, r.at
			}
		}
	}
	r.endParagraph()
	return r.events
}

func (r *reader) endParagraph() {
	if len(r.para) > 0 {
		text := strings.Join(r.para, " ")
		words := strings.TrimSpace(listItem().ReplaceAllString(stripHTML(text), ""))
		r.events = append(r.events, event{kind: label, words: words, first: r.from, after: r.from + len(r.para)})
	}
	r.para = nil
}

// line reads one line, or the whole block that begins there.
func (r *reader) line() {
	line := r.lines[r.at]
	quoted := quoteMark().MatchString(line)
	line = unquote(line)
	indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	switch {
	case strings.TrimSpace(line) == "":
		r.endParagraph()
		r.at++
	case opening().MatchString(line) && !(indented && !r.inList):
		r.endParagraph()
		r.fenced(opening().FindStringSubmatch(line), quoted)
	case indented && len(r.para) == 0 && !r.inList:
		r.indented()
	case strings.HasPrefix(strings.TrimSpace(line), "<!--"):
		r.comment()
	case preStart().MatchString(line) && !tableStart().MatchString(line):
		r.endParagraph()
		r.pre()
	case tableStart().MatchString(line):
		r.endParagraph()
		r.htmlTable()
	case atxHeading().MatchString(line):
		found := atxHeading().FindStringSubmatch(line)
		r.heading(len(found[1]), found[2])
	case htmlHeading().MatchString(line):
		found := htmlHeading().FindStringSubmatch(line)
		r.heading(int(found[1][0]-'0'), found[2])
	case setext().MatchString(line) && len(r.para) == 1:
		level := 1
		if strings.Contains(line, "-") {
			level = 2
		}
		words, from := r.para[0], r.from
		r.para = nil
		r.heading(level, words)
		last := &r.events[len(r.events)-1]
		last.first, last.after = from, r.at
	case r.startsTable(line):
		r.endParagraph()
		r.table()
	default:
		if listItem().MatchString(line) {
			r.endParagraph()
			r.inList = true
		} else if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") && len(r.para) == 0 {
			r.inList = false
		}
		if len(r.para) == 0 {
			r.from = r.at
		}
		r.para = append(r.para, strings.TrimSpace(line))
		r.at++
	}
}

// startsTable reports whether a line is the header of a table, followed by a line of dashes.
func (r *reader) startsTable(line string) bool {
	if !strings.Contains(line, "|") || r.at+1 >= len(r.lines) {
		return false
	}
	next := unquote(r.lines[r.at+1])
	return strings.Contains(next, "|") && delimiter().MatchString(next)
}

func unquote(line string) string {
	for range 3 {
		line = quoteMark().ReplaceAllString(line, "")
	}
	return line
}

func (r *reader) heading(level int, words string) {
	r.endParagraph()
	r.inList = false
	r.events = append(r.events, event{kind: heading, level: level, words: stripHTML(words)})
	r.at++
}

// fenced reads a fenced code block.
func (r *reader) fenced(found []string, quoted bool) {
	indent, mark, info := found[1], found[2], found[3]
	first := r.at + 1
	var body []string
	for r.at++; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		if quoted {
			if !quoteMark().MatchString(line) {
				break
			}
			line = quoteMark().ReplaceAllString(line, "")
		}
		if end := strings.TrimSpace(line); strings.HasPrefix(end, mark) && strings.Trim(end, mark[:1]) == "" {
			r.at++
			break
		}
		for i := 0; i < len(indent) && i < len(found[0]) && strings.HasPrefix(line, indent[i:i+1]); i++ {
			line = line[1:]
		}
		body = append(body, line)
	}
	if r.inList { // the text is indented like the list item
		body = dedent(body)
	}
	r.events = append(r.events, event{kind: block, info: info, text: Text{Text: strings.Join(body, "\n"), Line: first + 1}})
}

// dedent removes the blanks with which all lines begin.
func dedent(body []string) []string {
	least := -1
	for _, line := range body {
		if blanks := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (least < 0 || blanks < least) {
			least = blanks
		}
	}
	for i, line := range body {
		body[i] = line[min(max(least, 0), len(line)-len(strings.TrimLeft(line, " "))):]
	}
	return body
}

// indented reads an indented code block.
func (r *reader) indented() {
	first := r.at
	var body []string
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		switch {
		case strings.HasPrefix(line, "    "):
			body = append(body, line[4:])
		case strings.HasPrefix(line, "\t"):
			body = append(body, line[1:])
		case strings.TrimSpace(line) == "":
			body = append(body, "")
		default:
			r.emitIndented(body, first)
			return
		}
	}
	r.emitIndented(body, first)
}

func (r *reader) emitIndented(body []string, first int) {
	r.events = append(r.events, event{kind: block, text: Text{Text: strings.Join(body, "\n"), Line: first + 1}})
}

// comment skips an HTML comment.
func (r *reader) comment() {
	r.endParagraph()
	for ; r.at < len(r.lines); r.at++ {
		if strings.Contains(r.lines[r.at], "-->") {
			r.at++
			return
		}
	}
}

// element reads lines up to the one with an end tag. It returns the content between the two tags, and the line on
// which the content begins.
func (r *reader) element(start, end *regexp.Regexp) (body string, line int) {
	first := r.at
	at := start.FindStringIndex(r.lines[first])
	rest := r.lines[first][at[1]:]
	var b strings.Builder
	for {
		r.at++
		if found := end.FindStringIndex(rest); found != nil {
			b.WriteString(rest[:found[0]])
			return b.String(), first + 1
		}
		b.WriteString(rest)
		if r.at >= len(r.lines) {
			return b.String(), first + 1
		}
		b.WriteString("\n")
		rest = r.lines[r.at]
	}
}

// pre reads an HTML code block.
func (r *reader) pre() {
	at := preStart().FindStringIndex(r.lines[r.at])
	if before := strings.TrimSpace(r.lines[r.at][:at[0]]); before != "" {
		r.para, r.from = []string{before}, r.at
		r.endParagraph()
	}
	body, line := r.element(preStart(), preEnd())
	if strings.HasPrefix(body, "\n") {
		body, line = body[1:], line+1
	}
	r.events = append(r.events, event{kind: block, text: Text{Text: stripHTML(body), Line: line}})
}

// htmlTable reads an HTML table.
func (r *reader) htmlTable() {
	body, line := r.element(tableStart(), tableEnd())
	e := event{kind: table}
	starts := rowStart().FindAllStringIndex(body, -1)
	for i, at := range starts {
		end := len(body)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		row := body[at[1]:end]
		var cells []Text
		for _, cell := range cellStart().FindAllStringIndex(row, -1) {
			text := row[cell[1]:]
			if found := cellEnd().FindStringIndex(text); found != nil {
				text = text[:found[0]]
			}
			cells = append(
				cells,
				Text{Text: strings.Trim(stripHTML(text), " \n"), Line: line + strings.Count(body[:at[1]+cell[0]], "\n"), Cell: true},
			)
		}
		e.rows = append(e.rows, cells)
	}
	r.events = append(r.events, e)
}

// table reads a Markdown table.
func (r *reader) table() {
	e := event{kind: table}
	for first := r.at; r.at < len(r.lines); r.at++ {
		line := unquote(r.lines[r.at])
		if r.at == first+1 {
			continue // the line below the header
		}
		if strings.TrimSpace(line) == "" || !strings.Contains(line, "|") {
			break
		}
		var cells []Text
		for _, cell := range splitRow(line) {
			cells = append(cells, Text{Text: cellText(cell), Raw: strings.ReplaceAll(cell, `\|`, "|"), Line: r.at + 1, Cell: true})
		}
		e.rows = append(e.rows, cells)
	}
	r.events = append(r.events, e)
}

// splitRow splits a row at its bars.
func splitRow(line string) (cells []string) {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	start := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		cells = append(cells, rest)
	}
	return cells
}

var backquotes = pattern.New("`+")

// cellText resolves the marks of a cell: code as it stands, and other text without its
// escapes, entities and tags.
func cellText(s string) string {
	s = strings.ReplaceAll(s, `\|`, "|")
	var b strings.Builder
	for {
		body, before, after, ok := codeSpan(s)
		if !ok {
			b.WriteString(plain(s))
			return strings.TrimSpace(b.String())
		}
		b.WriteString(plain(before))
		b.WriteString(strings.TrimSpace(body))
		s = after
	}
}

// codeSpan finds the first code between as many backquotes as before it.
func codeSpan(s string) (body, before, after string, ok bool) {
	marks := backquotes().FindAllStringIndex(s, -1)
	for i, open := range marks {
		for _, end := range marks[i+1:] {
			if end[1]-end[0] == open[1]-open[0] {
				return s[open[1]:end[0]], s[:open[0]], s[end[1]:], true
			}
		}
	}
	return "", "", "", false
}

var (
	escaped  = pattern.New("\\\\([!-/:-@\\[-`{-~])")
	emphasis = pattern.New(`\*\*([^*\s][^*]*)\*\*|\b__([^_\s][^_]*)__\b`)
)

func plain(s string) string {
	s = lineBreak().ReplaceAllString(s, "\n")
	s = tag().ReplaceAllString(s, "")
	s = emphasis().ReplaceAllString(s, "$1$2")
	s = escaped().ReplaceAllString(s, "$1")
	return strings.ReplaceAll(html.UnescapeString(s), "\u00a0", " ")
}
