package arena

import (
	"cmp"
	"slices"
)

// swiss pairs bots with similar points, in each of the rules' rounds. If possible, no pair plays twice, and no bot
// rests twice.
type swiss struct{ rounds, games int }

func (s swiss) Stage(stage int, results *Results) (encounters []Encounter) {
	ids := results.ActiveBots()
	if stage >= s.rounds || len(ids) < 2 {
		return nil
	}
	past := *results
	past.Rules.Format = "" // use only the table, not an order determined by the format
	past.Games = nil
	for _, g := range results.Games {
		if g.Round <= stage {
			past.Games = append(past.Games, g)
		}
	}
	table := Table(&past)
	// Lots break ties only in the final table. In earlier rounds, the order of the ids decides.
	slices.SortStableFunc(table, func(a, b Row) int {
		return cmp.Or(results.Rules.Score.compare(&b, &a), cmp.Compare(a.Bot, b.Bot))
	})
	order := make([]int, 0, len(ids)+1)
	for _, row := range table {
		order = append(order, row.Bot)
	}
	if len(order)%2 == 1 {
		order = append(order, noOpponent)
	}
	for _, pair := range pairUp(order, encounterCounter(&past, ids, stage)) {
		if pair[0] != noOpponent && pair[1] != noOpponent {
			encounters = append(encounters, newEncounter(stage+1, pair[0], pair[1], s.games))
		}
	}
	return encounters
}

// noOpponent is the opponent of a bot that rests. No bot has the id 0.
const noOpponent = 0

// encounterCounter returns a function that counts the past encounters of two bots. A bot that played no game in a round
// counts as having met the opponent with the id resting in that round.
func encounterCounter(results *Results, ids []int, rounds int) func(a, b int) int {
	type pair struct{ a, b int }
	met, played := map[pair]int{}, map[pair]bool{}
	eachEncounter(results.Games, func(games []Result) {
		g := &games[0]
		met[pair{min(g.First, g.Second), max(g.First, g.Second)}]++
		played[pair{g.First, g.Round}], played[pair{g.Second, g.Round}] = true, true
	})
	for _, id := range ids {
		for round := 1; round <= rounds; round++ {
			if !played[pair{id, round}] {
				met[pair{noOpponent, id}]++
			}
		}
	}
	return func(a, b int) int { return met[pair{min(a, b), max(a, b)}] }
}

// pairUp pairs an even number of bots, each with a bot close to it in the order. No pair has more encounters than
// necessary.
func pairUp(order []int, encounters func(a, b int) int) (pairs [][2]int) {
	n := len(order)
	for most := 0; ; most++ {
		m := newMatching(n, func(i, j int) bool { return encounters(order[i], order[j]) <= most })
		if !m.perfect() {
			continue
		}
		for i, j := range m.mate {
			if i < j {
				pairs = append(pairs, [2]int{order[i], order[j]})
			}
		}
		return pairs
	}
}
