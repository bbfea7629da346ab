package arena

import (
	"maps"
	"slices"
)

// Formats are the schedules by name. To add one, write a file with a Schedule and a line here.
func Formats() map[string]func(*Rules) Schedule {
	return map[string]func(*Rules) Schedule{
		"round-robin": func(r *Rules) Schedule { return roundRobin{r.Rounds, r.Games} },
		"gauntlet":    func(r *Rules) Schedule { return gauntlet{r} },
		"knockout":    func(r *Rules) Schedule { return knockout{r} },
		"ladder":      func(r *Rules) Schedule { return ladder{r} },
		"swiss":       func(r *Rules) Schedule { return swiss{r.Rounds, r.Games} },
	}
}

// FormatNames lists the formats.
func FormatNames() []string { return slices.Sorted(maps.Keys(Formats())) }

// roundRobin lets each pair meet once a round, with all rounds in one stage.
type roundRobin struct{ rounds, games int }

func (s roundRobin) Stage(stage int, so *Results) (all []Encounter) {
	if stage > 0 {
		return nil
	}
	ids := so.In()
	for round := range s.rounds {
		for _, pair := range circle(ids) {
			all = append(all, meet(round+1, pair[0], pair[1], s.games))
		}
	}
	return all
}

// meet makes an encounter. Who goes first depends only on the pair and the round, so that games stay the same
// when bots are added.
func meet(round, a, b, games int) Encounter {
	a, b = min(a, b), max(a, b)
	if (a+b+round)%2 == 1 {
		a, b = b, a
	}
	return Encounter{Round: round, A: a, B: b, Games: games}
}

// circle returns all pairs, by the circle method. No bot occurs twice in consecutive pairs of a turn, so most
// pairs of a turn can play at the same time.
func circle(ids []int) (pairs [][2]int) {
	ring := slices.Clone(ids)
	if len(ring)%2 == 1 {
		ring = append(ring, 0) // its opponent rests
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
