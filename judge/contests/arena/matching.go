package arena

import "slices"

// matching finds a maximum matching in a general graph with J. Edmonds' blossom algorithm (Paths, trees, and
// flowers, 1965). A matching that is not maximum is enlarged along an alternating path. Odd cycles (blossoms) are
// contracted to their base.
type matching struct {
	edge func(i, j int) bool
	mate []int // -1 for none

	// State of the search for one path.
	parent []int // previous vertex, along an edge that is not in the matching; -1 for none
	base   []int // base of the blossom that contains the vertex, or the vertex itself
	even   []bool
	queue  []int
}

// newMatching matches each vertex with its first free neighbor.
func newMatching(n int, edge func(i, j int) bool) *matching {
	m := &matching{edge: edge, mate: slices.Repeat([]int{-1}, n), parent: make([]int, n), base: make([]int, n), even: make([]bool, n)}
	for i := range n {
		for j := i + 1; j < n && m.mate[i] < 0; j++ {
			if m.mate[j] < 0 && edge(i, j) {
				m.mate[i], m.mate[j] = j, i
			}
		}
	}
	return m
}

// perfect enlarges the matching to a maximum one, and reports whether it matches every vertex.
func (m *matching) perfect() bool {
	for i := range m.mate {
		if m.mate[i] >= 0 {
			continue
		}
		end := m.path(i)
		if end < 0 {
			return false
		}
		for end >= 0 {
			before := m.parent[end]
			next := m.mate[before]
			m.mate[end], m.mate[before] = before, end
			end = next
		}
	}
	return true
}

// path searches for an alternating path from a free vertex to another free vertex. It returns the end of the path,
// or -1 if there is none.
func (m *matching) path(root int) int {
	for i := range m.mate {
		m.parent[i], m.base[i], m.even[i] = -1, i, false
	}
	m.even[root] = true
	m.queue = append(m.queue[:0], root)
	for len(m.queue) > 0 {
		v := m.queue[0]
		m.queue = m.queue[1:]
		for to := range m.mate {
			switch {
			case to == v || !m.edge(min(v, to), max(v, to)) || m.base[v] == m.base[to] || m.mate[v] == to:
			case to == root || m.mate[to] >= 0 && m.parent[m.mate[to]] >= 0:
				m.contract(v, to)
			case m.parent[to] < 0:
				m.parent[to] = v
				if m.mate[to] < 0 {
					return to
				}
				m.even[m.mate[to]] = true
				m.queue = append(m.queue, m.mate[to])
			}
		}
	}
	return -1
}

// contract contracts the odd cycle that an edge closes.
func (m *matching) contract(v, to int) {
	base := m.common(v, to)
	inside := make([]bool, len(m.mate))
	m.mark(inside, v, base, to)
	m.mark(inside, to, base, v)
	for i := range m.mate {
		if inside[m.base[i]] {
			m.base[i] = base
			if !m.even[i] {
				m.even[i] = true
				m.queue = append(m.queue, i)
			}
		}
	}
}

// mark marks the vertices of the cycle from v down to the base, and lets paths traverse it in the other direction.
func (m *matching) mark(inside []bool, v, base, child int) {
	for m.base[v] != base {
		inside[m.base[v]], inside[m.base[m.mate[v]]] = true, true
		m.parent[v] = child
		child = m.mate[v]
		v = m.parent[m.mate[v]]
	}
}

// common returns the first common vertex on the paths from a and b to the root.
func (m *matching) common(a, b int) int {
	seen := make([]bool, len(m.mate))
	for {
		a = m.base[a]
		seen[a] = true
		if m.mate[a] < 0 {
			break
		}
		a = m.parent[m.mate[a]]
	}
	for {
		b = m.base[b]
		if seen[b] {
			return b
		}
		b = m.parent[m.mate[b]]
	}
}
