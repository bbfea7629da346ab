package report

import (
	"fmt"
	"strings"

	"assay/judge"
)

// Maximum sizes of texts on the terminal. The HTML page shows them completely.
const (
	maxLog    = 30 // lines of a compiler's log
	maxStderr = 10 // lines
	maxInput  = 10 // lines
	maxDrawn  = 30 // lines of a difference
	maxFailed = 40 // rows of the table of failing cases
	maxSaid   = 40 // lines of a dialogue: half at the start, half at the end
)

// failures writes a table of the failing cases if there is more than one.
func (t *terminal) failures() {
	failed := t.record.failed()
	if len(failed) < 2 {
		return
	}
	t.printf("\n%s\n", t.paint.style(bold, fmt.Sprintf("%d failing cases", len(failed))))
	names := len("case")
	for _, c := range failed[:min(len(failed), maxFailed)] {
		names = max(names, width(oneLine(c.ID())))
	}
	messages := 0
	for _, c := range failed[:min(len(failed), maxFailed)] {
		messages = max(messages, width(oneLine(c.Message)))
	}
	// The name and the message are most important, so the memory is omitted first.
	const others, memory = 2 + 2 + 3 + 2 + 10 + 2, 9 + 2 // verdict and time; memory
	withMemory := names+others+memory+messages <= t.o.Width
	room := t.o.Width - others // for the name and the message
	if withMemory {
		room -= memory
	}
	names = min(names, max(t.o.Width*2/5, room-messages))
	room -= names
	head := fmt.Sprintf("  %s  %-3s  %10s", pad("case", names), "", "time")
	if withMemory {
		head += fmt.Sprintf("  %9s", "memory")
	}
	if messages > 0 && room >= 10 {
		head += "  message"
	}
	t.printf("%s\n", t.paint.style(faint, head))
	for i, c := range failed {
		if i == maxFailed {
			t.printf("  %s and %d more; --json, --junit and --html have them all\n", cut, len(failed)-i)
			break
		}
		t.printf("  %s  %s  %10s", pad(fitTail(oneLine(c.ID()), names), names),
			t.paint.verdict(c.Verdict, pad(code(c.Verdict), 3)), spent(millis(c.Exec.CPU)))
		if withMemory && c.Exec.Memory > 0 {
			t.printf("  %9s", size(c.Exec.Memory))
		} else if withMemory {
			t.printf("  %9s", "")
		}
		if c.Message != "" && room >= 10 {
			t.printf("  %s", fit(oneLine(c.Message), room))
		}
		t.printf("\n")
	}
}

// failure writes the details of a failing case.
func (t *terminal) failure(c *judge.CaseJudged) {
	t.printf("\n")
	used := "  " + spent(millis(c.Exec.CPU))
	if c.Exec.Memory > 0 {
		used += ", " + size(c.Exec.Memory)
	}
	t.flow("  ", piece{oneLine(c.ID()), bold}, piece{"  " + c.Verdict.Words(), lookOf(c.Verdict).attrs}, piece{used, faint})
	if c.Message != "" {
		t.printf("  ")
		t.paragraph(c.Message, "  ")
	}
	points := ""
	if c.Score != nil && c.Score.Points != 0 {
		points = c.Score.String()
	}
	for _, extra := range []struct{ name, text string }{
		{"points", points}, {"shown to the contestant", c.Team}, {"note", c.Note}, {"made by", c.Line},
	} {
		if extra.text != "" {
			t.printf("  ")
			t.paragraph(extra.name+": "+extra.text, "  ", faint)
		}
	}
	switch {
	case c.Dialogue != "":
		if c.Detail != nil {
			t.input(c.Detail)
		}
		t.dialogue(c.Dialogue)
	case c.Detail != nil && c.Verdict == judge.OutputLimit:
		t.input(c.Detail)
		t.beginning(c)
	case c.Detail != nil:
		t.detail(c.Detail)
	}
	if c.Stderr != "" {
		t.heading("standard error", "")
		t.block(c.Stderr, maxStderr)
	}
}

func (t *terminal) heading(name, rest string) {
	t.printf("\n  %s%s\n", t.paint.style(bold, name), t.paint.style(faint, rest))
}

// dialogue writes the messages between a program and an interactor.
func (t *terminal) dialogue(text string) {
	t.heading("dialogue", "  (< interactor, > program)")
	all := strings.Split(strings.TrimRight(safe(text), "\n"), "\n")
	for i, l := range all {
		if left := len(all) - maxSaid; left > 0 && i >= maxSaid/2 && i < maxSaid/2+left {
			if i == maxSaid/2 {
				t.printf("    %s %s more %s\n", cut, judge.Count(left, "line"), cut)
			}
			continue
		}
		var style []attribute
		if strings.HasPrefix(l, ">") {
			style = bold
		}
		t.printf("    %s\n", t.paint.style(style, fit(l, t.o.Width-4)))
	}
}

// input writes the start of the input.
func (t *terminal) input(d *judge.Detail) {
	t.heading("input", " ("+size(d.Input.Size)+")")
	t.start(d.Input, digits(d))
}

// start writes the first lines of an excerpt, with line numbers in a column of gutter cells.
func (t *terminal) start(e judge.Excerpt, gutter int) {
	all := lines(e)
	shown := all[:min(len(all), maxInput)]
	for _, l := range shown {
		t.row(gutter, drawn{Kind: same, Number: l.number, Spans: []span{{Text: l.text}}, long: width(l.text)})
	}
	if len(shown) < len(all) || e.After {
		t.row(gutter, drawnMore)
	}
}

// beginning writes the start of the output of a program that exceeded the output limit. The output is not compared
// with the answer, which is shorter.
func (t *terminal) beginning(c *judge.CaseJudged) {
	t.heading("output", " ("+size(max(c.Detail.Got.Size, c.Exec.Output))+", where it was stopped)")
	t.start(c.Detail.Got, digits(c.Detail))
}

// detail writes the input of a case, and the difference between its answer and the output.
func (t *terminal) detail(d *judge.Detail) {
	t.input(d)
	gutter := digits(d)
	place := ""
	if d.Place != nil {
		place = fmt.Sprintf("   line %d, column %d", d.Place.Line, d.Place.Column)
	}
	t.printf("\n")
	t.flow("  ", piece{"  - expected", wanted}, piece{" (" + size(d.Want.Size) + ")", faint},
		piece{"   + printed", received}, piece{" (" + size(d.Got.Size) + ")", faint}, piece{place, nil})
	all := difference(d)
	for i, l := range all {
		if i == maxDrawn {
			t.row(gutter, drawnMore)
			break
		}
		t.row(gutter, l)
	}
	for _, words := range legendOf(d, all) {
		t.row(gutter, drawn{Kind: remark, Spans: []span{{Text: words}}})
	}
}

// legendOf explains the marks in the input and in the difference.
func legendOf(d *judge.Detail, all []drawn) []string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(d.Input.Text, blank, ""))
	for _, l := range all {
		b.WriteString(l.text())
	}
	return legend(b.String())
}

// digits returns the width of the column of line numbers.
func digits(d *judge.Detail) int {
	n := 3
	for _, e := range []judge.Excerpt{d.Input, d.Want, d.Got} {
		n = max(n, len(fmt.Sprint(e.FirstLine+strings.Count(e.Text, "\n"))))
	}
	return n
}

// row writes a line of an input or of a difference, such as
//
//	12 + 1 2 4
//
// If the line does not fit, it is cropped around its focus.
func (t *terminal) row(gutter int, d drawn) {
	number := strings.Repeat(" ", gutter)
	if d.Number > 0 {
		number = padLeft(fmt.Sprint(d.Number), gutter)
	}
	if d.Kind == more {
		t.printf("  %s   %s\n", number, cut)
		return
	}
	if d.Kind == remark {
		t.printf("  %s   %s\n", number, t.paint.style(faint, fit("("+d.text()+")", t.o.Width-gutter-5)))
		return
	}
	var attrs []attribute
	mark := string(rune(d.Kind))
	switch d.Kind {
	case expected:
		attrs = wanted
	case actual:
		attrs = received
	case pointer:
		attrs, mark = bold, " "
	}
	t.printf("  %s %s", t.paint.style(faint, number), t.paint.style(attrs, mark))
	before := " "
	for _, s := range cropSpans(d.Spans, d.focus, d.long, t.o.Width-gutter-5) {
		if s.Hot {
			t.printf("%s%s", before, t.paint.hot(attrs, s.Text))
		} else if s.Text != "" {
			t.printf("%s%s", before, t.paint.style(attrs, s.Text))
		}
		before = ""
	}
	t.printf("\n")
}

// cropSpans keeps room cells around the focus of a line of length long. If only one of the two cells of a wide
// character is cut off, the other becomes a blank.
func cropSpans(spans []span, focus, long, room int) []span {
	if long <= room {
		return spans
	}
	from := max(0, min(focus-room/2, long-room))
	to := from + room
	kept := make([]span, 0, len(spans))
	at := 0
	for _, s := range spans {
		var piece strings.Builder
		for _, c := range characters(s.Text) {
			start, end := at, at+width(c)
			at = end
			left := min(end, to) - max(start, from)
			goesOn := from > 0 && start <= from || long > to && end >= to
			switch {
			case left < 0 || left == 0 && end > start: // the character is outside the visible part
			case left > 0 && goesOn && c != "^" && c != " ":
				piece.WriteString(pad(cut, left))
			case left < end-start:
				piece.WriteString(strings.Repeat(" ", left))
			default:
				piece.WriteString(c)
			}
		}
		kept = append(kept, span{piece.String(), s.Hot})
	}
	return kept
}

// block writes a text of many lines, such as a compiler's log.
func (t *terminal) block(text string, most int) {
	all := strings.Split(strings.TrimRight(safe(text), "\n"), "\n")
	for i, l := range all {
		if i == most {
			t.printf("  %s %s more\n", cut, judge.Count(len(all)-i, "line"))
			return
		}
		for _, piece := range wrap(l, t.o.Width-4) {
			t.printf("  %s %s\n", t.paint.style(faint, "|"), piece)
		}
	}
}
