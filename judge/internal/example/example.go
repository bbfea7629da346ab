// Package example finds the examples in a problem statement: inputs with their outputs, and
// the lines on which they stand. It reads Markdown, with HTML in it, and LaTeX.
//
// An example is a pair of code blocks, a row of a table whose header says input and output,
// or a command of the usual LaTeX classes, such as \exmp. A code block counts only if a
// heading or a label says that it is an example, in one of the languages of words.go.
// Formats of inputs, pseudocode and commands are not examples.
//
// The package compares texts, but it knows no test cases and judges no output.
package example

import (
	"html"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// What a statement may cost. What goes beyond is not read.
const (
	maxStatement = 512 << 10 // bytes
	maxArgument  = 64 << 10  // bytes of an argument in braces
	maxCost      = 8 << 20   // bytes that are read more than once: nested tables, and braces without an end
	maxExamples  = 1000
)

// An Example is an input in a statement with its output.
type Example struct {
	Input, Output Text
	Certainty     Certainty
	// Rest are the other code blocks beside an example that is only Paired: one of them may
	// be the output, if the second block is a drawing.
	Rest []Text
}

// Certainty says how clearly the statement marks an example.
type Certainty int

// The degrees of certainty.
const (
	Loose   Certainty = iota // labeled as input and output, but not as an example
	Paired                   // two code blocks without labels below the heading of an example
	Labeled                  // labeled as the input and output of an example
)

// A Text is an input or an output as the statement shows it.
type Text struct {
	Text string
	// Raw is the text without its escapes resolved, if a reader cannot know whether they
	// are escapes. If empty, it is Text.
	Raw  string
	Line int    // of the statement, from 1
	Cell bool   // in a table, where line ends can be lost
	File string // named by the statement, such as "example.01"; Text is empty
}

// Find returns the examples of a statement in Markdown.
func Find(markdown string) []Example {
	return pairUp(scanMarkdown(bounded(markdown)))
}

// FindLaTeX returns the examples of a statement in LaTeX.
func FindLaTeX(latex string) []Example {
	return pairUp(scanLaTeX(bounded(latex)))
}

func bounded(s string) string {
	if len(s) > maxStatement {
		s = s[:maxStatement]
	}
	s = strings.TrimPrefix(s, "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// Same reports whether the text is that of a file, apart from blanks at the ends of lines
// and empty lines at both ends.
func (t Text) Same(file string) bool {
	want := lines(file)
	if slices.Equal(lines(t.Text), want) || t.Raw != "" && slices.Equal(lines(t.Raw), want) {
		return true
	}
	return t.Cell && slices.Equal(strings.Fields(t.Text), strings.Fields(file))
}

// Abbreviates reports whether the text has an ellipsis that stands for a part of a file.
func (t Text) Abbreviates(file string) bool {
	head, tail, found := cutEllipsis(t.Text)
	if !found {
		return false
	}
	before, after, all := strings.Fields(head), strings.Fields(tail), strings.Fields(file)
	if i := strings.LastIndex(tail, ellipses[0]); i >= 0 { // several: only the ends count
		after = strings.Fields(tail[i+len(ellipses[0]):])
	}
	return len(before)+len(after) <= len(all) &&
		slices.Equal(before, all[:len(before)]) && slices.Equal(after, all[len(all)-len(after):])
}

// Abbreviated reports whether the text has an ellipsis.
func (t Text) Abbreviated() bool {
	_, _, found := cutEllipsis(t.Text)
	return found
}

var ellipses = []string{"...", "…"}

func cutEllipsis(s string) (head, tail string, found bool) {
	return strings.Cut(strings.ReplaceAll(s, ellipses[1], ellipses[0]), ellipses[0])
}

// Differ returns the first line, counted from 0, in which the text is not that of a file,
// and both lines.
func (t Text) Differ(file string) (at int, shown, want string) {
	a, b := lines(t.Text), lines(file)
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	if at < len(a) {
		shown = a[at]
	}
	if at < len(b) {
		want = b[at]
	}
	return at, shown, want
}

// lines returns those of a text without what Same ignores.
func lines(s string) []string {
	all := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimRight(all[i], " \t\u00a0")
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	for len(all) > 0 && all[0] == "" {
		all = all[1:]
	}
	return all
}

// An event is a piece of a statement, in the order of the text.
type event struct {
	kind  kind
	level int    // of a heading
	words string // of a heading or label
	info  string // of a code block
	text  Text   // of a code block
	out   Text   // of a pair
	rows  [][]Text
	// first and after are the lines of the statement from which and up to which it stands, from
	// 0; only of Markdown.
	first, after int
}

type kind int

const (
	heading kind = iota
	label        // a short paragraph
	block        // a code block
	table
	pair // an input and an output in one command
)

// A section is what is below a heading.
type section struct {
	level int
	class
}

// pairing makes examples of events.
type pairing struct {
	found    []Example
	sections []section
	label    class // of the last label; zero after a block
	inputs   []waiting
	// blocks are those without a label below the present heading, and paired the examples
	// made of them.
	blocks []Text
	paired []int
}

// waiting is a labeled input whose output has not come yet.
type waiting struct {
	text   Text
	number string
	sure   bool
}

func pairUp(events []event) []Example {
	p := &pairing{}
	for i, e := range events {
		switch e.kind {
		case heading:
			if i == 0 && e.level == 1 {
				continue // the title, such as "A sample problem"
			}
			p.flush()
			for len(p.sections) > 0 && p.sections[len(p.sections)-1].level >= e.level {
				p.sections = p.sections[:len(p.sections)-1]
			}
			p.sections = append(p.sections, section{e.level, classify(e.words)})
			p.label = class{}
		case label:
			if c := classify(e.words); c.isLabel() {
				if c.example && c.role == none {
					p.flush()
				}
				p.label = c
			}
		case block:
			p.block(e)
		case table:
			p.table(e)
		case pair:
			p.add(Example{Input: e.text, Output: e.out, Certainty: Labeled})
		}
	}
	p.flush()
	return p.found
}

func (p *pairing) add(e Example) {
	if len(p.found) < maxExamples {
		p.found = append(p.found, e)
	}
}

// flush ends the part of a statement in which blocks without labels belong together. If
// one is left over, it is open which ones are pairs.
func (p *pairing) flush() {
	if len(p.paired) > 0 {
		for _, at := range p.paired {
			p.found[at].Rest = p.blocks
		}
		if len(p.blocks)%2 == 1 {
			p.found = p.found[:p.paired[0]+1]
		}
	}
	p.blocks, p.paired = nil, nil
}

// around returns the class of the section in which the present text stands: of its innermost
// heading, and whether that or one around it is about examples.
func (p *pairing) around() (inner class, example bool) {
	for _, s := range p.sections {
		example = example || s.example && s.exact
		inner = s.class
	}
	return inner, example && !inner.remark
}

// block takes a code block.
func (p *pairing) block(e event) {
	inner, example := p.around()
	info, role := fence(e.info)
	if !info {
		return
	}
	l := p.label
	p.label = class{}
	if l.remark || inner.remark && !l.example {
		return
	}
	number := l.number
	sure := example || l.example
	if role == none {
		role = l.role
	}
	if role == none && (example || l.example) {
		role = inner.role
		if number == "" {
			number = inner.number
		}
		if inner.role != none && len(p.sections) > 0 { // one block belongs to the heading
			p.sections[len(p.sections)-1].role = none
			p.sections[len(p.sections)-1].remark = true
		}
	}
	switch role {
	case input:
		if sure {
			p.inputs = append(p.inputs, waiting{e.text, number, true})
		}
	case output:
		p.output(e.text, number)
	default:
		p.unlabeled(e.text, inner, l, example)
	}
}

// output pairs a labeled output with the input of its number, or with the last one.
func (p *pairing) output(t Text, number string) {
	for i := len(p.inputs) - 1; i >= 0; i-- {
		in := p.inputs[i]
		if number == "" || in.number == "" || in.number == number {
			p.add(Example{Input: in.text, Output: t, Certainty: Labeled})
			p.inputs = slices.Delete(p.inputs, i, i+1)
			return
		}
	}
}

// unlabeled takes a code block that is an example only by where it stands: the second of
// two is the output of the first.
func (p *pairing) unlabeled(t Text, inner, l class, example bool) {
	if !(inner.example && inner.exact) && !(l.example && l.role == none) || len(p.inputs) > 0 && example {
		return
	}
	p.blocks = append(p.blocks, t)
	n := len(p.blocks)
	one := inner.number != "" || l.number != "" // a numbered example is one
	if n%2 == 0 && (n == 2 || !one) && len(p.found) < maxExamples {
		p.paired = append(p.paired, len(p.found))
		p.add(Example{Input: p.blocks[n-2], Output: t, Certainty: Paired})
	}
}

// table takes a table whose header says input and output, or whose first column does.
func (p *pairing) table(e event) {
	if len(e.rows) < 2 {
		return
	}
	inner, example := p.around()
	if inner.remark {
		return
	}
	certainty := Loose
	if example || p.label.example {
		certainty = Labeled
	}
	p.label = class{}
	roles := func(cells []Text) (in, out int) {
		in, out = -1, -1
		for i, cell := range cells {
			switch c := classify(cell.Text); {
			case c.foreign:
			case c.role == input && in < 0:
				in = i
			case c.role == output && out < 0:
				out = i
			default:
				continue
			}
			if c := classify(cell.Text); c.example && !c.foreign {
				certainty = Labeled
			}
		}
		return in, out
	}
	if in, out := roles(e.rows[0]); in >= 0 && out >= 0 {
		for _, row := range e.rows[1:] {
			if in < len(row) && out < len(row) && row[in].Text+row[out].Text != "" {
				p.add(Example{Input: row[in], Output: row[out], Certainty: certainty})
			}
		}
		return
	}
	var column []Text
	for _, row := range e.rows {
		column = append(column, append(row, Text{})[0])
	}
	if in, out := roles(column); in >= 0 && out >= 0 {
		for i := 1; i < min(len(e.rows[in]), len(e.rows[out])); i++ {
			p.add(Example{Input: e.rows[in][i], Output: e.rows[out][i], Certainty: certainty})
		}
	}
}

// fence reports whether a code block with this word after its fence can be an example, and
// what the word says of it. A block in a programming language is none.
func fence(info string) (may bool, r role) {
	word, _, _ := strings.Cut(strings.ToLower(strings.Trim(strings.TrimSpace(info), "{}.")), " ")
	switch word {
	case "", "text", "txt", "plain", "plaintext", "none", "nohighlight", "no-highlight", "sample", "example", "data", "raw":
		return true, none
	case "in", "input", "stdin":
		return true, input
	case "out", "output", "stdout", "ans", "answer":
		return true, output
	}
	return false, none
}

var (
	tag       = pattern.New(`(?s)<!--.*?-->|</?[a-zA-Z][^<>]*>`)
	lineBreak = pattern.New(`(?i)\s*<br\s*/?>[ \t]*\n?|</(?:p|div|li|tr)>`)
)

// unHTML resolves the tags and entities of a piece of HTML.
func unHTML(s string) string {
	return strings.ReplaceAll(html.UnescapeString(tag().ReplaceAllString(lineBreak().ReplaceAllString(s, "\n"), "")), "\u00a0", " ")
}
