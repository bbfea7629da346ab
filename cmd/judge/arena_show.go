package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/report"
)

// runTournament runs a tournament, shows its progress on the terminal, and then its outcome.
func (a *arenaOptions) runTournament(ctx context.Context, c *console, e *arena.Tournament) error {
	live, listen := liveTable(c)
	e.OnProgress = listen
	out, err := e.Run(ctx)
	err = errors.Join(err, live.Close())
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return usageError{bad}
	}
	if out == nil || out.Results == nil {
		return err
	}
	for _, d := range out.Damaged {
		fmt.Fprintf(c.err, "judge: %s, %v: ignored; the rest is used\n", e.LogPath, d)
	}
	var notes []string
	for _, b := range e.Bots {
		if b.ChosenFile != "" {
			notes = append(notes, b.Name+": "+b.ChosenFile)
		}
	}
	if late := out.LateNote(); late != "" {
		notes = append(notes, late)
	}
	var last []judge.Event
	if a.try {
		tried, bad := arena.EvaluateTrial(out.Results, e.Bots[0].ID)
		if err = errors.Join(err, bad); bad == nil {
			last = append(last, tried)
		}
	}
	err = errors.Join(err, a.show(ctx, c, tournamentReport{out.Results, out.Complete, a.title, e.Positions, notes, last}))
	if _, full := errors.AsType[*arena.LogError](err); e.LogPath != "" && !full {
		fmt.Fprintf(c.err, "%s has every game: judge arena replay %[1]s\n", e.LogPath)
	}
	return err
}

// liveTable returns the report of a running tournament, and the function that receives its progress. If progress
// is not reported, the function is nil. Rendering the table may take up to 5% of the time.
func liveTable(c *console) (report.Report, func(*arena.Progress)) {
	f, isFile := c.err.(*os.File)
	if !c.live() || !isFile {
		return c.arenaNotices()
	}
	color, _ := c.useColor(true)
	live := report.ArenaLive(c.err, report.TerminalOptions{Color: color}, func() (width, rows int) {
		width, rows, _ = term.GetSize(int(f.Fd()))
		return width, rows
	})
	var next time.Time
	return live, func(p *arena.Progress) {
		if start := time.Now(); !start.Before(next) {
			live.Event(p.Event())
			next = time.Now().Add(20 * time.Since(start))
		}
	}
}
