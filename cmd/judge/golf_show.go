package main

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"assay/judge/contests/golf"
	"assay/judge/report"
	"assay/judge/workspace"
)

// progressListener reports the progress of a check. It also reports that a long check has found no errors so far. Both
// reports continue until endNotices is called.
func (g *golfOptions) progressListener(c *console, file string, o *golf.Options) {
	start := time.Now()
	var tried, domain atomic.Int64
	c.notice(func() string {
		if tried.Load() == 0 {
			return file + ": finding how to call it"
		}
		return file + ": " + report.GolfProgress(int(tried.Load()), int(domain.Load()), time.Since(start))
	})
	o.Progress = func(done, of int) {
		domain.Store(int64(of))
		tried.Store(int64(done))
		if done%100 == 0 && c.live() && !g.outputOptions.json {
			fmt.Fprintf(c.err, "\r\x1b[K%s: %s\r", file, report.GolfProgress(done, of, time.Since(start)))
		}
	}
	if !g.outputOptions.json && !c.quiet {
		o.Milestone = func(done, of int) {
			fmt.Fprint(c.err, report.GolfPartial(file, done, of))
		}
	}
}

// show renders the results on out, and closes out.
func (g *golfOptions) show(c *console, contest *workspace.Workspace, out report.Report, id string, results []*golf.Result) error {
	golf.Order(results, g.chars)
	for _, r := range results {
		if !g.explain {
			r.Explain = nil
		}
		out.Event(&r.GolfChecked)
	}
	if err := out.Close(); err != nil || g.outputOptions.json {
		return err
	}
	for _, r := range results {
		if g.explain {
			fmt.Fprint(c.out, report.GolfCallText(&r.GolfChecked))
		}
		if g.post {
			fmt.Fprint(c.out, "\n"+report.GolfPost(&r.GolfChecked))
		}
	}
	return g.showBest(c, contest, id, results)
}

// showBest compares the results with the saved best submissions. With --best, it saves the new best ones.
func (g *golfOptions) showBest(c *console, contest *workspace.Workspace, id string, results []*golf.Result) error {
	path := filepath.Join(contest.Root, golf.BestFile)
	board, err := golf.ReadBest(path)
	if err != nil {
		return err
	}
	for _, r := range results {
		if len(results) == 1 && r.Verdict == golf.Correct && !r.Quick && !r.Picked {
			fmt.Fprint(c.out, board.Compare(id, r, time.Now()))
		}
		if g.best {
			board.Add(id, r, time.Now())
		}
	}
	if !g.best {
		return nil
	}
	fmt.Fprint(c.out, board.Text(id))
	return board.Write(path)
}

// worstResult returns the result of the command, which is the worst result of all submissions.
func worstResult(results []*golf.Result) error {
	cannot := false
	for _, r := range results {
		switch r.Verdict {
		case golf.CannotRun:
			cannot = true
		case golf.Incorrect, golf.TooSlow:
			return errNotAccepted
		}
	}
	if cannot {
		return errJudgeFailed
	}
	return nil
}
