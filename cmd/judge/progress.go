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
	_, is := screen(c.err)
	return is && !c.quiet
}

// notices reports whether notices are written instead of a redrawn line.
func (c *console) notices() bool { return c.noticing != nil && !c.quiet && !c.live() }

// notice adds the text returned by line to the notices. The text is included until the next call of endNotices or
// clear.
func (c *console) notice(line func() string) {
	if c.notices() {
		c.noticed = append(c.noticed, c.noticing.Follow(line))
	}
}

// progress returns a function that receives progress and is safe for concurrent use. If progress is not reported,
// it returns nil. The report ends with clear.
func (c *console) progress() func(what string, done, of int) {
	switch {
	case c.live():
		return report.Bar(c.err)
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
		line = report.Count(what, done, of)
	}
}

// counter returns a progress function for one kind of work. Until the total is known, only the kind of work is
// shown.
func (c *console) counter(what string) func(done, of int) {
	tell := c.progress()
	if tell == nil {
		return nil
	}
	return func(done, of int) { tell(what, done, of) }
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

// follow shows the text that line returns while do runs.
func (c *console) follow(line func() string, do func()) {
	if !c.live() {
		c.notice(line)
		do()
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
	do()
	close(over)
	drawing.Wait()
	c.clear()
}

// building returns the function that receives the progress of builds. If progress is not reported, it returns nil.
// The report lasts until the command ends.
func (c *console) building() func(path, preparing string, passed time.Duration) {
	var builds report.Builds
	switch {
	case c.notices():
		c.noticing.Follow(builds.Line)
		return builds.Update
	case c.live():
		return func(path, preparing string, passed time.Duration) {
			builds.Update(path, preparing, passed)
			fmt.Fprint(c.err, "\r"+builds.Line()+"\x1b[K")
		}
	}
	return nil
}

// making returns the function that receives the progress of generating missing test cases. If progress is not
// reported, it returns nil.
func (c *console) making() func(what string, done, of int) {
	var mu sync.Mutex
	line, bar := "", report.Bar(c.err)
	switch {
	case c.live():
	case c.notices():
		c.noticing.Follow(func() string {
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
			line = report.Count(what, done, of)
		}
	}
}

// watched adds notices about judging to r, if r does not redraw a line itself.
func (c *console) watched(r report.Report) report.Report {
	if _, is := screen(c.out); is || c.noticing == nil || c.quiet {
		return r
	}
	w, line := report.Watcher()
	return report.Join(r, &noticedReport{w, c.noticing.Follow(line)})
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
		return report.Join(), nil
	}
	var mu sync.Mutex
	var last *judge.ArenaProgressed
	done := c.noticing.Follow(func() string {
		mu.Lock()
		defer mu.Unlock()
		if last == nil {
			return "the bots get ready"
		}
		return report.ArenaProgress(last)
	})
	return &noticedReport{report.Join(), done}, func(p *arena.Progress) {
		mu.Lock()
		defer mu.Unlock()
		// without the table, which takes time to compute
		last = &judge.ArenaProgressed{Done: p.Done, Of: p.Of, Played: p.Played, Moves: p.Moves, TookMS: p.Took.Milliseconds(), Out: len(p.Out)}
	}
}
