package main

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"assay/judge/kit/referee"
)

func times(a, b, m int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(bits.Rem64(hi, lo, uint64(m)))
}

func power(a, e, m int64) int64 {
	r := int64(1)
	for a %= m; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = times(r, a, m)
		}
		a = times(a, a, m)
	}
	return r
}

const (
	solveMost  = 80      // numbers left for which a position is solved
	solveSteps = 30_000  // positions that are looked at for one, at most: a quarter of a second
	gameSteps  = 100_000 // and for all positions of a game
	wide       = 192     // numbers below this fit a set; 80 gaps end below 160
)

// sumSet is a set of numbers below wide: those that are sums of announced ones.
type sumSet [wide / 64]uint64

func (s *sumSet) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

// shifted is the set with n added to each number.
func (s *sumSet) shifted(n int) (t sumSet) {
	words, rest := n/64, n%64
	for i := len(s) - 1; i >= words; i-- {
		t[i] = s[i-words] << rest
		if rest > 0 && i > words {
			t[i] |= s[i-words-1] >> (64 - rest)
		}
	}
	return t
}

// with is the set after x is announced too.
func (s *sumSet) with(x int) sumSet {
	t := *s
	for ; x < wide; x *= 2 {
		more := t.shifted(x)
		for i := range t {
			t[i] |= more[i]
		}
	}
	return t
}

// last is the largest number that is not a sum, -1 for none.
func (s *sumSet) last() int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != ^uint64(0) {
			return i*64 + 63 - bits.LeadingZeros64(^s[i])
		}
	}
	return -1
}

// solver tells won positions from lost ones, exactly.
type solver struct {
	known map[sumSet]bool
	steps int // of this position
	spent int // of all
}

// won says whether who moves can win. Ok is false where it took too long.
//
// If every number but 1 and the largest one, f, would take f away, then the
// position is won: announcing f wins, or some answer to it does, which would have
// won at once, as it takes f away by itself.
func (v *solver) won(s sumSet) (won, ok bool) {
	f := s.last()
	if f <= 1 {
		return false, true // nothing but 1 is left
	}
	if is, seen := v.known[s]; seen {
		return is, true
	}
	if v.steps++; v.steps > solveSteps || v.spent+v.steps > gameSteps {
		return false, false
	}
	next := make([]sumSet, 0, solveMost)
	ender := true
	for x := f; x >= 2; x-- {
		if !s.has(x) {
			after := s.with(x)
			ender = ender && (x == f || after.has(f))
			next = append(next, after)
		}
	}
	if ender {
		v.known[s] = true
		return true, true
	}
	slices.SortFunc(next, func(a, b sumSet) int { return b.size() - a.size() }) // few left first
	for _, after := range next {
		if wins, ok := v.won(after); !ok {
			return false, false
		} else if !wins {
			v.known[s] = true
			return true, true
		}
	}
	v.known[s] = false
	return false, true
}

func (s *sumSet) size() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// solve finds all numbers that win, of the numbers that are left.
func (v *solver) solve(left []int64) (winning []int64, ok bool) {
	if len(left) > solveMost || len(left) > 0 && left[len(left)-1] >= wide {
		return nil, false
	}
	var s sumSet
	for i := range s {
		s[i] = ^uint64(0)
	}
	for _, n := range left {
		s[n/64] &^= 1 << (n % 64)
	}
	if v.known == nil || len(v.known) > 1<<20 {
		v.known = map[sumSet]bool{}
	}
	v.spent, v.steps = v.spent+v.steps, 0
	for _, n := range left {
		if n == 1 {
			continue
		}
		switch won, ok := v.won(s.with(int(n))); {
		case !ok:
			return nil, false
		case !won:
			winning = append(winning, n)
		}
	}
	return winning, true
}

// look says of each position of a game what is left, and, where that is little,
// whether it is won. It goes from the last position to the first, as each knows
// something for the one before, and solves none any more after one that takes too
// long.
func (g *game) look(e *referee.Event, played *referee.Played) []referee.Position {
	const show = 2000
	all := make([]referee.Position, len(played.Moves)+1)
	lists := make([][]int64, len(all))
	var p position
	for i := range all {
		text := played.Start
		if i > 0 {
			text = played.Moves[i-1]
		}
		for word := range strings.FieldsSeq(text) {
			if n, err := strconv.ParseInt(word, 10, 64); err == nil && n > 0 {
				p.add(n)
			}
		}
		at := &all[i]
		at.Count = infinite
		if p.g != 1 || p.countSteps() > lookMost/int64(len(all)) {
			continue
		}
		if n, _, err := p.left(); err == nil {
			at.Count = n
		}
		if list, ok := p.gaps(nil, show, largest); ok {
			at.Options, lists[i] = words(list), list
		}
	}
	var v solver // from the end: what is solved there is known before
	for i, solves := len(all)-1, true; i >= 0 && solves; i-- {
		if len(lists[i]) == 0 {
			continue
		}
		var winning []int64
		if winning, solves = v.solve(lists[i]); solves {
			all[i].Best, all[i].Exact = words(winning), "lost"
			if len(winning) > 0 {
				all[i].Exact = "won"
			}
		}
	}
	return all
}

// lookMost bounds the steps that it takes to count what is left in a game, all
// positions together: where one would take more than its share it is not counted.
const lookMost = 1 << 31

func words(list []int64) []string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = strconv.FormatInt(n, 10)
	}
	return text
}
