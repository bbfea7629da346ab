package arena_test

import (
	"fmt"

	"assay/judge/contests/arena"
)

// The example prints the encounters of a ladder. Each newcomer challenges the first bot. The bot with the smaller
// id always wins, so the third bot must find its rank below the first.
func ExampleFormats() {
	rules := &arena.Rules{Format: "ladder", Rounds: 1, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 1}}
	so := &arena.Results{Rules: *rules, Bots: []arena.Bot{{ID: 1}, {ID: 2}, {ID: 3}}}
	schedule := arena.Formats()[rules.Format](rules)
	for stage := 0; ; stage++ {
		encounters := schedule.Stage(stage, so)
		if len(encounters) == 0 {
			break
		}
		for _, e := range encounters {
			fmt.Println(e)
			for _, k := range e.Keys() {
				g := arena.Result{Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: 1}
				if k.Second < k.First {
					g.Winner = 2
				}
				so.Games = append(so.Games, g)
			}
		}
	}
	for place, row := range arena.Table(so) {
		fmt.Printf("%d. bot %d, %g points\n", place+1, row.Bot, row.Points)
	}
	// Output:
	// round 1: 1 against 2, 2 games
	// round 2: 1 against 3, 2 games
	// round 3: 2 against 3, 2 games
	// 1. bot 1, 4 points
	// 2. bot 2, 2 points
	// 3. bot 3, 0 points
}
