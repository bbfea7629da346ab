package arena

// RoundRobin makes the encounters of some rounds, from first to last, in each of which
// every pair meets once. It is for schedules that go on for as long as it takes.
func RoundRobin(ids []int, first, last, games int) (all []Encounter) {
	for round := first; round <= last; round++ {
		for _, pair := range circle(ids) {
			all = append(all, meet(round, pair[0], pair[1], games))
		}
	}
	return all
}

// Ranks says whether the format itself says who is better, as a knockout does.
func (r *Rules) Ranks() bool {
	make, ok := Formats()[r.Format]
	if !ok {
		return false
	}
	_, ok = make(r).(ranker)
	return ok
}
