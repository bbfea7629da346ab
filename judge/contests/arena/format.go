package arena

// RoundRobin returns the encounters of the rounds from first to last. In each round, every pair has one encounter.
// It is for schedules without a fixed end.
func RoundRobin(ids []int, first, last, games int) (encounters []Encounter) {
	for round := first; round <= last; round++ {
		for _, pair := range allPairs(ids) {
			encounters = append(encounters, newEncounter(round, pair[0], pair[1], games))
		}
	}
	return encounters
}

// DeterminesOrder reports whether the format itself determines the order of the bots, as a knockout does.
func (r *Rules) DeterminesOrder() bool {
	make, ok := Formats()[r.Format]
	if !ok {
		return false
	}
	_, ok = make(r).(ranker)
	return ok
}
