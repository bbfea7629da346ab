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

// kind is the kind of a shown line. Its value is the character in front of the line.
type kind byte

const (
	same     kind = ' '
	expected kind = '-' // a line that exists only in the answer
	actual   kind = '+' // a line that exists only in the output
	pointer  kind = '^' // points at a position in the line above
	remark   kind = '#' // a remark about the line above
	more     kind = '~' // marks omitted lines
)

// context is how many equal lines are shown after the last difference.
const context = 3

// A span is a piece of a line. A hot span differs from the corresponding line of the other text.
type span struct {
	Text string
	Hot  bool
}

// A drawn is a line in the display of a difference. Its exported fields are for templates.
type drawn struct {
	Kind   kind
	Number int // line number in its own text; zero if none
	Spans  []span
	// Lines that belong together are cropped in the same way:
	focus int // they are cropped around this column, counted from 0
	long  int // they are cropped as if each had this length
}

func (d drawn) text() string {
	var b strings.Builder
	for _, s := range d.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// A line is a line of an excerpt.
type line struct {
	text   string
	number int
	ended  bool // whether it ends in a line feed
}

// lines splits an excerpt into lines.
func lines(e judge.Excerpt) []line {
	if e.Text == "" {
		return nil
	}
	var all []line
	for text := range strings.Lines(safe(e.Text)) {
		if len(all) == maxSide {
			break
		}
		body, ended := strings.CutSuffix(text, "\n")
		all = append(all, line{body, max(e.FirstLine, 1) + len(all), ended})
	}
	return all
}

// difference returns the lines that show how the output differs from the answer. A pointer marks the position that
// the checker reported. If the checker reported none, the pointer marks all differences in the first pair of lines
// that differ.
func difference(d *judge.Detail) []drawn {
	want, got := lines(d.Want), lines(d.Got)
	ops := trim(align(want, got), d.Want, d.Got)
	p := &pen{want: want, got: got, place: -1}
	if d.Place != nil && d.Got.At >= 0 && d.Got.At <= len(d.Got.Text) {
		p.place = strings.Count(d.Got.Text[:d.Got.At], "\n")
		start := strings.LastIndexByte(d.Got.Text[:d.Got.At], '\n') + 1
		p.column = width(safe(d.Got.Text[start:d.Got.At]))
	}
	for i := 0; i < len(ops); {
		n := i
		for n < len(ops) && (ops[n].Old < 0 || ops[n].New < 0) {
			n++
		}
		if n == i {
			p.same(ops[i].Old, ops[i].New)
			i++
			continue
		}
		p.changed(ops[i:n])
		i = n
	}
	if len(got) == 0 && d.Got.Size == 0 {
		p.say("the output is empty")
	}
	if len(want) == 0 && d.Want.Size == 0 {
		p.say("the answer is empty")
	}
	drawn, all := shorten(p.lines)
	if !all || d.Got.After || d.Want.After {
		drawn = append(drawn, drawnMore)
	}
	return drawn
}

var drawnMore = drawn{Kind: more, Spans: []span{{Text: cut}}}

// shorten removes the equal lines after the last difference, except the first few. It returns false if it removed
// any lines.
func shorten(all []drawn) ([]drawn, bool) {
	last := len(all)
	for last > 0 && all[last-1].Kind == same {
		last--
	}
	if last == 0 || last+context >= len(all) { // without a difference, show all lines
		return all, true
	}
	return all[:last+context], false
}

// align pairs the lines that are equal on both sides.
func align(want, got []line) []Matched {
	texts := func(lines []line) []string {
		all := make([]string, len(lines))
		for i, l := range lines {
			all[i] = l.text
		}
		return all
	}
	return Align(texts(want), texts(got))
}

// trim removes lines at the start and end that only one excerpt contains because the other excerpt starts later or
// ends earlier.
func trim(ops []Matched, want, got judge.Excerpt) []Matched {
	outside := func(o Matched, wantCut, gotCut bool) bool {
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

// A pen writes the lines of a difference.
type pen struct {
	want, got     []line
	place, column int // line of got and column that the checker reported; -1 if none
	pointed       bool
	compared      int // bytes
	lines         []drawn
}

// say adds a remark, unless it was added before.
func (p *pen) say(text string) {
	remarked := drawn{Kind: remark, Spans: []span{{Text: text}}}
	for _, l := range p.lines {
		if l.Kind == remark && l.text() == remarked.text() {
			return
		}
	}
	p.lines = append(p.lines, remarked)
}

// same adds an equal line.
func (p *pen) same(w, g int) {
	l := p.got[g]
	p.lines = append(p.lines, drawn{Kind: same, Number: l.number, Spans: []span{{Text: l.text}}, focus: p.focus(g), long: width(l.text)})
	if g == p.place {
		p.pointAt(p.column, l.text)
	}
	switch wantEnds := p.want[w].ended; {
	case wantEnds && !l.ended && g == len(p.got)-1:
		p.say("no line end here in the output")
	case !wantEnds && l.ended && w == len(p.want)-1:
		p.say("no line end here in the answer")
	}
}

// focus returns the column that must stay visible when line g of the output is cropped. It is 0 unless the checker
// reported a position in this line.
func (p *pen) focus(g int) int {
	if g == p.place {
		return p.column
	}
	return 0
}

// changed adds the lines of a block in which all lines differ. It adds them in pairs: the first line of the answer
// above the first line of the output, and so on.
func (p *pen) changed(ops []Matched) {
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
			p.single(expected, p.want[want[i]], -1)
		case i >= len(want):
			p.single(actual, p.got[got[i]], got[i])
		default:
			p.pair(p.want[want[i]], p.got[got[i]], got[i])
		}
	}
}

// single adds a line that exists on one side only.
func (p *pen) single(k kind, l line, g int) {
	p.lines = append(
		p.lines,
		drawn{Kind: k, Number: l.number, Spans: visible([]span{{l.text, false}}), focus: p.focus(g), long: width(l.text)},
	)
	if g >= 0 && g == p.place {
		p.pointAt(p.column, l.text)
	}
}

// pair adds the line want of the answer above the line got of the output, whose index is g.
func (p *pen) pair(want, got line, g int) {
	p.compared += len(want.text) + len(got.text)
	inner := compare(want.text, got.text, p.compared <= maxAll)
	focus := inner.first
	if g == p.place {
		focus = p.column
	}
	long := max(width(want.text), width(got.text))
	p.lines = append(p.lines,
		drawn{Kind: expected, Number: want.number, Spans: visible(inner.want), focus: focus, long: long},
		drawn{Kind: actual, Number: got.number, Spans: visible(inner.got), focus: focus, long: long})
	switch {
	case g == p.place:
		p.pointAt(p.column, got.text)
	case p.place < 0 && !p.pointed:
		p.point(inner.pointer)
	}
	switch {
	case strings.Join(strings.Fields(want.text), " ") == strings.Join(strings.Fields(got.text), " "):
		p.say("only blanks differ")
	case strings.EqualFold(want.text, got.text):
		p.say("only upper and lower case differ")
	case strings.TrimSuffix(got.text, `\x0D`) == want.text:
		p.say("only the line end differs: the output has CR LF")
	}
}

// point adds the pointer under the last line.
func (p *pen) point(text string) {
	p.pointed = true
	above := p.lines[len(p.lines)-1]
	p.lines = append(p.lines, drawn{Kind: pointer, Spans: []span{{Text: text}}, focus: above.focus, long: above.long})
}

// pointAt adds a line with carets below the token of text that starts at the column.
func (p *pen) pointAt(column int, text string) {
	_, rest := split(text, column)
	n := 0
	for i, c := range characters(rest) {
		if i > 0 && (c == " " || n >= 40) {
			break
		}
		n += width(c)
	}
	p.point(strings.Repeat(" ", column) + strings.Repeat("^", max(n, 1)))
}
