package main

import (
	"errors"
	"math/bits"
	"slices"
)

// position is a set of announced numbers that grows. It says of any number up to
// 10^18 whether it is a sum of them, and what is left to be announced.
type position struct {
	numbers []int64 // as announced
	gens    []int64 // sorted; none is a multiple of another
	g       int64   // their greatest common divisor; 0 for none

	// least is the Apery table of the smallest number m: for each residue modulo m
	// the least sum that has it, or beyond. All numbers are divided by g first. It is
	// only made when a question needs it, and then it grows with the numbers.
	least []int64
	spare []int64 // memory for the next table

	pair twoNumbers // of the two smallest
}

const (
	largest = 1_000_000_000_000_000_000 // the largest number that may be asked for
	// beyond stands for every sum above it; three numbers of its size do not overflow.
	beyond = 2 * largest
	// tableMost bounds the entries of a table.
	tableMost = 1 << 25
	// searchMost bounds a search that is made where a table would be too large.
	searchMost = 1 << 26
)

// errTooLarge is for numbers that are too large for a table and too many for a search.
var errTooLarge = errors.New("the numbers are too large to tell")

// reset empties the position.
func (p *position) reset() {
	if p.least != nil {
		p.spare = p.least
	}
	*p = position{numbers: p.numbers[:0], gens: p.gens[:0], spare: p.spare}
}

// add announces a number, which is at least 1.
func (p *position) add(n int64) {
	p.numbers = append(p.numbers, n)
	if slices.ContainsFunc(p.gens, func(m int64) bool { return n%m == 0 }) {
		return
	}
	p.gens = slices.DeleteFunc(p.gens, func(m int64) bool { return m%n == 0 })
	at, _ := slices.BinarySearch(p.gens, n)
	p.gens = slices.Insert(p.gens, at, n)
	g := gcd(p.g, n)
	if p.least != nil {
		if g != p.g || at == 0 {
			p.spare, p.least = p.least, nil
		} else {
			p.fold(n / g)
		}
	}
	p.g, p.pair = g, twoNumbers{}
}

// legal says whether x may be announced without losing at once: it is neither 1 nor
// a sum of announced numbers, as 0 is.
func (p *position) legal(x int64) (bool, error) {
	if x <= 1 {
		return false, nil
	}
	is, err := p.isSum(x)
	return !is && err == nil, err
}

// isSum says whether x is a sum of the announced numbers. It takes the cheapest way
// that there is: the divisor, the closed form for two, a short search, the table.
func (p *position) isSum(x int64) (bool, error) {
	switch {
	case x == 0:
		return true, nil
	case len(p.gens) == 0 || x < p.gens[0] || x%p.g != 0:
		return false, nil
	case slices.ContainsFunc(p.gens, func(m int64) bool { return x%m == 0 }):
		return true, nil
	case len(p.gens) == 1:
		return false, nil
	}
	if p.least != nil {
		x /= p.g
		return p.least[x%int64(len(p.least))] <= x, nil
	}
	if p.pair.a == 0 {
		p.pair = newTwoNumbers(p.gens[0], p.gens[1])
	}
	m := p.gens[0] / p.g
	if steps := p.steps(x, searchMost); steps <= max(64, m/8) || m > tableMost {
		if steps > searchMost {
			return false, errTooLarge
		}
		return p.search(x, p.gens[2:]), nil
	}
	p.build()
	return p.isSum(x)
}

// steps is how many sums of the numbers but the two smallest there are up to x, or
// somewhat more.
func (p *position) steps(x, most int64) int64 {
	steps := int64(1)
	for _, n := range p.gens[2:] {
		if n > x {
			break
		}
		if k := x/n + 1; k > most/steps {
			return most + 1
		} else {
			steps *= k
		}
	}
	return steps
}

// search says whether x is a sum of the two smallest numbers and of others.
func (p *position) search(x int64, others []int64) bool {
	if len(others) == 0 || others[0] > x {
		return p.pair.isSum(x)
	}
	for ; x >= 0; x -= others[0] {
		if p.search(x, others[1:]) {
			return true
		}
	}
	return false
}

// build makes the table of all numbers.
func (p *position) build() {
	m := p.gens[0] / p.g
	if int64(cap(p.spare)) >= m {
		p.least = p.spare[:m]
	} else {
		p.least = make([]int64, m)
	}
	p.spare = nil
	for r := range p.least {
		p.least[r] = beyond
	}
	p.least[0] = 0
	for _, n := range p.gens[1:] {
		p.fold(n / p.g)
	}
}

// fold takes one more number into the table, by the round-robin method of Boecker
// and Liptak: adding n again and again leads from a residue round a circle, and
// there are gcd(n, m) circles. The least entry of a circle does not change, so that
// one lap from there sets the others.
func (p *position) fold(n int64) {
	m := int64(len(p.least))
	circles, step := gcd(n, m), n%m
	for first := range circles {
		r := first
		for q := (first + step) % m; q != first; {
			if p.least[q] < p.least[r] {
				r = q
			}
			if q += step; q >= m {
				q -= m
			}
		}
		for range m/circles - 1 {
			sum := min(p.least[r]+n, beyond)
			if r += step; r >= m {
				r -= m
			}
			p.least[r] = min(p.least[r], sum)
		}
	}
}

// infinite says that infinitely many numbers are left.
const infinite = -1

// left says how many numbers are left, 1 included, and which is the largest. It
// takes O(m) time, m being the smallest announced number. Counts end at 2^63-1.
func (p *position) left() (count, top int64, err error) {
	if p.g != 1 {
		return infinite, infinite, nil
	}
	if p.gens[0] == 1 {
		return 0, 0, nil
	}
	if len(p.gens) == 2 {
		a, b := p.gens[0], p.gens[1]
		hi, lo := bits.Mul64(uint64(a-1), uint64(b-1))
		if hi > 0 || lo > 1<<62 {
			return 1<<63 - 1, 1<<63 - 1, nil
		}
		return int64(lo / 2), int64(lo) - 1, nil
	}
	if err := p.needTable(); err != nil {
		return 0, 0, err
	}
	m := int64(len(p.least))
	for _, w := range p.least {
		if count += w / m; count < 0 || w >= beyond {
			return 1<<63 - 1, 1<<63 - 1, nil
		}
		top = max(top, w-m)
	}
	return count, top, nil
}

// countSteps is about how many steps left takes.
func (p *position) countSteps() int64 {
	switch m := p.gens[0] / p.g; {
	case len(p.gens) < 3:
		return 0
	case p.least != nil:
		return m
	default:
		return satTimes(m, int64(len(p.gens)))
	}
}

// satTimes multiplies numbers up to 10^18, and stops at beyond.
func satTimes(a, b int64) int64 {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo < beyond {
		return int64(lo)
	}
	return beyond
}

func (p *position) needTable() error {
	if p.least == nil {
		if p.gens[0]/p.g > tableMost {
			return errTooLarge
		}
		p.build()
	}
	return nil
}

// gaps lists the numbers that are left, 1 included, up to a bound, if they are
// finitely many and no more than most; false otherwise. It takes O(m) time and what
// the list takes.
func (p *position) gaps(list []int64, most int, bound int64) ([]int64, bool) {
	list = list[:0]
	if p.g != 1 || p.gens[0] == 1 {
		return list, p.g == 1
	}
	if n, _, err := p.left(); err != nil || n > int64(most) && bound > 16*int64(most) || p.needTable() != nil {
		return list, false
	}
	m := int64(len(p.least))
	var open []int64 // residues that have numbers left on this level
	for r, w := range p.least {
		if w > int64(r) {
			open = append(open, int64(r))
		}
	}
	for base := int64(0); len(open) > 0 && base <= bound; base += m {
		kept := open[:0]
		for _, r := range open {
			x := base + r
			if x > bound {
				break
			}
			if p.least[r] > x {
				if len(list) == most {
					return list, false
				}
				list, kept = append(list, x), append(kept, r)
			}
		}
		open = kept
	}
	return list, true
}

// twoNumbers tells sums of two numbers by the closed form.
type twoNumbers struct {
	g, a, b int64 // the numbers divided by their gcd g
	inverse int64 // of b modulo a
}

func newTwoNumbers(a, b int64) twoNumbers {
	g := gcd(a, b)
	a, b = a/g, b/g
	return twoNumbers{g, a, b, inverse(b%a, a)}
}

// isSum says whether x is i a + j b for some i, j >= 0. The smallest j that fits
// modulo a is x/b there, and any other that fits makes j b larger still.
func (t *twoNumbers) isSum(x int64) bool {
	if x%t.g != 0 {
		return false
	}
	x /= t.g
	hi, lo := bits.Mul64(uint64(x%t.a), uint64(t.inverse))
	j := bits.Rem64(hi, lo, uint64(t.a))
	hi, lo = bits.Mul64(j, uint64(t.b))
	return hi == 0 && lo <= uint64(x)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// inverse returns the number in 0..m-1 whose product with a is 1 modulo m. The
// numbers a and m are coprime.
func inverse(a, m int64) int64 {
	s, t := int64(1), int64(0) // r = s a and q = t a modulo m, all along
	for r, q := a, m; q != 0; {
		d := r / q
		r, q = q, r-d*q
		s, t = t, s-d*t
	}
	return (s%m + m) % m
}
