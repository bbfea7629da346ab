package report

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"assay/judge"
)

// HTML returns the report as a self-contained page of HTML without scripts. Close writes it.
//
// The page shows all cases, and the details of up to 200 failing ones.
func HTML(w io.Writer) Report { return &html{w: w} }

// An EnclosedStatement is a statement that is appended to a report.
type EnclosedStatement struct {
	Language string // its code
	Markdown []byte
	Pictures PictureFunc // their URLs are data URLs
}

// HTMLWith returns a function like HTML whose report ends with the statement. The statement may be nil.
func HTMLWith(statement *EnclosedStatement) func(io.Writer) Report {
	return func(w io.Writer) Report { return &html{w: w, statement: statement} }
}

const (
	maxOpenCases = 3 // failing cases that are unfolded
)

//go:embed page
var pageFiles embed.FS

type html struct {
	w         io.Writer
	statement *EnclosedStatement
	records   records

	// A tournament has a different kind of page.
	stood *judge.TournamentFinished
	games []*judge.GameShown
}

func (h *html) Event(e judge.Event) {
	switch e := e.(type) {
	case *judge.TournamentStarted:
		h.stood, h.games = nil, nil
	case *judge.GameShown:
		h.games = append(h.games, e)
	case *judge.TournamentFinished:
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
		*EnclosedStatement
		Statement template.HTML
	}{Title: "judge report", Style: template.CSS(Style()), EnclosedStatement: h.statement}
	if h.statement != nil {
		var b strings.Builder
		if err := StatementFragment(&b, []byte(TrimTitle(string(h.statement.Markdown))), h.statement.Pictures); err != nil {
			return err
		}
		page.Statement = template.HTML(b.String())
	}
	for i, r := range h.records.all {
		page.Runs = append(page.Runs, newPageRun(fmt.Sprintf("r%d-", i), r, reportLimits))
	}
	if len(page.Runs) > 0 {
		page.Title = page.Runs[0].Heading()
	}
	return t.Execute(h.w, page)
}

// HTMLFragment writes a judging or verification to w as an HTML article, without the page around it. The page must
// include the style sheet that Style returns. The ids of the elements begin with prefix, so that a page can
// contain several articles. If a run has many cases, the article has details of only some of them, so that the
// page stays small.
func HTMLFragment(w io.Writer, prefix string, events []judge.Event) error {
	var all records
	for _, e := range events {
		all.add(e)
	}
	if len(all.all) != 1 {
		return fmt.Errorf("draw one run: the events belong to %d runs", len(all.all))
	}
	t, err := pageTemplates()
	var b bytes.Buffer
	for bounds := serverLimits; err == nil; bounds = bounds.lower() {
		b.Reset()
		if err = t.ExecuteTemplate(&b, "run", newPageRun(prefix, all.all[0], bounds)); b.Len() <= pageSize || bounds.isLowest() {
			break
		}
	}
	if err == nil {
		_, err = b.WriteTo(w)
	}
	if err != nil {
		return fmt.Errorf("draw a run: %w", err)
	}
	return nil
}

// Style returns the style sheet for HTML and HTMLFragment.
func Style() string { return pageStyle }

//go:embed page/style.css
var pageStyle string

// pageTemplates returns the templates of a page and of one run, parsed once.
var pageTemplates = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page.html").Funcs(pageFuncs).ParseFS(pageFiles, "page/*.html")
})

// pageFuncs contains the functions of the templates. All untrusted texts pass through the function text or the
// function line, which make invisible characters visible. Package html/template escapes the texts.
var pageFuncs = template.FuncMap{
	"add":     func(a, b int) int { return a + b },
	"text":    sanitize,
	"line":    sanitizeLine,
	"code":    verdictCode,
	"class":   func(v judge.Verdict) string { return lookOf(v).class },
	"mark":    func(v judge.Verdict) string { return lookOf(v).mark },
	"seconds": durationText,
	"limit":   func(ms int64) string { return seconds(float64(ms)) },
	"size":    formatSize,
	"unseen":  func() string { return unmeasured },
	"count":   judge.Quantity[int],
	"join":    func(all []string) string { return sanitizeLine(strings.Join(all, ", ")) },
	"first":   func(n int, all []string) []string { return all[:min(n, len(all))] },
	"sub":     func(a, b int) int { return a - b },
	"rows":    mutantRows,
	"golfed":  func(r *judge.GolfChecked) string { return string(r.Verdict) + " " + golfVerdictText(r) },
	"bytes":   golfSizeText,
	"golfclass": func(v judge.GolfVerdict) string {
		if v == judge.GolfCorrect {
			return "ac"
		}
		return "wa"
	},
	"deaths": killText,
	"source": func(diff string) []sourceLine { return sourceLines(diff) },
	"head":   func(input string) string { return Lines(input, "") },
}

// sourceLine is a line in the difference between a mutant and its original.
type sourceLine struct{ Class, Said, Mark, Text string }

func sourceLines(diff string) (lines []sourceLine) {
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(sanitize(line), "\n")
		switch {
		case strings.HasPrefix(line, "-"):
			lines = append(lines, sourceLine{"want", "the right program", "-", line[1:]})
		case strings.HasPrefix(line, "+"):
			lines = append(lines, sourceLine{"got", "the mutant", "+", line[1:]})
		default:
			lines = append(lines, sourceLine{"same", "", " ", line})
		}
	}
	return lines
}

// A pageRun is a judging or a verification, in the form that the templates use.
type pageRun struct {
	Prefix string // prefix for the ids of this run's elements
	record *record
	Groups []*pageGroup
	Failed []*pageCase // failing cases with details
	Hidden int         // number of failing cases without details
	Most   pageLimits
	scale  float64 // milliseconds of a full bar
}

func newPageRun(prefix string, r *record, bounds pageLimits) *pageRun {
	p := &pageRun{Prefix: prefix, Most: bounds, record: r}
	if r.started != nil {
		p.scale = float64(r.started.TimeMS)
	}
	for _, c := range r.cases {
		p.scale = max(p.scale, millis(c.Exec.CPU))
	}
	p.scale *= 1.04 // so that the limit is visible inside the bar
	n, groups := 0, r.groupsSoFar()
	for i, g := range groups {
		group := &pageGroup{GroupJudged: g, SkippedRow: fmt.Sprintf("%sg%d-skipped", p.Prefix, i)}
		for _, c := range r.casesOf(g.Group) {
			one := &pageCase{CaseJudged: c, Row: fmt.Sprintf("%sc%d", p.Prefix, n), run: p}
			n++
			if c.Verdict == judge.Skipped {
				one.Row = group.SkippedRow
				group.Skipped++
			}
			if one.Failed() {
				p.addFailure(one)
			}
			group.List = append(group.List, one)
		}
		group.chooseCases(bounds, len(groups))
		p.Groups = append(p.Groups, group)
	}
	return p
}

// These methods give the templates access to the record.
func (p *pageRun) Started() *judge.Started            { return p.record.started }
func (p *pageRun) Built() *judge.Built                { return p.record.built }
func (p *pageRun) Finished() *judge.Finished          { return p.record.finished }
func (p *pageRun) Verify() *judge.VerifyStarted       { return p.record.verify }
func (p *pageRun) Verified() *judge.VerifyFinished    { return p.record.verified }
func (p *pageRun) Adequacy() *judge.AdequacyMeasured  { return p.record.adequacy }
func (p *pageRun) Golf() []*judge.GolfChecked         { return p.record.golf }
func (p *pageRun) IsVerification() bool               { return p.record.isVerification() }
func (p *pageRun) Checks() []*judge.Checked           { return p.record.checks }
func (p *pageRun) Faults() []*judge.ProblemError      { return p.record.faults }
func (p *pageRun) Warnings() []*judge.ProblemError    { return p.record.warnings }
func (p *pageRun) Solutions() []*judge.SolutionJudged { return p.record.solutions }
func (p *pageRun) Notes() []string                    { return p.record.notes }
func (p *pageRun) Verdict() judge.Verdict             { return p.record.verdict() }

// BuildFailed reports whether the build failed. If so, the page shows the build log.
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
		return sanitizeLine(a.Problem + ": " + a.Score())
	}
	switch golf := p.record.golf; {
	case len(golf) > 0:
		problem, result = golf[0].Problem, fmt.Sprintf("%s, %s", golf[0].Verdict, judge.Quantity(golf[0].Bytes, "byte"))
		if len(golf) > 1 {
			result = judge.Quantity(len(golf), "answer")
		}
	case p.record.verified != nil && p.record.verified.OK:
		result = "verified"
	case p.record.verified != nil:
		result = "not verified"
	case p.record.finished != nil:
		result = p.record.finished.Verdict.Words()
	}
	return sanitizeLine(cmp.Or(problem, "judge") + ": " + result)
}

// Percent returns the width of the bar for a time in milliseconds, relative to the scale of the page.
func (p *pageRun) Percent(ms float64) string { return percentText(ms, p.scale) }

// LimitAt returns the position of the time limit within a bar.
func (p *pageRun) LimitAt() string {
	if p.record.started == nil || p.record.started.TimeMS <= 0 {
		return ""
	}
	return percentText(float64(p.record.started.TimeMS), p.scale)
}

// MemoryPercent returns the width of the bar for the memory.
func (p *pageRun) MemoryPercent() string {
	if p.record.started == nil || p.record.finished == nil {
		return "0%"
	}
	return percentText(float64(p.record.finished.Memory), float64(p.record.started.Memory))
}

// TimePercent returns the width of the bar for the slowest case.
func (p *pageRun) TimePercent() string {
	if p.record.started == nil || p.record.finished == nil {
		return "0%"
	}
	return percentText(p.record.finished.TimeMS, float64(p.record.started.TimeMS))
}

func percentText(part, total float64) string {
	if total <= 0 || part <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.2f%%", min(part/total, 1)*100)
}

// RowOf returns the id of the element that shows a case. If none does, it returns an empty string.
func (p *pageRun) RowOf(id string) string {
	for _, g := range p.Groups {
		for _, c := range g.List {
			if c.ID() == id && c.Linked() {
				return c.Anchor()
			}
		}
	}
	return ""
}

// A caseLink is a case that the page mentions. Row is the id of the element that shows the case. If empty, no
// element shows it.
type caseLink struct{ ID, Row string }

// Link returns a link to a case.
func (p *pageRun) Link(id string) caseLink { return caseLink{id, p.RowOf(id)} }

// GroupNames returns the column names for the table of solutions.
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

// Dir returns the directory that contains all solutions.
func (p *pageRun) Dir() string {
	if len(p.record.solutions) == 0 {
		return ""
	}
	return commonDir(solutionPaths(p.record.solutions))
}

// Short returns the path of a solution relative to Dir.
func (p *pageRun) Short(s *judge.SolutionJudged) string {
	return strings.TrimPrefix(s.Path, p.Dir())
}
