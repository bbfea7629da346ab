package report

import (
	"fmt"
	"strings"

	"assay/judge"
)

// Maximum sizes of texts on the terminal. The HTML page shows them completely.
const (
	maxLog     = 30 // lines of a compiler's log
	maxStderr  = 10 // lines
	maxInput   = 10 // lines
	maxDrawn   = 30 // lines of a difference
	maxFailed  = 40 // rows of the table of failing cases
	maxMessage = 40 // lines of a dialogue: half at the start, half at the end
)

// writeFailures writes a table of the failing cases if there is more than one.
func (t *terminal) writeFailures() {
	failed := t.record.failed()
	if len(failed) < 2 {
		return
	}
	t.printf("\n%s\n", t.paint.style(bold, fmt.Sprintf("%d failing cases", len(failed))))
	names := len("case")
	for _, c := range failed[:min(len(failed), maxFailed)] {
		names = max(names, width(sanitizeLine(c.ID())))
	}
	messages := 0
	for _, c := range failed[:min(len(failed), maxFailed)] {
		messages = max(messages, width(sanitizeLine(c.Message)))
	}
	// The name and the message are most important, so the memory is omitted first.
	const others, memory = 2 + 2 + 3 + 2 + 10 + 2, 9 + 2 // verdict and time; memory
	withMemory := names+others+memory+messages <= t.options.Width
	room := t.options.Width - others // for the name and the message
	if withMemory {
		room -= memory
	}
	names = min(names, max(t.options.Width*2/5, room-messages))
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
			t.printf("  %s and %d more; --json, --junit and --html have them all\n", omission, len(failed)-i)
			break
		}
		t.printf("  %s  %s  %10s", pad(fitTail(sanitizeLine(c.ID()), names), names),
			t.paint.verdict(c.Verdict, pad(verdictCode(c.Verdict), 3)), durationText(millis(c.Exec.CPU)))
		if withMemory && c.Exec.Memory > 0 {
			t.printf("  %9s", formatSize(c.Exec.Memory))
		} else if withMemory {
			t.printf("  %9s", "")
		}
		if c.Message != "" && room >= 10 {
			t.printf("  %s", fit(sanitizeLine(c.Message), room))
		}
		t.printf("\n")
	}
}

// writeFailure writes the details of a failing case.
func (t *terminal) writeFailure(c *judge.CaseJudged) {
	t.printf("\n")
	used := "  " + durationText(millis(c.Exec.CPU))
	if c.Exec.Memory > 0 {
		used += ", " + formatSize(c.Exec.Memory)
	}
	t.writePieces("  ", piece{sanitizeLine(c.ID()), bold}, piece{"  " + c.Verdict.Words(), lookOf(c.Verdict).attrs}, piece{used, faint})
	if c.Message != "" {
		t.printf("  ")
		t.writeParagraph(c.Message, "  ")
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
			t.writeParagraph(extra.name+": "+extra.text, "  ", faint)
		}
	}
	switch {
	case c.Dialogue != "":
		if c.Detail != nil {
			t.writeInput(c.Detail)
		}
		t.writeDialogue(c.Dialogue)
	case c.Detail != nil && c.Verdict == judge.OutputLimit:
		t.writeInput(c.Detail)
		t.writeBeginning(c)
	case c.Detail != nil:
		t.writeDetail(c.Detail)
	}
	if c.Stderr != "" {
		t.writeHeading("standard error", "")
		t.writeBlock(c.Stderr, maxStderr)
	}
}

func (t *terminal) writeHeading(name, text string) {
	t.printf("\n  %s%s\n", t.paint.style(bold, name), t.paint.style(faint, text))
}

// writeDialogue writes the messages between a program and an interactor.
func (t *terminal) writeDialogue(text string) {
	t.writeHeading("dialogue", "  (< interactor, > program)")
	all := strings.Split(strings.TrimRight(sanitize(text), "\n"), "\n")
	for i, l := range all {
		if left := len(all) - maxMessage; left > 0 && i >= maxMessage/2 && i < maxMessage/2+left {
			if i == maxMessage/2 {
				t.printf("    %s %s more %s\n", omission, judge.Quantity(left, "line"), omission)
			}
			continue
		}
		var style []attribute
		if strings.HasPrefix(l, ">") {
			style = bold
		}
		t.printf("    %s\n", t.paint.style(style, fit(l, t.options.Width-4)))
	}
}

// writeInput writes the start of the input.
func (t *terminal) writeInput(d *judge.Detail) {
	t.writeHeading("input", " ("+formatSize(d.Input.Size)+")")
	t.writeExcerpt(d.Input, lineNumberWidth(d))
}

// writeExcerpt writes the first lines of an excerpt, with line numbers in a column of gutter cells.
func (t *terminal) writeExcerpt(e judge.Excerpt, gutter int) {
	all := lines(e)
	shown := all[:min(len(all), maxInput)]
	for _, l := range shown {
		t.writeRow(gutter, diffLine{Kind: sameLine, Number: l.number, Spans: []span{{Text: l.text}}, length: width(l.text)})
	}
	if len(shown) < len(all) || e.After {
		t.writeRow(gutter, moreMark)
	}
}

// writeBeginning writes the start of the output of a program that exceeded the output limit. The output is not compared
// with the answer, which is shorter.
func (t *terminal) writeBeginning(c *judge.CaseJudged) {
	t.writeHeading("output", " ("+formatSize(max(c.Detail.Got.Size, c.Exec.Output))+", where it was stopped)")
	t.writeExcerpt(c.Detail.Got, lineNumberWidth(c.Detail))
}

// writeDetail writes the input of a case, and the difference between its answer and the output.
func (t *terminal) writeDetail(d *judge.Detail) {
	t.writeInput(d)
	gutter := lineNumberWidth(d)
	place := ""
	if d.Place != nil {
		place = fmt.Sprintf("   line %d, column %d", d.Place.Line, d.Place.Column)
	}
	t.printf("\n")
	t.writePieces("  ", piece{"  - expected", expectedStyle}, piece{" (" + formatSize(d.Want.Size) + ")", faint},
		piece{"   + printed", outputStyle}, piece{" (" + formatSize(d.Got.Size) + ")", faint}, piece{place, nil})
	all := diffLines(d)
	for i, l := range all {
		if i == maxDrawn {
			t.writeRow(gutter, moreMark)
			break
		}
		t.writeRow(gutter, l)
	}
	for _, words := range legendOf(d, all) {
		t.writeRow(gutter, diffLine{Kind: remarkLine, Spans: []span{{Text: words}}})
	}
}

// legendOf explains the marks in the input and in the difference.
func legendOf(d *judge.Detail, lines []diffLine) []string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(d.Input.Text, visibleBlank, ""))
	for _, l := range lines {
		b.WriteString(l.text())
	}
	return legend(b.String())
}

// lineNumberWidth returns the width of the column of line numbers.
func lineNumberWidth(d *judge.Detail) int {
	n := 3
	for _, e := range []judge.Excerpt{d.Input, d.Want, d.Got} {
		n = max(n, len(fmt.Sprint(e.FirstLine+strings.Count(e.Text, "\n"))))
	}
	return n
}

// writeRow writes a line of an input or of a difference, such as
//
//	12 + 1 2 4
//
// If the line does not fit, it is cropped around its focus.
func (t *terminal) writeRow(gutter int, d diffLine) {
	number := strings.Repeat(" ", gutter)
	if d.Number > 0 {
		number = padLeft(fmt.Sprint(d.Number), gutter)
	}
	if d.Kind == moreLine {
		t.printf("  %s   %s\n", number, omission)
		return
	}
	if d.Kind == remarkLine {
		t.printf("  %s   %s\n", number, t.paint.style(faint, fit("("+d.text()+")", t.options.Width-gutter-5)))
		return
	}
	var attrs []attribute
	mark := string(rune(d.Kind))
	switch d.Kind {
	case expectedLine:
		attrs = expectedStyle
	case actualLine:
		attrs = outputStyle
	case pointerLine:
		attrs, mark = bold, " "
	}
	t.printf("  %s %s", t.paint.style(faint, number), t.paint.style(attrs, mark))
	before := " "
	for _, s := range cropSpans(d.Spans, d.focusColumn, d.length, t.options.Width-gutter-5) {
		if s.Hot {
			t.printf("%s%s", before, t.paint.highlight(attrs, s.Text))
		} else if s.Text != "" {
			t.printf("%s%s", before, t.paint.style(attrs, s.Text))
		}
		before = ""
	}
	t.printf("\n")
}

// cropSpans keeps room cells around the focus of a line of length long. If only one of the two cells of a wide
// character is cut off, the other becomes a blank.
func cropSpans(spans []span, focus, length, room int) []span {
	if length <= room {
		return spans
	}
	from := max(0, min(focus-room/2, length-room))
	to := from + room
	cropped := make([]span, 0, len(spans))
	position := 0
	for _, s := range spans {
		var piece strings.Builder
		for _, c := range splitCharacters(s.Text) {
			start, end := position, position+width(c)
			position = end
			left := min(end, to) - max(start, from)
			goesOn := from > 0 && start <= from || length > to && end >= to
			switch {
			case left < 0 || left == 0 && end > start: // the character is outside the visible part
			case left > 0 && goesOn && c != "^" && c != " ":
				piece.WriteString(pad(omission, left))
			case left < end-start:
				piece.WriteString(strings.Repeat(" ", left))
			default:
				piece.WriteString(c)
			}
		}
		cropped = append(cropped, span{piece.String(), s.Hot})
	}
	return cropped
}

// writeBlock writes a text of many lines, such as a compiler's log.
func (t *terminal) writeBlock(text string, maxBytes int) {
	all := strings.Split(strings.TrimRight(sanitize(text), "\n"), "\n")
	for i, l := range all {
		if i == maxBytes {
			t.printf("  %s %s more\n", omission, judge.Quantity(len(all)-i, "line"))
			return
		}
		for _, piece := range wrap(l, t.options.Width-4) {
			t.printf("  %s %s\n", t.paint.style(faint, "|"), piece)
		}
	}
}
