package mutate

import "slices"

// Cover picks few of the sets so that each element is in at least want of the picked sets, or in all sets
// that contain it. It picks greedily: the set that adds most, and the first of several. Sets that must be
// picked count.
func Cover(sets [][]int, want int, must []bool) (picked []int) {
	missing := map[int]int{}
	for _, set := range sets {
		for _, x := range set {
			missing[x] = min(missing[x]+1, want)
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
		if i < len(must) && must[i] {
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

// Few picks few finds that together kill everything that any of them kills.
func Few(finds []*Find) (few []*Find) {
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
