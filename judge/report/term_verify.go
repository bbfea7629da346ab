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

func (t *terminal) writeVerifyStarted(e *judge.VerifyStarted) {
	t.writeTitle(e.Problem, e.Title)
	if len(e.Groups) > 0 { // a game has no groups
		t.printf(
			"%s\n",
			t.paint.style(faint, fmt.Sprintf("%s in %s", judge.Quantity(e.Cases, "case"), judge.Quantity(len(e.Groups), "group"))),
		)
	}
	t.writeUnenforced(e.Isolation, e.Unenforced)
	t.printf("\n")
}

func (t *terminal) writeChecked(e *judge.Checked) {
	mark, style := "ok", lookOf(judge.Accepted).attrs
	var texts []string
	room := t.options.Width - 6 - 8 - 2
	tell := func(n int, noun string, style []attribute) {
		if n > 0 {
			text := judge.Quantity(n, noun)
			room -= 2*len(texts) + width(text)
			texts = append(texts, t.paint.style(style, text))
		}
	}
	if e.Faults > 0 {
		mark, style = "!!", outputStyle
	}
	tell(e.Faults, "fault", outputStyle)
	tell(e.Warnings, "warning", warningStyle)
	t.printf("  %s  %s%s", t.paint.style(style, mark), pad(fit(sanitizeLine(e.What), room), min(room, 44)), padLeft(fmt.Sprint(e.Count), 8))
	for _, text := range texts {
		t.printf("  %s", text)
	}
	t.printf("\n")
}

// writeFault writes a problem error or a warning: its position, its text, and the hint.
func (t *terminal) writeFault(word string, style []attribute, f *judge.ProblemError) {
	if f == nil {
		return
	}
	if t.faults++; t.faults > maxFaults {
		return
	}
	where := judge.ProblemError{File: f.File, Line: f.Line, Column: f.Column}
	at := strings.TrimSuffix(sanitizeLine(where.Error()), ":")
	if t.faults == 1 {
		t.printf("\n")
	}
	t.printf("  %s %s\n      ", t.paint.style(style, word), t.paint.style(bold, at))
	t.writeParagraph(f.Text, "      ")
	if f.Hint != "" {
		t.printf("      ")
		t.writeParagraph("-> "+f.Hint, "         ", warningStyle)
	}
	t.printf("\n")
}

// endFaults ends the list of a check's faults.
func (t *terminal) endFaults() {
	if more := t.faults - maxFaults; more > 0 {
		t.printf("  ")
		t.writeParagraph(
			fmt.Sprintf("%s and %s; --json, --junit and --html have them all", omission, judge.Quantity(more, "more fault")),
			"  ",
		)
		t.printf("\n")
	}
	t.faults = 0
}

// writeSolutions writes the table of solutions and groups, and the cases on which solutions are rejected.
func (t *terminal) writeSolutions() {
	r := t.record
	if len(r.solutions) == 0 {
		return
	}
	g := t.solutionGrid()
	g.write(t, r.solutions)
	t.writeKillers(g)
}

// writeKillers writes which cases reject which solution.
func (t *terminal) writeKillers(g *solutionTable) {
	title := "\n" + t.paint.style(bold, "refused by") + "\n"
	for _, s := range t.record.solutions {
		if len(s.Killers) == 0 && s.Note == "" {
			continue
		}
		t.printf("%s", title)
		title = ""
		var words []string
		for _, id := range s.Killers[:min(len(s.Killers), maxKillers)] {
			words = append(words, sanitizeLine(id))
		}
		text := strings.Join(words, ", ")
		if more := len(s.Killers) - len(words); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		if s.Note != "" {
			text = strings.TrimPrefix(text+"; "+sanitizeLine(s.Note), "; ")
		}
		indent := 2 + g.pathWidth + 2
		if indent > t.options.Width/2 {
			t.printf("  %s\n      ", g.path(s.Path))
			t.writeParagraph(text, "      ")
			continue
		}
		t.printf("  %s  ", pad(g.path(s.Path), g.pathWidth))
		t.writeParagraph(text, strings.Repeat(" ", indent))
	}
}

// writeVerified writes the end of a verification.
func (t *terminal) writeVerified() {
	t.writeSolutions()
	e := t.record.verified
	verdict, words := judge.Accepted, "verified"
	if !e.OK {
		verdict, words = judge.WrongAnswer, "not verified"
	}
	text := fmt.Sprintf("%s, %s", judge.Quantity(e.Faults, "fault"), judge.Quantity(e.Solutions, "solution"))
	if e.Faults == 0 {
		text = "no faults, " + judge.Quantity(e.Solutions, "solution")
	}
	if e.Warnings > 0 {
		text += ", " + judge.Quantity(e.Warnings, "warning")
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
	t.writeParagraph(text, "    ")
	t.repeatFaults()
}

// repeatFaults repeats the faults briefly below the table of solutions, because some log viewers show only the end.
func (t *terminal) repeatFaults() {
	faults := t.record.faults
	if len(t.record.solutions) == 0 {
		return
	}
	for _, f := range faults[:min(len(faults), maxFaults)] {
		t.printf("    %s ", t.paint.style(outputStyle, "fault:"))
		t.writeParagraph(sanitizeLine((&judge.ProblemError{File: f.File, Line: f.Line, Text: f.Text}).Error()), "           ")
	}
	if more := len(faults) - maxFaults; more > 0 {
		t.printf("    %s and %s\n", omission, judge.Quantity(more, "more fault"))
	}
}

// A solutionTable is the layout of the table of solutions and groups.
type solutionTable struct {
	expectedWidth int      // width of the column of expected verdicts; zero if there is none
	prefix        string   // common start of all paths, which is not shown
	pathWidth     int      // width of the column of paths
	groups        []string // groups that have a column
	heads         []string // column headings
	cellWidth     int      // column width; if it is 1, only the mark of a verdict is shown
	gap           string   // blanks before each column
	legend        []string // lines below the table
}

// minPathWidth is the minimum width of the column of paths. fixedCells is the total width of the columns for the
// mark, the two verdicts, and the time.
const (
	minPathWidth = 12
	fixedCells   = 2 + 2 + 3 + 2 + 3 + 2 + 7
)

// maxExpectedWidth is the maximum width of the column of expected verdicts if a solution has several of them. On a terminal
// with fewer than expectedFullWidth cells, the column has room for only one verdict.
const (
	maxExpectedWidth  = 10
	expectedFullWidth = 70
)

// expectedText returns the codes of a solution's expected verdicts, such as "WA" or "AC/TLE", or "--" if they are not
// known.
func expectedText(s *judge.SolutionJudged) string {
	if s.Promised == judge.NotJudged && s.Expected != "" {
		return sanitizeLine(strings.ReplaceAll(s.Expected, " or ", "/"))
	}
	return verdictCode(s.Promised)
}

// solutionGrid returns the table of the solutions of a problem.
func (t *terminal) solutionGrid() *solutionTable {
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
		if t.options.Width >= expectedFullWidth {
			due = max(due, min(width(expectedText(s)), maxExpectedWidth))
		}
	}
	return newGrid(t.options.Width, solutionPaths(r.solutions), groups, due)
}

func solutionPaths(solutions []*judge.SolutionJudged) []string {
	paths := make([]string, len(solutions))
	for i, s := range solutions {
		paths[i] = s.Path
	}
	return paths
}

// newGrid lays out a table with the given total width. The column headings are the groups' names. If the names do
// not fit, the headings are numbers. If the numbers do not fit, each group has a column of one character.
func newGrid(total int, paths, groups []string, due int) *solutionTable {
	g := &solutionTable{expectedWidth: due, prefix: commonDir(paths), groups: groups, gap: "  "}
	longest := 3
	for _, name := range g.groups {
		longest = max(longest, width(sanitizeLine(name)))
	}
	for _, p := range paths {
		g.pathWidth = max(g.pathWidth, width(sanitizeLine(strings.TrimPrefix(p, g.prefix))))
	}
	fixed := fixedCells + max(0, due-3)
	room := total - fixed - len(g.groups)*2 // for the paths and the cells
	g.cellWidth = min(longest, 10)
	switch named := room - len(g.groups)*g.cellWidth; {
	case named >= min(g.pathWidth, 28):
		g.pathWidth = min(g.pathWidth, named)
	case room-len(g.groups)*3 >= min(g.pathWidth, minPathWidth):
		g.cellWidth = 3
		g.pathWidth = min(g.pathWidth, room-len(g.groups)*3)
	default:
		g.cellWidth, g.gap = 1, ""
		if most := total - fixed - 2 - minPathWidth; len(g.groups) > most {
			g.groups = g.groups[:most]
		}
		g.pathWidth = min(g.pathWidth, max(minPathWidth, total-fixed-2-len(g.groups)))
	}
	numbered := g.cellWidth < min(longest, 10)
	var words []string
	for i, name := range g.groups {
		if numbered {
			words = append(words, fmt.Sprintf("%d %s", i+1, sanitizeLine(name)))
			g.heads = append(g.heads, fmt.Sprint((i+1)%max(10, 1000*(g.cellWidth-1))))
		} else {
			g.heads = append(g.heads, fit(sanitizeLine(name), g.cellWidth))
		}
	}
	if numbered {
		g.legend = wrap("groups: "+strings.Join(words, ", "), total)
	}
	return g
}

// write writes the whole table.
func (g *solutionTable) write(t *terminal, solutions []*judge.SolutionJudged) {
	g.top(t)
	for _, s := range solutions {
		t.printf("%s\n", g.solutionRow(s, t.paint))
	}
	g.bottom(t)
}

func (g *solutionTable) top(t *terminal) {
	t.printf("\n%s\n", t.paint.style(faint, strings.TrimRight(g.headerRow(), " ")))
}

func (g *solutionTable) bottom(t *terminal) {
	for _, words := range g.legend {
		t.printf("%s\n", t.paint.style(faint, words))
	}
}

// cells joins the cells of a row.
func (g *solutionTable) cells(cell func(i int) string) string {
	var b strings.Builder
	if g.gap == "" {
		b.WriteString("  ")
	}
	for i := range g.groups {
		b.WriteString(g.gap + cell(i))
	}
	return b.String()
}

func (g *solutionTable) headerRow() string {
	due := ""
	if g.expectedWidth > 0 {
		due = pad("due", g.expectedWidth) + "  "
	}
	return fmt.Sprintf("  %s  %s%-3s%s  %7s", pad("", g.pathWidth), due, "got",
		g.cells(func(i int) string { return pad(g.heads[i], g.cellWidth) }), "time")
}

// solutionRow formats the row of a solution. It begins with a mark if the verdict is not an expected one.
func (g *solutionTable) solutionRow(s *judge.SolutionJudged, p paint) string {
	mark, due := "  ", ""
	if g.expectedWidth > 0 {
		text := expectedText(s)
		if g.expectedWidth == 3 && width(text) > 3 { // no room for several verdicts
			text = verdictCode(s.Promised)
		}
		text = fit(text, g.expectedWidth)
		due = p.verdict(s.Promised, pad(text, g.expectedWidth)) + "  "
		if !s.OK && s.Verdict != judge.Skipped {
			mark = p.style(outputStyle, "! ")
		}
	}
	cells := g.cells(func(i int) string {
		v := judge.NotJudged
		for _, judged := range s.Groups {
			if judged.Group == g.groups[i] {
				v = judged.Verdict
			}
		}
		if g.cellWidth == 1 {
			return p.verdict(v, lookOf(v).mark)
		}
		return p.verdict(v, verdictCode(v)) + strings.Repeat(" ", max(0, g.cellWidth-len(verdictCode(v))))
	})
	row := fmt.Sprintf("%s%s  %s%s%s  %7s", mark, pad(g.path(s.Path), g.pathWidth),
		due, p.verdict(s.Verdict, pad(verdictCode(s.Verdict), 3)), cells, seconds(s.TimeMS))
	if s.Score != nil && g.expectedWidth == 0 {
		row += "  " + s.Score.String() + " points"
	}
	return row
}

// path returns the path of a solution as shown in the table.
func (g *solutionTable) path(full string) string {
	return fitTail(sanitizeLine(strings.TrimPrefix(full, g.prefix)), g.pathWidth)
}

// commonDir returns the directory, with its slash, that contains all paths.
func commonDir(paths []string) string {
	dir := path.Dir(paths[0])
	for _, p := range paths {
		for dir != "." && dir != "/" && !strings.HasPrefix(p, dir+"/") {
			dir = path.Dir(dir)
		}
	}
	if dir == "." || dir == "/" {
		return ""
	}
	return dir + "/"
}
