package format

import "slices"

// A node is a part of an input, as read according to the declaration. The kids of a block are the parts of its
// statements, or nil for statements absent from the input. The kids of a line are its items. The kids of a repeat
// are its rounds, which are blocks. A choice has the chosen part as its kid.
type node struct {
	decl  any
	kids  []*node
	alt   int   // decl a choice
	n     int64 // value of an integer
	lo    int64 // lower bound when the integer was read
	hi    int64
	s     string   // value of a word, text or option; a decimal as written
	ints  []int64  // values of an integer array; for a graph, two or three per edge
	words []string // values of any other array; rows of a grid
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

// walk calls visit for the part and all its descendants, in input order.
func (n *node) walk(visit func(n *node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// find returns the parts for which want returns true, in input order. In a copy of the tree, the parts have the
// same order.
func find(root *node, want func(n *node) bool) (all []*node) {
	root.walk(func(n *node) {
		if n.decl != nil && want(n) {
			all = append(all, n)
		}
	})
	return all
}

// width returns the number of integers that describe an edge of the graph.
func (g *graph) width() int {
	if g.weight != nil {
		return 3
	}
	return 2
}
