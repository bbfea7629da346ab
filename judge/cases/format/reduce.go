package format

import (
	"slices"
)

// Propose calls try with inputs that are smaller than text. They have lower counts, other alternatives, shorter
// words, or lower numbers. If try returns true, further inputs are derived from that input. Propose stops when
// isOver returns true.
//
// It returns false if text does not match the declaration.
func (g *Grammar) Propose(text []byte, try func(pass string, text []byte) bool, isOver func() bool) bool {
	r := &reducer{g: g, try: try}
	r.isOver = func() bool { return r.idle > idleRuns+idleRunsPerByte*len(r.text) || isOver() }
	if !r.read(text) {
		return false
	}
	for again := true; again && !r.isOver(); {
		before := r.taken
		r.counts()
		r.rounds()
		r.nodes()
		r.alternatives()
		r.lengths()
		r.numbers()
		if again = r.taken > before; !again {
			r.lowerAndSwap()
			again = r.taken > before
		}
	}
	return true
}

// A reducer holds the smallest input found so far.
type reducer struct {
	g      *Grammar
	root   *node
	text   []byte
	try    func(pass string, text []byte) bool
	isOver func() bool
	taken  int
	idle   int // number of offers since the text last became shorter
}

// The reducer stops when this many consecutive offers have not made the text shorter. Lowering numbers without
// making them shorter is not worth more runs.
const (
	idleRuns        = 200
	idleRunsPerByte = 4
)

func (r *reducer) read(text []byte) bool {
	read := r.g.read(text, true)
	if read.ok {
		r.root, r.text = read.root, text
	}
	return read.ok
}

// offer changes a copy of the tree, and offers the resulting input.
func (r *reducer) offer(pass string, from, oldCount int64, change func(root *node)) bool {
	if r.isOver() {
		return false
	}
	root := r.root.clone()
	change(root)
	return r.offerText(pass, r.g.rewrite(root, from, oldCount))
}

func (r *reducer) offerText(pass string, text []byte) bool {
	if text == nil || r.isOver() || len(text) > len(r.text) || r.g.Check(text) != nil {
		return false
	}
	r.idle++
	if !r.try(pass, text) {
		return false
	}
	if r.taken++; len(text) < len(r.text) {
		r.idle = 0
	}
	return r.read(text)
}

func isCount(n *node) bool {
	f, ok := n.decl.(*field)
	return ok && f.name.counts && f.name.kind == integer
}

// counts removes counted elements, in large pieces first.
func (r *reducer) counts() {
	for k := 0; k < len(find(r.root, isCount)) && !r.isOver(); k++ {
		n := find(r.root, isCount)[k].n
		name := find(r.root, isCount)[k].decl.(*field).name.text
		r.pieces(n, func(from, to int64) int64 {
			taken := r.offer("fewer "+name, from, n, func(root *node) { find(root, isCount)[k].n = n - (to - from) })
			if all := find(r.root, isCount); taken && k < len(all) {
				n = all[k].n
			} else if taken {
				n = 0
			} else {
				return -1
			}
			return n
		})
	}
}

// rounds removes rounds of blocks that have no count.
func (r *reducer) rounds() {
	isOpen := func(n *node) bool { s, ok := n.decl.(*repeat); return ok && s.rounds != nil }
	for k := 0; k < len(find(r.root, isOpen)) && !r.isOver(); k++ {
		r.pieces(find(r.root, isOpen)[k].parts(), func(from, to int64) int64 {
			if !r.offer("fewer rounds", 0, 0, func(root *node) {
				n := find(root, isOpen)[k]
				n.kids = slices.Delete(n.kids, int(from), int(to))
			}) {
				return -1
			}
			if all := find(r.root, isOpen); k < len(all) {
				return all[k].parts()
			}
			return 0
		})
	}
}

// pieces calls drop for ranges of n elements. The size of the ranges decreases from n to one, and for each size
// the ranges go from the end to the start. Drop returns the number of remaining elements, or -1 if it could not
// remove the range.
func (r *reducer) pieces(n int64, drop func(from, to int64) int64) {
	for size := n; size > 0 && !r.isOver(); size = min(size/2, n) {
		for to := n; to > 0 && !r.isOver(); {
			from := max(0, to-size)
			if left := drop(from, to); left >= 0 {
				n = left
			}
			to = min(from, n)
		}
	}
}

// nodes removes nodes of graphs. It removes their edges, or moves them to a neighbor.
func (r *reducer) nodes() {
	isGraph := func(n *node) bool { g, ok := n.decl.(*graph); return ok && !g.tree && g.edgesCount != nil }
	for k := 0; k < len(find(r.root, isGraph)) && !r.isOver(); k++ {
		g := find(r.root, isGraph)[k].decl.(*graph)
		if g.nodes.op != "name" {
			continue
		}
		n := r.nodesOf(g, k, isGraph)
		r.pieces(n, func(from, to int64) int64 {
			for _, join := range []bool{false, true} {
				taken := r.offer("fewer nodes", from, n, func(root *node) {
					part := find(root, isGraph)[k]
					part.ints = g.removeNodes(part.ints, from, to, join)
					before := lastBefore(root, part, g.nodes.name, g.edgesCount)
					if before[0] != nil && before[1] != nil {
						before[0].n = n - (to - from)
						before[1].n = int64(len(part.ints) / g.width())
					}
				})
				if taken {
					n = r.nodesOf(g, k, isGraph)
					return n
				}
			}
			return -1
		})
	}
}

func (r *reducer) nodesOf(g *graph, k int, isGraph func(*node) bool) int64 {
	all := find(r.root, isGraph)
	if k >= len(all) {
		return 0
	}
	if at := lastBefore(r.root, all[k], g.nodes.name); at[0] != nil {
		return at[0].n
	}
	return 0
}

// lastBefore returns, for each name, the last field with that name that precedes part in the tree.
func lastBefore(root, part *node, names ...*name) []*node {
	found := make([]*node, len(names))
	done := false
	root.walk(func(n *node) {
		done = done || n == part
		if f, ok := n.decl.(*field); ok && !done {
			if i := slices.Index(names, f.name); i >= 0 {
				found[i] = n
			}
		}
	})
	return found
}

// alternatives tries other alternatives, and other words in enumerations.
func (r *reducer) alternatives() {
	isChoice := func(n *node) bool {
		switch n.decl.(type) {
		case *group, *either:
			return true
		}
		return false
	}
	for k := 0; k < len(find(r.root, isChoice)) && !r.isOver(); k++ {
		n := 0
		switch of := find(r.root, isChoice)[k].decl.(type) {
		case *group:
			n = len(of.alts)
		case *either:
			n = len(of.alts)
		}
		for alt := range n {
			all := find(r.root, isChoice)
			if k >= len(all) || all[k].alt == alt {
				continue
			}
			if r.offer("another alternative", 0, 0, func(root *node) {
				n := find(root, isChoice)[k]
				n.alt, n.kids = alt, nil
			}) {
				break
			}
		}
	}
	r.eachText(enumType, func(at place) {
		for _, o := range at.typ(r).options {
			if r.setText("another word", at, o) {
				return
			}
		}
	})
}

// lengths shortens words, and replaces letters with simpler ones.
func (r *reducer) lengths() {
	for _, kind := range []typeKind{wordType, textType} {
		r.eachText(kind, func(at place) {
			r.pieces(int64(len(at.text(r))), func(from, to int64) int64 {
				s := at.text(r)
				if to > int64(len(s)) || !r.setText("shorter word", at, s[:from]+s[to:]) {
					return -1
				}
				return int64(len(at.text(r)))
			})
			for i := 0; i < len(at.text(r)) && !r.isOver(); i++ {
				s := at.text(r)
				for _, c := range []byte("0aA.#") {
					if at.typ(r).letters[c] && (s[i] == c || r.setText("plain letter", at, s[:i]+string(c)+s[i+1:])) {
						break
					}
				}
			}
		})
	}
	r.eachText(floatType, func(at place) {
		s := at.text(r)
		for _, other := range []string{"0", "1", "0.5"} {
			if r.setText("plain number", at, other) {
				return
			}
		}
		for n := len(s) - 1; n > 0 && s[n] != '.' && r.setText("fewer decimals", at, s[:n]); n-- {
		}
	})
}

// A place is the position of a word: word i of the k-th part that has words.
type place struct{ k, i int }

func hasText(n *node) bool {
	switch f := n.decl.(type) {
	case *field:
		return f.name.kind != integer
	case *array:
		return f.name.kind != integer
	case *grid:
		return true
	}
	return false
}

func (p place) node(root *node) *node {
	all := find(root, hasText)
	if p.k >= len(all) || p.i >= 0 && p.i >= len(all[p.k].words) {
		return nil
	}
	return all[p.k]
}

func (p place) typ(r *reducer) *typ {
	n := p.node(r.root)
	if n == nil {
		return &typ{}
	}
	switch f := n.decl.(type) {
	case *field:
		return f.typ
	case *array:
		return f.typ
	}
	return n.decl.(*grid).typ
}

func (p place) text(r *reducer) string {
	switch n := p.node(r.root); {
	case n == nil:
		return ""
	case p.i < 0:
		return n.s
	default:
		return n.words[p.i]
	}
}

func (r *reducer) setText(pass string, at place, s string) bool {
	if at.text(r) == s || at.node(r.root) == nil {
		return false
	}
	return r.offer(pass, 0, 0, func(root *node) {
		if n := at.node(root); at.i < 0 {
			n.s = s
		} else {
			n.words[at.i] = s
		}
	})
}

// maxLeaves is the maximum number of words, and of numbers, that are changed one by one.
const maxLeaves = 2000

// eachText calls visit for each word of the given type.
func (r *reducer) eachText(kind typeKind, visit func(at place)) {
	left := maxLeaves
	for k := 0; k < len(find(r.root, hasText)) && !r.isOver(); k++ {
		if (place{k, -1}).typ(r).kind != kind {
			continue
		}
		n := find(r.root, hasText)[k]
		if _, single := n.decl.(*field); single {
			visit(place{k, -1})
			continue
		}
		for i := 0; left > 0 && !r.isOver(); i, left = i+1, left-1 {
			if n := (place{k, i}).node(r.root); n == nil {
				break
			}
			visit(place{k, i})
		}
	}
}
