package arena

// RoundRobin returns the encounters of the rounds from first to last. In each round, every pair has one encounter.
// It is for schedules without a fixed end.
func RoundRobin(ids []int, first, last, games int) (all []Encounter) {
	for round := first; round <= last; round++ {
		for _, pair := range circle(ids) {
			all = append(all, meet(round, pair[0], pair[1], games))
		}
	}
	return all
}

// Ranks reports whether the format itself determines the order of the bots, as a knockout does.
func (r *Rules) Ranks() bool {
	make, ok := Formats()[r.Format]
	if !ok {
		return false
	}
	_, ok = make(r).(ranker)
	return ok
}
