package report

import (
	"fmt"
	"path"
	"strings"

	"assay/judge"

	"github.com/fatih/color"
)

const (
	maxKillers = 3  // cases named per failing solution
	maxFaults  = 20 // faults written per check
)

func (t *terminal) verifyStarted(e *judge.VerifyStarted) {
	t.title(e.Problem, e.Title)
	if len(e.Groups) > 0 { // a game has no groups
		t.printf("%s\n", t.paint.style(faint, fmt.Sprintf("%s in %s", judge.Count(e.Cases, "case"), judge.Count(len(e.Groups), "group"))))
	}
	t.unenforced(e.Isolation, e.Unenforced)
	t.printf("\n")
}

func (t *terminal) checked(e *judge.Checked) {
	mark, style := "ok", lookOf(judge.Accepted).attrs
	var found []string
	room := t.o.Width - 6 - 8 - 2
	tell := func(n int, noun string, style []attribute) {
		if n > 0 {
			text := judge.Count(n, noun)
			room -= 2*len(found) + width(text)
			found = append(found, t.paint.style(style, text))
		}
	}
	if e.Faults > 0 {
		mark, style = "!!", received
	}
	tell(e.Faults, "fault", received)
	tell(e.Warnings, "warning", warning)
	t.printf("  %s  %s%s", t.paint.style(style, mark), pad(fit(oneLine(e.What), room), min(room, 44)), padLeft(fmt.Sprint(e.Count), 8))
	for _, text := range found {
		t.printf("  %s", text)
	}
	t.printf("\n")
}

// fault writes a problem error or a warning: its position, its text, and the hint.
func (t *terminal) fault(word string, style []attribute, f *judge.Fault) {
	if f == nil {
		return
	}
	if t.faults++; t.faults > maxFaults {
		return
	}
	where := judge.Fault{File: f.File, Line: f.Line, Column: f.Column}
	at := strings.TrimSuffix(oneLine(where.Error()), ":")
	if t.faults == 1 {
		t.printf("\n")
	}
	t.printf("  %s %s\n      ", t.paint.style(style, word), t.paint.style(bold, at))
	t.paragraph(f.Text, "      ")
	if f.Hint != "" {
		t.printf("      ")
		t.paragraph("-> "+f.Hint, "         ", warning)
	}
	t.printf("\n")
}

// endFaults ends the list of a check's faults.
func (t *terminal) endFaults() {
	if more := t.faults - maxFaults; more > 0 {
		t.printf("  ")
		t.paragraph(fmt.Sprintf("%s and %s; --json, --junit and --html have them all", cut, judge.Count(more, "more fault")), "  ")
		t.printf("\n")
	}
	t.faults = 0
}

// solutions writes the table of solutions and groups, and the cases on which solutions are rejected.
func (t *terminal) solutions() {
	r := t.record
	if len(r.solutions) == 0 {
		return
	}
	g := t.solutionGrid()
	g.draw(t, r.solutions)
	t.killers(g)
}

// killers writes which cases reject which solution.
func (t *terminal) killers(g *grid) {
	title := "\n" + t.paint.style(bold, "refused by") + "\n"
	for _, s := range t.record.solutions {
		if len(s.Killers) == 0 && s.Note == "" {
			continue
		}
		t.printf("%s", title)
		title = ""
		var words []string
		for _, id := range s.Killers[:min(len(s.Killers), maxKillers)] {
			words = append(words, oneLine(id))
		}
		text := strings.Join(words, ", ")
		if more := len(s.Killers) - len(words); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		if s.Note != "" {
			text = strings.TrimPrefix(text+"; "+oneLine(s.Note), "; ")
		}
		indent := 2 + g.paths + 2
		if indent > t.o.Width/2 {
			t.printf("  %s\n      ", g.path(s.Path))
			t.paragraph(text, "      ")
			continue
		}
		t.printf("  %s  ", pad(g.path(s.Path), g.paths))
		t.paragraph(text, strings.Repeat(" ", indent))
	}
}

// verified writes the end of a verification.
func (t *terminal) verified() {
	t.solutions()
	e := t.record.verified
	verdict, words := judge.Accepted, "verified"
	if !e.OK {
		verdict, words = judge.WrongAnswer, "not verified"
	}
	text := fmt.Sprintf("%s, %s", judge.Count(e.Faults, "fault"), judge.Count(e.Solutions, "solution"))
	if e.Faults == 0 {
		text = "no faults, " + judge.Count(e.Solutions, "solution")
	}
	if e.Warnings > 0 {
		text += ", " + judge.Count(e.Warnings, "warning")
	}
	surprises := 0
	for _, s := range t.record.solutions {
		if !s.OK && s.Verdict != judge.Skipped {
			surprises++
		}
	}
	if surprises > 0 {
		text += fmt.Sprintf(", %d with another verdict than promised", surprises)
	}
	if e.Skipped > 0 {
		text += fmt.Sprintf(", %d skipped because their language is not ready here (see: judge lang)", e.Skipped)
	}
	t.printf("\n%s\n    ", t.paint.style(append([]attribute{color.Bold}, lookOf(verdict).attrs...), words))
	t.paragraph(text, "    ")
	t.recall()
}

// recall repeats the faults briefly below the table of solutions, because some log viewers show only the end.
func (t *terminal) recall() {
	faults := t.record.faults
	if len(t.record.solutions) == 0 {
		return
	}
	for _, f := range faults[:min(len(faults), maxFaults)] {
		t.printf("    %s ", t.paint.style(received, "fault:"))
		t.paragraph(oneLine((&judge.Fault{File: f.File, Line: f.Line, Text: f.Text}).Error()), "           ")
	}
	if more := len(faults) - maxFaults; more > 0 {
		t.printf("    %s and %s\n", cut, judge.Count(more, "more fault"))
	}
}

// A grid is the layout of the table of solutions and groups.
type grid struct {
	due    int      // width of the column of expected verdicts; zero if there is none
	prefix string   // common start of all paths, which is not shown
	paths  int      // width of the column of paths
	groups []string // groups that have a column
	heads  []string // column headings
	cell   int      // column width; if it is 1, only the mark of a verdict is shown
	gap    string   // blanks before each column
	legend []string // lines below the table
}

// leastPaths is the minimum width of the column of paths. fixedCells is the total width of the columns for the
// mark, the two verdicts, and the time.
const (
	leastPaths = 12
	fixedCells = 2 + 2 + 3 + 2 + 3 + 2 + 7
)

// mostDue is the maximum width of the column of expected verdicts if a solution has several of them. On a terminal
// with fewer than roomForDue cells, the column has room for only one verdict.
const (
	mostDue    = 10
	roomForDue = 70
)

// promise returns the codes of a solution's expected verdicts, such as "WA" or "AC/TLE", or "--" if they are not
// known.
func promise(s *judge.SolutionJudged) string {
	if s.Promised == judge.NotJudged && s.Expected != "" {
		return oneLine(strings.ReplaceAll(s.Expected, " or ", "/"))
	}
	return code(s.Promised)
}

// solutionGrid returns the table of the solutions of a problem.
func (t *terminal) solutionGrid() *grid {
	r := t.record
	var groups []string
	if r.verify != nil {
		groups = r.verify.Groups
	} else {
		for _, group := range r.solutions[0].Groups {
			groups = append(groups, group.Group)
		}
	}
	due := 3
	for _, s := range r.solutions {
		if t.o.Width >= roomForDue {
			due = max(due, min(width(promise(s)), mostDue))
		}
	}
	return newGrid(t.o.Width, pathsOf(r.solutions), groups, due)
}

func pathsOf(all []*judge.SolutionJudged) []string {
	paths := make([]string, len(all))
	for i, s := range all {
		paths[i] = s.Path
	}
	return paths
}

// newGrid lays out a table with the given total width. The column headings are the groups' names. If the names do
// not fit, the headings are numbers. If the numbers do not fit, each group has a column of one character.
func newGrid(total int, paths, groups []string, due int) *grid {
	g := &grid{due: due, prefix: commonDir(paths), groups: groups, gap: "  "}
	longest := 3
	for _, name := range g.groups {
		longest = max(longest, width(oneLine(name)))
	}
	for _, p := range paths {
		g.paths = max(g.paths, width(oneLine(strings.TrimPrefix(p, g.prefix))))
	}
	fixed := fixedCells + max(0, due-3)
	room := total - fixed - len(g.groups)*2 // for the paths and the cells
	g.cell = min(longest, 10)
	switch named := room - len(g.groups)*g.cell; {
	case named >= min(g.paths, 28):
		g.paths = min(g.paths, named)
	case room-len(g.groups)*3 >= min(g.paths, leastPaths):
		g.cell = 3
		g.paths = min(g.paths, room-len(g.groups)*3)
	default:
		g.cell, g.gap = 1, ""
		if most := total - fixed - 2 - leastPaths; len(g.groups) > most {
			g.groups = g.groups[:most]
		}
		g.paths = min(g.paths, max(leastPaths, total-fixed-2-len(g.groups)))
	}
	numbered := g.cell < min(longest, 10)
	var words []string
	for i, name := range g.groups {
		if numbered {
			words = append(words, fmt.Sprintf("%d %s", i+1, oneLine(name)))
			g.heads = append(g.heads, fmt.Sprint((i+1)%max(10, 1000*(g.cell-1))))
		} else {
			g.heads = append(g.heads, fit(oneLine(name), g.cell))
		}
	}
	if numbered {
		g.legend = wrap("groups: "+strings.Join(words, ", "), total)
	}
	return g
}

// draw writes the whole table.
func (g *grid) draw(t *terminal, all []*judge.SolutionJudged) {
	g.top(t)
	for _, s := range all {
		t.printf("%s\n", g.row(s, t.paint))
	}
	g.bottom(t)
}

func (g *grid) top(t *terminal) {
	t.printf("\n%s\n", t.paint.style(faint, strings.TrimRight(g.head(), " ")))
}

func (g *grid) bottom(t *terminal) {
	for _, words := range g.legend {
		t.printf("%s\n", t.paint.style(faint, words))
	}
}

// cells joins the cells of a row.
func (g *grid) cells(cell func(i int) string) string {
	var b strings.Builder
	if g.gap == "" {
		b.WriteString("  ")
	}
	for i := range g.groups {
		b.WriteString(g.gap + cell(i))
	}
	return b.String()
}

func (g *grid) head() string {
	due := ""
	if g.due > 0 {
		due = pad("due", g.due) + "  "
	}
	return fmt.Sprintf("  %s  %s%-3s%s  %7s", pad("", g.paths), due, "got",
		g.cells(func(i int) string { return pad(g.heads[i], g.cell) }), "time")
}

// row formats the row of a solution. It begins with a mark if the verdict is not an expected one.
func (g *grid) row(s *judge.SolutionJudged, p paint) string {
	mark, due := "  ", ""
	if g.due > 0 {
		text := promise(s)
		if g.due == 3 && width(text) > 3 { // no room for several verdicts
			text = code(s.Promised)
		}
		text = fit(text, g.due)
		due = p.verdict(s.Promised, pad(text, g.due)) + "  "
		if !s.OK && s.Verdict != judge.Skipped {
			mark = p.style(received, "! ")
		}
	}
	cells := g.cells(func(i int) string {
		v := judge.NotJudged
		for _, judged := range s.Groups {
			if judged.Group == g.groups[i] {
				v = judged.Verdict
			}
		}
		if g.cell == 1 {
			return p.verdict(v, lookOf(v).mark)
		}
		return p.verdict(v, code(v)) + strings.Repeat(" ", max(0, g.cell-len(code(v))))
	})
	row := fmt.Sprintf("%s%s  %s%s%s  %7s", mark, pad(g.path(s.Path), g.paths),
		due, p.verdict(s.Verdict, pad(code(s.Verdict), 3)), cells, seconds(s.TimeMS))
	if s.Score != nil && g.due == 0 {
		row += "  " + s.Score.String() + " points"
	}
	return row
}

// path returns the path of a solution as shown in the table.
func (g *grid) path(whole string) string {
	return fitTail(oneLine(strings.TrimPrefix(whole, g.prefix)), g.paths)
}

// commonDir returns the directory, with its slash, that contains all paths.
func commonDir(all []string) string {
	folder := path.Dir(all[0])
	for _, p := range all {
		for folder != "." && folder != "/" && !strings.HasPrefix(p, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	if folder == "." || folder == "/" {
		return ""
	}
	return folder + "/"
}
