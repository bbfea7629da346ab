package format

import "slices"

// The shapes of drawn trees. A drawn graph is a tree with more edges.
const (
	randomTree = iota
	pathTree
	starTree
	binaryTree
	broomTree // a path with leaves at one end
	deepTree  // near a path
	caterpillarTree
	treeShapes
)

// parent chooses the parent of node i > 0 among the earlier nodes. N is the total number of nodes.
func (d *drawer) parent(shape int, i, n int64) int64 {
	switch shape {
	case pathTree:
		return i - 1
	case starTree:
		return 0
	case binaryTree:
		return (i - 1) / 2
	case broomTree:
		return min(i-1, n/2)
	case deepTree:
		return d.between(max(0, i-3), i-1)
	case caterpillarTree:
		if i%2 == 0 {
			return i - 2
		}
		return i - 1
	}
	return d.between(0, i-1)
}

// edges implements source. It draws the edges of a graph.
func (d *drawer) edges(g *graph, nodes, edges int64, _ *node) ([]int64, error) {
	h := d.strategyOf(&g.field, false)
	if g.connected && edges < nodes-1 || g.simple && edges > g.maxEdges(nodes) ||
		nodes == 0 && edges > 0 || nodes == 1 && edges > 0 && g.acyclic {
		return nil, unfitf("no such graph has %d nodes and %d edges", nodes, edges)
	}
	var pairs [][2]int64
	shape := d.shape(h)
	if g.connected {
		for i := int64(1); i < nodes; i++ {
			pairs = append(pairs, [2]int64{d.parent(shape, i, nodes), i})
		}
	}
	pairs = d.addEdges(g, h, pairs, nodes, edges)
	labels := make([]int64, nodes)
	for i := range labels {
		labels[i] = int64(i)
	}
	tidy := h.mode == lowestMode || h.mode == sortedMode
	if !tidy {
		d.shuffle(labels)
		d.r.Shuffle(len(pairs), func(i, k int) { pairs[i], pairs[k] = pairs[k], pairs[i] })
	}
	all := make([]int64, 0, len(pairs)*g.width())
	for i, p := range pairs {
		u, v := labels[p[0]], labels[p[1]]
		if !tidy && !g.directed && d.r.IntN(2) == 0 || h.mode == reversedMode && !g.directed {
			u, v = v, u
		}
		all = append(all, u+g.base, v+g.base)
		if g.weight != nil {
			d.remaining = int64(len(pairs) - 1 - i)
			w, err := d.int(g.weight, g.weight.typ.lo.int(d.e), g.weight.typ.hi.int(d.e), nil)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
		}
	}
	return all, nil
}

// shape chooses the shape of a tree.
func (d *drawer) shape(h *strategy) int {
	switch h.mode {
	case lowestMode, sortedMode, constantMode:
		return pathTree
	case highestMode:
		return starTree
	}
	return d.r.IntN(treeShapes)
}

// addEdges adds edges until there are enough. In an acyclic graph, each edge leads from the smaller node to the larger
// one.
func (d *drawer) addEdges(g *graph, h *strategy, pairs [][2]int64, nodes, edges int64) [][2]int64 {
	missing := edges - int64(len(pairs))
	if missing <= 0 {
		return pairs
	}
	if g.simple && g.maxEdges(nodes) <= 4*edges+16 { // addDenseEdges: choose among all free edges
		return d.addDenseEdges(g, pairs, nodes, missing)
	}
	seen := map[[2]int64]bool{}
	for _, p := range pairs {
		seen[p] = true
	}
	local := h.mode == nearMode || h.mode == smallMode
	for missing > 0 {
		u, v := d.between(0, nodes-1), d.between(0, nodes-1)
		if local {
			v = min(nodes-1, u+d.between(0, 4))
		}
		if g.acyclic || !g.directed {
			u, v = min(u, v), max(u, v)
		}
		p := [2]int64{u, v}
		if (g.simple || g.acyclic) && u == v || g.simple && seen[p] {
			local = local && d.r.IntN(8) > 0
			continue
		}
		seen[p] = true
		pairs = append(pairs, p)
		missing--
	}
	return pairs
}

func (d *drawer) addDenseEdges(g *graph, pairs [][2]int64, nodes, missing int64) [][2]int64 {
	var free [][2]int64
	taken := map[[2]int64]bool{}
	for _, p := range pairs {
		taken[p] = true
	}
	for u := range nodes {
		for v := range nodes {
			if p := [2]int64{u, v}; u != v && (u < v || g.directed && !g.acyclic) && !taken[p] {
				free = append(free, p)
			}
		}
	}
	d.r.Shuffle(len(free), func(i, k int) { free[i], free[k] = free[k], free[i] })
	return append(pairs, slices.Clone(free[:missing])...)
}
