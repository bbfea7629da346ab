package shrink

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Choices makes a sequence of choices smaller. Of two sequences, the shorter one is smaller. If they have the same
// length, the one with the lower value at the first difference is smaller. Try evaluates a sequence. It returns
// the choices that were used, which may be fewer or more than offered, and whether the result is acceptable.
// Choices adopts the used choices if try accepts them and they are smaller than the smallest so far. It offers no
// sequence twice.
//
// The same sequence, evaluation budget and try give the same result. Choices returns the first error of try, or
// the error of ctx.
func Choices(
	ctx context.Context, choices []uint64, b Budget, try func(choices []uint64) (used []uint64, ok bool, err error),
) (*ChoicesResult, error) {
	s := &choiceSearch{ctx: ctx, try: try, budget: b, current: slices.Clone(choices), tried: map[string]bool{}}
	if b.Time > 0 {
		s.deadline = time.Now().Add(b.Time)
	}
	for before := -1; before != s.steps && !s.over(); {
		before = s.steps
		s.drop()
		s.flatten()
		s.lower()
		s.pairs()
	}
	return &ChoicesResult{s.current, s.evaluations, s.steps, !s.exhausted && s.err == nil}, s.err
}

// A ChoicesResult is the result of Choices.
type ChoicesResult struct {
	Choices     []uint64
	Evaluations int
	Steps       int
	Done        bool // no attempted change makes it smaller; if false, the budget is used up
}

// choiceSearch is the state of a run of Choices.
type choiceSearch struct {
	ctx      context.Context
	try      func([]uint64) ([]uint64, bool, error)
	budget   Budget
	deadline time.Time // zero means no deadline

	current     []uint64
	tried       map[string]bool
	evaluations int
	steps       int
	exhausted   bool
	err         error
}

func (s *choiceSearch) over() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.budget.Evaluations > 0 && s.evaluations >= s.budget.Evaluations || !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.exhausted = true
	}
	return s.exhausted || s.err != nil
}

// isSmaller reports whether sequence a is smaller than sequence b.
func isSmaller(a, b []uint64) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return slices.Compare(a, b) < 0
}

// offer evaluates a sequence, and adopts it if it is smaller and acceptable.
func (s *choiceSearch) offer(c []uint64) bool {
	if s.over() || !isSmaller(c, s.current) {
		return false
	}
	key := fmt.Sprint(c)
	if s.tried[key] {
		return false
	}
	s.tried[key] = true
	s.evaluations++
	used, ok, err := s.try(c)
	if err != nil {
		s.err = err
		return false
	}
	if !ok || !isSmaller(used, s.current) {
		return false
	}
	s.current = slices.Clone(used)
	s.steps++
	return true
}

// drop removes choices, in large pieces first, from the end to the start. It also tries to lower a choice just
// before the removed ones, because that choice may count them.
func (s *choiceSearch) drop() {
	const back = 3
	for size := max(len(s.current)/2, 1); size > 0; size /= 2 {
		for i := len(s.current) - size; i >= 0 && !s.over(); i-- {
			i = min(i, len(s.current)-size)
			if i < 0 {
				break
			}
			gone := slices.Delete(slices.Clone(s.current), i, i+size)
			if s.offer(gone) {
				continue
			}
			for k := max(i-back, 0); k < i; k++ {
				if gone[k] > 0 {
					less := slices.Clone(gone)
					less[k]--
					if s.offer(less) {
						break
					}
				}
			}
			if i >= size && size > 8 {
				i -= size/2 - 1 // large pieces start only at multiples of half their size
			}
		}
	}
	if len(s.current) > 0 { // the first choice may count choices anywhere after it
		for i := 0; i < len(s.current) && !s.over(); i++ {
			for s.current[i] > 0 && s.lowerAndDrop(i) {
				if i >= len(s.current) {
					return
				}
			}
		}
	}
}

// lowerAndDrop lowers choice i by one, and removes up to eight consecutive choices after it.
func (s *choiceSearch) lowerAndDrop(i int) bool {
	for size := 1; size <= 8; size++ {
		for _, at := range []int{i + 1, len(s.current) - size} {
			if at <= i || at+size > len(s.current) {
				continue
			}
			c := slices.Delete(slices.Clone(s.current), at, at+size)
			c[i]--
			if s.offer(c) {
				return true
			}
		}
	}
	return false
}

// flatten sets consecutive choices to 0.
func (s *choiceSearch) flatten() {
	for _, size := range []int{64, 16, 4, 2} {
		for i := 0; i+size <= len(s.current) && !s.over(); i += size {
			c := slices.Clone(s.current)
			clear(c[i : i+size])
			s.offer(c)
		}
	}
}

// lower lowers each choice as far as possible by bisection.
func (s *choiceSearch) lower() {
	for i := 0; i < len(s.current) && !s.over(); i++ {
		if s.replace(i, 0) || i >= len(s.current) {
			continue
		}
		for low := uint64(0); i < len(s.current) && s.current[i] > low+1 && !s.over(); { // low is not acceptable
			middle := low + (s.current[i]-low)/2
			if !s.replace(i, middle) {
				low = middle
			}
		}
		s.scan(i)
	}
}

// maxScanned is the number of lower values of a choice that are tried one by one.
const maxScanned = 128

// scan tries lower values of a choice one by one if bisection found none.
func (s *choiceSearch) scan(i int) {
	for again := true; again && i < len(s.current) && !s.over(); {
		again = false
		for less := uint64(1); less <= min(s.current[i], maxScanned) && !s.over(); less++ {
			if s.replace(i, s.current[i]-less) {
				again = true
				break
			}
		}
	}
}

// replace offers the sequence with choice i replaced by v.
func (s *choiceSearch) replace(i int, v uint64) bool {
	if s.current[i] <= v {
		return false
	}
	c := slices.Clone(s.current)
	c[i] = v
	return s.offer(c)
}

// pairs changes two nearby choices. It lowers both by the same amount, lowers one and raises the other, or swaps
// them.
func (s *choiceSearch) pairs() {
	const near = 4
	for i := 0; i < len(s.current); i++ {
		for k := i + 1; k < min(len(s.current), i+1+near) && !s.over(); k++ {
			for _, step := range []uint64{s.current[i], (s.current[i] + 1) / 2, 1} {
				if i >= len(s.current) || k >= len(s.current) || step == 0 || step > s.current[i] {
					continue
				}
				c := slices.Clone(s.current)
				if c[i] -= step; c[k] >= step {
					both := slices.Clone(c)
					both[k] -= step
					if s.offer(both) {
						continue
					}
				}
				if c[k]+step > c[k] {
					c[k] += step
					s.offer(c)
				}
			}
			if k < len(s.current) && s.current[i] > s.current[k] {
				c := slices.Clone(s.current)
				c[i], c[k] = c[k], c[i]
				s.offer(c)
			}
		}
	}
}
