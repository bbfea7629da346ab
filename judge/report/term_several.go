package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/judge"

	"github.com/fatih/color"
)

// maxReasons is the maximum number of rejected submissions for which a line below the table gives the reason.
const maxReasons = 30

// A submissionTable is the table of several submissions. Rows are added while the submissions are judged.
type submissionTable struct {
	grid     *solutionTable
	notes    []string // already printed
	rejected []*record
	rows     int
}

func (t *terminal) writeSeveralStarted(e *judge.BatchStarted) {
	t.submissionTable = &submissionTable{
		grid: newGrid(t.options.Width, append([]string{""}, e.Programs...)[min(1, len(e.Programs)):], e.Groups, 0),
	}
	t.writeTitle(e.Problem, e.Title)
	t.printf("%s\n", t.paint.style(faint, fmt.Sprintf(
		"%s, %s in %s", judge.Quantity(len(e.Programs), "solution"), judge.Quantity(e.Cases, "case"),
		judge.Quantity(len(e.Groups), "group"),
	)))
	t.writeUnenforced(e.Isolation, e.Unenforced)
	t.submissionTable.grid.top(t)
}

// severalEvent handles an event of a submission in the table. When the submission is finished, it writes the row.
func (t *terminal) severalEvent(e judge.Event) {
	switch e := e.(type) {
	case *judge.Noted:
		if !slices.Contains(t.submissionTable.notes, e.Text) {
			t.submissionTable.notes = append(t.submissionTable.notes, e.Text)
		}
	case *judge.Finished:
		t.writeSeveralRow(e)
	}
}

func (t *terminal) writeSeveralRow(end *judge.Finished) {
	r, s := t.record, t.submissionTable
	row := &judge.SolutionJudged{Path: s.name(r), Verdict: end.Verdict, Score: end.Score, TimeMS: end.TimeMS}
	for _, g := range r.groups {
		row.Groups = append(row.Groups, *g)
	}
	t.printf("%s\n", s.grid.solutionRow(row, t.paint))
	if s.rows++; end.Verdict != judge.Accepted {
		s.rejected = append(s.rejected, r)
	}
}

// name returns the name of a submission as the user gave it.
func (s *submissionTable) name(r *record) string {
	if r.started == nil {
		return ""
	}
	return r.started.Program
}

// writeSeveralFinished writes the part below the table. If the stream broke off, end is nil.
func (t *terminal) writeSeveralFinished(end *judge.BatchFinished) {
	s := t.submissionTable
	t.submissionTable = nil
	s.grid.bottom(t)
	if len(s.rejected) > 0 {
		t.printf("\n")
	}
	for _, r := range s.rejected[:min(len(s.rejected), maxReasons)] {
		v := r.verdict()
		t.printf("  %s  %s", pad(s.grid.path(s.name(r)), s.grid.pathWidth), t.paint.verdict(v, pad(verdictCode(v), 3)))
		gap, indent := "  ", strings.Repeat(" ", 2+s.grid.pathWidth+2+3+2)
		if len(indent) > t.options.Width/2 {
			gap, indent = "\n      ", "      "
		}
		t.printf("%s", gap)
		t.writeParagraph(rejectReason(r), indent)
	}
	if more := len(s.rejected) - maxReasons; more > 0 {
		t.printf("  %s and %s\n", omission, judge.Quantity(more, "more solution"))
	}
	for _, note := range s.notes {
		t.printf("\n")
		t.writeParagraph("note: "+note, "      ", warningStyle)
	}
	t.printf("\n")
	if end == nil {
		t.printf("%s %s judged\n", t.paint.style(warningStyle, "stopped:"), judge.Quantity(s.rows, "solution"))
		return
	}
	v := judge.Accepted
	if end.Accepted < end.Submissions {
		v = judge.WrongAnswer
	}
	t.printf("%s\n", t.paint.style(
		append([]attribute{color.Bold}, lookOf(v).attrs...),
		fmt.Sprintf("%d of %s accepted", end.Accepted, judge.Quantity(end.Submissions, "solution")),
	))
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// rejectReason explains in one line why a submission is not accepted.
func rejectReason(r *record) string {
	if c := r.deciding(); c != nil {
		text := "on " + sanitizeLine(c.ID())
		if message := sanitizeLine(firstLine(c.Message)); message != "" {
			text += ": " + message
		}
		return text
	}
	if r.built != nil && r.built.Verdict != judge.NotJudged {
		log := strings.Split(r.built.Log, "\n")
		i := slices.IndexFunc(log, func(l string) bool { return strings.Contains(strings.ToLower(l), "error") })
		return sanitizeLine(cmp.Or(log[max(i, 0)], firstLine(r.built.Log), "it cannot be built"))
	}
	return r.verdict().Words()
}
