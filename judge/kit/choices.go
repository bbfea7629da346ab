package kit

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Each random decision of a generator is a choice, and a choice is a small number. The choice 0 is the plainest,
// such as the lower end of a range, or an element that keeps its position. In stream mode, the judge may request
// the choices of a seed, and replay other choices. Fewer and lower choices make a smaller case of the same kind.
// Such a request has one of these texts instead of a seed:
//
//	record 0123456789abcdef0123456789abcdef     the case of that seed, and its choices
//	replay 3 0 17                               the case of these choices; further choices are 0
//
// In the reply, a line such as "choices 3 0 17" with the used choices precedes the case.

// mostChoices is the maximum length of a sequence of choices.
const mostChoices = 1 << 18

// A tape records choices, or replays them.
type tape struct {
	replay bool     // choices are replayed, not drawn
	next   []uint64 // choices to replay
	chosen []uint64
}

// newTape parses the seed of a request, or the text that replaces it. It returns the tape and the seed for random
// numbers. For a plain seed, the tape is nil.
func newTape(seed string) (*tape, string, error) {
	verb, rest, _ := strings.Cut(seed, " ")
	switch verb {
	case "record":
		return &tape{}, rest, nil
	case "replay":
		t := &tape{replay: true}
		for _, word := range strings.Fields(rest) {
			c, err := strconv.ParseUint(word, 10, 64)
			if err != nil {
				return nil, "", fmt.Errorf("%.40q is not a choice", word)
			}
			t.next = append(t.next, c)
		}
		return t, Seed("", ""), nil
	}
	return nil, seed, nil
}

// line returns the line with the used choices.
func (t *tape) line() string {
	var b strings.Builder
	b.WriteString("choices")
	for _, c := range t.chosen {
		b.WriteByte(' ')
		b.WriteString(strconv.FormatUint(c, 10))
	}
	b.WriteByte('\n')
	return b.String()
}

// choose returns a choice from 0 to most. It calls draw to make the choice, unless t replays choices. After the
// last replayed choice, all choices are 0.
func (t *tape) choose(most uint64, draw func() uint64) uint64 {
	var c uint64
	if !t.replay {
		c = draw()
	} else if len(t.next) > 0 {
		c, t.next = min(t.next[0], most), t.next[1:]
	}
	if len(t.chosen) == mostChoices {
		panic(quit{Fail, fmt.Sprintf("the case needs more than %d choices", mostChoices)})
	}
	t.chosen = append(t.chosen, c)
	return c
}

// taped is a rand.Source whose numbers are choices. It serves functions that use a source directly.
type taped struct {
	source rand.Source
	tape   *tape
}

func (s taped) Uint64() uint64 {
	if s.tape.replay && len(s.tape.next) == 0 {
		s.tape.next = append(s.tape.next, s.source.Uint64()) // with only zeros, some loops would not end
	}
	return s.tape.choose(1<<64-1, s.source.Uint64)
}

// A Rand is the source of random numbers of a generator: PCG, seeded from the generator line.
type Rand struct {
	*rand.Rand
	plain *rand.Rand // draws from the same source without recording
	tape  *tape      // nil if the judge does not ask for the choices
}

func newRand(source rand.Source, t *tape) *Rand {
	if t == nil {
		return &Rand{Rand: rand.New(source)}
	}
	return &Rand{rand.New(taped{source, t}), rand.New(source), t}
}

// Between returns a number in lo..hi, each with the same probability.
func (r *Rand) Between(lo, hi int64) int64 {
	if lo > hi {
		panic(quit{Fail, fmt.Sprintf("Between(%d, %d): the range is empty", lo, hi)})
	}
	if r.tape == nil {
		return between(r.Rand, lo, hi)
	}
	c := r.tape.choose(uint64(hi)-uint64(lo), func() uint64 { return rankOf(between(r.plain, lo, hi), lo, hi) })
	return ranked(c, lo, hi)
}

func between(r *rand.Rand, lo, hi int64) int64 {
	span := uint64(hi) - uint64(lo) + 1
	if span == 0 { // the range is all of int64
		return int64(r.Uint64())
	}
	return int64(uint64(lo) + r.Uint64N(span))
}

// rankOf returns the rank of v among the values of a range. The plainest value has rank 0. The order starts at the
// lower end of the range, or is 0, 1, -1, 2, ... if the range has numbers on both sides of 0. The function ranked
// is the inverse of rankOf.
func rankOf(v, lo, hi int64) uint64 {
	if lo >= 0 || hi <= 0 {
		return uint64(v) - uint64(lo)
	}
	down, up := -uint64(lo), uint64(hi) // number of values on each side of 0
	both := min(down, up)
	switch {
	case v > 0 && uint64(v) <= both:
		return 2*uint64(v) - 1
	case v > 0:
		return both + uint64(v)
	case -uint64(v) <= both:
		return 2 * -uint64(v)
	}
	return both + -uint64(v)
}

func ranked(c uint64, lo, hi int64) int64 {
	if lo >= 0 || hi <= 0 {
		return int64(uint64(lo) + c)
	}
	down, up := -uint64(lo), uint64(hi)
	both := min(down, up)
	switch {
	case c > both && c-both > both && up > down:
		return int64(c - both)
	case c > both && c-both > both:
		return int64(both - c)
	case c%2 == 1:
		return int64(c/2 + 1)
	}
	return -int64(c / 2)
}

// Uint64N returns a number in 0..n-1. If n is 0, the case ends with Fail.
func (r *Rand) Uint64N(n uint64) uint64 {
	if r.tape == nil || n == 0 {
		return r.Rand.Uint64N(n)
	}
	return r.tape.choose(n-1, func() uint64 { return r.plain.Uint64N(n) })
}

// IntN returns a number in 0..n-1. If n is not above 0, the case ends with Fail.
func (r *Rand) IntN(n int) int { return int(r.Uint64N(natural(int64(n)))) }

// Int32N is like IntN for an int32.
func (r *Rand) Int32N(n int32) int32 { return int32(r.Uint64N(natural(int64(n)))) }

// Int64N is like IntN for an int64.
func (r *Rand) Int64N(n int64) int64 { return int64(r.Uint64N(natural(n))) }

// UintN is like Uint64N for a uint.
func (r *Rand) UintN(n uint) uint { return uint(r.Uint64N(uint64(n))) }

// Uint32N is like Uint64N for a uint32.
func (r *Rand) Uint32N(n uint32) uint32 { return uint32(r.Uint64N(uint64(n))) }

func natural(n int64) uint64 {
	if n <= 0 {
		panic(quit{Fail, fmt.Sprintf("a random number below %d: the range is empty", n)})
	}
	return uint64(n)
}

// Float64 returns a number from 0 to 1, excluding 1.
func (r *Rand) Float64() float64 {
	if r.tape == nil {
		return r.Rand.Float64()
	}
	const fine = 1 << 53
	return float64(r.tape.choose(fine-1, func() uint64 { return uint64(r.plain.Float64() * fine) })) / fine
}

// Shuffle puts n things into a random order. It calls swap for pairs of them.
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	if r.tape == nil {
		r.Rand.Shuffle(n, swap)
		return
	}
	for i := n - 1; i > 0; i-- {
		// The choice is the distance to swap over, so 0 keeps the element in its position.
		c := r.tape.choose(uint64(i), func() uint64 { return uint64(i) - r.plain.Uint64N(uint64(i)+1) })
		swap(i, i-int(c))
	}
}

// Perm returns the numbers 0..n-1 in a random order.
func (r *Rand) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Pick returns an element of the list, each with the same probability.
func Pick[T any](r *Rand, list []T) T { return list[r.IntN(len(list))] }
