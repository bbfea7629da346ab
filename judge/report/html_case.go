package report

import (
	"cmp"
	"slices"

	"assay/judge"
)

// pageLimits bound what a page shows of a run.
type pageLimits struct {
	failures   int // failing cases with details
	rows       int // rows of the tables of cases
	namedCells int // cells that say which case they are
	cells      int
}

// reportLimits contains the limits for a report in a file. serverLimits contains the limits for a page of a server. They are
// lowered until the run takes at most pageSize bytes.
var (
	reportLimits = pageLimits{failures: 200, rows: 1 << 20, namedCells: 1 << 20, cells: 1 << 20}
	serverLimits = pageLimits{failures: 30, rows: 100, namedCells: 400, cells: 1000}
)

const pageSize = 36 << 10

// lower returns limits that are lower than m. The details of the first failing cases are the last to be removed.
func (m pageLimits) lower() pageLimits {
	return pageLimits{failures: (2*m.failures + 1) / 3, rows: m.rows / 2, namedCells: m.namedCells / 2, cells: max(m.cells*3/4, 100)}
}

// isLowest reports whether the limits are the lowest ones.
func (m pageLimits) isLowest() bool { return m == m.lower() }

// addFailure adds the details of a failing case to the page. If the page already shows as many as allowed, it only
// counts the case as hidden.
func (p *pageRun) addFailure(c *pageCase) {
	if len(p.Failed) >= p.Most.failures {
		p.Hidden++
		return
	}
	c.Shown, c.Open = true, len(p.Failed) < maxOpenCases
	if c.Detail != nil {
		c.Difference = diffLines(c.Detail)
		c.Legend = legendOf(c.Detail, c.Difference)
	}
	p.Failed = append(p.Failed, c)
}

// Whole reports whether m contains the limits of a report in a file, which may show all details.
func (m pageLimits) Whole() bool { return m == reportLimits }

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

// chooseCases chooses the cases of g that the page shows. The limits in most are divided among the given number of
// groups.
func (g *pageGroup) chooseCases(bounds pageLimits, groups int) {
	g.Rows = g.ranCases()
	n := min(len(g.Rows), (bounds.rows+groups-1)/groups)
	for _, c := range g.Rows[n:] {
		g.CutMillis = max(g.CutMillis, c.Millis())
	}
	g.Cut, g.Rows = len(g.Rows)-n, g.Rows[:n]
	for _, c := range g.Rows {
		c.listed = true
	}
	g.CutCells = max(0, len(g.List)-(bounds.cells+groups-1)/groups)
	named := (bounds.namedCells + groups - 1) / groups
	for i, c := range g.List {
		c.Named = i < named || c.Shown
	}
}

// ranCases returns the cases that ran: failing ones in judging order, then the others, slowest first.
func (g *pageGroup) ranCases() []*pageCase {
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
	Difference []diffLine
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
func (c *pageCase) Known() bool { return !c.Exec.Withheld || c.Exec.Killed != judge.NoResource }

func (c *pageCase) Millis() float64 { return millis(c.Exec.CPU) }
func (c *pageCase) Wall() float64   { return millis(c.Exec.Wall) }
func (c *pageCase) Percent() string { return c.run.Percent(millis(c.Exec.CPU)) }

// Summary describes a case, for the tooltip of its cell in the grid.
func (c *pageCase) Summary() string {
	text := sanitizeLine(c.ID()) + ": " + c.Verdict.Words()
	if c.Verdict != judge.Skipped {
		text += ", " + durationText(c.Millis())
	}
	return text
}

// Input returns the shown lines of the input.
func (c *pageCase) Input() []diffLine {
	var all []diffLine
	for _, l := range lines(c.Detail.Input) {
		all = append(all, diffLine{Kind: sameLine, Number: l.number, Spans: []span{{Text: l.text}}})
	}
	if c.Detail.Input.After {
		all = append(all, moreMark)
	}
	return all
}

// Class returns the CSS class of a line.
func (d diffLine) Class() string {
	return map[lineKind]string{
		sameLine: "same", expectedLine: "want", actualLine: "got", pointerLine: "point", remarkLine: "remark", moreLine: "more",
	}[d.Kind]
}

// Mark returns the character in front of the line.
func (d diffLine) Mark() string {
	if d.Kind == expectedLine || d.Kind == actualLine {
		return string(rune(d.Kind))
	}
	return " "
}

// Said returns what a screen reader says in front of the line.
func (d diffLine) Said() string {
	return map[lineKind]string{expectedLine: "expected", actualLine: "printed"}[d.Kind]
}
