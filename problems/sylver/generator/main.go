// Command generator makes the cases of sylver. Half of all programs that are
// wrong here are right on a random case, as there are only two answers; so most
// kinds put x where the answer changes, and the kind "witness" looks for a case
// that a certain mistake gets wrong. It does not say what the answer is.
//
//	announced 6 9 20 --x 43    these numbers in this order
//	entry --m 30 --side at     x at or below an entry of the Apery table of m
//	pair --a 9 --b 9 --side at the same for two numbers of so many digits
//	digits --base 3 --places 4 an entry that needs every number many times
//	chain --m 1000             entries that need about m rounds
//	tournament --later 5       two coprime six-digit numbers and later ones
//	witness greedy --m 30      a case that the named mistake gets wrong
//
// Every kind but "announced" takes --times (all numbers and x are multiplied),
// --off (added to x after that), --copies (so many numbers stand there twice),
// and mixes the numbers.
package main

import (
	"maps"
	"slices"
	"strings"

	"assay/judge/kit"
)

const maxNumber = 1e18

// kinds are the first words of generator lines.
var kinds = map[string]func(*kit.Gen){
	"announced":  announced,
	"chain":      chain,
	"digits":     digits,
	"entry":      entry,
	"pair":       pair,
	"tournament": tournament,
	"witness":    witness,
}

func main() {
	kit.Generate(func(g *kit.Gen) {
		draw, ok := kinds[g.Kind]
		if !ok {
			g.Refuse("no kind %q; there are %s", g.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
		}
		draw(g)
	})
}

// announced prints what the line says: announced N... --x X.
func announced(g *kit.Gen) {
	var numbers []int64
	for i := range g.Words(0) {
		numbers = append(numbers, g.Int64(i))
	}
	write(g, numbers, g.IntOption("x", 0))
}

// emit prints a case after the options that every kind has.
func emit(g *kit.Gen, numbers []int64, x int64) {
	times := g.IntOption("times", 1)
	numbers = slices.Clone(numbers)
	for i := range numbers {
		numbers[i] *= times
	}
	for range g.IntOption("copies", 0) {
		numbers = append(numbers, kit.Pick(g.Rand, numbers))
	}
	g.Rand.Shuffle(len(numbers), func(i, j int) {
		numbers[i], numbers[j] = numbers[j], numbers[i]
	})
	write(g, numbers, x*times+g.IntOption("off", 0))
}

func write(g *kit.Gen, numbers []int64, x int64) {
	g.Print(len(numbers))
	for _, n := range numbers {
		g.Print(" ", n)
	}
	g.Printf("\n%d\n", x)
}

// entry draws m and --k - 1 larger numbers up to --max, an entry w of their
// table, and puts x --side of it:
//
//	at     w itself: a sum, but only just
//	below  w - m: the largest number of its residue that is not a sum
//	over   w plus some multiples of m
//	under  w minus some multiples of m
//	any    any number from 2 to --top
//
// With --factors shared each larger number has a factor in common with m, with
// --factors coprime none has. With --which last, w is the largest entry.
func entry(g *kit.Gen) {
	s := draw(g)
	residues := s.residues()
	if len(residues) == 0 {
		g.Refuse("the table has no entry to put x at")
	}
	w := s.least[kit.Pick(g.Rand, residues)]
	if g.Option("which", "any") == "last" {
		for _, r := range residues {
			w = max(w, s.least[r])
		}
	}
	emit(g, s.numbers, beside(g, w, s.numbers[0], maxNumber))
}

// beside puts x at the entry w of the table of m, or beside it. X is at most
// most, and never 0 or 1.
func beside(g *kit.Gen, w, m, most int64) int64 {
	fewest := w % m
	if fewest <= 1 {
		fewest += m
	}
	switch side := g.Option("side", "at"); side {
	case "at":
		return w
	case "below":
		if w-m < fewest {
			g.Refuse("no number is below the entry %d", w)
		}
		return w - m
	case "over":
		return w + m*g.Rand.Between(1, min((most-w)/m, 2*w/m+1))
	case "under":
		return fewest + m*g.Rand.Between(0, (w-m-fewest)/m)
	case "any":
		return g.Rand.Between(2, g.IntOption("top", most))
	default:
		g.Refuse("--side %s; there are at, below, over, under, any", side)
	}
	return 0
}

// pair draws two coprime numbers of --a and --b digits, and puts x --side of an
// entry of the table of the smaller number, as in entry.
func pair(g *kit.Gen) {
	a, b := coprimePair(g)
	last := min(a-1, (maxNumber/g.IntOption("times", 1))/b)
	first := int64(1)
	if b < a+2 {
		first = min(2, last)
	}
	j := last
	if g.Option("which", "any") == "any" {
		j = g.Rand.Between(first, last)
	}
	most := maxNumber / g.IntOption("times", 1)
	for g.Option("side", "at") == "over" && j > 0 && j*b > most-a {
		j-- // above this entry there is no number left
	}
	emit(g, []int64{a, b}, beside(g, j*b, a, most))
}

func coprimePair(g *kit.Gen) (a, b int64) {
	for range tries {
		a, b = ofDigits(g, g.IntOption("a", 6)), ofDigits(g, g.IntOption("b", 6))
		if a, b = min(a, b), max(a, b); a > 1 && gcd(a, b) == 1 {
			return a, b
		}
	}
	g.Refuse("found no two coprime numbers")
	return 0, 0
}

func ofDigits(g *kit.Gen, digits int64) int64 {
	if digits < 1 || digits > 18 {
		g.Refuse("a number of %d digits; 1 to 18 are possible", digits)
	}
	low := power(10, digits-1)
	return g.Rand.Between(low, 10*low-1)
}

// digits makes numbers that act as the digits of a residue: number i counts
// base^i modulo m = base^places, and it is a little cheaper than base times
// number i-1. The entry of the largest residue takes each number base - 1 times
// and can be made in no other way.
func digits(g *kit.Gen) {
	base, places := g.IntOption("base", 2), g.IntOption("places", 5)
	m := power(base, places)
	numbers := []int64{m}
	var w int64
	cost := g.Rand.Between(places*base, 2*places*base)
	for i := range places {
		n := cost*m + power(base, i)
		numbers = append(numbers, n)
		w += (base - 1) * n
		cost = cost*base - g.Rand.Between(1, cost/2)
	}
	emit(g, numbers, beside(g, w, m, maxNumber))
}

// chain has m and m + step, whose entries take up to m - 1 rounds one after
// another, and a third number near the middle of them that shortens the chain.
// X is --side of the last entry. The step is coprime to m, so that no order of
// the residues is the chain's.
func chain(g *kit.Gen) {
	m := g.IntOption("m", 1000)
	step := g.Rand.Between(m/3, 2*m/3)
	for gcd(step, m) > 1 {
		step++
	}
	rounds := m/2 + g.Rand.Between(0, m/4)
	s := newSystem([]int64{m, m + step, rounds*(m+step) - m*g.Rand.Between(1, m/4)})
	w := slices.Max(s.least)
	emit(g, s.numbers, beside(g, w, m, maxNumber))
}

// tournament draws two coprime numbers of six digits, and --later legal numbers
// from --low to --high which are announced after them. X is --side of an entry.
func tournament(g *kit.Gen) {
	a, b := coprimePair(g)
	s := newSystem([]int64{a, b})
	for range g.IntOption("later", 0) {
		n := s.legal(g, g.IntOption("low", 100000), g.IntOption("high", 999999))
		s = newSystem(append(s.numbers, n))
	}
	w := s.least[kit.Pick(g.Rand, s.residues())]
	emit(g, s.numbers, beside(g, w, s.numbers[0], maxNumber))
}
