package arena

import (
	"maps"
	"slices"
)

// Formats maps names to schedules. To add one, write a file with a Schedule and add a line here.
func Formats() map[string]func(*Rules) Schedule {
	return map[string]func(*Rules) Schedule{
		"round-robin": func(r *Rules) Schedule { return roundRobin{r.Rounds, r.Games} },
		"gauntlet":    func(r *Rules) Schedule { return gauntlet{r} },
		"knockout":    func(r *Rules) Schedule { return knockout{r} },
		"ladder":      func(r *Rules) Schedule { return ladder{r} },
		"swiss":       func(r *Rules) Schedule { return swiss{r.Rounds, r.Games} },
	}
}

// FormatNames returns the names of the formats.
func FormatNames() []string { return slices.Sorted(maps.Keys(Formats())) }

// roundRobin gives each pair one encounter per round, with all rounds in one stage.
type roundRobin struct{ rounds, games int }

func (s roundRobin) Stage(stage int, results *Results) (encounters []Encounter) {
	if stage > 0 {
		return nil
	}
	ids := results.ActiveBots()
	for round := range s.rounds {
		for _, pair := range allPairs(ids) {
			encounters = append(encounters, newEncounter(round+1, pair[0], pair[1], s.games))
		}
	}
	return encounters
}

// newEncounter returns the encounter of two bots in a round. Which of them goes first depends only on the pair and the
// round, so that games stay the same when bots are added.
func newEncounter(round, a, b, games int) Encounter {
	a, b = min(a, b), max(a, b)
	if (a+b+round)%2 == 1 {
		a, b = b, a
	}
	return Encounter{Round: round, A: a, B: b, Games: games}
}

// allPairs returns all pairs, using the circle method. Within a turn, no bot occurs in two consecutive pairs, so
// most pairs of a turn can play concurrently.
func allPairs(ids []int) (pairs [][2]int) {
	ring := slices.Clone(ids)
	if len(ring)%2 == 1 {
		ring = append(ring, 0) // the opponent of 0 rests
	}
	n := len(ring)
	for range n - 1 {
		for i := range n / 2 {
			if a, b := ring[i], ring[n-1-i]; a != 0 && b != 0 {
				pairs = append(pairs, [2]int{a, b})
			}
		}
		last := ring[n-1]
		copy(ring[2:], ring[1:n-1])
		ring[1] = last
	}
	return pairs
}
