package report

import (
	"strings"

	"assay/judge"
)

// This file compares two excerpts of some twenty lines, never whole outputs. It aligns the lines, and then the words of
// each pair of lines of at most maxInner bytes, both with Align. If go-diff panics, it draws all of one side and then all
// of the other.

const (
	maxSide  = 64      // drawn lines of each side
	maxInner = 1 << 10 // bytes of a line whose words are compared
	maxAll   = 8 << 10 // bytes of all lines whose words are compared; excerpts of the judge have fewer
)

// kind is the kind of a drawn line, and the character in front of it.
type kind byte

const (
	same     kind = ' '
	expected kind = '-' // only in the answer
	actual   kind = '+' // only in the output
	pointer  kind = '^' // points at a position in the line above
	remark   kind = '#' // a remark about the line above
	more     kind = '~' // marks omitted lines
)

// context is how many equal lines are drawn after the last difference.
const context = 3

// A span is a piece of a line. A hot span differs from the other side's line.
type span struct {
	Text string
	Hot  bool
}

// A drawn is a line of a difference. Its exported fields are for templates.
type drawn struct {
	Kind   kind
	Number int // of the line in its own text; zero if there is none
	Spans  []span
	// Lines that belong together are cropped in the same way:
	focus int // around this column, from 0
	long  int // as if each had this length
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
	ended  bool // by a line feed
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

// difference draws the difference between the answer and the output. The pointer marks the position that the checker
// reported. Without one, it marks everything that differs in the first pair of lines.
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

// shorten drops equal lines after the last difference, except the first ones. It returns false if it dropped any.
func shorten(all []drawn) ([]drawn, bool) {
	last := len(all)
	for last > 0 && all[last-1].Kind == same {
		last--
	}
	if last == 0 || last+context >= len(all) { // without a difference there is nothing to look for
		return all, true
	}
	return all[:last+context], false
}

// align pairs the lines that both sides have.
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

// trim drops lines at either end that only one side has because the excerpt of the other side ends there.
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

// A pen draws the lines of a difference.
type pen struct {
	want, got     []line
	place, column int // the line of got and the column that the checker reported; -1 if there is none
	pointed       bool
	compared      int // bytes
	lines         []drawn
}

// say draws a remark, unless it was drawn before.
func (p *pen) say(text string) {
	remarked := drawn{Kind: remark, Spans: []span{{Text: text}}}
	for _, l := range p.lines {
		if l.Kind == remark && l.text() == remarked.text() {
			return
		}
	}
	p.lines = append(p.lines, remarked)
}

// same draws an equal line.
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

// focus returns the column of line g that must be visible.
func (p *pen) focus(g int) int {
	if g == p.place {
		return p.column
	}
	return 0
}

// changed draws consecutive different lines in pairs: the first of the answer above the first of the output, and so on.
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

// single draws a line that only one side has.
func (p *pen) single(k kind, l line, g int) {
	p.lines = append(
		p.lines,
		drawn{Kind: k, Number: l.number, Spans: visible([]span{{l.text, false}}), focus: p.focus(g), long: width(l.text)},
	)
	if g >= 0 && g == p.place {
		p.pointAt(p.column, l.text)
	}
}

// pair draws a line of the answer above the line of the output in its place.
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

// point draws the pointer under the last line.
func (p *pen) point(text string) {
	p.pointed = true
	above := p.lines[len(p.lines)-1]
	p.lines = append(p.lines, drawn{Kind: pointer, Spans: []span{{Text: text}}, focus: above.focus, long: above.long})
}

// pointAt points at the token of the line that starts at the column.
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
