package format

import "slices"

// A node is a part of an input that was read by the declaration. The kids of a block are the parts of its statements
// (nil if a statement is not in the input), of a line its items, of a repeat its rounds, which are blocks, and of a
// choice the chosen part.
type node struct {
	of    any
	kids  []*node
	alt   int   // of a choice
	n     int64 // of an integer
	lo    int64 // the bounds that it had when it was read
	hi    int64
	s     string   // of a word, a text, an option; a decimal number as written
	ints  []int64  // of an array of integers; of a graph, two or three for each edge
	words []string // of any other array, and the rows of a grid
}

// clone returns a deep copy of the part.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	c.ints, c.words = slices.Clone(n.ints), slices.Clone(n.words)
	c.kids = make([]*node, len(n.kids))
	for i, k := range n.kids {
		c.kids[i] = k.clone()
	}
	return &c
}

// walk calls visit for the part and all its descendants, in the order of the input.
func (n *node) walk(visit func(n *node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// find returns the parts for which want returns true, in the order of the input. In a copy of the tree, the parts have
// the same order.
func find(root *node, want func(n *node) bool) (all []*node) {
	root.walk(func(n *node) {
		if n.of != nil && want(n) {
			all = append(all, n)
		}
	})
	return all
}

// width returns how many numbers describe an edge of the graph.
func (g *graph) width() int {
	if g.weight != nil {
		return 3
	}
	return 2
}
