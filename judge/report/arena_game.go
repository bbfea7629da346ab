package report

import (
	"fmt"
	"io"
	"strings"

	"assay/judge/contests/arena"
	"assay/judge/kit/referee"
)

// ArenaGame writes a game move by move, with its number in the log. The slice seen contains the referee's
// positions of the game, and may be nil.
func ArenaGame(w io.Writer, r *arena.Results, number int, g *arena.Game, seen []referee.Position) error {
	t := &terminal{out: w, record: &record{}}
	t.writeGame(r, number, g, seen)
	t.flush("")
	return t.err
}

func (t *terminal) writeGame(r *arena.Results, number int, g *arena.Game, seen []referee.Position) {
	name := func(seat int) string { return sanitizeLine(r.Bot([]int{g.First, g.Second}[seat-1]).Name) }
	t.printf("game %d: round %d, game %d of the encounter, seed %d\n", number, g.Round, g.Leg, g.Seed)
	start := ""
	if g.Start != "" {
		start = ", from " + sanitizeLine(g.Start)
	}
	t.printf("%s begins against %s%s\n", name(1), name(2), start)
	if g.ReplayReason != "" {
		t.printf("played again: %s\n", sanitizeLine(g.ReplayReason))
	}
	wide := max(width(name(1)), width(name(2)))
	notes := func(move int) {
		for _, n := range g.Notes {
			if n.Move == move {
				t.printf("      %s  %s: %s\n", pad(name(n.Seat), wide), sanitizeLine(n.Kind), sanitizeLine(n.Text))
			}
		}
	}
	if len(seen) > 0 {
		t.printf("      %s  %s\n", pad("", wide), positionText(&seen[0]))
	}
	for i, m := range g.Moves {
		notes(i)
		line := fmt.Sprintf("%4d  %s  %s", i+1, pad(name(g.Seat(i)), wide), sanitizeLine(m))
		if i+1 < len(seen) {
			line += "   " + positionText(&seen[i+1])
		}
		t.printf("%s\n", strings.TrimRight(line, " "))
	}
	notes(len(g.Moves))
	if g.Winner == 0 {
		t.printf("a draw: %s\n", sanitizeLine(g.Reason))
	} else {
		t.printf("%s wins: %s\n", name(g.Winner), sanitizeLine(g.Reason))
	}
	for _, f := range []*arena.GameFault{g.Fault, g.After} {
		if f == nil {
			continue
		}
		t.printf("%s: %s\n", name(f.Seat), sanitizeLine(f.Line()))
		if f.Stderr != "" {
			t.printf("its standard error ends:\n%s\n", sanitize(strings.TrimRight(f.Stderr, "\n")))
		}
	}
}

// positionText describes the number of allowed moves, and whether the position is won for the side to move.
func positionText(p *referee.Position) string {
	words := []string{}
	switch {
	case p.Count < 0:
		words = append(words, "infinitely many left")
	case len(p.Options) > 0 && len(p.Options) <= 12:
		words = append(words, "left: "+strings.Join(p.Options, " "))
	case p.Count > 0:
		words = append(words, fmt.Sprintf("%d left", p.Count))
	}
	if p.Exact != "" {
		words = append(words, p.Exact)
	}
	if n := len(p.Best); n > 0 && n <= 6 {
		words = append(words, "by "+strings.Join(p.Best, " "))
	}
	if p.Text != "" {
		words = append(words, p.Text)
	}
	if len(words) == 0 {
		return "" // normal after the last move
	}
	return "(" + sanitizeLine(strings.Join(words, ", ")) + ")"
}
