package format

import "slices"

// node is a part of an input, as the declaration sees it. Its kids are, for a block,
// the parts of its statements (nil if one prints nothing); for a line, its items;
// for a repeat, its rounds, which are blocks; for a choice, the one chosen part.
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

// clone copies the part with all parts in it.
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

// walk calls visit for the part and all parts in it, in the order of the input.
func (n *node) walk(visit func(n *node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, k := range n.kids {
		k.walk(visit)
	}
}

// find lists the parts that are wanted, in the order of the input. A part keeps its
// place in this list in a copy of the tree.
func find(root *node, want func(n *node) bool) (all []*node) {
	root.walk(func(n *node) {
		if n.of != nil && want(n) {
			all = append(all, n)
		}
	})
	return all
}

// width returns how many numbers an edge of the graph has.
func (g *graph) width() int {
	if g.weight != nil {
		return 3
	}
	return 2
}
