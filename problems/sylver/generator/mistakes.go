package main

import (
	"maps"
	"math"
	"slices"
	"strings"

	"assay/judge/kit"
)

// A mistake takes x for a sum, or not, as a program does that makes it. Its name
// is an argument of the kind "witness".
var mistakes = map[string]func(s *system, x int64) bool{
	"greedy":         greedy,
	"greedy-turns":   greedyTurns,
	"pairs":          func(s *system, x int64) bool { return ofSubsets(s, x, 2) },
	"triples":        func(s *system, x int64) bool { return ofSubsets(s, x, 3) },
	"once":           once,
	"few-times":      fewTimes,
	"two-smallest":   func(s *system, x int64) bool { return newSystem(s.numbers[:2]).isSum(x) },
	"not-largest":    func(s *system, x int64) bool { return newSystem(s.numbers[:len(s.numbers)-1]).isSum(x) },
	"bound":          boundOfSmallest,
	"one-lap":        oneLap,
	"zero-circle":    func(s *system, x int64) bool { return roundRobin(s, s.numbers[1:], x, 2, zeroCircle) },
	"coprime-only":   func(s *system, x int64) bool { return roundRobin(s, s.numbers[1:], x, 2, coprimeCircle) },
	"plain-queue":    plainQueue,
	"marked-at-push": markedAtPush,
	"wrap-32":        func(s *system, x int64) bool { return wrapped(s, x, 32) },
	"wrap-64":        func(s *system, x int64) bool { return wrapped(s, x, 64) },
	"double":         double,
	"double-bound":   doubleBound,
	"double-product": doubleProduct,
	"double-divide":  doubleDivide,
	"double-table":   doubleTable,
	"wrap-table":     wrapTable,
}

// witness looks for a case that a mistake gets wrong: witness MISTAKE, with the
// options of entry, or with --a and --b those of pair. X is --side of an entry;
// with at and over x is a sum that the mistake misses, with below and under it
// is none and the mistake takes it for one.
func witness(g *kit.Gen) {
	name := g.Word(0)
	mistaken, ok := mistakes[name]
	if !ok {
		g.Refuse("no mistake %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(mistakes)), ", "))
	}
	place := placeInTable
	if g.Option("a", "") != "" {
		place = placeOfTwo
	}
	for range tries {
		if s, x, ok := place(g); ok && mistaken(s, x) != s.isSum(x) {
			emit(g, s.numbers, x)
			return
		}
	}
	g.Refuse("found no case that the mistake %q gets wrong", name)
}

// placeInTable draws a system and a place for x.
func placeInTable(g *kit.Gen) (s *system, x int64, ok bool) {
	s = draw(g)
	residues := s.residues()
	if len(residues) == 0 {
		return nil, 0, false
	}
	w := s.least[kit.Pick(g.Rand, residues)]
	return s, beside(g, w, s.numbers[0], maxNumber), true
}

// placeOfTwo does so with two numbers, which may be too large for a table.
func placeOfTwo(g *kit.Gen) (s *system, x int64, ok bool) {
	a, b := coprimePair(g)
	last := min(a-1, maxNumber/b)
	w := b * last
	if g.Option("which", "any") == "any" {
		w = b * g.Rand.Between(min(2, last), last)
	}
	return &system{numbers: []int64{a, b}}, beside(g, w, a, maxNumber), true
}

// greedy takes the largest number that fits, again and again.
func greedy(s *system, x int64) bool {
	for _, n := range slices.Backward(s.numbers) {
		x %= n
	}
	return x == 0
}

// greedyTurns takes each number once as often as it fits, and goes on from there
// with the larger numbers and then the smaller ones.
func greedyTurns(s *system, x int64) bool {
	for first := range s.numbers {
		rest := x % s.numbers[first]
		if rest == 0 || greedy(s, rest) || greedy(&system{numbers: s.numbers[:first]}, rest) {
			return true
		}
	}
	return false
}

// ofSubsets takes only so many different numbers into one sum.
func ofSubsets(s *system, x int64, size int) bool {
	var pick func(from int, chosen []int64) bool
	pick = func(from int, chosen []int64) bool {
		if len(chosen) == size || from == len(s.numbers) {
			return len(chosen) > 0 && newSystem(chosen).isSum(x)
		}
		return pick(from+1, append(slices.Clone(chosen), s.numbers[from])) || pick(from+1, chosen)
	}
	return pick(0, nil)
}

// once takes each number at most once.
func once(s *system, x int64) bool { return bounded(s.numbers, x, 1) }

// fewTimes takes each number at most ten times.
func fewTimes(s *system, x int64) bool { return bounded(s.numbers, x, 10) }

func bounded(numbers []int64, x, most int64) bool {
	if x == 0 || len(numbers) == 0 {
		return x == 0
	}
	for i := range min(most, x/numbers[0]) + 1 {
		if bounded(numbers[1:], x-i*numbers[0], most) {
			return true
		}
	}
	return false
}

// boundOfSmallest believes that everything above a b - a - b is a sum, for the
// two smallest numbers, whatever their gcd; the product wraps round at 64 bits.
func boundOfSmallest(s *system, x int64) bool {
	a, b := s.numbers[0], s.numbers[1]
	return x > a*b-a-b || s.isSum(x)
}

// oneLap goes once round each circle. Whether that shows depends on the order of
// the numbers, so that it must show from both ends.
func oneLap(s *system, x int64) bool {
	up := s.numbers[1:]
	down := slices.Clone(up)
	slices.Reverse(down)
	return roundRobin(s, up, x, 1, allCircles) || roundRobin(s, down, x, 1, allCircles)
}

// roundRobin makes the table with so many laps for each of the numbers in turn,
// and only on some circles.
func roundRobin(s *system, numbers []int64, x, laps int64, use func(first, circles int64) bool) bool {
	m := s.numbers[0]
	least := slices.Repeat([]int64{maxNumber}, int(m))
	least[0] = 0
	for _, n := range numbers {
		circles := gcd(n, m)
		for first := range circles {
			if !use(first, circles) {
				continue
			}
			r := first
			for range laps * m / circles {
				next := (r + n) % m
				least[next] = min(least[next], least[r]+n)
				r = next
			}
		}
	}
	return least[x%m] <= x
}

func allCircles(first, circles int64) bool    { return true }
func zeroCircle(first, circles int64) bool    { return first == 0 }
func coprimeCircle(first, circles int64) bool { return circles == 1 }

// plainQueue is Dijkstra's method with a queue in place of a heap: what counts is
// the sum of the fewest numbers, which need not be the least.
func plainQueue(s *system, x int64) bool {
	return searched(s, x, x, false) || searched(s, x, never, false)
}

// markedAtPush is Dijkstra's method that settles a residue when it first gets a
// sum, not when that sum is the least on the heap.
func markedAtPush(s *system, x int64) bool {
	return searched(s, x, x, true) || searched(s, x, never, true)
}

// searched goes through the residues in the wrong way; a residue is settled when
// it is pushed or when it is popped. Sums above most are left out, which some
// programs do and some do not.
func searched(s *system, x, most int64, atPush bool) bool {
	m := s.numbers[0]
	least := slices.Repeat([]int64{never}, int(m))
	least[0] = 0
	settled := make([]bool, m)
	for waiting := []int64{0}; len(waiting) > 0; {
		next := 0
		if atPush { // it has a heap
			for i, r := range waiting {
				if least[r] < least[waiting[next]] {
					next = i
				}
			}
		}
		r := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		settled[r] = true
		for _, n := range s.numbers[1:] {
			sum, to := least[r]+n, (least[r]+n)%m
			if settled[to] || sum > most {
				continue
			}
			if least[to] == never {
				waiting = append(waiting, to)
				settled[to] = atPush
			}
			least[to] = min(least[to], sum)
		}
	}
	return least[x%m] <= x
}

// wrapped has the closed form for two numbers in unsigned numbers of so many
// bits.
func wrapped(s *system, x int64, width int) bool {
	a, b := uint64(s.numbers[0]), uint64(s.numbers[1])
	mask := uint64(1)<<width - 1
	j := timesToFit(a, b, uint64(x))
	return j*b&mask <= uint64(x)&mask
}

// double has it in floating point.
func double(s *system, x int64) bool {
	a, b := uint64(s.numbers[0]), uint64(s.numbers[1])
	return float64(timesToFit(a, b, uint64(x)))*float64(b) <= float64(x)
}

// doubleProduct has only the product in floating point, and compares it exactly.
func doubleProduct(s *system, x int64) bool {
	a, b := uint64(s.numbers[0]), uint64(s.numbers[1])
	product := float64(timesToFit(a, b, uint64(x))) * float64(b)
	return product < math.MaxInt64 && int64(product) <= x
}

// doubleBound takes everything above a b - a - b for a sum, in floating point.
func doubleBound(s *system, x int64) bool {
	a, b := float64(s.numbers[0]), float64(s.numbers[1])
	return float64(x) > a*b-a-b || s.isSum(x)
}

// doubleDivide tries for each number of b whether the rest divided by a is whole
// in floating point.
func doubleDivide(s *system, x int64) bool {
	a, b := s.numbers[0], s.numbers[1]
	for j := range min(a, x/b+1) {
		if q := float64(x-j*b) / float64(a); q == float64(int64(q)) {
			return true
		}
	}
	return false
}

// doubleTable reads all numbers in floating point.
func doubleTable(s *system, x int64) bool {
	rounded := slices.Clone(s.numbers)
	for i, n := range rounded {
		rounded[i] = int64(float64(n))
	}
	return newSystem(rounded).isSum(int64(float64(x)))
}

// wrapTable makes the table in unsigned numbers of 64 bits that wrap round.
func wrapTable(s *system, x int64) bool {
	const none = math.MaxUint64
	m := s.numbers[0]
	least := slices.Repeat([]uint64{none}, int(m))
	least[0] = 0
	for _, n := range s.numbers[1:] {
		for first := range gcd(n, m) {
			r := first
			for range 2 * m / gcd(n, m) {
				next := (r + n%m) % m
				if least[r] != none {
					least[next] = min(least[next], least[r]+uint64(n))
				}
				r = next
			}
		}
	}
	return least[x%m] <= uint64(x)
}
