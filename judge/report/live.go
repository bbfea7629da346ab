package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
)

// redrawAfter is the minimum time between two updates of the progress line. Without it, drawing thousands of quick
// cases would take longer than judging them.
const redrawAfter = 50 * time.Millisecond

// A progress is the progress line, which is the last line on a terminal. It is redrawn while cases run.
type progress struct {
	on    bool
	now   func() time.Time // if nil, no times are shown, and each event redraws the line
	since time.Time
	drawn time.Time
	shown string // the current line
	named bool   // whether the line names the submission

	ran    int // number of cases that have run, even if they are not judged yet
	of     int
	counts map[judge.Verdict]int

	preparing string // the language for which the build waits
}

// next handles an event, and returns the new line.
func (p *progress) next(e judge.Event, r *record, width int) string {
	if !p.on {
		return ""
	}
	switch e := e.(type) {
	case *judge.Started:
		p.start(e.Cases)
	case *judge.VerifyStarted:
		p.start(0)
	case *judge.Progressed:
		p.ran, p.of, p.preparing = e.Done, e.Of, e.Preparing
	case *judge.CaseJudged:
		p.counts[e.Verdict]++
	case *judge.Finished, *judge.VerifyFinished, *judge.SeveralStarted: // the next submission is not known yet
		return ""
	}
	if isSuite(e) {
		return ""
	}
	if p.now != nil {
		if now := p.now(); now.Sub(p.drawn) >= redrawAfter {
			p.drawn = now
		} else {
			return p.shown
		}
	}
	return fit(p.line(r), width-1) // the last column would wrap
}

func (p *progress) start(cases int) {
	p.ran, p.of, p.preparing, p.counts, p.drawn = 0, cases, "", map[judge.Verdict]int{}, time.Time{}
	if p.now != nil {
		p.since = p.now()
	}
}

// line formats the progress of a submission or a verification.
func (p *progress) line(r *record) string {
	const bar = 20
	var b strings.Builder
	switch {
	case r.isVerification():
		fmt.Fprintf(&b, "verifying: %s, %s", judge.Count(len(r.checks), "check"), judge.Count(len(r.solutions), "solution"))
		if len(r.faults) > 0 {
			fmt.Fprintf(&b, ", %s", judge.Count(len(r.faults), "fault"))
		}
		if p.ran < p.of {
			fmt.Fprintf(&b, ", %d of %d have run", p.ran, p.of)
		}
	case r.built == nil && p.preparing != "":
		fmt.Fprintf(&b, "preparing %s for its first program", p.preparing)
	case r.built == nil:
		b.WriteString("building")
		if s := r.started; s != nil {
			fmt.Fprintf(&b, " %s as %s", filepath.Base(s.Program), s.Language)
		}
	default:
		if s := r.started; s != nil && p.named {
			b.WriteString(filepath.Base(s.Program) + " ")
		}
		p.ran = max(p.ran, len(r.cases)) // a replayed stream has no progress
		if p.of > 0 {
			done := min(bar*p.ran/p.of, bar)
			fmt.Fprintf(&b, "[%s%s] ", strings.Repeat("#", done), strings.Repeat(".", bar-done))
		}
		fmt.Fprintf(&b, "%d/%d", p.ran, p.of)
		for _, v := range judge.Verdicts() {
			if n := p.counts[v]; n > 0 {
				fmt.Fprintf(&b, "  %s %d", v, n)
			}
		}
	}
	if p.now != nil {
		if passed := p.now().Sub(p.since); passed >= time.Second {
			fmt.Fprintf(&b, "  %s", seconds(float64(passed.Milliseconds()/100*100)))
		}
	}
	return b.String()
}

// over returns the bytes to write to the terminal so that text replaces the progress line. The new progress line
// is below the text.
func (p *progress) over(text, line string) string {
	if text == "" && line == p.shown {
		return ""
	}
	const erase = "\r\x1b[K" // go to the start of the line, and clear it
	if p.shown != "" {
		text = erase + text
	}
	p.shown = line
	return text + line
}
