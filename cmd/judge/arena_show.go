package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/judge/arena"
)

// hold holds an event, with its progress on the terminal, and shows what came of it.
func (a *arenaing) hold(ctx context.Context, c *console, e *arena.Event) error {
	width, live := screen(c.err)
	if live {
		e.Listen = func(p *arena.Progress) { fmt.Fprintf(c.err, "\r\x1b[K%.*s", width-1, progressLine(p)) }
	}
	out, err := e.Run(ctx)
	if live {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
	if bad, ok := errors.AsType[*arena.OptionsError](err); ok {
		return usageError{bad}
	}
	if out == nil || out.Results == nil {
		return err
	}
	for _, d := range out.Damaged {
		fmt.Fprintf(c.err, "judge: %s, %v: left out, and the rest is kept\n", e.LogPath, d)
	}
	return errors.Join(err, a.show(ctx, c, e, out, a.title))
}

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
