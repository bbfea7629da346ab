package report

import (
	"strings"

	"assay/judge"
)

// This file compares two excerpts of about twenty lines, never whole outputs. It uses Align for the lines, and
// then for the words of each pair of lines of at most maxInner bytes. If go-diff panics, the lines of one side are
// shown before those of the other.

const (
	maxSide  = 64      // maximum number of lines shown for each side
	maxInner = 1 << 10 // maximum size in bytes of a line whose words are compared
	maxAll   = 8 << 10 // maximum bytes of all lines whose words are compared; excerpts are smaller
)

// lineKind is the kind of a shown line. Its value is the character in front of the line.
type lineKind byte

const (
	sameLine     lineKind = ' '
	expectedLine lineKind = '-' // a line that exists only in the answer
	actualLine   lineKind = '+' // a line that exists only in the output
	pointerLine  lineKind = '^' // points at a position in the line above
	remarkLine   lineKind = '#' // a remark about the line above
	moreLine     lineKind = '~' // marks omitted lines
)

// contextLines is how many equal lines are shown after the last difference.
const contextLines = 3

// A span is a piece of a line. A hot span differs from the corresponding line of the other text.
type span struct {
	Text string
	Hot  bool
}

// A diffLine is a line in the display of a difference. Its exported fields are for templates.
type diffLine struct {
	Kind   lineKind
	Number int // excerptLine number in its own text; zero if none
	Spans  []span
	// Lines that belong together are cropped in the same way:
	focusColumn int // they are cropped around this column, counted from 0
	length      int // they are cropped as if each had this length
}

func (d diffLine) text() string {
	var b strings.Builder
	for _, s := range d.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// An excerptLine is a line of an excerpt.
type excerptLine struct {
	text     string
	number   int
	complete bool // whether it ends in a line feed
}

// lines splits an excerpt into lines.
func lines(e judge.Excerpt) []excerptLine {
	if e.Text == "" {
		return nil
	}
	var excerpt []excerptLine
	for text := range strings.Lines(sanitize(e.Text)) {
		if len(excerpt) == maxSide {
			break
		}
		body, ended := strings.CutSuffix(text, "\n")
		excerpt = append(excerpt, excerptLine{body, max(e.FirstLine, 1) + len(excerpt), ended})
	}
	return excerpt
}

// diffLines returns the lines that show how the output differs from the answer. A pointer marks the position that
// the checker reported. If the checker reported none, the pointer marks all differences in the first pair of lines
// that differ.
func diffLines(d *judge.Detail) []diffLine {
	want, got := lines(d.Want), lines(d.Got)
	ops := trimPairs(alignLines(want, got), d.Want, d.Got)
	p := &diffWriter{want: want, got: got, errorLine: -1}
	if d.Place != nil && d.Got.At >= 0 && d.Got.At <= len(d.Got.Text) {
		p.errorLine = strings.Count(d.Got.Text[:d.Got.At], "\n")
		start := strings.LastIndexByte(d.Got.Text[:d.Got.At], '\n') + 1
		p.errorColumn = width(sanitize(d.Got.Text[start:d.Got.At]))
	}
	for i := 0; i < len(ops); {
		n := i
		for n < len(ops) && (ops[n].Old < 0 || ops[n].New < 0) {
			n++
		}
		if n == i {
			p.addSame(ops[i].Old, ops[i].New)
			i++
			continue
		}
		p.addChanged(ops[i:n])
		i = n
	}
	if len(got) == 0 && d.Got.Size == 0 {
		p.addRemark("the output is empty")
	}
	if len(want) == 0 && d.Want.Size == 0 {
		p.addRemark("the answer is empty")
	}
	drawn, all := shorten(p.lines)
	if !all || d.Got.After || d.Want.After {
		drawn = append(drawn, moreMark)
	}
	return drawn
}

var moreMark = diffLine{Kind: moreLine, Spans: []span{{Text: omission}}}

// shorten removes the equal lines after the last difference, except the first few. It returns false if it removed
// any lines.
func shorten(lines []diffLine) ([]diffLine, bool) {
	last := len(lines)
	for last > 0 && lines[last-1].Kind == sameLine {
		last--
	}
	if last == 0 || last+contextLines >= len(lines) { // without a difference, show all lines
		return lines, true
	}
	return lines[:last+contextLines], false
}

// alignLines pairs the lines that are equal on both sides.
func alignLines(want, got []excerptLine) []AlignedPair {
	texts := func(lines []excerptLine) []string {
		all := make([]string, len(lines))
		for i, l := range lines {
			all[i] = l.text
		}
		return all
	}
	return Align(texts(want), texts(got))
}

// trimPairs removes lines at the start and end that only one excerpt contains because the other excerpt starts later or
// ends earlier.
func trimPairs(ops []AlignedPair, want, got judge.Excerpt) []AlignedPair {
	outside := func(o AlignedPair, wantCut, gotCut bool) bool {
		return o.New < 0 && gotCut || o.Old < 0 && wantCut
	}
	for _, o := range ops { // without a common line, the alignment is meaningless
		if o.Old >= 0 && o.New >= 0 {
			for len(ops) > 0 && outside(ops[0], want.Before, got.Before) {
				ops = ops[1:]
			}
			for len(ops) > 0 && outside(ops[len(ops)-1], want.After, got.After) {
				ops = ops[:len(ops)-1]
			}
			return ops
		}
	}
	return ops
}

// A diffWriter writes the lines of a difference.
type diffWriter struct {
	want, got              []excerptLine
	errorLine, errorColumn int // excerptLine of got and column that the checker reported; -1 if none
	pointed                bool
	compared               int // bytes
	lines                  []diffLine
}

// addRemark adds a remark, unless it was added before.
func (p *diffWriter) addRemark(text string) {
	remarked := diffLine{Kind: remarkLine, Spans: []span{{Text: text}}}
	for _, l := range p.lines {
		if l.Kind == remarkLine && l.text() == remarked.text() {
			return
		}
	}
	p.lines = append(p.lines, remarked)
}

// addSame adds an equal line.
func (p *diffWriter) addSame(w, g int) {
	l := p.got[g]
	p.lines = append(
		p.lines,
		diffLine{Kind: sameLine, Number: l.number, Spans: []span{{Text: l.text}}, focusColumn: p.focusColumn(g), length: width(l.text)},
	)
	if g == p.errorLine {
		p.addCarets(p.errorColumn, l.text)
	}
	switch wantEnds := p.want[w].complete; {
	case wantEnds && !l.complete && g == len(p.got)-1:
		p.addRemark("no line end here in the output")
	case !wantEnds && l.complete && w == len(p.want)-1:
		p.addRemark("no line end here in the answer")
	}
}

// focusColumn returns the column that must stay visible when line g of the output is cropped. It is 0 unless the checker
// reported a position in this line.
func (p *diffWriter) focusColumn(g int) int {
	if g == p.errorLine {
		return p.errorColumn
	}
	return 0
}

// addChanged adds the lines of a block in which all lines differ. It adds them in pairs: the first line of the answer
// above the first line of the output, and so on.
func (p *diffWriter) addChanged(ops []AlignedPair) {
	var want, got []int
	for _, o := range ops {
		if o.Old >= 0 {
			want = append(want, o.Old)
		} else {
			got = append(got, o.New)
		}
	}
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			p.addSingle(expectedLine, p.want[want[i]], -1)
		case i >= len(want):
			p.addSingle(actualLine, p.got[got[i]], got[i])
		default:
			p.addPair(p.want[want[i]], p.got[got[i]], got[i])
		}
	}
}

// addSingle adds a line that exists on one side only.
func (p *diffWriter) addSingle(k lineKind, l excerptLine, g int) {
	p.lines = append(
		p.lines,
		diffLine{
			Kind: k, Number: l.number, Spans: showBlanks([]span{{l.text, false}}), focusColumn: p.focusColumn(g),
			length: width(l.text),
		},
	)
	if g >= 0 && g == p.errorLine {
		p.addCarets(p.errorColumn, l.text)
	}
}

// addPair adds the line want of the answer above the line got of the output, whose index is g.
func (p *diffWriter) addPair(want, got excerptLine, g int) {
	p.compared += len(want.text) + len(got.text)
	inner := compare(want.text, got.text, p.compared <= maxAll)
	focus := inner.first
	if g == p.errorLine {
		focus = p.errorColumn
	}
	long := max(width(want.text), width(got.text))
	p.lines = append(p.lines,
		diffLine{Kind: expectedLine, Number: want.number, Spans: showBlanks(inner.want), focusColumn: focus, length: long},
		diffLine{Kind: actualLine, Number: got.number, Spans: showBlanks(inner.got), focusColumn: focus, length: long})
	switch {
	case g == p.errorLine:
		p.addCarets(p.errorColumn, got.text)
	case p.errorLine < 0 && !p.pointed:
		p.addPointer(inner.pointer)
	}
	switch {
	case strings.Join(strings.Fields(want.text), " ") == strings.Join(strings.Fields(got.text), " "):
		p.addRemark("only blanks differ")
	case strings.EqualFold(want.text, got.text):
		p.addRemark("only upper and lower case differ")
	case strings.TrimSuffix(got.text, `\x0D`) == want.text:
		p.addRemark("only the line end differs: the output has CR LF")
	}
}

// addPointer adds the pointer under the last line.
func (p *diffWriter) addPointer(text string) {
	p.pointed = true
	above := p.lines[len(p.lines)-1]
	p.lines = append(
		p.lines,
		diffLine{Kind: pointerLine, Spans: []span{{Text: text}}, focusColumn: above.focusColumn, length: above.length},
	)
}

// addCarets adds a line with carets below the token of text that starts at the column.
func (p *diffWriter) addCarets(column int, text string) {
	_, rest := split(text, column)
	n := 0
	for i, c := range splitCharacters(rest) {
		if i > 0 && (c == " " || n >= 40) {
			break
		}
		n += width(c)
	}
	p.addPointer(strings.Repeat(" ", column) + strings.Repeat("^", max(n, 1)))
}
