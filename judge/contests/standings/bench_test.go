package standings_test

import (
	"testing"

	"assay/judge/contests/arena"
	"assay/judge/contests/standings"
)

// BenchmarkMake computes the standings of a tournament with 30 bots and 87,000 games, and of one with 200 bots and
// about a million games.
func BenchmarkMake(b *testing.B) {
	b.Run("30-bots", func(b *testing.B) { makeStandings(b, 30, 100) })
	b.Run("200-bots", func(b *testing.B) { makeStandings(b, 200, 25) })
}

func makeStandings(b *testing.B, bots, rounds int) {
	so := &arena.Results{Rules: *usual(rounds)}
	for id := range bots {
		so.Bots = append(so.Bots, arena.Bot{ID: id + 1})
	}
	for _, e := range arena.RoundRobin(so.ActiveBots(), 1, rounds, 2) {
		for i, k := range e.Keys() {
			g := arena.Result{
				Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second,
				Winner: 1 + (k.First*7+k.Second*3+k.Round+i)%2, Moves: [2]int32{9, 8},
			}
			so.Games = append(so.Games, g)
		}
	}
	for b.Loop() {
		standings.Compute(so, nil, nil)
	}
	b.ReportMetric(float64(len(so.Games)), "games")
}
