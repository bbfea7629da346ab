package main

import (
	"math"
	"math/bits"
	"slices"

	"assay/judge/kit"
)

// tries bounds a search for numbers with some property.
const tries = 100000

// never stands in a table for a residue that no sum up to maxNumber has.
const never = math.MaxInt64

// A system is a set of announced numbers, sorted, with the Apery table of the
// smallest one, m: for each residue modulo m the least sum that has it. A system
// of two coprime numbers may be without a table.
type system struct {
	numbers []int64
	least   []int64
}

func newSystem(numbers []int64) *system {
	s := &system{numbers: slices.Sorted(slices.Values(numbers))}
	m := s.numbers[0]
	s.least = slices.Repeat([]int64{never}, int(m))
	s.least[0] = 0
	for _, n := range s.numbers[1:] {
		for first := range gcd(n, m) {
			// Wherever a lap starts, two of them meet the least entry of the
			// circle and then all others.
			r := first
			for range 2 * m / gcd(n, m) {
				next := (r + n%m) % m
				if s.least[r] <= maxNumber-n {
					s.least[next] = min(s.least[next], s.least[r]+n)
				}
				r = next
			}
		}
	}
	return s
}

// residues returns those whose entry has numbers on both of its sides that may
// be asked for: more than 1, and at most maxNumber.
func (s *system) residues() []int64 {
	m := s.numbers[0]
	var list []int64
	for r, w := range s.least {
		if r > 0 && w >= m+2 && w <= maxNumber-m {
			list = append(list, int64(r))
		}
	}
	return list
}

// isSum says whether x is a sum. Two coprime numbers need no table.
func (s *system) isSum(x int64) bool {
	if s.least == nil {
		b := uint64(s.numbers[1])
		hi, lo := bits.Mul64(timesToFit(uint64(s.numbers[0]), b, uint64(x)), b)
		return hi == 0 && lo <= uint64(x)
	}
	return s.least[x%s.numbers[0]] <= x
}

// legal returns a number in lo..hi that is not a sum.
func (s *system) legal(g *kit.Gen, lo, hi int64) int64 {
	for range tries {
		if n := g.Rand.Between(lo, hi); !s.isSum(n) {
			return n
		}
	}
	g.Refuse("found no legal number from %d to %d after %v", lo, hi, s.numbers)
	return 0
}

// draw makes a system of --k numbers, of which --m is the smallest and the
// others go up to --max, together coprime.
func draw(g *kit.Gen) *system {
	k, m := g.IntOption("k", 4), g.IntOption("m", 30)
	most := g.IntOption("max", 4*m)
	factors := g.Option("factors", "any")
	fits := map[string]func(n int64) bool{
		"any":     func(int64) bool { return true },
		"shared":  func(n int64) bool { return gcd(n, m) > 1 },
		"coprime": func(n int64) bool { return gcd(n, m) == 1 },
	}[factors]
	if fits == nil {
		g.Refuse("--factors %s; there are any, shared, coprime", factors)
	}
	for range tries {
		numbers := []int64{m}
		all := m
		for range k - 1 {
			n := g.Rand.Between(m+1, most)
			for again := 0; !fits(n) || n%m == 0; again++ {
				if again == tries {
					g.Refuse("found no number up to %d that goes with %d", most, m)
				}
				n = g.Rand.Between(m+1, most)
			}
			numbers = append(numbers, n)
			all = gcd(all, n)
		}
		if all == 1 {
			return newSystem(numbers)
		}
	}
	g.Refuse("found no %d numbers up to %d that go with %d", k, most, m)
	return nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func power(base, exponent int64) int64 {
	p := int64(1)
	for range exponent {
		p *= base
	}
	return p
}

// timesToFit returns the least j with j b equal to x modulo a.
func timesToFit(a, b, x uint64) uint64 {
	// b^(-1) modulo a by the Euclidean algorithm, kept in 0..a-1.
	s, t := uint64(1), uint64(0)
	for r, q := b%a, a; q != 0; {
		hi, lo := bits.Mul64(r/q%a, t)
		s, t = t, (s+a-bits.Rem64(hi, lo, a))%a
		r, q = q, r%q
	}
	hi, lo := bits.Mul64(x%a, s)
	return bits.Rem64(hi, lo, a)
}
