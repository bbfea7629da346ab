package arena

import "slices"

// A match consists of Rules.Rounds encounters between two bots.

// match returns the encounters of a match. Each stage has its own rounds.
func (r *Rules) match(stage, a, b int) (encounters []Encounter) {
	for round := range r.Rounds {
		encounters = append(encounters, newEncounter(stage*r.Rounds+round+1, a, b, r.Games))
	}
	return encounters
}

// wins reports whether bot a won its match against b in a stage. It compares points as the rules score them, then
// games won.
func (r *Rules) wins(results *Results, stage, a, b int) bool {
	rows := [2]Row{{Bot: a}, {Bot: b}}
	eachEncounter(results.Games, func(games []Result) {
		g := &games[0]
		if (g.Round-1)/r.Rounds == stage && min(g.First, g.Second) == min(a, b) && max(g.First, g.Second) == max(a, b) {
			r.count(&rows[0], &rows[1], games)
		}
	})
	return r.Score.compare(&rows[0], &rows[1]) > 0
}

// gauntlet lets the first bot play each of the others once per round.
type gauntlet struct{ *Rules }

func (s gauntlet) Stage(stage int, results *Results) (encounters []Encounter) {
	ids := results.ActiveBots()
	if stage > 0 || len(ids) < 2 {
		return nil
	}
	for round := range s.Rounds {
		for _, id := range ids[1:] {
			encounters = append(encounters, newEncounter(round+1, ids[0], id, s.Games))
		}
	}
	return encounters
}

// knockout pairs winners with winners. Bots are seeded in the order in which they are named, so that the first two
// can meet only in the final. If the number of bots is not a power of two, the first bots skip the first stage.
// After a drawn match, the bot with the better seed advances.
type knockout struct{ *Rules }

func (s knockout) Stage(stage int, results *Results) (encounters []Encounter) {
	left := bracket(results.ActiveBots())
	for k := range stage {
		left = s.winners(results, k, left)
	}
	if len(left) < 2 {
		return nil
	}
	for i := 0; i < len(left); i += 2 {
		if left[i] != noOpponent && left[i+1] != noOpponent {
			encounters = append(encounters, s.match(stage, left[i], left[i+1])...)
		}
	}
	return encounters
}

// bracket orders bots so that adjacent bots play each other. Unused positions contain the constant resting.
func bracket(ids []int) []int {
	places := []int{0}
	for len(places) < len(ids) {
		n := 2 * len(places)
		var next []int
		for _, p := range places {
			next = append(next, p, n-1-p)
		}
		places = next
	}
	left := make([]int, len(places))
	for i, p := range places {
		if p < len(ids) {
			left[i] = ids[p]
		}
	}
	return left
}

// winners returns the winners of a stage's matches.
func (s knockout) winners(results *Results, stage int, remaining []int) (advanced []int) {
	if len(remaining) < 2 {
		return remaining
	}
	for i := 0; i < len(remaining); i += 2 {
		a, b := remaining[i], remaining[i+1]
		better, other := min(a, b), max(a, b)
		if better == noOpponent || s.wins(results, stage, other, better) {
			better = other
		}
		advanced = append(advanced, better)
	}
	return advanced
}

// rank returns the bots from the best to the worst: the survivors of the last stage, the bots that lost in that
// stage, the bots that lost in the stage before, and so on.
func (s knockout) rank(results *Results) (order []int) {
	left := bracket(results.ActiveBots())
	stages := [][]int{left}
	for stage := 0; len(left) > 1 && s.played(results, stage, left); stage++ {
		left = s.winners(results, stage, left)
		stages = append(stages, left)
	}
	for _, left := range slices.Backward(stages) {
		for _, id := range slices.Sorted(slices.Values(left)) {
			if id != noOpponent && !slices.Contains(order, id) {
				order = append(order, id)
			}
		}
	}
	return order
}

// played reports whether all matches of a stage are over.
func (s knockout) played(results *Results, stage int, remaining []int) bool {
	games := 0
	for _, g := range results.Games {
		if (g.Round-1)/s.Rounds == stage {
			games++
		}
	}
	for i := 0; i < len(remaining); i += 2 {
		if remaining[i] != noOpponent && remaining[i+1] != noOpponent {
			games -= s.Rounds * s.Games
		}
	}
	return games >= 0
}

// ladder adds bots in the order in which they are named. Each newcomer challenges the first bot of the ladder. A
// newcomer that loses or draws finds its rank by binary search: it next plays the middle one of the bots above
// which it may still rank. So an additional bot needs few matches.
type ladder struct{ *Rules }

func (s ladder) Stage(stage int, results *Results) []Encounter {
	_, challenger, defender := s.climb(results, stage)
	if challenger == noOpponent {
		return nil
	}
	return s.match(stage, challenger, defender)
}

// climb evaluates the first stages of the ladder. It returns the order of the bots after these stages, and the
// pair that plays in the next one. If all bots have been added, both challenger and defender are the constant
// resting.
func (s ladder) climb(results *Results, stages int) (order []int, challenger, defender int) {
	stage := 0
	for _, id := range results.ActiveBots() {
		// The newcomer's rank is in low..high.
		low, high, at := 0, len(order), 0
		for low < high {
			if stage == stages {
				return order, id, order[at]
			}
			if s.wins(results, stage, id, order[at]) {
				high = at
			} else {
				low = at + 1
			}
			stage++
			at = (low + high) / 2
		}
		order = slices.Insert(order, low, id)
	}
	return order, noOpponent, noOpponent
}

// rank returns the ladder as far as it has been played, followed by the bots that have not been added.
func (s ladder) rank(results *Results) []int {
	stages := 0
	for _, g := range results.Games {
		stages = max(stages, (g.Round-1)/s.Rounds+1)
	}
	order, _, _ := s.climb(results, stages)
	for _, id := range results.ActiveBots() {
		if !slices.Contains(order, id) {
			order = append(order, id)
		}
	}
	return order
}
