package main

import (
	"fmt"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/report"
)

// This file contains how commands report on long work. On a terminal, standard error has a line that is redrawn.
// Otherwise, it gets a notice every report.NoticeInterval. With --quiet there is neither.

// live reports whether progress is redrawn on a terminal.
func (c *console) live() bool {
	_, is := terminalSize(c.err)
	return is && !c.quiet
}

// notices reports whether notices are written instead of a redrawn line.
func (c *console) notices() bool { return c.noticing != nil && !c.quiet && !c.live() }

// notice adds the text returned by line to the notices. The text is included until the next call of endNotices or
// clear.
func (c *console) notice(line func() string) {
	if c.notices() {
		c.noticed = append(c.noticed, c.noticing.Add(line))
	}
}

// progress returns a function that receives progress and is safe for concurrent use. If progress is not reported,
// it returns nil. The report ends with clear.
func (c *console) progress() func(what string, done, of int) {
	switch {
	case c.live():
		return report.ProgressBar(c.err)
	case !c.notices():
		return nil
	}
	var mu sync.Mutex
	line := ""
	c.notice(func() string {
		mu.Lock()
		defer mu.Unlock()
		return line
	})
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		line = report.ProgressText(what, done, of)
	}
}

// counter returns a progress function for one kind of work. Until the total is known, only the kind of work is
// shown.
func (c *console) counter(kind string) func(done, of int) {
	tell := c.progress()
	if tell == nil {
		return nil
	}
	return func(done, of int) { tell(kind, done, of) }
}

// endNotices ends the reports of notice.
func (c *console) endNotices() {
	for _, done := range c.noticed {
		done()
	}
	c.noticed = nil
}

// clear ends the reports started by notice and progress, and removes the progress line from a terminal.
func (c *console) clear() {
	c.endNotices()
	if c.live() {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
}

// showWhile shows the text that line returns while do runs.
func (c *console) showWhile(line func() string, work func()) {
	if !c.live() {
		c.notice(line)
		work()
		c.clear()
		return
	}
	var drawing sync.WaitGroup
	over := make(chan struct{})
	drawing.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(c.err, "\r"+line()+"\x1b[K")
			case <-over:
				return
			}
		}
	})
	work()
	close(over)
	drawing.Wait()
	c.clear()
}

// buildProgress returns the function that receives the progress of builds. If progress is not reported, it returns nil.
// The report lasts until the command ends.
func (c *console) buildProgress() func(path, preparing string, passed time.Duration) {
	var builds report.Builds
	switch {
	case c.notices():
		c.noticing.Add(builds.Line)
		return builds.Update
	case c.live():
		return func(path, preparing string, passed time.Duration) {
			builds.Update(path, preparing, passed)
			fmt.Fprint(c.err, "\r"+builds.Line()+"\x1b[K")
		}
	}
	return nil
}

// casesProgress returns the function that receives the progress of generating missing test cases. If progress is not
// reported, it returns nil.
func (c *console) casesProgress() func(what string, done, of int) {
	var mu sync.Mutex
	line, bar := "", report.ProgressBar(c.err)
	switch {
	case c.live():
	case c.notices():
		c.noticing.Add(func() string {
			mu.Lock()
			defer mu.Unlock()
			return line
		})
	default:
		return nil
	}
	return func(what string, done, of int) {
		mu.Lock()
		defer mu.Unlock()
		switch over := done >= of; {
		case c.live() && over:
			fmt.Fprint(c.err, "\r\x1b[K")
		case c.live():
			bar(what, done, of)
		case over:
			line = ""
		default:
			line = report.ProgressText(what, done, of)
		}
	}
}

// withNotices adds notices about judging to r, if r does not redraw a line itself.
func (c *console) withNotices(r report.Report) report.Report {
	if _, is := terminalSize(c.out); is || c.noticing == nil || c.quiet {
		return r
	}
	w, line := report.WatchProgress()
	return report.Multi(r, &noticedReport{w, c.noticing.Add(line)})
}

// noticedReport is a report that ends its notices when it is closed.
type noticedReport struct {
	report.Report
	done func()
}

func (r *noticedReport) Close() error {
	r.done()
	return r.Report.Close()
}

// arenaNotices returns the report of a running tournament without a terminal, and the function that receives its
// progress.
func (c *console) arenaNotices() (report.Report, func(*arena.Progress)) {
	if !c.notices() {
		return report.Multi(), nil
	}
	var mu sync.Mutex
	var last *judge.TournamentProgressed
	done := c.noticing.Add(func() string {
		mu.Lock()
		defer mu.Unlock()
		if last == nil {
			return "the bots get ready"
		}
		return report.ArenaProgress(last)
	})
	return &noticedReport{report.Multi(), done}, func(p *arena.Progress) {
		mu.Lock()
		defer mu.Unlock()
		// without the table, which takes time to compute
		last = &judge.TournamentProgressed{
			Done: p.Done, Total: p.Total, Played: p.Played, Moves: p.Moves, TookMS: p.Took.Milliseconds(),
			Disqualified: len(p.Disqualified),
		}
	}
}
