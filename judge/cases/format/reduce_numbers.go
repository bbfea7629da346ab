package format

import "math/rand/v2"

// A leaf is the position of a number: number i of the k-th part that has numbers.
type leaf struct{ k, i int }

func hasNumbers(n *node) bool {
	switch f := n.decl.(type) {
	case *field:
		return f.name.kind == integer
	case *array:
		return f.name.kind == integer
	case *graph:
		return f.weight != nil
	}
	return false
}

// numbers returns pointers to the numbers of a part. For a graph, these are its weights.
func (n *node) numbers() (pointers []*int64) {
	switch f := n.decl.(type) {
	case *field:
		return []*int64{&n.n}
	case *array:
		for i := range n.ints {
			pointers = append(pointers, &n.ints[i])
		}
	case *graph:
		for i := 2; i < len(n.ints); i += f.width() {
			pointers = append(pointers, &n.ints[i])
		}
	}
	return pointers
}

// leaves returns the positions of all numbers.
func (r *reducer) leaves() (all []leaf) {
	for k, n := range find(r.root, hasNumbers) {
		for i := range n.numbers() {
			all = append(all, leaf{k, i})
		}
	}
	return all
}

// at returns the number at leaf l of a tree, or nil if there is none.
func (l leaf) at(root *node) *int64 {
	if all := find(root, hasNumbers); l.k < len(all) {
		if numbers := all[l.k].numbers(); l.i < len(numbers) {
			return numbers[l.i]
		}
	}
	return nil
}

// numbers lowers as many numbers as possible at once, then lowers them one by one, and then scales all together.
func (r *reducer) numbers() {
	all := r.leaves()
	r.pieces(int64(len(all)), func(from, to int64) int64 {
		if to > int64(len(all)) || !r.offer("lower numbers", 0, 0, func(root *node) {
			nodes := find(root, hasNumbers)
			for _, l := range all[from:to] {
				*nodes[l.k].numbers()[l.i] = 0
			}
		}) {
			return -1
		}
		all = r.leaves()
		return int64(len(all))
	})
	for k, l := range r.leaves() {
		if k == maxLeaves || r.isOver() {
			return
		}
		r.shorten(l)
	}
	r.scale()
}

func (r *reducer) set(l leaf, v int64) bool {
	now := l.at(r.root)
	if now == nil || *now == v {
		return false
	}
	return r.offer("lower number", 0, 0, func(root *node) { *l.at(root) = v })
}

// shorten looks for a number with fewer digits that keeps the failure. It tries the smallest numbers, random
// numbers of each length, and the number without one of its digits. If only one number in ten keeps the failure,
// as with rounding errors, smaller steps would not get far.
func (r *reducer) shorten(l leaf) {
	if now := l.at(r.root); now == nil || *now == 0 || *now < 0 && r.set(l, -*now) {
		return
	}
	for _, v := range []int64{0, 1, 2} {
		if r.set(l, v) {
			return
		}
	}
	const probes = 4
	chance := r.chance(l)
	for digits := 2; digits < digitsOf(r.value(l)) && !r.isOver(); digits++ {
		if digits < 4 && digits < digitsOf(r.value(l))-3 {
			continue // two or three digits are worth trying only for slightly longer numbers
		}
		for range probes {
			if r.set(l, withDigits(chance, digits)) {
				break
			}
		}
	}
	for unit := int64(1); unit <= r.value(l)/10 && !r.isOver(); {
		v := r.value(l)
		if !r.set(l, v/(10*unit)*unit+v%unit) {
			unit = mul(unit, 10)
		}
	}
}

func (r *reducer) value(l leaf) int64 {
	if v := l.at(r.root); v != nil {
		return *v
	}
	return 0
}

// chance returns random numbers that depend only on the current input and the leaf.
func (r *reducer) chance(l leaf) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(len(r.text)), uint64(r.taken)<<32+uint64(l.k)<<8+uint64(l.i)))
}

func digitsOf(v int64) (n int) {
	for ; v != 0; v /= 10 {
		n++
	}
	return n
}

// withDigits returns a random number with this many digits.
func withDigits(chance *rand.Rand, digits int) int64 {
	least := power(10, int64(digits-1))
	return Between(chance, least, mul(least, 10)-1)
}

// scale divides all large numbers by the same factor, which roughly keeps their ratios.
func (r *reducer) scale() {
	const jitters = 3
	for again := true; again && !r.isOver(); {
		again = false
		most := 0
		for _, l := range r.leaves() {
			most = max(most, digitsOf(r.value(l)))
		}
		chance := r.chance(leaf{})
		for fewer := most - 1; fewer > 0 && !again; fewer-- {
			unit := power(10, int64(fewer))
			for try := 0; try <= jitters && !again && !r.isOver(); try++ {
				again = r.offer("smaller numbers", 0, 0, func(root *node) {
					for _, n := range find(root, hasNumbers) {
						if isCount(n) {
							continue
						}
						for _, v := range n.numbers() {
							if *v /= unit; try > 0 && digitsOf(*v) > 2 {
								*v += int64(chance.IntN(100)) - *v%100
							}
						}
					}
				})
			}
		}
	}
}

// lowerAndSwap lowers numbers without making them shorter, and swaps neighbors. The failure may depend on the number of
// digits, so a lower number with as many digits may still fail.
func (r *reducer) lowerAndSwap() {
	all := r.leaves()
	for k, l := range all {
		if k == maxLowered || r.isOver() {
			return
		}
		for step := r.value(l) / 2; step != 0 && !r.isOver(); step /= 2 {
			if magnitude(r.value(l)) >= magnitude(step) {
				r.set(l, r.value(l)-step)
			}
		}
		if k > 0 && l.at(r.root) != nil && r.value(l) < r.value(all[k-1]) {
			r.offer("swap numbers", 0, 0, func(root *node) {
				a, b := all[k-1].at(root), l.at(root)
				*a, *b = *b, *a
			})
		}
	}
}

// maxLowered is the maximum number of numbers that fine lowers.
const maxLowered = 30
