package format

import (
	"fmt"

	"assay/judge/internal/suggest"
)

// grid parses a declaration such as: grid g: h by w of ".#"
func (p *parser) grid(head token) any {
	t := p.expect(nameToken, "", "a name")
	p.symbol(":")
	g := &grid{field: field{row: head.line, typ: &typ{kind: wordType}}}
	g.rows = p.count()
	p.expect(nameToken, "by", `"by" and the number of columns`)
	g.columns = p.count()
	g.typ.lo, g.typ.hi = g.columns, g.columns
	p.expect(nameToken, "of", `"of" and the characters`)
	at := p.expect(stringToken, "", "the characters, in quotes")
	if problem := g.typ.characters(at.text); problem != "" {
		p.fail(at, `such as: of ".#"`, "characters %q: %s", at.text, problem)
	}
	if g.typ.letters[' '] { // a blank does not end such a row
		g.typ.kind = textType
	}
	g.name = p.declare(t, word, true)
	return g
}

var graphWords = []string{"nodes", "edges", "simple", "connected", "directed", "acyclic", "from", "weight"}

// graph parses a declaration such as `graph a b: n nodes, m edges, simple, connected`. With weights, an example is
// `tree a b w: n nodes, from 0, weight 1..10^9`.
func (p *parser) graph(head token) any {
	g := &graph{field: field{row: head.line}, base: 1, tree: head.text == "tree"}
	ends := []token{p.expect(nameToken, "", "a name for the first end of an edge"), p.expect(
		nameToken, "", "a name for the second end of an edge",
	)}
	var third token
	if p.peek().kind == nameToken {
		third = p.peek()
		p.pos++
	}
	p.symbol(":")
	for {
		p.graphPart(g)
		if !p.accept(",") {
			break
		}
	}
	switch {
	case g.nodes == nil:
		p.fail(head, "such as: "+head.text+" a b: n nodes, ...", "the number of nodes is missing")
	case g.tree && g.edges != nil:
		p.fail(head, "", "a tree of n nodes has n-1 edges")
	case !g.tree && g.edges == nil:
		p.fail(head, "such as: graph a b: n nodes, m edges, simple", "the number of edges is missing")
	case (third.text != "") != (g.weight != nil):
		p.fail(
			head, fmt.Sprintf("such as: %s a b w: n nodes, ..., weight 1..100", head.text),
			"an edge has a third number where it has a weight, and only there",
		)
	case g.acyclic && !g.directed:
		p.fail(
			head,
			"an undirected one without cycles is a `tree`; for several trees, write a graph and a `where`",
			"only a directed graph can be acyclic here",
		)
	}
	if g.tree {
		g.simple, g.connected = true, true
	}
	g.typ = &typ{kind: intType}
	base := &expr{kind: integer, op: "constant", n: g.base, text: fmt.Sprint(g.base)}
	g.typ.lo = base
	g.typ.hi = &expr{kind: integer, op: "+", args: []*expr{g.nodes, {kind: integer, op: "constant", n: g.base - 1}}, text: g.nodes.text}
	g.name = p.declare(ends[0], integer, true)
	g.to = p.declare(ends[1], integer, true)
	if g.weight != nil {
		g.weight.name = p.declare(third, integer, true)
	}
	return g
}

func (p *parser) graphPart(g *graph) {
	t := p.peek()
	switch {
	case p.accept("simple"):
		g.simple = true
	case p.accept("connected"):
		g.connected = true
	case p.accept("directed"):
		g.directed = true
	case p.accept("acyclic"):
		g.acyclic = true
	case p.accept("from"):
		n := p.arithmetic(integer)
		if n.op != "constant" || n.n != 0 && n.n != 1 {
			p.fail(t, "", "nodes are numbered from 0 or from 1")
		}
		g.base = n.n
	case p.accept("weight"):
		lo, hi := p.bounds(integer)
		g.weight = &field{row: t.line, typ: &typ{kind: intType, lo: lo, hi: hi}}
	default:
		if t.kind == nameToken && p.peekAt(1).kind == nameToken || t.kind == integerToken ||
			t.kind == nameToken && p.peekAt(1).kind == symbolToken && p.peekAt(1).text != "," {
			p.countPart(g)
			return
		}
		p.fail(t, suggest.Hint(t.text, graphWords), "want a property of the graph, got %s", t.describe())
	}
}

// countPart parses a part such as n nodes or m edges.
func (p *parser) countPart(g *graph) {
	x := p.arithmetic(integer)
	t := p.peek()
	switch {
	case p.accept("nodes"):
		g.nodes = x
	case p.accept("edges"):
		g.edges = x
		if x.op == "name" {
			g.edgesCount = x.name
		}
	default:
		p.fail(t, suggest.Hint(t.text, graphWords), `want "nodes" or "edges", got %s`, t.describe())
	}
}

// analyzeNames records how the statements use each name.
func (g *Grammar) analyzeNames() {
	g.number(g.body)
	for _, n := range g.names {
		n.used = n.used || n.tracked
	}
}

// number assigns numbers to the fields and choices of a block, and marks the names that are counts.
func (g *Grammar) number(b block) {
	for _, s := range b {
		switch s := s.(type) {
		case *line:
			g.numberItems(s.items)
		case *repeat:
			if s.rounds != nil {
				g.bound(s.rounds)
			}
			s.count.markCounts()
			g.number(s.body)
		case *either:
			s.number = g.choice()
			for _, alt := range s.alts {
				g.number(alt)
			}
		case *grid:
			s.rows.markCounts()
			s.columns.markCounts()
			g.bound(&s.field)
		case *graph:
			s.nodes.markCounts()
			g.bound(&s.field)
			if s.edges != nil {
				s.edges.markCounts()
			}
			if s.edgesCount != nil {
				s.edgesCount.network = s
			}
			if s.weight != nil {
				g.bound(s.weight)
			}
		case *where:
			s.recordListConditions(s.cond)
		}
	}
}

func (g *Grammar) bound(f *field) {
	f.number = len(g.bounds)
	g.bounds = append(g.bounds, f)
}

func (g *Grammar) choice() int {
	g.choices++
	return g.choices - 1
}

func (g *Grammar) numberItems(items []any) {
	for _, it := range items {
		switch it := it.(type) {
		case *field:
			g.bound(it)
			it.typ.markCounts()
		case *array:
			g.bound(&it.field)
			it.count.markCounts()
			it.typ.markCounts()
		case *group:
			it.number = g.choice()
			for _, alt := range it.alts {
				g.numberItems(alt)
			}
		}
	}
}

// markCounts marks the names that determine the length of words.
func (t *typ) markCounts() {
	if t.kind == wordType || t.kind == textType {
		t.lo.markCounts()
		t.hi.markCounts()
	}
}

func (x *expr) markCounts() {
	if x.op == "name" {
		x.name.counts = true
	}
	for _, a := range x.args {
		a.markCounts()
	}
}

// recordListConditions records the conditions of w that concern whole lists.
func (w *where) recordListConditions(x *expr) {
	if x.op == "and" {
		w.recordListConditions(x.args[0])
		w.recordListConditions(x.args[1])
		return
	}
	if len(x.args) == 0 || x.args[0].op == "constant" {
		return
	}
	first := x.args[0]
	switch x.op {
	case "distinct":
		last := x.args[len(x.args)-1]
		d := &listCondition{depth: last.depth, where: w}
		for _, a := range x.args[:len(x.args)-1] {
			d.with = append(d.with, a.name)
		}
		last.name.unique = d
	case "sorted":
		first.name.sorted = &listCondition{depth: first.depth, where: w}
	case "<=", "<":
		if first.op != "sum" || len(first.args) != 1 || first.args[0].op != "list" {
			return
		}
		l := first.args[0]
		if most := x.args[1]; l.kind == integers && most.declaredBefore(l.name.slot) {
			if x.op == "<" {
				one := &expr{kind: integer, op: "constant", n: 1}
				most = &expr{kind: integer, op: "-", args: []*expr{most, one}}
			}
			l.name.limited = append(l.name.limited, &sumLimit{l.depth, most, w})
		}
	}
}

// declaredBefore reports whether all names of an expression were declared before the name with this slot.
func (x *expr) declaredBefore(slot int) bool {
	if x.op == "list" || x.name != nil && x.name.slot >= slot {
		return false
	}
	for _, a := range x.args {
		if !a.declaredBefore(slot) {
			return false
		}
	}
	return true
}
