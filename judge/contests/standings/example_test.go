package standings_test

import (
	"fmt"

	"assay/judge/contests/arena"
	"assay/judge/contests/standings"
)

func ExampleCompute() {
	so := &arena.Results{
		Rules: arena.Rules{Format: "round-robin", Rounds: 20, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 3, Draw: 1}},
		Bots:  []arena.Bot{{ID: 1, Name: "old"}, {ID: 2, Name: "new"}},
	}
	for round := 1; round <= 20; round++ { // new wins every game in which it goes first, and every other one of the rest
		so.Games = append(so.Games,
			arena.Result{Round: round, Leg: 1, First: 2, Second: 1, Winner: 1, Reason: "illegal"},
			arena.Result{Round: round, Leg: 2, First: 1, Second: 2, Winner: 1 + round%2, Reason: "illegal"})
	}
	for _, b := range standings.Compute(so, nil, nil).Bots {
		fmt.Printf(
			"%d. %s, %g points, %+.0f Elo [%+.0f, %+.0f], lost %d by %s\n", b.Place, b.Name, b.Points, b.Elo,
			b.Low, b.High, b.Reasons[0].Times, b.Reasons[0].What,
		)
	}
	// Output:
	// 1. new, 90 points, +94 Elo [+43, +145], lost 10 by illegal
	// 2. old, 30 points, -94 Elo [-145, -43], lost 30 by illegal
}
