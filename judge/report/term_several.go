package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/judge"

	"github.com/fatih/color"
)

// maxWhy is the maximum number of rejected submissions for which a line below the table gives the reason.
const maxWhy = 30

// A several is the table of several submissions. Rows are added while the submissions are judged.
type several struct {
	grid   *grid
	notes  []string // already printed
	failed []*record
	rows   int
}

func (t *terminal) severalStarted(e *judge.SeveralStarted) {
	t.several = &several{grid: newGrid(t.o.Width, append([]string{""}, e.Programs...)[min(1, len(e.Programs)):], e.Groups, 0)}
	t.title(e.Problem, e.Title)
	t.printf("%s\n", t.paint.style(faint, fmt.Sprintf(
		"%s, %s in %s", judge.Count(len(e.Programs), "solution"), judge.Count(e.Cases, "case"),
		judge.Count(len(e.Groups), "group"),
	)))
	t.unenforced(e.Isolation, e.Unenforced)
	t.several.grid.top(t)
}

// oneOfSeveral handles an event of a submission in the table. When the submission is finished, it writes the row.
func (t *terminal) oneOfSeveral(e judge.Event) {
	switch e := e.(type) {
	case *judge.Noted:
		if !slices.Contains(t.several.notes, e.Text) {
			t.several.notes = append(t.several.notes, e.Text)
		}
	case *judge.Finished:
		t.severalRow(e)
	}
}

func (t *terminal) severalRow(end *judge.Finished) {
	r, s := t.record, t.several
	row := &judge.SolutionJudged{Path: s.name(r), Verdict: end.Verdict, Score: end.Score, TimeMS: end.TimeMS}
	for _, g := range r.groups {
		row.Groups = append(row.Groups, *g)
	}
	t.printf("%s\n", s.grid.row(row, t.paint))
	if s.rows++; end.Verdict != judge.Accepted {
		s.failed = append(s.failed, r)
	}
}

// name returns the name of a submission as the user gave it.
func (s *several) name(r *record) string {
	if r.started == nil {
		return ""
	}
	return r.started.Program
}

// severalFinished writes the part below the table. If the stream broke off, end is nil.
func (t *terminal) severalFinished(end *judge.SeveralFinished) {
	s := t.several
	t.several = nil
	s.grid.bottom(t)
	if len(s.failed) > 0 {
		t.printf("\n")
	}
	for _, r := range s.failed[:min(len(s.failed), maxWhy)] {
		v := r.verdict()
		t.printf("  %s  %s", pad(s.grid.path(s.name(r)), s.grid.paths), t.paint.verdict(v, pad(code(v), 3)))
		gap, indent := "  ", strings.Repeat(" ", 2+s.grid.paths+2+3+2)
		if len(indent) > t.o.Width/2 {
			gap, indent = "\n      ", "      "
		}
		t.printf("%s", gap)
		t.paragraph(why(r), indent)
	}
	if more := len(s.failed) - maxWhy; more > 0 {
		t.printf("  %s and %s\n", cut, judge.Count(more, "more solution"))
	}
	for _, note := range s.notes {
		t.printf("\n")
		t.paragraph("note: "+note, "      ", warning)
	}
	t.printf("\n")
	if end == nil {
		t.printf("%s %s judged\n", t.paint.style(warning, "stopped:"), judge.Count(s.rows, "solution"))
		return
	}
	v := judge.Accepted
	if end.Accepted < end.Submissions {
		v = judge.WrongAnswer
	}
	t.printf("%s\n", t.paint.style(
		append([]attribute{color.Bold}, lookOf(v).attrs...),
		fmt.Sprintf("%d of %s accepted", end.Accepted, judge.Count(end.Submissions, "solution")),
	))
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// why explains in one line why a submission is not accepted.
func why(r *record) string {
	if c := r.first(); c != nil {
		text := "on " + oneLine(c.ID())
		if message := oneLine(firstLine(c.Message)); message != "" {
			text += ": " + message
		}
		return text
	}
	if r.built != nil && r.built.Verdict != judge.NotJudged {
		log := strings.Split(r.built.Log, "\n")
		i := slices.IndexFunc(log, func(l string) bool { return strings.Contains(strings.ToLower(l), "error") })
		return oneLine(cmp.Or(log[max(i, 0)], firstLine(r.built.Log), "it cannot be built"))
	}
	return r.verdict().Words()
}
