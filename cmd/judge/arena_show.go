package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	if a.json {
		if bad := json.NewEncoder(c.out).Encode(arenaJSON(e, out)); bad != nil {
			return errors.Join(err, bad)
		}
		return err
	}
	showOutcome(c.out, e, out)
	return err
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

// outcomeJSON is the result of an event for programs.
type outcomeJSON struct {
	Game  string               `json:"game"`
	Rules arena.Rules          `json:"rules"`
	Seed  uint64               `json:"seed"`
	Whole bool                 `json:"whole"`
	Games int                  `json:"games"`
	Bots  []arena.Bot          `json:"bots"`
	Table []arena.Row          `json:"table"`
	Out   []arena.Disqualified `json:"disqualified,omitempty"`
	Log   string               `json:"log,omitempty"`
}

func arenaJSON(e *arena.Event, out *arena.Outcome) outcomeJSON {
	r := out.Results
	return outcomeJSON{r.Game, r.Rules, r.Seed, out.Whole, len(r.Games), r.Bots, arena.Table(r), r.Out, e.LogPath}
}

// showOutcome prints the rule set's table.
func showOutcome(w io.Writer, e *arena.Event, out *arena.Outcome) {
	r := out.Results
	fmt.Fprintf(w, "%s: %s, seed %d\n", r.Game, r.Rules.Describe(), r.Seed)
	if !out.Whole {
		fmt.Fprintln(w, "(not over: what stands so far)")
	}
	fmt.Fprintln(w)
	wide := len("bot")
	for _, b := range r.Bots {
		wide = max(wide, len([]rune(b.Name)))
	}
	fmt.Fprintf(w, "      %-*s %8s %6s %6s %6s %6s\n", wide, "bot", "points", "games", "won", "drawn", "lost")
	for i, row := range arena.Table(r) {
		fmt.Fprintf(w, "%4d  %-*s %8s %6d %6d %6d %6d\n", i+1, wide, r.Bot(row.Bot).Name, number(row.Points), row.Games, row.Wins, row.Draws, row.Losses)
	}
	for _, d := range r.Out {
		fmt.Fprintf(w, "   -  %-*s disqualified: %s\n", wide, r.Bot(d.Bot).Name, faultLine(&d.Fault))
	}
	fmt.Fprintln(w)
	fmt.Fprintf(w, "%d games", len(r.Games))
	if e.LogPath != "" {
		fmt.Fprintf(w, ", in %s", e.LogPath)
	}
	fmt.Fprintln(w)
}

func number(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// faultLine says a fault in a line.
func faultLine(f *arena.GameFault) string {
	line := string(f.Kind) + ": " + strings.Join(strings.Fields(f.Text), " ")
	if f.Bytes != "" && f.Bytes != `""` {
		line += ", it sent " + f.Bytes
	}
	return line
}
