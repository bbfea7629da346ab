package report

import (
	"strings"

	"assay/judge"
)

// What is compared here are two windows of some twenty lines, never two outputs. Lines are
// aligned first, then the words within a pair of lines of at most maxInner bytes, both by
// Align. If go-diff panics, the plain form is drawn: all of one side, all of the other.

const (
	maxSide  = 64      // lines of one side that are drawn, whatever the excerpt holds
	maxInner = 1 << 10 // bytes of a line that is compared with another
	maxAll   = 8 << 10 // bytes of all lines that are compared so; no excerpt of ours has more
)

// kind says what a drawn line is. It is also the character in front of it.
type kind byte

const (
	same     kind = ' '
	expected kind = '-' // only in the answer
	actual   kind = '+' // only in the output
	pointer  kind = '^' // points at the place in the line above it
	remark   kind = '#' // says something about the line above it
	more     kind = '~' // stands for lines that are not shown
)

// context is how many lines that both sides have are drawn after the last
// difference.
const context = 3

// span is a piece of a line; a hot one differs from the other side's line.
type span struct {
	Text string
	Hot  bool
}

// drawn is one line of a difference. Its exported fields are for templates.
type drawn struct {
	Kind   kind
	Number int // of the line in its own text; zero if there is none
	Spans  []span
	// Where a line is cropped, the lines that belong together are cropped alike:
	focus int // around this column, from 0
	long  int // as if each were this long
}

func (d drawn) text() string {
	var b strings.Builder
	for _, s := range d.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// line is one line of an excerpt.
type line struct {
	text   string
	number int
	ended  bool // by a line feed
}

// lines cuts an excerpt into lines.
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

// difference draws what is different between the answer and the output. Where the
// checker said where it is, the pointer is there, else under all that differs
// in the first pair of lines.
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

// shorten drops equal lines after the last difference, except some. It returns false
// if it dropped any.
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

// align finds the lines that both sides have.
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

// trim drops the lines at either end that only one side has because the other
// side's window ends there.
func trim(ops []Matched, want, got judge.Excerpt) []Matched {
	outside := func(o Matched, wantCut, gotCut bool) bool {
		return o.New < 0 && gotCut || o.Old < 0 && wantCut
	}
	for _, o := range ops { // nothing in common: there is no alignment to trust
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

// pen draws lines.
type pen struct {
	want, got     []line
	place, column int // the line of got and the column that the checker named; -1 for none
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

// same draws a line that both sides have.
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

// focus returns the column of line g that must be seen.
func (p *pen) focus(g int) int {
	if g == p.place {
		return p.column
	}
	return 0
}

// changed draws a run of lines that are different: the first of the answer above
// the first of the output, and so on.
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

// single draws a line that has no partner.
func (p *pen) single(k kind, l line, g int) {
	p.lines = append(
		p.lines,
		drawn{Kind: k, Number: l.number, Spans: visible([]span{{l.text, false}}), focus: p.focus(g), long: width(l.text)},
	)
	if g >= 0 && g == p.place {
		p.pointAt(p.column, l.text)
	}
}

// pair draws a line of the answer and the line of the output in its place.
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
