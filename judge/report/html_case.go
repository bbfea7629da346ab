package report

import (
	"cmp"
	"slices"

	"assay/judge"
)

// limits bound what a page shows of a run.
type limits struct {
	failures int // failing cases with details
	rows     int // rows of the tables of cases
	named    int // cells that say which case they are
	cells    int
}

// ofReport contains the limits for a report in a file. ofPage contains the limits for a page of a server. They are
// lowered until the run takes at most pageSize bytes.
var (
	ofReport = limits{failures: 200, rows: 1 << 20, named: 1 << 20, cells: 1 << 20}
	ofPage   = limits{failures: 30, rows: 100, named: 400, cells: 1000}
)

const pageSize = 36 << 10

// less returns limits that are lower than m. The details of the first failing cases are the last to be removed.
func (m limits) less() limits {
	return limits{failures: (2*m.failures + 1) / 3, rows: m.rows / 2, named: m.named / 2, cells: max(m.cells*3/4, 100)}
}

// least reports whether the limits are the lowest ones.
func (m limits) least() bool { return m == m.less() }

// show adds the details of a failing case to the page. If the page already shows as many as allowed, it only
// counts the case as hidden.
func (p *pageRun) show(one *pageCase) {
	if len(p.Failed) >= p.Most.failures {
		p.Hidden++
		return
	}
	one.Shown, one.Open = true, len(p.Failed) < maxOpen
	if one.Detail != nil {
		one.Difference = difference(one.Detail)
		one.Legend = legendOf(one.Detail, one.Difference)
	}
	p.Failed = append(p.Failed, one)
}

// Whole reports whether m contains the limits of a report in a file, which may show all details.
func (m limits) Whole() bool { return m == ofReport }

type pageGroup struct {
	*judge.GroupJudged
	List       []*pageCase
	Skipped    int         // cases, which share a row
	SkippedRow string      // id of that row
	Open       bool        // unfolded on the page
	Rows       []*pageCase // the cases in its table
	Cut        int         // cases that ran and are not in the table
	CutMillis  float64     // the most time that one of these took
	CutCells   int         // cases without a cell
}

// Failed reports whether a case of the group failed.
func (g *pageGroup) Failed() bool { return slices.ContainsFunc(g.List, (*pageCase).Failed) }

// Cells returns the cases with a cell.
func (g *pageGroup) Cells() []*pageCase { return g.List[:len(g.List)-g.CutCells] }

// fill chooses the cases of g that the page shows. The limits in most are divided among the given number of
// groups.
func (g *pageGroup) fill(most limits, groups int) {
	g.Rows = g.ran()
	n := min(len(g.Rows), (most.rows+groups-1)/groups)
	for _, c := range g.Rows[n:] {
		g.CutMillis = max(g.CutMillis, c.Millis())
	}
	g.Cut, g.Rows = len(g.Rows)-n, g.Rows[:n]
	for _, c := range g.Rows {
		c.listed = true
	}
	g.CutCells = max(0, len(g.List)-(most.cells+groups-1)/groups)
	named := (most.named + groups - 1) / groups
	for i, c := range g.List {
		c.Named = i < named || c.Shown
	}
}

// ran returns the cases that ran: failing ones in judging order, then the others, slowest first.
func (g *pageGroup) ran() []*pageCase {
	rows := slices.DeleteFunc(slices.Clone(g.List), func(c *pageCase) bool { return c.Verdict == judge.Skipped })
	slices.SortStableFunc(rows, func(a, b *pageCase) int {
		switch {
		case a.Failed() && b.Failed():
			return 0
		case a.Failed():
			return -1
		case b.Failed():
			return 1
		}
		return cmp.Compare(b.Exec.CPU, a.Exec.CPU)
	})
	return rows
}

// Slowest returns the case that took the most CPU time. It is nil if none ran.
func (g *pageGroup) Slowest() (slowest *pageCase) {
	for _, c := range g.List {
		if c.Verdict != judge.Skipped && (slowest == nil || c.Exec.CPU > slowest.Exec.CPU) {
			slowest = c
		}
	}
	return slowest
}

// Folded returns the groups. Groups with a failed case come first and are unfolded. A single group is unfolded
// too.
func (p *pageRun) Folded() []*pageGroup {
	groups := slices.Clone(p.Groups)
	for _, g := range groups {
		g.Open = g.Failed() || len(groups) == 1
	}
	slices.SortStableFunc(groups, func(a, b *pageGroup) int {
		switch {
		case a.Failed() == b.Failed():
			return 0
		case a.Failed():
			return -1
		}
		return 1
	})
	return groups
}

type pageCase struct {
	*judge.CaseJudged
	Row   string // id of its row in the table of all cases
	Shown bool   // with details
	Open  bool
	Named bool // its cell says which case it is
	// listed is true if the table of its group has the case.
	listed bool
	run    *pageRun
	// Difference and Legend are set only for a case whose details are shown.
	Difference []drawn
	Legend     []string
}

// Anchor returns the id of the element with the most details of the case.
func (c *pageCase) Anchor() string {
	if c.Shown {
		return c.Row + "-detail"
	}
	return c.Row
}

// Linked reports whether an element of the page has the anchor.
func (c *pageCase) Linked() bool { return c.Shown || c.listed || c.Verdict == judge.Skipped }

func (c *pageCase) Failed() bool {
	return c.Verdict != judge.Accepted && c.Verdict != judge.Skipped
}

// Known reports whether the page shows how the process ended. A contestant's page shows this only for exceeded
// limits.
func (c *pageCase) Known() bool { return !c.Exec.Withheld || c.Exec.Killed != judge.Nothing }

func (c *pageCase) Millis() float64 { return millis(c.Exec.CPU) }
func (c *pageCase) Wall() float64   { return millis(c.Exec.Wall) }
func (c *pageCase) Percent() string { return c.run.Percent(millis(c.Exec.CPU)) }

// Summary describes a case, for the tooltip of its cell in the grid.
func (c *pageCase) Summary() string {
	text := oneLine(c.ID()) + ": " + c.Verdict.Words()
	if c.Verdict != judge.Skipped {
		text += ", " + spent(c.Millis())
	}
	return text
}

// Input returns the shown lines of the input.
func (c *pageCase) Input() []drawn {
	var all []drawn
	for _, l := range lines(c.Detail.Input) {
		all = append(all, drawn{Kind: same, Number: l.number, Spans: []span{{Text: l.text}}})
	}
	if c.Detail.Input.After {
		all = append(all, drawnMore)
	}
	return all
}

// Class returns the CSS class of a line.
func (d drawn) Class() string {
	return map[kind]string{same: "same", expected: "want", actual: "got", pointer: "point", remark: "remark", more: "more"}[d.Kind]
}

// Mark returns the character in front of the line.
func (d drawn) Mark() string {
	if d.Kind == expected || d.Kind == actual {
		return string(rune(d.Kind))
	}
	return " "
}

// Said returns what a screen reader says in front of the line.
func (d drawn) Said() string {
	return map[kind]string{expected: "expected", actual: "printed"}[d.Kind]
}
