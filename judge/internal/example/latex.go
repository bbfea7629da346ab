package example

import (
	"strings"

	"assay/judge/internal/pattern"
	"assay/judge/internal/tex"
)

// scanner reads LaTeX from beginning to end.
type scanner struct {
	s            string
	line         int // line number at the position placed
	lastLabelEnd int // the end of the last heading, label or block
	cost         int // number of bytes read more than once
	placed       int // position up to which lines were counted
	events       []event
}

func scanLaTeX(s string) []event {
	l := &scanner{s: s, line: 1}
	for i := 0; i < len(s) && l.cost < maxCost; {
		i = l.next(i)
	}
	return l.events
}

// at returns the line number of a position. It is fast if positions are increasing.
func (l *scanner) at(i int) int {
	if i < l.placed {
		return 1 + strings.Count(l.s[:i], "\n")
	}
	l.line += strings.Count(l.s[l.placed:i], "\n")
	l.placed = i
	return l.line
}

var levels = map[string]int{
	"chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
	// commands of the classes that Polygon packages use
	"InputFile": 2, "OutputFile": 2, "Input": 2, "Output": 2, "Example": 2, "Examples": 2, "Note": 2, "Notes": 2,
	"Scoring": 2, "Interaction": 2, "Explanation": 2, "Explanations": 2,
	"exmpheading": 2,
}

// headingCommands maps commands to the headings that they stand for.
var headingCommands = map[string]string{"InputFile": "Input", "OutputFile": "Output"}

var verbatims = map[string]bool{"verbatim": true, "lstlisting": true, "Verbatim": true, "alltt": true, "BVerbatim": true, "minted": true}

var tabulars = map[string]int{"tabular": 1, "longtable": 1, "array": 1, "tabularx": 2, "tabulary": 2, "tabular*": 2}

// next reads the item at i, and returns the position after it.
func (l *scanner) next(i int) int {
	switch l.s[i] {
	case '%':
		return skipComment(l.s, i)
	case '\\':
	default:
		return i + 1
	}
	word, end := commandName(l.s, i)
	switch word {
	case "begin":
		return l.environment(end)
	case "verb", "verb*", "lstinline":
		if end < len(l.s) {
			text, _, _ := strings.Cut(l.s[end+1:], "\n")
			if k := strings.IndexByte(text, l.s[end]); k >= 0 {
				return end + k + 2
			}
		}
		return end
	case "exmp", "exmpfile", "sampleio":
		return l.exampleCommand(word, end)
	case "textbf", "textit", "emph", "underline", "bf", "texttt":
		if body, after, ok := l.braced(end); ok && len(body) <= maxLabel {
			l.events = append(l.events, event{kind: label, words: stripTeX(body)})
			l.lastLabelEnd = after
			return after
		}
		return end
	}
	level, known := levels[strings.TrimSuffix(word, "*")]
	if !known {
		return end
	}
	words := headingCommands[word]
	if level > 2 || strings.TrimSuffix(word, "*") == "section" || word == "chapter" || word == "chapter*" {
		body, after, ok := l.braced(skipOption(l.s, end))
		if !ok {
			return end
		}
		words, end = stripTeX(body), after
	} else if words == "" {
		words = word
	}
	l.events = append(l.events, event{kind: heading, level: level, words: words})
	l.lastLabelEnd = end
	return end
}

// exampleCommand reads the two texts of an example.
func (l *scanner) exampleCommand(word string, i int) int {
	a, after, ok := l.braced(i)
	if !ok {
		return i
	}
	start := strings.IndexByte(l.s[i:], '{') + i + 1
	b, end, ok := l.braced(after)
	if !ok {
		return after
	}
	second := strings.IndexByte(l.s[after:], '{') + after + 1
	e := event{kind: pair, text: l.raw(a, start), out: l.raw(b, second)}
	if word == "exmpfile" {
		e.text = Text{File: strings.TrimSpace(a), Line: e.text.Line}
		e.out = Text{File: strings.TrimSpace(b), Line: e.out.Line}
	}
	l.events = append(l.events, e)
	return end
}

// raw returns a text that may contain escapes.
func (l *scanner) raw(s string, at int) Text {
	lead := len(s) - len(strings.TrimLeft(s, " \t"))
	if rest := s[lead:]; strings.HasPrefix(rest, "\n") {
		s, at = rest[1:], at+lead+1
	} else if strings.HasPrefix(rest, "%") { // a comment also removes the line break
		end := skipComment(s, lead)
		s, at = s[end:], at+end
	}
	return Text{Text: stripTeX(s), Raw: s, Line: l.at(at)}
}

// environment reads the environment whose \begin ends at i.
func (l *scanner) environment(i int) int {
	word, after, ok := l.braced(i)
	if !ok {
		return i
	}
	word = strings.TrimSpace(word)
	end := `\end{` + word + `}`
	switch n, isTable := tabulars[word]; {
	case verbatims[word]:
		l.labelBefore(i)
		after = skipOption(l.s, after)
		info := ""
		if word == "minted" {
			if body, next, ok := l.braced(after); ok {
				info, after = body, next
			}
		}
		body, _, found := strings.Cut(l.s[after:], end)
		start, next := after, after+len(body)
		if found {
			next += len(end)
		}
		if first, rest, many := strings.Cut(body, "\n"); many && strings.TrimSpace(first) == "" {
			body, start = rest, start+len(first)+1
		}
		l.events = append(l.events, event{kind: block, info: info, text: Text{Text: body, Line: l.at(start)}})
		l.lastLabelEnd = next
		return next
	case word == "comment":
		if _, rest, found := strings.Cut(l.s[after:], end); found {
			return len(l.s) - len(rest)
		}
		return len(l.s)
	case isTable:
		after = skipOption(l.s, after)
		for range n {
			if _, next, ok := l.braced(after); ok {
				after = next
			}
		}
		body, next := environmentBody(l.s, after, word)
		l.cost += len(body)
		if e := l.tabular(body, after); len(e.rows) > 0 && isExampleTable(e) {
			l.events = append(l.events, e)
			return next
		}
		return after // its content is read separately
	case strings.HasPrefix(word, "example") || word == "samples":
		return after
	}
	if c := classify(word); c.role != none || c.example {
		l.events = append(l.events, event{kind: heading, level: 2, words: word})
	}
	return after
}

// labelBefore treats the line of text before the block at i as a label.
func (l *scanner) labelBefore(i int) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(l.s[min(l.lastLabelEnd, i):i], " \t\n"), `\begin`))
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		text = text[at+1:]
	}
	if words := stripTeX(text); strings.TrimSpace(words) != "" && len(words) <= maxLabel {
		l.events = append(l.events, event{kind: label, words: words})
	}
}

// isExampleTable reports whether the header of a table contains input and output.
func isExampleTable(e event) bool {
	return len(pairUp([]event{e})) > 0
}

// environmentBody returns the content of an environment up to its matching end.
func environmentBody(s string, i int, word string) (body string, end int) {
	open, closing := `\begin{`+word+`}`, `\end{`+word+`}`
	depth := 1
	for k := i; k < len(s); {
		next := strings.IndexByte(s[k:], '\\')
		if next < 0 {
			break
		}
		k += next
		switch {
		case strings.HasPrefix(s[k:], closing):
			if depth--; depth == 0 {
				return s[i:k], k + len(closing)
			}
			k += len(closing)
		case strings.HasPrefix(s[k:], open):
			depth++
			k += len(open)
		default:
			k += 2
		}
	}
	return s[i:], len(s)
}

var rules = pattern.New(`\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)\b|\\cline\s*\{[^}]*\}`)

var leading = pattern.New(`^(?:\s|\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)\b|\\cline\s*\{[^}]*\})*`)

// tabular splits a table into rows and cells. Row and cell separators inside braces, nested environments and \verb
// belong to a cell.
func (l *scanner) tabular(body string, offset int) event {
	e := event{kind: table}
	var row []Text
	start, depth, nested := 0, 0, 0
	first, counted := 1+strings.Count(l.s[:offset], "\n"), 0 // line number, and the position up to which lines were counted
	cell := func(end int) {
		text := rules().ReplaceAllString(body[start:end], "")
		at := start + len(leading().FindString(body[start:end]))
		first += strings.Count(body[counted:at], "\n")
		counted = at
		row = append(row, Text{Text: strings.TrimSpace(stripTeX(text)), Line: first, Cell: true})
	}
	flush := func(end int) {
		cell(end)
		if len(row) > 1 {
			e.rows = append(e.rows, row)
		}
		row = nil
	}
	for k := 0; k < len(body); k++ {
		switch {
		case body[k] == '%':
			k = skipComment(body, k) - 1
		case strings.HasPrefix(body[k:], `\begin{`):
			nested++
		case strings.HasPrefix(body[k:], `\end{`):
			nested--
		case strings.HasPrefix(body[k:], `\verb`) && !strings.HasPrefix(body[k:], `\verbatim`) && k+5 < len(body):
			if end := strings.IndexByte(body[k+6:], body[k+5]); end >= 0 {
				k += 6 + end
			}
		case strings.HasPrefix(body[k:], `\tabularnewline`) && depth == 0 && nested == 0:
			flush(k)
			k += len(`\tabularnewline`) - 1
			start = k + 1
		case strings.HasPrefix(body[k:], `\\`):
			if depth == 0 && nested == 0 {
				flush(k)
				start = skipOption(body, k+2)
			}
			k++
		case body[k] == '\\':
			k++
		case body[k] == '{':
			depth++
		case body[k] == '}':
			depth--
		case body[k] == '&' && depth == 0 && nested == 0:
			cell(k)
			start = k + 1
		}
	}
	flush(len(body))
	return e
}

// commandName reads the name of the command at i, which is letters with an optional star, or a single character.
func commandName(s string, i int) (name string, end int) {
	k := i + 1
	for k < len(s) && (s[k] >= 'a' && s[k] <= 'z' || s[k] >= 'A' && s[k] <= 'Z') {
		k++
	}
	switch {
	case k == i+1 && k < len(s):
		k++
	case k < len(s) && s[k] == '*':
		k++
	}
	return s[i+1 : k], k
}

// braced reads the next group in braces, after optional blanks, comments and one line break.
func braced(s string, i int) (body string, end int, ok bool) {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '%') {
		if s[i] == '%' {
			i = skipComment(s, i)
			continue
		}
		i++
	}
	if i >= len(s) || s[i] != '{' {
		return "", i, false
	}
	if body, end, ok = tex.Group(s[:min(len(s), i+maxArgument)], i); ok {
		return body, end, true
	}
	return "", i, false
}

// braced reads the next group in braces.
func (l *scanner) braced(i int) (body string, end int, ok bool) {
	body, end, ok = braced(l.s, i)
	if !ok && end < len(l.s) && l.s[end] == '{' {
		l.cost += min(maxArgument, len(l.s)-end)
	}
	return body, end, ok
}

// skipOption skips an optional argument in brackets.
func skipOption(s string, i int) int {
	if i < len(s) && s[i] == '[' {
		if k := strings.IndexByte(s[i:min(len(s), i+maxArgument)], ']'); k >= 0 {
			return i + k + 1
		}
	}
	return i
}

func skipComment(s string, i int) int {
	if k := strings.IndexByte(s[i:], '\n'); k >= 0 {
		return i + k + 1
	}
	return len(s)
}

var (
	texBreak   = pattern.New(`[ \t]*\\(?:\\(?:\[[^\]]*\])?|newline\b|linebreak\b|par\b)[ \t]*\n?`)
	texComment = pattern.New(`(^|[^\\])%[^\n]*\n?`)
	texEnv     = pattern.New(`\\(?:begin|end)\s*\{[^}]*\}(?:\[[^\]]*\])?(?:\{[@l|cr{}]*\})*[ \t]*\n?`)
	texVerb    = pattern.New(`\\verb\*?([^a-zA-Z\s])(.*?)`)
	texSign    = pattern.New(`\\([#$%&_{}])`)
	texCommand = pattern.New(`\\[a-zA-Z]+\*?[ \t]?|\\[ ,;!]`)
)

var texWords = strings.NewReplacer(
	`\textbackslash{}`, "\x00", `\textbackslash`, "\x00", `\ldots`, "...", `\dots`, "...",
	`\textasciitilde{}`, "\x01", `\textasciitilde`, "\x01",
	`\textasciicircum{}`, "^", `\textasciicircum`, "^", `\textless`, "<", `\textgreater`, ">", `\textbar`, "|", `\quad`, " ",
	`\ `, " ", `\^{}`, "^", `\~{}`, "\x01")

// stripTeX resolves the markup of a short text.
func stripTeX(s string) string {
	s = stripVerb(s)
	s = texComment().ReplaceAllString(s, "$1")
	s = texEnv().ReplaceAllString(s, "")
	s = texBreak().ReplaceAllString(s, "\n")
	s = texWords.Replace(s)
	s = texSign().ReplaceAllStringFunc(s, func(m string) string { return string(rune(0xE000 + int(m[1]))) })
	s = texCommand().ReplaceAllString(s, "")
	s = strings.NewReplacer("{", "", "}", "", "$", "", "~", " ").Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == 0:
			return '\\'
		case r == 1:
			return '~'
		case r >= 0xE000 && r < 0xE080:
			return r - 0xE000
		}
		return r
	}, s)
}

// stripVerb replaces each \verb by its literal text.
func stripVerb(s string) string {
	var b strings.Builder
	for {
		at := texVerb().FindStringIndex(s)
		if at == nil {
			return b.String() + s
		}
		mark := s[at[1]-1]
		body, rest, found := strings.Cut(s[at[1]:], string(mark))
		if !found {
			return b.String() + s
		}
		b.WriteString(s[:at[0]])
		for _, c := range body {
			if c < 0x80 && strings.ContainsRune(`\{}$%&_#~`, c) {
				c += 0xE000
			}
			b.WriteRune(c)
		}
		s = rest
	}
}
