// Package example finds the examples in a problem statement: inputs with their outputs, and their line numbers. It
// reads Markdown, including embedded HTML, and LaTeX.
//
// An example is a pair of code blocks, a table row below a header with input and output, or a command of the usual
// LaTeX classes, such as \exmp. A code block counts only if a heading or a label marks it as an example, in one of
// the languages of words.go. Input formats, pseudocode and commands are not examples.
//
// The package compares texts, but it knows no test cases and judges no output.
package example

import (
	"html"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// Limits on the work for a statement. The rest of a statement is not read.
const (
	maxStatement = 512 << 10 // bytes
	maxArgument  = 64 << 10  // bytes in a braced argument
	maxCost      = 8 << 20   // bytes read again, because of nested tables or unclosed braces
	maxExamples  = 1000
)

// An Example is an input in a statement with its output.
type Example struct {
	Input, Output Text
	Certainty     Certainty
	// OtherBlocks lists the other code blocks near the example if its Certainty is only Paired. If the second block of
	// the example is a drawing, a block in OtherBlocks may be the output.
	OtherBlocks []Text
}

// Certainty is how clearly the statement marks an example.
type Certainty int

// The degrees of certainty.
const (
	Loose   Certainty = iota // labeled as input and output, but not as example
	Paired                   // two unlabeled code blocks below an example heading
	Labeled                  // labeled as example input and output
)

// A Text is an input or an output as the statement shows it.
type Text struct {
	Text string
	// Raw is the same text with unresolved escapes. It is set if the escapes may be meant literally. If Raw is
	// empty, no escapes were resolved in the field Text.
	Raw  string
	Line int    // line in the statement, from 1
	Cell bool   // in a table cell, where line breaks can be lost
	File string // file named by the statement, such as "example.01"; Text is then empty
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

// Equals reports whether the text equals that of a file. It ignores spaces at line ends, and empty lines at the
// beginning and end.
func (t Text) Equals(file string) bool {
	want := lines(file)
	if slices.Equal(lines(t.Text), want) || t.Raw != "" && slices.Equal(lines(t.Raw), want) {
		return true
	}
	return t.Cell && slices.Equal(strings.Fields(t.Text), strings.Fields(file))
}

// Abbreviates reports whether the text equals that of a file with a part replaced by an ellipsis. It ignores
// differences in white space.
func (t Text) Abbreviates(file string) bool {
	head, tail, found := cutEllipsis(t.Text)
	if !found {
		return false
	}
	before, after, all := strings.Fields(head), strings.Fields(tail), strings.Fields(file)
	if i := strings.LastIndex(tail, ellipses[0]); i >= 0 { // if several, only both ends are compared
		after = strings.Fields(tail[i+len(ellipses[0]):])
	}
	return len(before)+len(after) <= len(all) &&
		slices.Equal(before, all[:len(before)]) && slices.Equal(after, all[len(all)-len(after):])
}

// Abbreviated reports whether the text contains an ellipsis.
func (t Text) Abbreviated() bool {
	_, _, found := cutEllipsis(t.Text)
	return found
}

var ellipses = []string{"...", "…"}

func cutEllipsis(s string) (head, tail string, found bool) {
	return strings.Cut(strings.ReplaceAll(s, ellipses[1], ellipses[0]), ellipses[0])
}

// FirstDifference returns the index, from 0, of the first line in which the text differs from a file, and both lines.
func (t Text) FirstDifference(file string) (at int, shown, want string) {
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

// lines splits a text into lines, without the spaces and empty lines that Equals ignores.
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

// An event is a part of a statement. Events are in text order.
type event struct {
	kind  kind
	level int    // of a heading
	words string // of a heading or label
	info  string // of a code block
	text  Text   // of a code block
	out   Text   // of a pair
	rows  [][]Text
	// first is the index, from 0, of the first line of the event in the statement, and after is the index of the
	// line after it. They are set only for Markdown.
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

// A section is the part below a heading.
type section struct {
	level int
	class
}

// pairer converts events to examples.
type pairer struct {
	found    []Example
	sections []section
	label    class // of the last label; zero value after a block
	inputs   []pendingInput
	// blocks lists the unlabeled blocks below the current heading. paired lists the examples made from these
	// blocks, as indices into the found slice.
	blocks []Text
	paired []int
}

// pendingInput is a labeled input without an output so far.
type pendingInput struct {
	text     Text
	number   string
	explicit bool
}

func pairUp(events []event) []Example {
	p := &pairer{}
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

func (p *pairer) add(e Example) {
	if len(p.found) < maxExamples {
		p.found = append(p.found, e)
	}
}

// flush ends a part of a statement in which unlabeled blocks belong together. If the number of blocks is odd, it
// is unclear which ones are pairs, so flush keeps only the first example.
func (p *pairer) flush() {
	if len(p.paired) > 0 {
		for _, at := range p.paired {
			p.found[at].OtherBlocks = p.blocks
		}
		if len(p.blocks)%2 == 1 {
			p.found = p.found[:p.paired[0]+1]
		}
	}
	p.blocks, p.paired = nil, nil
}

// enclosingClass returns the class of the innermost heading at the current position. It also reports whether that heading
// or an enclosing one is about examples.
func (p *pairer) enclosingClass() (inner class, example bool) {
	for _, s := range p.sections {
		example = example || s.example && s.exact
		inner = s.class
	}
	return inner, example && !inner.remark
}

// block handles a code block.
func (p *pairer) block(e event) {
	inner, example := p.enclosingClass()
	info, role := fenceRole(e.info)
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
		if inner.role != none && len(p.sections) > 0 { // only one block belongs to the heading
			p.sections[len(p.sections)-1].role = none
			p.sections[len(p.sections)-1].remark = true
		}
	}
	switch role {
	case input:
		if sure {
			p.inputs = append(p.inputs, pendingInput{e.text, number, true})
		}
	case output:
		p.output(e.text, number)
	default:
		p.unlabeled(e.text, inner, l, example)
	}
}

// output pairs a labeled output with the input that has the same number, or with the last input.
func (p *pairer) output(t Text, number string) {
	for i := len(p.inputs) - 1; i >= 0; i-- {
		in := p.inputs[i]
		if number == "" || in.number == "" || in.number == number {
			p.add(Example{Input: in.text, Output: t, Certainty: Labeled})
			p.inputs = slices.Delete(p.inputs, i, i+1)
			return
		}
	}
}

// unlabeled handles a code block without a label that may be an example because of its position. The second of two
// blocks is the output of the first.
func (p *pairer) unlabeled(t Text, inner, l class, example bool) {
	if !(inner.example && inner.exact) && !(l.example && l.role == none) || len(p.inputs) > 0 && example {
		return
	}
	p.blocks = append(p.blocks, t)
	n := len(p.blocks)
	one := inner.number != "" || l.number != "" // a numbered heading has one example
	if n%2 == 0 && (n == 2 || !one) && len(p.found) < maxExamples {
		p.paired = append(p.paired, len(p.found))
		p.add(Example{Input: p.blocks[n-2], Output: t, Certainty: Paired})
	}
}

// table handles a table whose header or first column contains input and output.
func (p *pairer) table(e event) {
	if len(e.rows) < 2 {
		return
	}
	inner, example := p.enclosingClass()
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

// fenceRole reports whether a code block with this info string can be an example, and returns the role that the info
// string names. A block in a programming language is not an example.
func fenceRole(info string) (may bool, r role) {
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

// stripHTML removes the tags and resolves the entities in a piece of HTML.
func stripHTML(s string) string {
	return strings.ReplaceAll(html.UnescapeString(tag().ReplaceAllString(lineBreak().ReplaceAllString(s, "\n"), "")), "\u00a0", " ")
}
