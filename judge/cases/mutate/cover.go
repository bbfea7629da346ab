package mutate

import "slices"

// Cover picks a small number of sets such that each element is in at least want picked sets, or in all sets that
// contain it. It is greedy: it picks the set that adds the most, and the first such set if there are several. The
// sets in must are always picked, and count toward want.
func Cover(sets [][]int, times int, required []bool) (picked []int) {
	missing := map[int]int{}
	for _, set := range sets {
		for _, x := range set {
			missing[x] = min(missing[x]+1, times)
		}
	}
	done := make([]bool, len(sets))
	pick := func(i int) {
		done[i] = true
		picked = append(picked, i)
		for _, x := range sets[i] {
			missing[x]--
		}
	}
	for i := range sets {
		if i < len(required) && required[i] {
			pick(i)
		}
	}
	for {
		best, most := -1, 0
		for i, set := range sets {
			gain := 0
			for _, x := range set {
				if !done[i] && missing[x] > 0 {
					gain++
				}
			}
			if gain > most {
				best, most = i, gain
			}
		}
		if best < 0 {
			slices.Sort(picked)
			return picked
		}
		pick(best)
	}
}

// SelectInputs picks a small number of finds that together kill all mutants that any of the finds kills.
func SelectInputs(finds []*FailingInput) (few []*FailingInput) {
	number := map[*Result]int{}
	sets := make([][]int, len(finds))
	for i, f := range finds {
		for _, r := range f.Kills {
			if _, known := number[r]; !known {
				number[r] = len(number)
			}
			sets[i] = append(sets[i], number[r])
		}
	}
	for _, i := range Cover(sets, 1, nil) {
		few = append(few, finds[i])
	}
	return few
}
