package main

import (
	"fmt"

	"assay/judge/kit/referee"
)

// axelrod plays strategies against one another, as R. Axelrod's tournaments did (The
// Evolution of Cooperation, 1984): what counts is the sum of all rewards, not how
// many duels were won.
func axelrod() referee.Rules {
	return referee.Rules{Check: checkOptions, Greet: readContestant, Play: playDuel, Look: lookAt}
}

// options of a rule set:
//
//	turns  of a duel
//	rand   "puzzle": RAND begins as in the puzzle, so that a duel is always the same;
//	       "seed": it begins anywhere, as the seed of the game says
func checkOptions(e *referee.Event) error {
	if _, err := e.IntIn("turns", 1, 100_000); err != nil {
		return err
	}
	if r := e.Text("rand"); r != "puzzle" && r != "seed" {
		return fmt.Errorf(`the option rand is %q: it must be "puzzle" or "seed"`, r)
	}
	return nil
}

func readContestant(b *referee.Bot) {
	s, err := parseStrategy(string(b.Text))
	if err != nil {
		b.Refuse("%v", err)
	}
	b.Title, b.Pure, b.Data = s.name, true, s
}

func playDuel(g *referee.Game) {
	d := newDuel(int(g.Int("turns")))
	for s := range d.sides {
		d.sides[s] = g.Bot(s + 1).Data.(strategy)
	}
	if g.Text("rand") == "seed" {
		d.random = g.Rand.IntN(256)
	}
	for turn := range d.turns {
		action, stuck := d.turn()
		if stuck >= 0 {
			// Who goes on alone takes the most that there is, in all turns.
			g.Note(stuck+1, "stuck", "turn %d: none of its commands holds", turn+1)
			pay := [2]float64{3 * float64(d.turns), 3 * float64(d.turns)}
			pay[stuck] = 0
			g.Pay(pay[0], pay[1], "stuck")
		}
		for s, a := range action {
			g.Move(s+1, a)
		}
	}
	g.Pay(float64(d.score[0]), float64(d.score[1]), "reward")
}

func newDuel(turns int) *duel {
	d := &duel{turns: turns, random: 12}
	for s := range d.sides {
		d.defected[s] = make([]int32, 1, turns+1)
	}
	return d
}

// lookAt tells the rewards at each point of a duel. The two actions of a turn are made
// at one time, so that nothing changes after the first of them.
func lookAt(_ *referee.Event, p *referee.Played) (all []referee.Position) {
	d := newDuel(len(p.Moves) / 2)
	for i := 0; i <= len(p.Moves); i++ {
		if i > 0 && i%2 == 0 {
			d.record([2]string{p.Moves[i-2], p.Moves[i-1]})
		}
		all = append(all, referee.Position{Text: fmt.Sprintf("turn %d, rewards %d : %d", i/2+1, d.score[0], d.score[1])})
	}
	all[len(all)-1] = referee.Position{Text: fmt.Sprintf("after %d turns, rewards %d : %d", len(p.Moves)/2, d.score[0], d.score[1])}
	return all
}
