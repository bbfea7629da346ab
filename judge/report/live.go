package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
)

// minRedraw is the minimum time between two updates of the progress line. Without it, drawing thousands of quick
// cases would take longer than judging them.
const minRedraw = 50 * time.Millisecond

// A progressLine is the progress line, which is the last line on a terminal. It is redrawn while cases run.
type progressLine struct {
	enabled   bool
	now       func() time.Time // if nil, no times are shown, and each event redraws the line
	since     time.Time
	drawn     time.Time
	shown     string // the current line
	showsName bool   // whether the line names the submission

	ran    int // number of cases that have run, even if they are not judged yet
	total  int
	counts map[judge.Verdict]int

	preparing string // the language for which the build waits
}

// update handles an event, and returns the new line.
func (p *progressLine) update(e judge.Event, r *record, width int) string {
	if !p.enabled {
		return ""
	}
	switch e := e.(type) {
	case *judge.Started:
		p.start(e.Cases)
	case *judge.VerifyStarted:
		p.start(0)
	case *judge.Progressed:
		p.ran, p.total, p.preparing = e.Done, e.Total, e.Preparing
	case *judge.CaseJudged:
		p.counts[e.Verdict]++
	case *judge.Finished, *judge.VerifyFinished, *judge.BatchStarted: // the next submission is not known yet
		return ""
	}
	if isSuiteEvent(e) {
		return ""
	}
	if p.now != nil {
		if now := p.now(); now.Sub(p.drawn) >= minRedraw {
			p.drawn = now
		} else {
			return p.shown
		}
	}
	return fit(p.line(r), width-1) // the last column would wrap
}

func (p *progressLine) start(cases int) {
	p.ran, p.total, p.preparing, p.counts, p.drawn = 0, cases, "", map[judge.Verdict]int{}, time.Time{}
	if p.now != nil {
		p.since = p.now()
	}
}

// line formats the progress of a submission or a verification.
func (p *progressLine) line(r *record) string {
	const bar = 20
	var b strings.Builder
	switch {
	case r.isVerification():
		fmt.Fprintf(&b, "verifying: %s, %s", judge.Quantity(len(r.checks), "check"), judge.Quantity(len(r.solutions), "solution"))
		if len(r.faults) > 0 {
			fmt.Fprintf(&b, ", %s", judge.Quantity(len(r.faults), "fault"))
		}
		if p.ran < p.total {
			fmt.Fprintf(&b, ", %d of %d have run", p.ran, p.total)
		}
	case r.built == nil && p.preparing != "":
		fmt.Fprintf(&b, "preparing %s for its first program", p.preparing)
	case r.built == nil:
		b.WriteString("building")
		if s := r.started; s != nil {
			fmt.Fprintf(&b, " %s as %s", filepath.Base(s.Program), s.Language)
		}
	default:
		if s := r.started; s != nil && p.showsName {
			b.WriteString(filepath.Base(s.Program) + " ")
		}
		p.ran = max(p.ran, len(r.cases)) // a replayed stream has no progress
		if p.total > 0 {
			done := min(bar*p.ran/p.total, bar)
			fmt.Fprintf(&b, "[%s%s] ", strings.Repeat("#", done), strings.Repeat(".", bar-done))
		}
		fmt.Fprintf(&b, "%d/%d", p.ran, p.total)
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

// replaceWith returns the bytes to write to the terminal so that text replaces the progress line. The new progress line
// is below the text.
func (p *progressLine) replaceWith(text, line string) string {
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
