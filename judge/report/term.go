package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/judge"

	"github.com/fatih/color"
)

// TerminalOptions configures a report on a terminal.
type TerminalOptions struct {
	Color bool             // see UseColor
	Live  bool             // redraw a progress line; only for a terminal, never for a pipe
	Width int              // width of the terminal, in characters; zero means 80
	Now   func() time.Time // for the time in the progress line; if nil, no time is shown
	// Problem is the problem's name in suggested commands, such as the path that the user gave. If empty, the
	// problem's id is used.
	Problem string
	// Server is the name of the server that judged. If empty, this machine judged.
	Server string
}

// Limits for the width of a report. Wider lines are hard to read.
const (
	defaultWidth = 80
	minWidth     = 40
	maxWidth     = 160
)

// Terminal returns the report for a terminal: a progress line while cases run, then the verdict and the details of
// the first failing case.
//
// Colors never carry information alone. Except for the progress line, the text depends only on events and options.
func Terminal(w io.Writer, o TerminalOptions) Report {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = min(max(o.Width, minWidth), maxWidth)
	return &terminal{out: w, options: o, paint: paint(o.Color), record: &record{}, live: progressLine{enabled: o.Live, now: o.Now}}
}

type terminal struct {
	out     io.Writer
	options TerminalOptions
	paint   paint
	live    progressLine
	record  *record
	page    strings.Builder // text to write next
	err     error           // the first write error

	faults          int              // number of faults in the current check
	submissionTable *submissionTable // not nil while several submissions are judged
}

func (t *terminal) Event(e judge.Event) {
	_, opens := e.(*judge.BatchStarted)
	if opens && t.record.empty() {
		t.record = &record{}
	} else if opens || !t.record.add(e) {
		if _, next := e.(*judge.Started); t.submissionTable == nil || !next {
			t.writeIncomplete()
			t.printf("\n")
		}
		t.record = &record{}
		t.record.add(e)
	}
	switch e.(type) {
	case *judge.ProblemErrorFound, *judge.WarningFound, *judge.Progressed:
	default:
		t.endFaults()
	}
	switch e := e.(type) {
	case *judge.BatchStarted:
		t.writeSeveralStarted(e)
	case *judge.BatchFinished:
		if t.submissionTable != nil {
			t.writeSeveralFinished(e)
		}
		t.record = &record{}
	default:
		if t.submissionTable != nil {
			t.severalEvent(e)
		} else {
			t.singleEvent(e)
		}
	}
	t.live.showsName = t.submissionTable != nil
	t.flush(t.live.update(e, t.record, t.options.Width))
}

// singleEvent writes an event that does not belong to a table of several submissions.
func (t *terminal) singleEvent(e judge.Event) {
	switch e := e.(type) {
	default:
		t.suiteEvent(e)
	case *judge.Started:
		t.writeStarted(e)
	case *judge.Built:
		t.writeBuilt(e)
	case *judge.Noted:
		t.writeParagraph("note: "+e.Text, "      ", warningStyle)
	case *judge.Finished:
		t.writeResult()
	case *judge.VerifyStarted:
		t.writeVerifyStarted(e)
	case *judge.Checked:
		t.writeChecked(e)
	case *judge.ProblemErrorFound:
		t.writeFault("fault:", outputStyle, e.Fault)
	case *judge.WarningFound:
		t.writeFault("warning:", warningStyle, e.Fault)
	case *judge.VerifyFinished:
		t.writeVerified()
	case *judge.TournamentFinished:
		t.writeStandings(e)
	case *judge.BotTrialStarted:
		t.writeTryStarted(e)
	case *judge.PositionTried:
		t.writePositionTried(e)
	case *judge.BotTrialFinished:
		t.writeTryFinished(e)
	}
}

func (t *terminal) Close() error {
	t.writeIncomplete()
	t.flush("")
	return t.err
}

// writeIncomplete writes the results that are known if the stream broke off.
func (t *terminal) writeIncomplete() {
	t.endFaults()
	r := t.record
	switch {
	case t.submissionTable != nil:
		t.writeSeveralFinished(nil)
	case len(r.golf) > 0:
		t.printf("%s", GolfResults(r.golf))
	case r.finished != nil || r.verified != nil || r.adequacy != nil || r.empty():
	case r.isVerification():
		t.writeSolutions()
		if len(r.solutions) > 0 {
			t.printf("\n")
		}
		t.printf("%s\n", t.paint.style(warningStyle, "stopped: the verification is not whole"))
	default:
		t.writeResult()
	}
	t.record = &record{}
}

// flush writes the page, followed by the progress line.
func (t *terminal) flush(progress string) {
	text := t.page.String()
	t.page.Reset()
	if text = t.live.replaceWith(text, progress); text == "" || t.err != nil {
		return
	}
	if _, err := io.WriteString(t.out, text); err != nil {
		t.err = fmt.Errorf("write the report: %w", err)
	}
}

func (t *terminal) printf(format string, args ...any) { fmt.Fprintf(&t.page, format, args...) }

// writeParagraph writes a text, wrapped at the width of the terminal.
func (t *terminal) writeParagraph(text, indent string, style ...[]attribute) {
	for i, l := range wrap(sanitize(text), t.options.Width-len(indent)) {
		if i > 0 {
			t.printf("%s", indent)
		}
		for _, s := range style {
			l = t.paint.style(s, l)
		}
		t.printf("%s\n", l)
	}
}

// A piece is a text in one style.
type piece struct {
	text  string
	style []attribute
}

// writePieces writes the pieces one after the other. If a piece does not fit into the current line, it starts a new line
// with an indent.
func (t *terminal) writePieces(indent string, pieces ...piece) {
	used := 0
	for i, p := range pieces {
		text := p.text
		if n := width(text); i > 0 && used+n > t.options.Width {
			text = strings.TrimLeft(text, " ")
			t.printf("\n%s", indent)
			used = len(indent)
		}
		used += width(text)
		t.printf("%s", t.paint.style(p.style, text))
	}
	t.printf("\n")
}

func (t *terminal) writeStarted(e *judge.Started) {
	t.writeTitle(e.Problem, e.Title)
	language := ""
	if e.Language != "" {
		language = "  (" + sanitize(e.Language) + ")"
	}
	t.printf("%s%s\n", fitTail(sanitizeLine(e.Program), t.options.Width-width(language)), t.paint.style(faint, language))
	t.writeUnenforced(e.Isolation, e.Unenforced)
}

func (t *terminal) writeTitle(problem, title string) {
	problem, title = sanitizeLine(problem), sanitizeLine(title)
	if title == problem {
		title = ""
	}
	if title != "" {
		title = ": " + title
	}
	t.printf("%s%s\n", t.paint.style(bold, problem), fit(title, t.options.Width-width(problem)))
}

// writeUnenforced writes a warning about limits that the sandbox does not enforce on this machine.
func (t *terminal) writeUnenforced(level string, weaker []string) {
	if len(weaker) == 0 {
		return
	}
	t.writeParagraph(fmt.Sprintf("warning: the sandbox here (%s) does not enforce: %s; see: judge doctor",
		level, strings.Join(weaker, ", ")), "         ", warningStyle)
}

func (t *terminal) writeBuilt(e *judge.Built) {
	switch {
	case e.Verdict != judge.NotJudged: // a Finished event follows
	case e.Cached:
		t.printf("%s\n", t.paint.style(faint, "built before"))
	case e.Millis >= 0.5:
		t.printf("%s\n", t.paint.style(faint, "built in "+seconds(e.Millis)))
	}
}

// writeResult writes the known part of a submission's result.
func (t *terminal) writeResult() {
	r := t.record
	t.writeGrid()
	t.printf("\n")
	v := r.verdict()
	end := r.finished
	if end == nil {
		t.printf("%s %s judged\n", t.paint.style(warningStyle, "stopped:"), judge.Quantity(len(r.cases), "case"))
		end = &judge.Finished{}
	} else {
		where := ""
		if end.First != "" {
			where = " on " + sanitizeLine(end.First)
		}
		badge := append([]attribute{color.Bold}, lookOf(v).attrs...)
		t.writePieces("    ", piece{verdictCode(v), badge}, piece{"  ", nil}, piece{v.Words(), badge}, piece{where, bold})
		if end.Score != nil {
			t.printf("    %s\n", t.paint.style(bold, end.Score.String()+" points"))
		}
		t.writeCounts(end)
	}
	if r.built != nil && r.built.Verdict != judge.NotJudged {
		t.printf("\n")
		t.writeBlock(r.built.Log, maxLog)
		if r.built.Command != "" {
			t.printf("\n")
			t.writeParagraph("  built with: "+sanitizeLine(r.built.Command), "    ")
		}
	}
	for _, g := range append(slices.Clone(r.groups), r.outerGroups...) {
		if g.Message != "" {
			t.printf("\n  ")
			t.writeParagraph(cmp.Or(g.Group, "the problem")+": "+g.Message, "  ")
		}
	}
	if c := r.deciding(); c != nil {
		t.writeFailures()
		t.writeFailure(c)
	}
	for _, c := range r.dialogues() {
		t.printf("\n")
		t.writePieces("  ", piece{sanitizeLine(c.ID()), bold}, piece{"  " + c.Verdict.Words(), lookOf(c.Verdict).attrs})
		t.writeDialogue(c.Dialogue)
	}
	t.writeHints(v)
}

// writeCounts writes the number of accepted cases, and time and memory with their limits.
func (t *terminal) writeCounts(end *judge.Finished) {
	if end.Judged == 0 {
		return
	}
	text := fmt.Sprintf("%d of %s accepted", end.Passed, judge.Quantity(end.Judged, "case"))
	if end.Judged < end.Cases {
		text = fmt.Sprintf("%s, %d not judged", text, end.Cases-end.Judged)
	}
	t.printf("    %s\n", text)
	timeLimit, memoryLimit := "", ""
	if s := t.record.started; s != nil {
		if s.TimeMS > 0 {
			timeLimit = " of " + seconds(float64(s.TimeMS))
		}
		if s.Memory > 0 {
			memoryLimit = " of " + formatSize(s.Memory)
		}
	}
	slowest := ""
	if end.Slowest != "" && end.Judged > 1 {
		slowest = "  at " + sanitizeLine(end.Slowest)
	}
	t.writePieces("            ", piece{"    time    " + durationText(end.TimeMS) + timeLimit, nil}, piece{slowest, faint})
	if end.Memory > 0 {
		t.printf("    memory  %s%s\n", formatSize(end.Memory), memoryLimit)
	} else {
		t.printf("    memory  %s\n", unmeasured)
	}
}

// maxGrid is the maximum number of rows in which the terminal shows the cases of a group.
const maxGrid = 4

// writeGrid writes the groups, with one character for each case.
func (t *terminal) writeGrid() {
	groups := t.record.groupsSoFar()
	if len(groups) == 0 {
		return
	}
	groups = append(slices.Clone(groups), t.record.scoredGroups()...)
	names, passed, scores := 0, 0, 0
	for _, g := range groups {
		names = max(names, width(sanitizeLine(g.Group)))
		passed = max(passed, width(t.passedOf(g)))
		scores = max(scores, len(scoreOf(g)))
	}
	names = min(names, max(8, t.options.Width/4))
	t.printf("\n")
	for _, g := range groups {
		head := fmt.Sprintf("  %s  %s  %s  ",
			pad(fit(sanitizeLine(g.Group), names), names),
			t.paint.verdict(g.Verdict, pad(verdictCode(g.Verdict), 3)),
			padLeft(t.passedOf(g), passed))
		indent := 2 + names + 2 + 3 + 2 + passed + 2
		if scores > 0 {
			head += padLeft(scoreOf(g), scores) + "  "
			indent += scores + 2
		}
		t.printf("%s", head)
		var cases []*judge.CaseJudged
		if !slices.Contains(t.record.outerGroups, g) {
			cases = t.record.casesOf(g.Group)
		}
		for i, marks := range t.caseMarks(cases, t.options.Width-indent) {
			if i > 0 {
				t.printf("%s", strings.Repeat(" ", indent))
			}
			t.printf("%s\n", marks)
		}
	}
}

// passedOf returns the number of a group's accepted cases as text, such as 3/5. If the stream broke off, only
// judged cases count.
func (t *terminal) passedOf(g *judge.GroupJudged) string {
	text := fmt.Sprintf("%d/%d", g.Passed, g.Cases)
	if !slices.Contains(t.record.groups, g) && !slices.Contains(t.record.outerGroups, g) {
		text += "…"
	}
	return text
}

// scoreOf returns a group's score as text, or "" if there is none.
func scoreOf(g *judge.GroupJudged) string {
	if g.Score == nil {
		return ""
	}
	return g.Score.String()
}

// caseMarks returns the cases as rows of at most room cells, with one character for each case.
func (t *terminal) caseMarks(cases []*judge.CaseJudged, room int) []string {
	var rows []string
	for row := range slices.Chunk(cases, max(room, 10)) {
		if len(rows) == maxGrid {
			return append(rows, omission)
		}
		var b strings.Builder
		for i := 0; i < len(row); {
			n := i + 1
			for n < len(row) && row[n].Verdict == row[i].Verdict {
				n++
			}
			b.WriteString(t.paint.verdict(row[i].Verdict, strings.Repeat(lookOf(row[i].Verdict).mark, n-i)))
			i = n
		}
		rows = append(rows, b.String())
	}
	if rows == nil {
		return []string{""}
	}
	return rows
}

// writeHints writes suggestions for the next command.
func (t *terminal) writeHints(v judge.Verdict) {
	s, end := t.record.started, t.record.finished
	if s == nil || end == nil || v == judge.Accepted || v == judge.NotJudged {
		return
	}
	problem := quote(cmp.Or(t.options.Problem, s.Problem))
	command, local := fmt.Sprintf("judge submit %s %s", problem, quote(s.Program)), t.options.Server == ""
	if !local {
		command += " --to " + quote(t.options.Server)
	}
	t.printf("\n")
	hint := func(words, command string) {
		t.printf("%s %s\n", t.paint.style(faint, pad(words, 19)), sanitize(command))
	}
	switch v {
	case judge.JudgeError:
		t.writeParagraph("This is not the submission's fault: a program of the problem or the machine is.", "")
		if local {
			hint("check the problem:", "judge verify "+problem)
		} else {
			t.writeParagraph("The jury can have it rejudged.", "")
		}
	case judge.CompileError:
		if local {
			hint("what builds it:", "judge lang")
		}
	case judge.TimeLimit:
		if local {
			hint("slow, or endless?", command+" --time-factor 10")
		}
		if s.Faster != "" {
			hint("it may be faster:", command+" --lang "+s.Faster)
		}
	case judge.IdlenessLimit:
		t.writeParagraph("It had CPU time left: it waits for input that does not come, or sleeps.", "")
	}
	if local && end.First != "" && end.Cases > 1 {
		hint("only this case:", command+" --case "+quote(end.First))
	}
	if end.Judged < end.Cases && end.Judged > 0 {
		hint("all failing cases:", command+" --all")
	}
}
