package format

import (
	"math"
	"slices"
)

// An input can be told as a sequence of choices: how far each number is from the
// plainest one, which alternative is taken, which letter stands there. Any sequence
// tells some input: choices that are missing are 0, and those that are too large
// are taken as far as they go. So a sequence may be shortened and lowered without a
// thought for what it means, and what comes out is still an input.

// recorder keeps to an input and notes the choices.
type recorder struct {
	refit
	choices []uint64
}

func (c *recorder) note(choice uint64) { c.choices = append(c.choices, choice) }

// distance numbers the integers of lo..hi from the plainest one on: first it, then
// those beside it in turn.
func distance(v, lo, hi int64) uint64 {
	base := plainest(lo, hi)
	up, down := uint64(hi)-uint64(base), uint64(base)-uint64(lo)
	both := min(up, down)
	switch far := uint64(v) - uint64(base); {
	case v >= base && far <= both:
		return 2*far - min(far, 1)
	case v >= base:
		return both + far
	default:
		if far = uint64(base) - uint64(v); far <= both {
			return 2 * far
		}
		return both + far
	}
}

// at is the integer that has the number; the farthest where there is none.
func at(choice uint64, lo, hi int64) int64 {
	base := plainest(lo, hi)
	up, down := uint64(hi)-uint64(base), uint64(base)-uint64(lo)
	both := min(up, down)
	if choice <= 2*min(both, math.MaxUint64/2) {
		if choice%2 == 1 {
			return base + int64((choice+1)/2)
		}
		return base - int64(choice/2)
	}
	far := choice - both
	if up > down {
		return int64(uint64(base) + min(far, up))
	}
	return int64(uint64(base) - min(far, down))
}

func (c *recorder) choose(at, n int, old *node) int {
	k := c.refit.choose(at, n, old)
	c.note(uint64(k))
	return k
}

func (c *recorder) int(f *field, lo, hi int64, old *int64) (int64, error) {
	v, err := c.refit.int(f, lo, hi, old)
	if err == nil {
		c.note(distance(v, lo, hi))
	}
	return v, err
}

func (c *recorder) text(f *field, old *string) (string, error) {
	s, err := c.refit.text(f, old)
	if err != nil {
		return s, err
	}
	switch f.typ.kind {
	case enumType:
		c.note(uint64(slices.Index(f.typ.options, s)))
	case wordType, textType:
		c.note(distance(int64(len(s)), max(f.typ.lo.int(c.e), 0), f.typ.hi.int(c.e)))
		for i := range len(s) {
			c.note(uint64(slices.Index(f.typ.alphabet, s[i])))
		}
	}
	return s, nil // a decimal number is not among the choices: it is the plainest one
}

func (c *recorder) whole(a *array, n int64, old *node) ([]int64, []string, error) {
	ints, texts, err := c.refit.whole(a, n, old)
	lo, hi := int64(0), int64(0)
	if a.name.kind == integer {
		lo, hi = a.typ.lo.int(c.e), a.typ.hi.int(c.e)
	}
	for _, v := range ints {
		c.note(distance(v, lo, hi))
	}
	return ints, texts, err
}

func (c *recorder) edges(g *graph, nodes, edges int64, old *node) ([]int64, error) {
	all, err := c.refit.edges(g, nodes, edges, old)
	for i, v := range all {
		switch {
		case i%g.width() == 2:
			c.note(distance(v, g.weight.typ.lo.int(c.e), g.weight.typ.hi.int(c.e)))
		case g.tree && i%g.width() == 1: // node i of a tree is told by the one before it
		default:
			c.note(distance(v, g.base, g.base+nodes-1))
		}
	}
	return all, err
}

// teller takes its decisions from a sequence of choices.
type teller struct {
	refit
	choices []uint64
}

func (t *teller) next() uint64 {
	if len(t.choices) == 0 {
		return 0
	}
	c := t.choices[0]
	t.choices = t.choices[1:]
	return c
}

func (t *teller) choose(_, n int, _ *node) int { return int(min(t.next(), uint64(n-1))) }

func (t *teller) int(f *field, lo, hi int64, _ *int64) (int64, error) {
	if lo > hi {
		return 0, misfit("nothing is left for %s", f.name.text)
	}
	return at(t.next(), lo, hi), nil
}

func (t *teller) text(f *field, _ *string) (string, error) {
	switch f.typ.kind {
	case enumType:
		return f.typ.options[min(t.next(), uint64(len(f.typ.options)-1))], nil
	case floatType:
		return t.refit.text(f, nil)
	}
	lo, hi := max(f.typ.lo.int(t.e), 0), f.typ.hi.int(t.e)
	if lo > hi || lo > maxDeclaration {
		return "", misfit("nothing is left for %s", f.name.text)
	}
	n := at(t.next(), lo, min(hi, max(lo, int64(len(t.choices)))))
	b := make([]byte, n)
	for i := range b {
		b[i] = f.typ.alphabet[min(t.next(), uint64(len(f.typ.alphabet)-1))]
	}
	return string(b), nil
}

func (t *teller) whole(a *array, n int64, _ *node) ([]int64, []string, error) {
	if a.name.kind != integer {
		return t.refit.whole(a, n, nil)
	}
	lo, hi := a.typ.lo.int(t.e), a.typ.hi.int(t.e)
	if n > maxLeaves || lo > hi {
		return nil, nil, misfit("too many for a sequence of choices")
	}
	var all []int64
	for range n {
		v := at(t.next(), lo, hi)
		if a.distinct || a.typ.kind == permutationType {
			for v < hi && slices.Contains(all, v) {
				v++
			}
			for v > lo && slices.Contains(all, v) {
				v--
			}
		}
		all = append(all, v)
	}
	return arrangeIf(a, all), nil, nil
}

func (t *teller) edges(g *graph, nodes, edges int64, _ *node) ([]int64, error) {
	if nodes < 1 && edges > 0 || edges > maxLeaves {
		return nil, misfit("too many for a sequence of choices")
	}
	var all []int64
	for i := range edges {
		if g.tree {
			all = append(all, g.base+int64(min(t.next(), uint64(i))), g.base+i+1)
		} else {
			all = append(all, at(t.next(), g.base, g.base+nodes-1), at(t.next(), g.base, g.base+nodes-1))
		}
		if g.weight != nil {
			all = append(all, at(t.next(), g.weight.typ.lo.int(t.e), g.weight.typ.hi.int(t.e)))
		}
	}
	if g.flaw(nodes, all) != "" {
		return nil, misfit("the edges do not fit")
	}
	return all, nil
}

// sequence shortens and lowers the sequence of choices, until it takes a step. It
// says whether it did.
func (r *reducer) sequence() bool {
	c := &recorder{}
	if out := r.g.writeBy(c, r.root, func(e *env) { c.e = e }); out == nil || len(c.choices) > maxLeaves {
		return false
	}
	offer := func(pass string, change func(all []uint64) []uint64) bool {
		t := &teller{choices: change(slices.Clone(c.choices))}
		return r.offerText(pass, r.g.writeBy(t, nil, func(e *env) { t.e = e }))
	}
	for _, size := range []int{16, 8, 4, 3, 2, 1} {
		for i := len(c.choices) - size; i >= 0 && !r.over(); i-- {
			gone := func(all []uint64) []uint64 { return slices.Delete(all, i, i+size) }
			if offer("delete choices", gone) {
				return true
			}
			for back := 1; back <= 3 && back <= i; back++ { // with one of what counts them
				lower := func(all []uint64) []uint64 {
					all[i-back] -= min(all[i-back], 1)
					return gone(all)
				}
				if c.choices[i-back] > 0 && offer("delete choices", lower) {
					return true
				}
			}
		}
	}
	for i := range c.choices {
		for _, v := range []uint64{0, c.choices[i] / 2, c.choices[i] - min(c.choices[i], 1)} {
			if v < c.choices[i] && offer("lower a choice", func(all []uint64) []uint64 { all[i] = v; return all }) {
				return true
			}
		}
	}
	return r.pairs(c.choices, offer)
}

// pairs lowers two choices that stand near each other: together, or one at the cost
// of the other.
func (r *reducer) pairs(choices []uint64, offer func(string, func([]uint64) []uint64) bool) bool {
	const near = 4
	for i := range choices {
		for k := i + 1; k < min(len(choices), i+1+near) && !r.over(); k++ {
			if choices[i] == 0 {
				break
			}
			for _, step := range slices.Compact([]uint64{choices[i], (choices[i] + 1) / 2, 1}) {
				if choices[k] >= step && offer("lower two choices", func(all []uint64) []uint64 { all[i] -= step; all[k] -= step; return all }) {
					return true
				}
				if choices[k]+step > choices[k] && offer("lower a choice at the cost of another", func(all []uint64) []uint64 { all[i] -= step; all[k] += step; return all }) {
					return true
				}
			}
			if choices[i] > choices[k] && offer("swap two choices", func(all []uint64) []uint64 { all[i], all[k] = all[k], all[i]; return all }) {
				return true
			}
		}
	}
	return false
}
