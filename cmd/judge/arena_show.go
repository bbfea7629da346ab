package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"assay/judge/contests/arena"
	"assay/judge/report"
)

// hold holds an event, with its progress on the terminal, and shows what came of it.
func (a *arenaing) hold(ctx context.Context, c *console, e *arena.Event) error {
	table := &liveTable{c: c}
	if _, live := screen(c.err); live {
		e.Listen = table.draw
	}
	out, err := e.Run(ctx)
	table.clear()
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return usageError{bad}
	}
	if out == nil || out.Results == nil {
		return err
	}
	for _, d := range out.Damaged {
		fmt.Fprintf(c.err, "judge: %s, %v: left out, and the rest is kept\n", e.LogPath, d)
	}
	err = errors.Join(err, a.show(ctx, c, out.Results, out.Whole, a.title, e.Look))
	if a.try && !a.json {
		err = errors.Join(err, showTry(c, out.Results, e.Bots[0].ID))
	}
	if _, full := errors.AsType[*arena.LogError](err); e.LogPath != "" && !full {
		fmt.Fprintf(c.err, "%s has every game: judge arena replay %[1]s\n", e.LogPath)
	}
	return err
}

// liveTable is the table of an event that is under way, on a terminal.
type liveTable struct {
	c     *console
	drawn string
	next  time.Time
}

// draw draws the table over the last one. It may cost a twentieth of the time.
func (l *liveTable) draw(p *arena.Progress) {
	start := time.Now()
	if start.Before(l.next) {
		return
	}
	f, ok := l.c.err.(*os.File)
	if !ok {
		return
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return
	}
	colour, _ := l.c.useColour(true)
	text := report.ArenaLive(p.Results(), progressLine(p), report.TerminalOptions{Colour: colour, Width: width}, height)
	fmt.Fprint(l.c.err, report.Over(l.drawn)+text)
	l.drawn = text
	l.next = time.Now().Add(20 * time.Since(start))
}

func (l *liveTable) clear() { fmt.Fprint(l.c.err, report.Over(l.drawn)) }

// progressLine says how far an event has come: on one line, for it is drawn over.
func progressLine(p *arena.Progress) string {
	line := fmt.Sprintf("%d of %d games", p.Done, p.Of)
	if s := p.Took.Seconds(); p.Played > 0 && s > 0 {
		rate := float64(p.Played) / s
		left := time.Duration(float64(p.Of-p.Done) / rate * float64(time.Second))
		line += fmt.Sprintf("  %.0f games/s  %.0f moves/s  %v left", rate, float64(p.Moves)/s, left.Round(time.Second))
	}
	if len(p.Out) > 0 {
		line += fmt.Sprintf("  %d disqualified", len(p.Out))
	}
	return line
}

// faultLine says a fault in a line.
func faultLine(f *arena.GameFault) string {
	line := string(f.Kind) + ": " + strings.Join(strings.Fields(f.Text), " ")
	if f.Bytes != "" && f.Bytes != `""` {
		line += ", it sent " + f.Bytes
	}
	return line
}
