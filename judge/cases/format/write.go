package format

import (
	"fmt"
	"strconv"
	"strings"
)

// A source decides the values of an input that a writer writes. Its methods receive the corresponding part of an
// older input, which may be nil.
type source interface {
	choose(at, alternatives int, old *node) int
	int(f *field, lo, hi int64, old *int64) (int64, error)
	text(f *field, old *string) (string, error)
	// arrayValues decides all values of an array at once, because these values depend on each other.
	arrayValues(a *array, n int64, old *node) ([]int64, []string, error)
	edges(g *graph, nodes, edges int64, old *node) ([]int64, error)
	// origin returns the index in the old input of the part that now has index i, or -1 if there is no such part.
	// The parameters old and now are the numbers of parts in the old input and in the new one.
	origin(old, now, i int64) int64
	// round is called before each round of a repeat and before each value of an array. The parameter left is the
	// number of rounds or values that follow.
	round(left int64)
	// attempts returns how many times a round may be rewritten if it violates a condition.
	attempts() int
}

// unfitError is the error if a source's decisions do not give a valid input.
type unfitError struct{ reason string }

func (u *unfitError) Error() string { return u.reason }

func unfitf(format string, args ...any) error { return &unfitError{fmt.Sprintf(format, args...)} }

// A writer writes an input whose values a source decides.
type writer struct {
	g         *Grammar
	e         *env
	src       source
	out       []byte
	lineStart bool
	maxSize   int    // bytes
	empty     int    // number of rounds in which nothing was written
	violable  *where // condition that may be violated; may be nil
	lax       bool   // other conditions may be violated as well
	violated  bool   // whether loose was violated
}

func (w *writer) block(b block, old *node) error {
	for i, s := range b {
		part := old.kid(i)
		var err error
		switch s := s.(type) {
		case *line:
			w.lineStart = true
			if err = w.items(s.items, part); err == nil {
				w.out = append(w.out, '\n')
			}
		case *repeat:
			err = w.repeat(s, part)
		case *either:
			k := w.src.choose(s.number, len(s.alts), part)
			var taken *node
			if part != nil && part.alt == k {
				taken = part.kid(0)
			}
			err = w.block(s.alts[k], taken)
		case *grid:
			err = w.grid(s, part)
		case *graph:
			err = w.graph(s, part)
		case *let:
			w.e.setInt(s.name, s.value.int(w.e))
		case *where:
			if !s.cond.truth(w.e) {
				if s != w.violable && !w.lax {
					return unfitf("%s (line %d)", s.describeViolation(w.e), s.row)
				}
				w.violated = w.violated || s == w.violable
			}
		}
		if err != nil {
			return err
		}
		if len(w.out) > w.maxSize {
			return unfitf("the input has more than %d bytes", w.maxSize)
		}
	}
	return nil
}

// kid returns part i of a node, or nil if there is none.
func (n *node) kid(i int) *node {
	if n == nil || i >= len(n.kids) {
		return nil
	}
	return n.kids[i]
}

func (n *node) parts() int64 {
	if n == nil {
		return 0
	}
	return int64(len(n.kids))
}

// rounds returns the number of repetitions of a block.
func (w *writer) rounds(s *repeat, old *node) (int64, error) {
	if s.rounds == nil {
		return max(s.count.int(w.e), 0), nil
	}
	var was *int64
	if old != nil {
		n := old.parts()
		was = &n
	}
	f := s.rounds
	return w.src.int(f, f.typ.lo.int(w.e), f.typ.hi.int(w.e), was)
}

func (w *writer) repeat(s *repeat, old *node) error {
	n, err := w.rounds(s, old)
	if err != nil {
		return err
	}
	if n > int64(w.maxSize) {
		return unfitf("%d rounds are too many", n)
	}
	from := int64(1)
	if s.from != nil {
		from = s.from.int(w.e)
	}
	for i := range n {
		var part *node
		if j := w.src.origin(old.parts(), n, i); j >= 0 {
			part = old.kid(int(j))
		}
		w.e.enter(s.depth)
		if s.index != nil {
			w.e.setInt(s.index, from+i)
		}
		w.src.round(n - 1 - i)
		at := len(w.out)
		if err := w.round(s, part); err != nil {
			return err
		}
		if len(w.out) == at {
			if w.empty++; w.empty > maxEmpty {
				return unfitf("the block of line %d repeats %d times, and reads nothing", s.row, n)
			}
		}
		if s.stop != "" && strings.HasPrefix(string(w.out[at:]), s.stop+"\n") {
			return unfitf("a round begins with the line %q, which ends them", s.stop)
		}
	}
	if s.stop != "" {
		w.out = append(append(w.out, s.stop...), '\n')
	}
	return nil
}

// round writes a round. If the round violates a condition, it is written again.
func (w *writer) round(s *repeat, old *node) error {
	var lengths []int
	most := w.src.attempts()
	if most > 0 {
		lengths = w.e.lengths(nil)
	}
	start := len(w.out)
	for try := 0; ; try++ {
		err := w.block(s.body, old)
		if err == nil || try >= most || len(w.out) > w.maxSize {
			return err
		}
		w.e.truncate(lengths)
		w.out = w.out[:start]
	}
}

func (w *writer) items(items []any, old *node) error {
	for i, it := range items {
		part := old.kid(i)
		switch it := it.(type) {
		case *literal:
			w.word(it.text, it.glue)
		case *field:
			if err := w.field(it, part); err != nil {
				return err
			}
		case *array:
			if err := w.array(it, part); err != nil {
				return err
			}
		case *group:
			k := w.src.choose(it.number, len(it.alts), part)
			if part != nil && part.alt != k {
				part = nil
			}
			if err := w.items(it.alts[k], part); err != nil {
				return err
			}
		}
	}
	return nil
}

// word writes a word. It first writes a blank, unless the word is glued or the first on its line.
func (w *writer) word(text string, glue bool) {
	if !w.lineStart && !glue {
		w.out = append(w.out, ' ')
	}
	w.lineStart = false
	w.out = append(w.out, text...)
}

func (w *writer) integer(n int64, glue bool) {
	w.word("", glue)
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *writer) field(f *field, old *node) error {
	if f.name.kind == integer {
		var was *int64
		if old != nil {
			was = &old.n
		}
		v, err := w.src.int(f, f.typ.lo.int(w.e), f.typ.hi.int(w.e), was)
		if err != nil {
			return err
		}
		w.e.setInt(f.name, v)
		w.integer(v, f.glue)
		return nil
	}
	var was *string
	if old != nil {
		was = &old.s
	}
	s, err := w.src.text(f, was)
	if err != nil {
		return err
	}
	w.set(f, s)
	w.word(s, f.glue)
	return nil
}

func (w *writer) set(f *field, s string) {
	if f.typ.kind == floatType {
		v, _ := strconv.ParseFloat(s, 64)
		w.e.setFloat(f.name, v)
		return
	}
	w.e.setWord(f.name, s)
}

func (w *writer) array(a *array, old *node) error {
	n := max(a.count.int(w.e), 0)
	if n > int64(w.maxSize) {
		return unfitf("%d values are too many", n)
	}
	if a.order != anyOrder || a.distinct || a.typ.kind == permutationType {
		ints, texts, err := w.src.arrayValues(a, n, old)
		if err != nil {
			return err
		}
		for i, v := range ints {
			w.e.setInt(a.name, v)
			w.element(a, i, strconv.FormatInt(v, 10))
		}
		for i, s := range texts {
			w.e.setWord(a.name, s)
			w.element(a, i, s)
		}
		return nil
	}
	from := int64(1)
	if a.from != nil {
		from = a.from.int(w.e)
	}
	for i := range n {
		if a.index != nil {
			w.e.setInt(a.index, from+i)
		}
		w.src.round(n - 1 - i)
		if err := w.value(a, int(i), n, old); err != nil {
			return err
		}
		if len(w.out) > w.maxSize {
			return unfitf("the input has more than %d bytes", w.maxSize)
		}
	}
	return nil
}

// value writes value i of an array.
func (w *writer) value(a *array, i int, n int64, old *node) error {
	if a.name.kind == integer {
		var was *int64
		if old != nil {
			if j := w.src.origin(int64(len(old.ints)), n, int64(i)); j >= 0 {
				was = &old.ints[j]
			}
		}
		v, err := w.src.int(&a.field, a.typ.lo.int(w.e), a.typ.hi.int(w.e), was)
		if err != nil {
			return err
		}
		w.e.setInt(a.name, v)
		w.element(a, i, strconv.FormatInt(v, 10))
		return nil
	}
	var was *string
	if old != nil {
		if j := w.src.origin(int64(len(old.words)), n, int64(i)); j >= 0 {
			was = &old.words[j]
		}
	}
	s, err := w.src.text(&a.field, was)
	if err != nil {
		return err
	}
	w.set(&a.field, s)
	w.element(a, i, s)
	return nil
}

func (w *writer) element(a *array, i int, text string) {
	if i == 0 {
		w.word(text, a.glue)
		return
	}
	w.out = append(w.out, a.separator...)
	w.out = append(w.out, text...)
}

func (w *writer) grid(g *grid, old *node) error {
	rows := max(g.rows.int(w.e), 0)
	if rows > int64(w.maxSize) {
		return unfitf("%d rows are too many", rows)
	}
	for i := range rows {
		var was *string
		if old != nil {
			if j := w.src.origin(int64(len(old.words)), rows, i); j >= 0 {
				was = &old.words[j]
			}
		}
		w.src.round(rows - 1 - i)
		s, err := w.src.text(&g.field, was)
		if err != nil {
			return err
		}
		w.e.setWord(g.name, s)
		w.out = append(append(w.out, s...), '\n')
		if len(w.out) > w.maxSize {
			return unfitf("the input has more than %d bytes", w.maxSize)
		}
	}
	return nil
}

func (w *writer) graph(g *graph, old *node) error {
	nodes, edges := g.size(w.e)
	if edges > int64(w.maxSize) || nodes > int64(w.maxSize) {
		return unfitf("%d edges are too many", edges)
	}
	all, err := w.src.edges(g, nodes, edges, old)
	if err != nil {
		return err
	}
	for i, v := range all {
		n := []*name{g.name, g.to}
		if g.weight != nil {
			n = append(n, g.weight.name)
		}
		k := i % g.width()
		w.e.setInt(n[k], v)
		w.out = strconv.AppendInt(w.out, v, 10)
		if k == g.width()-1 {
			w.out = append(w.out, '\n')
		} else {
			w.out = append(w.out, ' ')
		}
	}
	return nil
}

// render writes a tree unchanged, even if the result is not valid.
func (g *Grammar) render(root *node) []byte {
	w := &writer{g: g}
	w.renderBlock(g.body, root)
	return w.out
}

func (w *writer) renderBlock(b block, n *node) {
	for i, s := range b {
		part := n.kid(i)
		if part == nil {
			continue
		}
		switch s := s.(type) {
		case *line:
			w.lineStart = true
			w.renderItems(s.items, part)
			w.out = append(w.out, '\n')
		case *repeat:
			for _, round := range part.kids {
				w.renderBlock(s.body, round)
			}
			if s.stop != "" {
				w.out = append(append(w.out, s.stop...), '\n')
			}
		case *either:
			w.renderBlock(s.alts[part.alt], part.kid(0))
		case *grid:
			for _, row := range part.words {
				w.out = append(append(w.out, row...), '\n')
			}
		case *graph:
			for i, v := range part.ints {
				w.out = strconv.AppendInt(w.out, v, 10)
				w.out = append(w.out, " \n"[btoi(i%s.width() == s.width()-1)])
			}
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (w *writer) renderItems(items []any, n *node) {
	for i, it := range items {
		part := n.kid(i)
		switch it := it.(type) {
		case *literal:
			w.word(it.text, it.glue)
		case *field:
			switch {
			case len(part.words) > 0: // written instead of the value
				w.word(part.words[0], it.glue)
			case it.name.kind == integer:
				w.integer(part.n, it.glue)
			default:
				w.word(part.s, it.glue)
			}
		case *array:
			texts := part.words
			for _, v := range part.ints {
				texts = append(texts, strconv.FormatInt(v, 10))
			}
			if len(texts) > 0 {
				w.word(strings.Join(texts, it.separator), it.glue)
			}
		case *group:
			w.renderItems(it.alts[part.alt], part)
		}
	}
}
