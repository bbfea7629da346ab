package format

import "slices"

// leaf is where a number stands: number i of part k of those that have some.
type leaf struct{ k, i int }

func hasNumbers(n *node) bool {
	switch f := n.of.(type) {
	case *field:
		return f.name.kind == integer
	case *array:
		return f.name.kind == integer
	case *graph:
		return f.weight != nil
	}
	return false
}

// numbers returns where the part's numbers are; of a graph, its weights.
func (n *node) numbers() (all []*int64) {
	switch f := n.of.(type) {
	case *field:
		return []*int64{&n.n}
	case *array:
		for i := range n.ints {
			all = append(all, &n.ints[i])
		}
	case *graph:
		for i := 2; i < len(n.ints); i += f.width() {
			all = append(all, &n.ints[i])
		}
	}
	return all
}

// leaves lists the places of all numbers.
func (r *reducer) leaves() (all []leaf) {
	for k, n := range find(r.root, hasNumbers) {
		for i := range n.numbers() {
			all = append(all, leaf{k, i})
		}
	}
	return all
}

// at is the number at a leaf of a tree, nil where it has none.
func (l leaf) at(root *node) *int64 {
	if all := find(root, hasNumbers); l.k < len(all) {
		if numbers := all[l.k].numbers(); l.i < len(numbers) {
			return numbers[l.i]
		}
	}
	return nil
}

// numbers lowers numbers: many at once as far as they go, then one by one.
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
		if k == maxLeaves || r.over() {
			return
		}
		r.lower(l)
	}
}

func (r *reducer) set(l leaf, v int64) bool {
	now := l.at(r.root)
	if now == nil || *now == v {
		return false
	}
	return r.offer("lower number", 0, 0, func(root *node) { *l.at(root) = v })
}

// lower brings one number nearer to 0.
func (r *reducer) lower(l leaf) {
	if now := l.at(r.root); now == nil || *now == 0 || *now < 0 && r.set(l, -*now) {
		return
	}
	for _, v := range []int64{0, 1, 2} {
		if r.set(l, v) {
			return
		}
	}
	now := *l.at(r.root)
	for step := now / 2; step != 0 && !r.over(); step /= 2 {
		for range 3 {
			at := l.at(r.root)
			if at == nil {
				return
			}
			if magnitude(*at) < magnitude(step) || !r.set(l, *at-step) {
				break
			}
		}
	}
}

// order puts arrays into order, and graphs into the plainest form that is the same
// graph.
func (r *reducer) order() {
	canOrder := func(n *node) bool {
		switch n.of.(type) {
		case *array, *graph:
			return true
		}
		return false
	}
	for k := range find(r.root, canOrder) {
		if all := find(r.root, canOrder); r.over() || k >= len(all) {
			return
		}
		r.offer("sort", 0, 0, func(root *node) {
			n := find(root, canOrder)[k]
			if g, ok := n.of.(*graph); ok {
				n.ints = g.tidy(n.ints)
				return
			}
			slices.Sort(n.ints)
			slices.Sort(n.words)
		})
	}
}

// tidy numbers the nodes in the order in which a search from the first one meets
// them, and sorts the edges.
func (g *graph) tidy(all []int64) []int64 {
	width := g.width()
	beside := map[int64][]int64{}
	var nodes []int64
	for i := 0; i < len(all); i += width {
		u, v := all[i], all[i+1]
		beside[u] = append(beside[u], v)
		beside[v] = append(beside[v], u)
		nodes = append(nodes, u, v)
	}
	slices.Sort(nodes)
	label := map[int64]int64{}
	var queue []int64
	meet := func(v int64) {
		if _, met := label[v]; !met {
			label[v] = g.base + int64(len(label))
			queue = append(queue, v)
		}
	}
	for _, v := range slices.Compact(nodes) {
		for meet(v); len(queue) > 0; {
			u := queue[0]
			queue = queue[1:]
			for _, w := range beside[u] {
				meet(w)
			}
		}
	}
	edges := make([][]int64, 0, len(all)/width)
	for i := 0; i < len(all); i += width {
		e := append([]int64{label[all[i]], label[all[i+1]]}, all[i+2:i+width]...)
		if !g.directed && e[0] > e[1] {
			e[0], e[1] = e[1], e[0]
		}
		edges = append(edges, e)
	}
	slices.SortFunc(edges, slices.Compare[[]int64])
	return slices.Concat(edges...)
}
