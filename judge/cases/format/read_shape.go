package format

import (
	"fmt"
	"slices"
)

// grid reads a rectangle of characters.
func (r *reader) grid(g *grid, parent *node) bool {
	for range max(g.rows.int(r.e), 0) {
		s, ok := r.word(&g.field, label{name: "a row of " + g.name.text}, false)
		if !ok || !r.endOfLine() {
			return false
		}
		r.set(&g.field, s)
		if parent != nil {
			parent.words = append(parent.words, s)
		}
	}
	return true
}

// size returns the number of nodes and edges of the graph.
func (g *graph) size(e *env) (nodes, edges int64) {
	nodes = max(g.nodes.int(e), 0)
	if g.tree {
		return nodes, max(nodes-1, 0)
	}
	return nodes, max(g.edges.int(e), 0)
}

// graph reads the edges of a graph, and checks its declared properties.
func (r *reader) graph(g *graph, parent *node) bool {
	nodes, edges := g.size(r.e)
	var all []int64
	for range edges {
		r.lineStart = true
		if !r.edge(g, &all) || !r.endOfLine() {
			return false
		}
		if u, v := all[len(all)-g.width()], all[len(all)-g.width()+1]; u == v && (g.simple || g.acyclic) {
			return r.reject(r.pos, "the edge %d %d joins a node with itself", u, v)
		}
	}
	if parent != nil {
		parent.ints = all
	}
	if text := g.violation(nodes, all); text != "" {
		return r.reject(max(r.pos, r.rejectedAt+1), "%s", text)
	}
	return true
}

func (r *reader) edge(g *graph, endpoints *[]int64) bool {
	for _, n := range []*name{g.name, g.to} {
		if !r.blank(false) {
			return false
		}
		v, ok := r.int(&g.field, label{name: n.text}, false)
		if !ok {
			return false
		}
		r.e.setInt(n, v)
		*endpoints = append(*endpoints, v)
	}
	if g.weight == nil {
		return true
	}
	if !r.blank(false) {
		return false
	}
	v, ok := r.int(g.weight, label{name: g.weight.name.text}, false)
	if ok {
		r.e.setInt(g.weight.name, v)
		*endpoints = append(*endpoints, v)
	}
	return ok
}

// violation describes how the edges violate the declaration, or returns "" if they do not.
func (g *graph) violation(nodes int64, endpoints []int64) string {
	width := g.width()
	edges := len(endpoints) / width
	if g.simple {
		seen := make([][2]int64, 0, edges)
		for i := range edges {
			u, v := endpoints[i*width], endpoints[i*width+1]
			if !g.directed && u > v {
				u, v = v, u
			}
			seen = append(seen, [2]int64{u, v})
		}
		slices.SortFunc(seen, func(a, b [2]int64) int {
			if c := compareOrdered(a[0], b[0]); c != 0 {
				return c
			}
			return compareOrdered(a[1], b[1])
		})
		for i := 1; i < len(seen); i++ {
			if seen[i] == seen[i-1] {
				return fmt.Sprintf("the edge %d %d appears twice", seen[i][0], seen[i][1])
			}
		}
	}
	if g.connected && !g.isConnected(nodes, endpoints) {
		return "the graph is not connected"
	}
	if g.acyclic && !g.isAcyclic(endpoints) {
		return "the graph has a cycle"
	}
	return ""
}

// isConnected reports whether the edges connect all nodes.
func (g *graph) isConnected(nodes int64, edges []int64) bool {
	width := g.width()
	if int64(len(edges)/width) < nodes-1 {
		return false
	}
	root := make([]int32, nodes)
	for i := range root {
		root[i] = int32(i)
	}
	find := func(v int64) int32 {
		x := int32(v - g.base)
		for root[x] != x {
			root[x] = root[root[x]]
			x = root[x]
		}
		return x
	}
	parts := nodes
	for i := 0; i < len(edges); i += width {
		if a, b := find(edges[i]), find(edges[i+1]); a != b {
			root[a] = b
			parts--
		}
	}
	return parts <= 1
}

// isAcyclic reports whether the nodes have a topological order.
func (g *graph) isAcyclic(edges []int64) bool {
	width := g.width()
	in := map[int64]int{}
	out := map[int64][]int64{}
	for i := 0; i < len(edges); i += width {
		u, v := edges[i], edges[i+1]
		in[u] += 0
		in[v]++
		out[u] = append(out[u], v)
	}
	var free []int64
	for v, n := range in {
		if n == 0 {
			free = append(free, v)
		}
	}
	done := 0
	for ; len(free) > 0; done++ {
		u := free[len(free)-1]
		free = free[:len(free)-1]
		for _, v := range out[u] {
			if in[v]--; in[v] == 0 {
				free = append(free, v)
			}
		}
	}
	return done == len(in)
}
