package report

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"

	"assay/judge"
)

// HTML returns the report as a self-contained page of HTML without scripts. Close writes it.
//
// The page shows all cases, and the details of up to maxShown failing ones.
func HTML(w io.Writer) Report { return &html{w: w} }

// An Enclosed is a statement at the end of a report.
type Enclosed struct {
	Language string // its code
	Markdown []byte
	Pictures Pictures // with data URLs
}

// HTMLWith is like HTML, with a statement below the report. The statement may be nil.
func HTMLWith(statement *Enclosed) func(io.Writer) Report {
	return func(w io.Writer) Report { return &html{w: w, statement: statement} }
}

const (
	maxShown = 200 // failing cases with details
	maxOpen  = 3   // of these, the cases that are unfolded
)

//go:embed page
var pageFiles embed.FS

type html struct {
	w         io.Writer
	statement *Enclosed
	records   records

	// A tournament has its own kind of page.
	stood *judge.ArenaStood
	games []*judge.GameShown
}

func (h *html) Event(e judge.Event) {
	switch e := e.(type) {
	case *judge.ArenaStarted:
		h.stood, h.games = nil, nil
	case *judge.GameShown:
		h.games = append(h.games, e)
	case *judge.ArenaStood:
		h.stood = e
	}
	h.records.add(e)
}

func (h *html) Close() error {
	write := h.write
	if h.stood != nil {
		write = func() error { return arenaEventPage(h.w, h.stood, h.games) }
	}
	if err := write(); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (h *html) write() error {
	t, err := pageTemplates()
	if err != nil {
		return err
	}
	page := struct {
		Title string
		Style template.CSS
		Runs  []*pageRun
		*Enclosed
		Statement template.HTML
	}{Title: "judge report", Style: template.CSS(Style()), Enclosed: h.statement}
	if h.statement != nil {
		var b strings.Builder
		if err := StatementPart(&b, []byte(WithoutTitle(string(h.statement.Markdown))), h.statement.Pictures); err != nil {
			return err
		}
		page.Statement = template.HTML(b.String())
	}
	for i, r := range h.records.all {
		page.Runs = append(page.Runs, newPageRun(fmt.Sprintf("r%d-", i), r))
	}
	if len(page.Runs) > 0 {
		page.Title = page.Runs[0].Heading()
	}
	return t.Execute(h.w, page)
}

// RunHTML draws a judging or verification as an HTML article, without the page around it. The page must have Style among
// its style sheets. The ids of the elements begin with prefix, so that a page can have several articles.
func RunHTML(w io.Writer, prefix string, events []judge.Event) error {
	var all records
	for _, e := range events {
		all.add(e)
	}
	if len(all.all) != 1 {
		return fmt.Errorf("draw one run: the events are of %d", len(all.all))
	}
	t, err := pageTemplates()
	if err == nil {
		err = t.ExecuteTemplate(w, "run", newPageRun(prefix, all.all[0]))
	}
	if err != nil {
		return fmt.Errorf("draw a run: %w", err)
	}
	return nil
}

// Style returns the style sheet of HTML and RunHTML.
func Style() string { return pageStyle }

//go:embed page/style.css
var pageStyle string

// pageTemplates returns the templates of a page and of one run, parsed once.
var pageTemplates = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page.html").Funcs(pageFuncs).ParseFS(pageFiles, "page/*.html")
})

// pageFuncs are the functions of the templates. All untrusted texts go through text or line, which make invisible
// characters visible. html/template quotes them.
var pageFuncs = template.FuncMap{
	"add":     func(a, b int) int { return a + b },
	"text":    safe,
	"line":    oneLine,
	"code":    code,
	"class":   func(v judge.Verdict) string { return lookOf(v).class },
	"mark":    func(v judge.Verdict) string { return lookOf(v).mark },
	"seconds": spent,
	"limit":   func(ms int64) string { return seconds(float64(ms)) },
	"size":    size,
	"unseen":  func() string { return unmeasured },
	"count":   judge.Count[int],
	"join":    func(all []string) string { return oneLine(strings.Join(all, ", ")) },
	"first":   func(n int, all []string) []string { return all[:min(n, len(all))] },
	"sub":     func(a, b int) int { return a - b },
	"rows":    mutantRows,
	"golfed":  func(r *judge.GolfProved) string { return string(r.Verdict) + " " + golfVerdictWords(r) },
	"bytes":   golfSizeWords,
	"golfclass": func(v judge.GolfVerdict) string {
		if v == judge.GolfRight {
			return "ac"
		}
		return "wa"
	},
	"deaths": deaths,
	"source": func(diff string) []sourceLine { return sourceLines(diff) },
	"head":   func(input string) string { return Lines(input, "") },
}

// sourceLine is a line of a mutant's difference.
type sourceLine struct{ Class, Said, Mark, Text string }

func sourceLines(diff string) (all []sourceLine) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(safe(line), "\n")
		switch {
		case strings.HasPrefix(line, "-"):
			all = append(all, sourceLine{"want", "the right program", "-", line[1:]})
		case strings.HasPrefix(line, "+"):
			all = append(all, sourceLine{"got", "the mutant", "+", line[1:]})
		default:
			all = append(all, sourceLine{"same", "", " ", line})
		}
	}
	return all
}

// A pageRun is a submission or a verification for the templates.
type pageRun struct {
	Prefix string // of the ids of this run's elements
	record *record
	Groups []*pageGroup
	Failed []*pageCase // failing cases with details
	Hidden int         // number of failing cases without details
	scale  float64     // milliseconds of a full bar
}

func newPageRun(prefix string, r *record) *pageRun {
	p := &pageRun{Prefix: prefix, record: r}
	if r.started != nil {
		p.scale = float64(r.started.TimeMS)
	}
	for _, c := range r.cases {
		p.scale = max(p.scale, millis(c.Exec.CPU))
	}
	p.scale *= 1.04 // so the limit is visible inside the bar
	n := 0
	for i, g := range r.groupsSoFar() {
		group := &pageGroup{GroupJudged: g, SkippedRow: fmt.Sprintf("%sg%d-skipped", p.Prefix, i)}
		for _, c := range r.casesOf(g.Group) {
			one := &pageCase{CaseJudged: c, Row: fmt.Sprintf("%sc%d", p.Prefix, n), run: p}
			n++
			if c.Verdict == judge.Skipped {
				one.Row = group.SkippedRow
				group.Skipped++
			}
			if one.Failed() {
				if len(p.Failed) < maxShown {
					one.Shown = true
					one.Open = len(p.Failed) < maxOpen
					if c.Detail != nil {
						one.Difference = difference(c.Detail)
						one.Legend = legendOf(c.Detail, one.Difference)
					}
					p.Failed = append(p.Failed, one)
				} else {
					p.Hidden++
				}
			}
			group.List = append(group.List, one)
		}
		p.Groups = append(p.Groups, group)
	}
	return p
}

// Fields of the record, for the templates.
func (p *pageRun) Started() *judge.Started            { return p.record.started }
func (p *pageRun) Built() *judge.Built                { return p.record.built }
func (p *pageRun) Finished() *judge.Finished          { return p.record.finished }
func (p *pageRun) Verify() *judge.VerifyStarted       { return p.record.verify }
func (p *pageRun) Verified() *judge.VerifyFinished    { return p.record.verified }
func (p *pageRun) Adequacy() *judge.AdequacyMeasured  { return p.record.adequacy }
func (p *pageRun) Golf() []*judge.GolfProved          { return p.record.golf }
func (p *pageRun) IsVerification() bool               { return p.record.isVerification() }
func (p *pageRun) Checks() []*judge.Checked           { return p.record.checks }
func (p *pageRun) Faults() []*judge.Fault             { return p.record.faults }
func (p *pageRun) Warnings() []*judge.Fault           { return p.record.warnings }
func (p *pageRun) Solutions() []*judge.SolutionJudged { return p.record.solutions }
func (p *pageRun) Notes() []string                    { return p.record.notes }
func (p *pageRun) Verdict() judge.Verdict             { return p.record.verdict() }

// BuildFailed reports whether the build failed, so that the page shows its log.
func (p *pageRun) BuildFailed() bool {
	return p.record.built != nil && p.record.built.Verdict != judge.NotJudged
}

// Heading returns the title of the page.
func (p *pageRun) Heading() string {
	problem, result := "", "stopped"
	if s := p.record.started; s != nil {
		problem = s.Problem
	}
	if v := p.record.verify; v != nil {
		problem = v.Problem
	}
	if a := p.record.adequacy; a != nil {
		return oneLine(a.Problem + ": " + a.Score())
	}
	switch golf := p.record.golf; {
	case len(golf) > 0:
		problem, result = golf[0].Problem, fmt.Sprintf("%s, %s", golf[0].Verdict, judge.Count(golf[0].Bytes, "byte"))
		if len(golf) > 1 {
			result = judge.Count(len(golf), "answer")
		}
	case p.record.verified != nil && p.record.verified.OK:
		result = "verified"
	case p.record.verified != nil:
		result = "not verified"
	case p.record.finished != nil:
		result = p.record.finished.Verdict.Words()
	}
	return oneLine(cmp.Or(problem, "judge") + ": " + result)
}

// Percent returns the width of a bar for a time in milliseconds.
func (p *pageRun) Percent(ms float64) string { return percent(ms, p.scale) }

// LimitAt returns the position of the time limit in a bar.
func (p *pageRun) LimitAt() string {
	if p.record.started == nil || p.record.started.TimeMS <= 0 {
		return ""
	}
	return percent(float64(p.record.started.TimeMS), p.scale)
}

// MemoryPercent returns the width of the bar of the memory.
func (p *pageRun) MemoryPercent() string {
	if p.record.started == nil || p.record.finished == nil {
		return "0%"
	}
	return percent(float64(p.record.finished.Memory), float64(p.record.started.Memory))
}

// TimePercent returns the width of the bar of the slowest case.
func (p *pageRun) TimePercent() string {
	if p.record.started == nil || p.record.finished == nil {
		return "0%"
	}
	return percent(p.record.finished.TimeMS, float64(p.record.started.TimeMS))
}

func percent(part, whole float64) string {
	if whole <= 0 || part <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.2f%%", min(part/whole, 1)*100)
}

// RowOf returns the id of the element that shows a case.
func (p *pageRun) RowOf(id string) string {
	for _, g := range p.Groups {
		for _, c := range g.List {
			if c.ID() == id {
				return c.Anchor()
			}
		}
	}
	return ""
}

// GroupNames returns the columns of the table of solutions.
func (p *pageRun) GroupNames() []string {
	if p.record.verify != nil {
		return p.record.verify.Groups
	}
	if len(p.record.solutions) == 0 {
		return nil
	}
	var names []string
	for _, g := range p.record.solutions[0].Groups {
		names = append(names, g.Group)
	}
	return names
}

// InGroup returns the verdict of a solution in a group.
func (p *pageRun) InGroup(s *judge.SolutionJudged, group string) judge.GroupJudged {
	for _, g := range s.Groups {
		if g.Group == group {
			return g
		}
	}
	return judge.GroupJudged{}
}

// Dir returns the directory of all solutions.
func (p *pageRun) Dir() string {
	if len(p.record.solutions) == 0 {
		return ""
	}
	return commonDir(pathsOf(p.record.solutions))
}

// Short returns the path of a solution within that directory.
func (p *pageRun) Short(s *judge.SolutionJudged) string {
	return strings.TrimPrefix(s.Path, p.Dir())
}

type pageGroup struct {
	*judge.GroupJudged
	List       []*pageCase
	Skipped    int    // cases, which share a row
	SkippedRow string // id of that row
	Open       bool   // unfolded on the page
}

// Failed reports whether a case of the group failed.
func (g *pageGroup) Failed() bool { return slices.ContainsFunc(g.List, (*pageCase).Failed) }

// Rows returns the cases that ran: failing ones in judging order, then the others, slowest first.
func (g *pageGroup) Rows() []*pageCase {
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

// Folded returns the groups, those with a failed case first. These are open. If there is only one group, it is open, too.
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
	run   *pageRun
	// Difference and Legend are drawn for a case that is shown.
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

func (c *pageCase) Failed() bool {
	return c.Verdict != judge.Accepted && c.Verdict != judge.Skipped
}

// Known reports whether the page shows how the process ended. A contestant's page shows only exceeded limits.
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
