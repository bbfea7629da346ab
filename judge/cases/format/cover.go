package format

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// A Coverage records which bounds, words, alternatives and features of a declaration a set of inputs reaches.
type Coverage struct {
	g       *Grammar
	reached map[hit]int
	inputs  int
}

// A Goal is something that inputs should reach: a bound, a word of an enumeration, an alternative, or a feature.
type Goal struct {
	Description string
	Line        int // line of the declaration
	Count       int // number of inputs that reach it
}

// NewCoverage returns a Coverage without inputs.
func (g *Grammar) NewCoverage() *Coverage { return &Coverage{g: g, reached: map[hit]int{}} }

// Add records which goals an input reaches. If text does not match the declaration, Add records nothing and
// returns a Rejection.
func (c *Coverage) Add(text []byte) *Rejection {
	r := c.g.read(text, false)
	if !r.ok {
		return r.rejection()
	}
	c.inputs++
	for _, h := range r.hits {
		c.reached[h]++
	}
	return nil
}

// Goals returns the goals in the order of the declaration.
func (c *Coverage) Goals() (goals []Goal) {
	add := func(h hit, row int, format string, args ...any) {
		goals = append(goals, Goal{fmt.Sprintf(format, args...), row, c.reached[h]})
	}
	for _, f := range c.g.bounds {
		c.fieldGoals(f, add)
	}
	c.choiceGoals(c.g.body, add)
	for _, w := range c.g.wheres {
		if w.cond.hasBound() {
			add(hit{equal, w.number, 0}, w.row, "%s, and only just", w.text)
		}
	}
	for _, f := range c.g.features {
		add(hit{shown, f.number, 0}, f.row, "feature: %s", f.text)
	}
	slices.SortStableFunc(goals, func(a, b Goal) int { return a.Line - b.Line })
	return goals
}

func (c *Coverage) fieldGoals(f *field, add func(h hit, row int, format string, args ...any)) {
	t := f.typ
	if t.kind == enumType {
		if len(t.options) > 1 {
			for k, o := range t.options {
				add(hit{option, f.number, k}, f.row, "%s is %q", f.name.text, o)
			}
		}
		return
	}
	if t.lo == t.hi || t.lo.op == "constant" && t.hi.op == "constant" && t.lo.float(nil) == t.hi.float(nil) || c.g.isEndpoint(f) {
		return
	}
	pattern := "%s = %s"
	if t.kind == wordType || t.kind == textType {
		pattern = "the length of %s is %s"
	}
	add(hit{lowest, f.number, 0}, f.row, pattern, f.name.text, t.lo.text)
	add(hit{highest, f.number, 0}, f.row, pattern, f.name.text, t.hi.text)
}

// isEndpoint reports whether f is an endpoint of a graph's edges. Its bounds are not goals, because every node is an
// endpoint.
func (g *Grammar) isEndpoint(f *field) bool {
	found := false
	g.eachGraph(g.body, func(s *graph) { found = found || &s.field == f })
	return found
}

func (g *Grammar) eachGraph(b block, visit func(s *graph)) {
	for _, s := range b {
		switch s := s.(type) {
		case *graph:
			visit(s)
		case *repeat:
			g.eachGraph(s.body, visit)
		case *either:
			for _, alt := range s.alts {
				g.eachGraph(alt, visit)
			}
		}
	}
}

func (c *Coverage) choiceGoals(b block, add func(h hit, row int, format string, args ...any)) {
	for _, s := range b {
		switch s := s.(type) {
		case *line:
			c.groupGoals(s.items, add)
		case *repeat:
			c.choiceGoals(s.body, add)
		case *either:
			for k, alt := range s.alts {
				add(hit{chosen, s.number, k}, s.row, "alternative %d of %d", k+1, len(s.alts))
				c.choiceGoals(alt, add)
			}
		}
	}
}

func (c *Coverage) groupGoals(items []any, add func(h hit, row int, format string, args ...any)) {
	for _, it := range items {
		g, ok := it.(*group)
		if !ok {
			continue
		}
		for k, alt := range g.alts {
			if len(g.alts) > 1 {
				add(hit{chosen, g.number, k}, g.row, "the alternative %s", describe(alt))
			}
			c.groupGoals(alt, add)
		}
	}
}

// describe names an alternative by its first items.
func describe(alt []any) string {
	var words []string
	for _, it := range alt[:min(len(alt), 3)] {
		switch it := it.(type) {
		case *literal:
			words = append(words, strconv.Quote(it.text))
		case *field:
			words = append(words, it.name.text)
		case *array:
			words = append(words, it.name.text+"[]")
		case *group:
			words = append(words, "(...)")
		}
	}
	if len(alt) == 0 {
		return "of nothing"
	}
	return strings.Join(words, " ")
}

// InformalConditions returns the conditions that the declaration states only in words, for a handwritten validator.
func (g *Grammar) InformalConditions() []string { return g.informal }

// A Number is a constant in a bound or condition of the declaration.
type Number struct {
	Value int64
	Line  int
	Name  string // name of the bounded value
}

// String returns the number in decimal.
func (n Number) String() string { return strconv.FormatInt(n.Value, 10) }

// Numbers returns the constants of bounds and conditions, except 0 and 1: statements often write these in words.
func (g *Grammar) Numbers() (numbers []Number) {
	var visit func(x *expr, row int, of string)
	visit = func(x *expr, row int, of string) {
		if x == nil {
			return
		}
		if x.op == "constant" && x.kind == integer && (x.n > 1 || x.n < 0) {
			numbers = append(numbers, Number{x.n, row, of})
		}
		if x.op == "^" { // a power counts as one number
			return
		}
		for _, a := range x.args {
			visit(a, row, of)
		}
	}
	for _, f := range g.bounds {
		if f.typ.lo != f.typ.hi && !g.isEndpoint(f) {
			visit(f.typ.lo, f.row, f.name.text)
			visit(f.typ.hi, f.row, f.name.text)
		}
	}
	for _, w := range g.wheres {
		visit(w.cond, w.row, w.text)
	}
	return numbers
}

// MissingNumbers returns the numbers of the declaration that a statement does not contain. It recognizes these spellings:
// 200000, 200 000, 2*10^5, 2 · 10<sup>5</sup>, $2\cdot10^{5}$, 2e5, 2^31 - 1. A bound of 99 may be written as <
// 100.
func (g *Grammar) MissingNumbers(statement string) (missing []Number) {
	known := numbersIn(statement)
	for _, n := range g.Numbers() {
		if !known[n.Value] && !slices.ContainsFunc(missing, func(o Number) bool { return o.Value == n.Value }) {
			missing = append(missing, n)
		}
	}
	return missing
}

var (
	superscript = strings.NewReplacer(
		"⁰", "^0", "¹", "^1", "²", "^2", "³", "^3", "⁴", "^4", "⁵", "^5", "⁶", "^6", "⁷", "^7", "⁸", "^8", "⁹",
		"^9",
	)
	spelling = strings.NewReplacer(
		"<sup>", "^", "</sup>", "", "{", "", "}", "", "**", "^",
		`\cdot`,
		"*",
		`\times`,
		"*", "·", "*", "×", "*", "⋅", "*",
		`\le`,
		"<=",
		`\leq`,
		"<=", "≤", "<=", "&le;", "<=", "&lt;", "<", "−", "-", "–", "-",
		`\,`,
		" ", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "&nbsp;", " ",
		"`",
		"", "$", "",
	)
	powers    = pattern.New(`\^(\d)\^(\d)`)
	grouped   = pattern.New(`(\d)[ ,_'](\d\d\d)\b`)
	numbering = pattern.New(`(-?)(?:(\d+) ?\* ?)?(\d+)(?:[eE](\d+)| ?\^ ?(\d+))?(?: ?([-+]) ?(\d+))?`)
)

// numbersIn returns the numbers in a statement.
func numbersIn(statement string) map[int64]bool {
	text := powers().ReplaceAllString(superscript.Replace(statement), "^$1$2")
	text = spelling.Replace(text)
	known := map[int64]bool{}
	for _, t := range []string{text, ungroup(text)} {
		for _, m := range numbering().FindAllStringSubmatchIndex(t, -1) {
			for _, n := range valuesOf(t, m) {
				if !n.IsInt64() {
					continue
				}
				v := n.Int64()
				known[v], known[-v] = true, true
				before, after := strings.TrimRight(t[:m[0]], " "), strings.TrimLeft(t[m[1]:], " ")
				if strings.HasSuffix(before, "<") {
					known[v-1] = true
				}
				if strings.HasPrefix(after, "<") && !strings.HasPrefix(after, "<=") || strings.HasSuffix(before, ">") {
					known[v+1] = true
				}
			}
		}
	}
	return known
}

// ungroup removes the separators of thousands, as in 4 000 000.
func ungroup(text string) string {
	for {
		shorter := grouped().ReplaceAllString(text, "$1$2")
		if shorter == text {
			return text
		}
		text = shorter
	}
}

// valuesOf computes the values of a match of numbering: of the whole match, and of its parts.
func valuesOf(text string, m []int) (values []*big.Int) {
	part := func(k int) *big.Int {
		if m[2*k] < 0 || m[2*k+1]-m[2*k] > 40 {
			return nil
		}
		n, _ := new(big.Int).SetString(text[m[2*k]:m[2*k+1]], 10)
		return n
	}
	factor, base, e, power, rest := part(2), part(3), part(4), part(5), part(7)
	if base == nil {
		return nil
	}
	if e != nil && e.Cmp(big.NewInt(100)) < 0 {
		base = new(big.Int).Mul(base, new(big.Int).Exp(big.NewInt(10), e, nil))
	}
	if power != nil && power.Cmp(big.NewInt(200)) < 0 && base.BitLen() < 64 {
		base = new(big.Int).Exp(base, power, nil)
	}
	values = append(values, base)
	if factor != nil {
		base = new(big.Int).Mul(base, factor)
		values = append(values, factor, base)
	}
	if rest != nil {
		values = append(values, rest)
		if text[m[12]] == '-' {
			rest = new(big.Int).Neg(rest)
		}
		values = append(values, new(big.Int).Add(base, rest))
	}
	return values
}
