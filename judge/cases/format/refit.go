package format

import (
	"math"
	"slices"
	"strings"
)

// rebuildSource is a source that reproduces a changed tree as far as the declaration allows. If a count has changed, refit
// adapts the counted values to it.
type rebuildSource struct {
	e *env
	// If a count was lowered, the field was holds its old value, and the field from holds the index of the first
	// removed element.
	from, oldCount int64
}

// rewrite writes an input from a changed tree. It returns nil if there is no valid input.
func (g *Grammar) rewrite(root *node, from, oldCount int64) []byte {
	f := &rebuildSource{from: from, oldCount: oldCount}
	return g.writeBy(f, root, func(e *env) { f.e = e })
}

// writeBy writes an input whose values src decides. It returns nil if the input is not valid.
func (g *Grammar) writeBy(src source, root *node, tell func(*env)) []byte {
	w := &writer{g: g, e: newEnv(g), src: src, maxSize: math.MaxInt}
	tell(w.e)
	if err := w.block(g.body, root); err != nil {
		return nil
	}
	return w.out
}

func (f *rebuildSource) round(int64)   {}
func (f *rebuildSource) attempts() int { return 0 }

func (f *rebuildSource) choose(_, _ int, old *node) int {
	if old == nil {
		return 0
	}
	return old.alt
}

func (f *rebuildSource) origin(old, now, i int64) int64 {
	if now >= old {
		if i < old {
			return i
		}
		return -1
	}
	gone, start := old-now, now
	if f.oldCount > 0 {
		start = min(now, f.from*old/f.oldCount)
	}
	if i < start {
		return i
	}
	return i + gone
}

// closestToZero returns the number in lo..hi that is closest to 0.
func closestToZero(lo, hi int64) int64 { return min(max(0, lo), hi) }

func (f *rebuildSource) int(d *field, lo, hi int64, old *int64) (int64, error) {
	if lo > hi {
		return 0, unfitf("nothing is left for %s", d.name.text)
	}
	if old == nil {
		return closestToZero(lo, hi), nil
	}
	return min(max(*old, lo), hi), nil
}

func (f *rebuildSource) text(d *field, old *string) (string, error) {
	switch d.typ.kind {
	case enumType:
		if old == nil {
			return d.typ.options[0], nil
		}
		return *old, nil
	case floatType:
		return f.float(d, old)
	}
	lo, hi := max(d.typ.lo.int(f.e), 0), d.typ.hi.int(f.e)
	if lo > hi || lo > maxDeclaration && old == nil {
		return "", unfitf("nothing is left for %s", d.name.text)
	}
	s := ""
	if old != nil {
		s = *old
	}
	if n := int64(len(s)); n > hi {
		b := make([]byte, hi)
		for i := range b {
			b[i] = s[f.origin(n, hi, int64(i))]
		}
		s = string(b)
	}
	if n := int64(len(s)); n < lo {
		s += strings.Repeat(string(d.typ.simplestLetter()), int(lo-n))
	}
	return s, nil
}

// simplestLetter returns the simplest letter of the type, such as a.
func (t *typ) simplestLetter() byte {
	for _, c := range []byte("0aA.") {
		if t.letters[c] {
			return c
		}
	}
	return t.alphabet[0]
}

func (f *rebuildSource) float(d *field, old *string) (string, error) {
	lo, hi := d.typ.lo.float(f.e), d.typ.hi.float(f.e)
	if old != nil {
		v := decimalRat(0)
		if _, ok := v.SetString(*old); ok && v.Cmp(decimalRat(lo)) >= 0 && v.Cmp(decimalRat(hi)) <= 0 {
			return *old, nil
		}
	}
	for places := d.typ.decimals[0]; places <= d.typ.decimals[1]; places++ {
		scale := math.Pow10(places)
		if from, to := math.Ceil(lo*scale), math.Floor(hi*scale); from <= to && math.Abs(from) < 1e18 && math.Abs(to) < 1e18 {
			return decimalText(closestToZero(int64(from), int64(to)), places), nil
		}
	}
	return "", unfitf("nothing is left for %s", d.name.text)
}

func (f *rebuildSource) arrayValues(a *array, n int64, old *node) (ints []int64, texts []string, err error) {
	if a.name.kind != integer {
		for i := range n {
			var was *string
			if old != nil {
				if j := f.origin(int64(len(old.words)), n, i); j >= 0 {
					was = &old.words[j]
				}
			}
			s, err := f.text(&a.field, was)
			if err != nil {
				return nil, nil, err
			}
			texts = append(texts, s)
		}
		return nil, arrangeIfNeeded(a, texts), nil
	}
	lo, hi := a.typ.lo.int(f.e), a.typ.hi.int(f.e)
	for i := range n {
		v := add(lo, i)
		if old != nil {
			if j := f.origin(int64(len(old.ints)), n, i); j >= 0 {
				v = old.ints[j]
			}
		}
		ints = append(ints, v)
	}
	if a.typ.kind == permutationType && hi-lo == n-1 {
		rankValues(ints, lo)
	}
	for i := range ints {
		ints[i] = min(max(ints[i], lo), hi)
	}
	return arrangeIfNeeded(a, ints), nil, nil
}

// arrangeIfNeeded sorts values that are not in the array's declared order.
func arrangeIfNeeded[T int64 | string](a *array, values []T) []T {
	if a.order == anyOrder {
		return values
	}
	return arrange(a, values)
}

// rankValues replaces numbers with lo, lo+1, and so on, and keeps their relative order.
func rankValues(values []int64, lo int64) {
	byValue := make([]int, len(values))
	for i := range byValue {
		byValue[i] = i
	}
	slices.SortStableFunc(byValue, func(a, b int) int { return compareOrdered(values[a], values[b]) })
	for k, i := range byValue {
		values[i] = lo + int64(k)
	}
}

func (f *rebuildSource) edges(g *graph, nodes, edges int64, old *node) ([]int64, error) {
	if old == nil {
		old = &node{}
	}
	was := int64(len(old.ints) / g.width())
	var all []int64
	if removed := g.surplusNodes(old.ints, nodes); removed > 0 && f.oldCount > 0 {
		all = g.removeNodes(old.ints, f.from, f.from+removed, true)
	} else {
		for i := range min(edges, was) {
			j := f.origin(was, edges, i) * int64(g.width())
			all = append(all, old.ints[j:j+int64(g.width())]...)
		}
	}
	if g.tree && len(all) == 0 {
		for i := int64(1); i < nodes; i++ {
			all = append(all, i-1+g.base, i+g.base)
			if g.weight != nil {
				all = append(all, closestToZero(g.weight.typ.lo.int(f.e), g.weight.typ.hi.int(f.e)))
			}
		}
	}
	if int64(len(all)/g.width()) != edges {
		return nil, unfitf("the edges do not fit")
	}
	for i, v := range all {
		if i%g.width() < 2 && (v < g.base || v >= g.base+nodes) {
			return nil, unfitf("the edges do not fit")
		}
	}
	if g.violation(nodes, all) != "" {
		return nil, unfitf("the edges do not fit")
	}
	return all, nil
}

// surplusNodes returns how many nodes must be removed from a tree that should have the given number of nodes. For other
// graphs it returns zero, because their number of nodes does not depend on the number of edges.
func (g *graph) surplusNodes(all []int64, nodes int64) int64 {
	if !g.tree {
		return 0
	}
	return max(int64(len(all)/g.width())+1-nodes, 0)
}

// removeNodes removes the nodes from..to, counted from 0, and their edges. If join is set, a neighbor gets the edges.
func (g *graph) removeNodes(edges []int64, from, to int64, join bool) []int64 {
	width := g.width()
	inside := func(v int64) bool { return from <= v-g.base && v-g.base < to }
	root := map[int64]int64{}
	var find func(v int64) int64
	find = func(v int64) int64 {
		if r, ok := root[v]; ok {
			r = find(r)
			root[v] = r
			return r
		}
		return v
	}
	if join {
		for i := 0; i < len(edges); i += width {
			u, v := find(edges[i]), find(edges[i+1])
			switch {
			case u == v:
			case inside(u):
				root[u] = v
			case inside(v):
				root[v] = u
			}
		}
	}
	var left []int64
	seen := map[[2]int64]bool{}
	for i := 0; i < len(edges); i += width {
		u, v := find(edges[i]), find(edges[i+1])
		if inside(u) || inside(v) || join && u == v {
			continue
		}
		key := [2]int64{u, v}
		if !g.directed && u > v {
			key = [2]int64{v, u}
		}
		if g.simple && seen[key] {
			continue
		}
		seen[key] = true
		for _, w := range []int64{u, v} {
			if w-g.base >= to {
				w -= to - from
			}
			left = append(left, w)
		}
		left = append(left, edges[i+2:i+width]...)
	}
	return left
}
