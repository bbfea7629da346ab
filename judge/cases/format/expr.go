package format

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
)

// kind is the kind of a value.
type kind int

const (
	integer kind = iota
	decimal
	word
	truth
	integers
	decimals
	words
)

var kindNames = map[kind]string{
	integer: "an integer", decimal: "a decimal number", word: "a word", truth: "a condition",
	integers: "a list of integers", decimals: "a list of decimal numbers", words: "a list of words",
}

func (k kind) list() kind    { return k - integer + integers }
func (k kind) element() kind { return k - integers + integer }
func (k kind) isList() bool  { return k >= integers }
func (k kind) number() bool  { return k == integer || k == decimal }

// An expr is a type-checked expression.
type expr struct {
	kind kind
	op   string // "constant", "name", "list", an operator or a function
	args []*expr

	n     int64
	big   *big.Int // value of a constant integer during parsing
	f     float64
	s     string
	name  *name
	depth int    // depth at which a list starts
	text  string // as written
}

// value is the current value of a name, with all its values so far.
type value struct {
	n int64
	f float64
	s string
}

type list struct {
	ints   []int64
	floats []float64
	words  []string
}

func (l *list) len() int { return len(l.ints) + len(l.floats) + len(l.words) }

// env holds the values of names while an input is read or generated.
type env struct {
	cur   []value
	lists []list
	marks [][]int // start of the current round's lists, by depth and slot
}

func newEnv(g *Grammar) *env {
	return &env{cur: make([]value, len(g.names)), lists: make([]list, len(g.names)), marks: [][]int{make([]int, len(g.names))}}
}

// enter starts a round at a depth.
func (e *env) enter(depth int) {
	for len(e.marks) <= depth {
		e.marks = append(e.marks, make([]int, len(e.lists)))
	}
	copy(e.marks[depth], e.lengths(nil))
}

// lengths returns the lengths of all lists.
func (e *env) lengths(lengths []int) []int {
	lengths = lengths[:0]
	for i := range e.lists {
		lengths = append(lengths, e.lists[i].len())
	}
	return lengths
}

// truncate shortens the lists to the given lengths.
func (e *env) truncate(lengths []int) {
	for i, n := range lengths {
		l := &e.lists[i]
		l.ints = l.ints[:min(n, len(l.ints))]
		l.floats = l.floats[:min(n, len(l.floats))]
		l.words = l.words[:min(n, len(l.words))]
	}
}

func (e *env) setInt(n *name, v int64) {
	e.cur[n.slot].n = v
	if n.tracked {
		e.lists[n.slot].ints = append(e.lists[n.slot].ints, v)
	}
}

func (e *env) setWord(n *name, s string) {
	e.cur[n.slot].s = s
	if n.tracked {
		e.lists[n.slot].words = append(e.lists[n.slot].words, s)
	}
}

func (e *env) setFloat(n *name, f float64) {
	e.cur[n.slot].f = f
	if n.tracked {
		e.lists[n.slot].floats = append(e.lists[n.slot].floats, f)
	}
}

// view returns the part of a name's list that an expression at a depth sees.
func (e *env) view(n *name, depth int) list {
	l, from := e.lists[n.slot], 0
	if depth < len(e.marks) {
		from = e.marks[depth][n.slot]
	}
	return list{l.ints[min(from, len(l.ints)):], l.floats[min(from, len(l.floats)):], l.words[min(from, len(l.words)):]}
}

// int evaluates an integer expression. A result that overflows 64 bits becomes the largest or smallest integer.
func (x *expr) int(e *env) int64 {
	switch x.op {
	case "constant":
		return x.n
	case "name":
		return e.cur[x.name.slot].n
	case "neg":
		return sub(0, x.args[0].int(e))
	case "+":
		return add(x.args[0].int(e), x.args[1].int(e))
	case "-":
		return sub(x.args[0].int(e), x.args[1].int(e))
	case "*":
		return mul(x.args[0].int(e), x.args[1].int(e))
	case "/", "%":
		return divide(x.op, x.args[0].int(e), x.args[1].int(e))
	case "^":
		return power(x.args[0].int(e), x.args[1].int(e))
	}
	return x.call(e)
}

// call evaluates a function that returns an integer.
func (x *expr) call(e *env) int64 {
	first := x.args[0]
	if first.kind.isList() {
		l := e.view(first.name, first.depth)
		switch x.op {
		case "[]":
			if i := x.args[1].int(e) - 1; i >= 0 && i < int64(len(l.ints)) {
				return l.ints[i]
			}
			return 0
		case "len":
			return int64(l.len())
		case "different":
			return int64(l.different())
		case "count":
			return l.count(x.args[1], e)
		}
		return aggregate(x.op, l.ints)
	}
	switch x.op {
	case "len":
		return int64(len(first.word(e)))
	case "abs":
		return max(first.int(e), sub(0, first.int(e)))
	case "count":
		return int64(countByte(first.word(e), x.args[1].word(e)))
	}
	all := make([]int64, len(x.args))
	for i, a := range x.args {
		all[i] = a.int(e)
	}
	return aggregate(x.op, all)
}

// aggregate returns the sum, min, max or gcd of all. If values is empty, min is the largest integer and max the smallest.
func aggregate(op string, values []int64) int64 {
	var r int64
	switch op {
	case "min":
		r = math.MaxInt64
	case "max":
		r = math.MinInt64
	}
	for _, n := range values {
		switch op {
		case "sum":
			r = add(r, n)
		case "min":
			r = min(r, n)
		case "max":
			r = max(r, n)
		case "gcd":
			for n != 0 {
				r, n = n, r%n
			}
			r = max(r, sub(0, r))
		}
	}
	return r
}

func countByte(text, of string) (n int) {
	for i := 0; i+len(of) <= len(text) && of != ""; i++ {
		if text[i:i+len(of)] == of {
			n++
		}
	}
	return n
}

func (l *list) different() int {
	switch {
	case len(l.ints) > 0:
		return len(slices.Compact(slices.Sorted(slices.Values(l.ints))))
	case len(l.floats) > 0:
		return len(slices.Compact(slices.Sorted(slices.Values(l.floats))))
	}
	return len(slices.Compact(slices.Sorted(slices.Values(l.words))))
}

func (l *list) count(what *expr, e *env) (n int64) {
	switch what.kind {
	case integer:
		want := what.int(e)
		for _, v := range l.ints {
			if v == want {
				n++
			}
		}
	case word:
		want := what.word(e)
		for _, v := range l.words {
			if v == want {
				n++
			}
		}
	}
	return n
}

// float evaluates a numeric expression.
func (x *expr) float(e *env) float64 {
	if x.kind == integer {
		return float64(x.int(e))
	}
	switch x.op {
	case "constant":
		return x.f
	case "name":
		return e.cur[x.name.slot].f
	case "neg":
		return -x.args[0].float(e)
	case "+":
		return x.args[0].float(e) + x.args[1].float(e)
	case "-":
		return x.args[0].float(e) - x.args[1].float(e)
	case "*":
		return x.args[0].float(e) * x.args[1].float(e)
	case "/":
		return x.args[0].float(e) / x.args[1].float(e)
	case "abs":
		return math.Abs(x.args[0].float(e))
	case "[]":
		l := e.view(x.args[0].name, x.args[0].depth)
		if i := x.args[1].int(e) - 1; i >= 0 && i < int64(len(l.floats)) {
			return l.floats[i]
		}
		return 0
	}
	var all []float64
	if x.args[0].kind.isList() {
		all = e.view(x.args[0].name, x.args[0].depth).floats
	} else {
		for _, a := range x.args {
			all = append(all, a.float(e))
		}
	}
	r := map[string]float64{"min": math.Inf(1), "max": math.Inf(-1)}[x.op]
	for _, f := range all {
		switch x.op {
		case "sum":
			r += f
		case "min":
			r = min(r, f)
		case "max":
			r = max(r, f)
		}
	}
	return r
}

// word evaluates a word.
func (x *expr) word(e *env) string {
	switch x.op {
	case "constant":
		return x.s
	case "[]":
		l := e.view(x.args[0].name, x.args[0].depth)
		if i := x.args[1].int(e) - 1; i >= 0 && i < int64(len(l.words)) {
			return l.words[i]
		}
		return ""
	}
	return e.cur[x.name.slot].s
}

// truth evaluates a condition.
func (x *expr) truth(e *env) bool {
	switch x.op {
	case "and":
		return x.args[0].truth(e) && x.args[1].truth(e)
	case "or":
		return x.args[0].truth(e) || x.args[1].truth(e)
	case "not":
		return !x.args[0].truth(e)
	case "all", "any":
		const most = 10_000_000
		lo, hi := x.args[0].int(e), x.args[1].int(e)
		for i := lo; i <= min(hi, add(lo, most)); i++ {
			e.cur[x.name.slot].n = i
			if x.args[2].truth(e) != (x.op == "all") {
				return x.op == "any"
			}
		}
		return x.op == "all"
	case "distinct", "sorted":
		l := e.view(x.args[0].name, x.args[0].depth)
		if len(x.args) > 1 {
			return x.distinctRows(e)
		}
		if x.op == "distinct" {
			return l.different() == l.len()
		}
		return slices.IsSorted(l.ints) && slices.IsSorted(l.floats) && slices.IsSorted(l.words)
	case "permutation":
		l := e.view(x.args[0].name, x.args[0].depth)
		return l.different() == len(l.ints) &&
			(len(l.ints) == 0 || aggregate("max", l.ints) == int64(len(l.ints)) && aggregate("min", l.ints) == 1)
	case "palindrome":
		s := x.args[0].word(e)
		for i := range len(s) / 2 {
			if s[i] != s[len(s)-1-i] {
				return false
			}
		}
		return true
	}
	return x.compare(e)
}

// distinctRows reports whether no two rows of several lists are the same.
func (x *expr) distinctRows(e *env) bool {
	lists := make([]list, len(x.args))
	rows := 0
	for k, a := range x.args {
		lists[k] = e.view(a.name, a.depth)
		rows = max(rows, lists[k].len())
	}
	seen := make(map[string]bool, rows)
	var key []byte
	for i := range rows {
		key = key[:0]
		for _, l := range lists {
			key = l.appendTo(key, i)
		}
		if seen[string(key)] {
			return false
		}
		seen[string(key)] = true
	}
	return true
}

// appendTo appends value i of the list to key, if the list is long enough. Different rows get different keys.
func (l *list) appendTo(key []byte, i int) []byte {
	switch {
	case i < len(l.ints):
		key = strconv.AppendInt(key, l.ints[i], 36)
	case i < len(l.floats):
		key = strconv.AppendFloat(key, l.floats[i], 'g', -1, 64)
	case i < len(l.words):
		key = strconv.AppendQuote(key, l.words[i])
	}
	return append(key, ' ')
}

func (x *expr) compare(e *env) bool {
	a, b := x.args[0], x.args[1]
	c := 0
	switch {
	case a.kind == word:
		c = compareOrdered(a.word(e), b.word(e))
	case a.kind == decimal || b.kind == decimal:
		c = compareOrdered(a.float(e), b.float(e))
	default:
		c = compareOrdered(a.int(e), b.int(e))
	}
	switch x.op {
	case "=":
		return c == 0
	case "!=":
		return c != 0
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

func compareOrdered[T string | float64 | int64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func add(a, b int64) int64 {
	switch s := a + b; {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt64
	default:
		return s
	}
}

func sub(a, b int64) int64 {
	if b == math.MinInt64 {
		return add(add(a, math.MaxInt64), 1)
	}
	return add(a, -b)
}

func mul(a, b int64) int64 {
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	switch {
	case hi == 0 && lo <= math.MaxInt64 && negative:
		return -int64(lo)
	case hi == 0 && lo <= math.MaxInt64:
		return int64(lo)
	case negative:
		return math.MinInt64
	}
	return math.MaxInt64
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// divide rounds down, as statements usually do. Division by 0 gives 0.
func divide(op string, a, b int64) int64 {
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0
	}
	q, r := a/b, a%b
	if r != 0 && (r < 0) != (b < 0) {
		q, r = q-1, r+b
	}
	if op == "/" {
		return q
	}
	return r
}

func power(a, b int64) int64 {
	r := int64(1)
	for ; b > 0; b-- {
		if r = mul(r, a); a >= -1 && a <= 1 {
			return []int64{-1 + 2*(1-b%2), 0, 1}[a+1]
		}
		if r != math.MaxInt64 && r != math.MinInt64 {
			continue
		}
		if a < 0 && b%2 == 0 { // an odd number of negative factors remains
			return -1 - r // swaps the largest and the smallest integer
		}
		return r
	}
	return r
}
