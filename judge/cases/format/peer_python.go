package format

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file and peer_ctd.go convert the grammar to programs for other judges, in Python and in checktestdata.

//go:embed peer.py
var peerRuntime string

// Python returns a Python 3 program that accepts the same inputs as Check, for judges that cannot read
// declarations. The program exits with 42 if its input is valid, and with 43 otherwise. Its integers have
// unlimited size. By contrast, Check replaces integers beyond 64 bits with the largest or smallest integer.
func (g *Grammar) Python() string {
	p := &pythonWriter{g: g}
	p.row("def read():")
	p.indent++
	p.row("global fresh")
	for _, n := range g.names {
		if n.tracked {
			p.row("lists[%s] = []", pyText(pyAttribute(n)))
		}
	}
	p.block(g.body)
	p.indent--
	return peerRuntime + p.String() + "\n\nif __name__ == \"__main__\":\n    sys.exit(main())\n"
}

// pythonWriter writes statements as lines of Python.
type pythonWriter struct {
	strings.Builder
	g      *Grammar
	indent int // indentation level
	parts  int // number of generated functions
	counts int
}

func (p *pythonWriter) row(format string, args ...any) {
	p.WriteString(strings.Repeat("    ", p.indent))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

func (p *pythonWriter) newFunctionName(what string) string {
	p.parts++
	return fmt.Sprintf("%s_%d", what, p.parts)
}

// function writes a function, and returns its name.
func (p *pythonWriter) function(what string, body func()) string {
	name := p.newFunctionName(what)
	p.row("def %s():", name)
	p.indent++
	p.row("global fresh")
	body()
	p.indent--
	return name
}

func (p *pythonWriter) block(b block) {
	for _, s := range b {
		switch s := s.(type) {
		case *line:
			p.row("fresh = True")
			p.items(s.items, func() { p.row("end_of_line()") })
		case *repeat:
			p.repeat(s)
		case *either:
			var alts []string
			for _, alt := range s.alts {
				alts = append(alts, p.function("either", func() { p.block(alt) }))
			}
			p.row("first(%s)", strings.Join(alts, ", "))
		case *grid:
			p.row("for _ in range(%s):", pyInt(s.rows))
			p.indent++
			p.row("give(%s, %s)", pyText(pyAttribute(s.name)), pyRead(&s.field, "False"))
			p.row("end_of_line()")
			p.indent--
		case *graph:
			p.graph(s)
		case *let:
			p.row("give(%s, %s)", pyText(pyAttribute(s.name)), pyInt(s.value))
		case *where:
			p.row("where(%s, %s)", pyTruth(s.cond), pyText(s.text))
		}
	}
}

func (p *pythonWriter) repeat(s *repeat) {
	if s.rounds != nil {
		body := p.function("round", func() { p.block(s.body) })
		p.row("rounds(%s, %s, %s, %d, %s)", pyInt(s.rounds.typ.lo), pyInt(s.rounds.typ.hi), pyText(s.stop), s.depth, body)
		return
	}
	p.counts++
	k, from := fmt.Sprintf("k%d", p.counts), "1"
	if s.from != nil {
		from = pyInt(s.from)
	}
	if s.index != nil {
		p.row("from_%s = %s", k, from)
	}
	p.row("for %s in range(%s):", k, pyInt(s.count))
	p.indent++
	p.row("enter(%d)", s.depth)
	if s.index != nil {
		p.row("give(%s, from_%s + %s)", pyText(pyAttribute(s.index)), k, k)
	}
	p.block(s.body)
	p.indent--
}

// items writes the code that reads items, and then calls rest to write the code for the remaining items. In a
// choice, the code of each alternative includes the remaining items. So the program takes the first alternative
// with which the whole line matches.
func (p *pythonWriter) items(items []any, writeRest func()) {
	for i, it := range items {
		g, ok := it.(*group)
		if !ok {
			p.item(it, nextIsGlued(items, i))
			continue
		}
		behind := p.function("rest", func() { p.items(items[i+1:], writeRest) })
		var alts []string
		for _, alt := range g.alts {
			alts = append(alts, p.function("either", func() { p.items(alt, func() { p.row("%s()", behind) }) }))
		}
		p.row("first(%s)", strings.Join(alts, ", "))
		return
	}
	writeRest()
}

func (p *pythonWriter) item(item any, glued bool) {
	switch it := item.(type) {
	case *literal:
		p.row("blank(%s)", pyBool(it.glue))
		p.row("literal(%s, %s)", pyText(it.text), pyBool(glued))
	case *field:
		p.row("blank(%s)", pyBool(it.glue))
		read := pyRead(it, pyBool(glued))
		if it.typ.kind == floatType {
			read = "float(" + read + ")"
		}
		p.row("give(%s, %s)", pyText(pyAttribute(it.name)), read)
	case *array:
		p.array(it, glued)
	}
}

func (p *pythonWriter) array(a *array, glued bool) {
	args := []string{pyInt(a.count), pyText(pyAttribute(a.name)), "lambda tight: " + pyRead(&a.field, "tight")}
	for _, extra := range []struct {
		is   bool
		text string
	}{
		{a.typ.kind == floatType, "is_float=True"},
		{a.glue, "glued=True"},
		{glued, "tight=True"},
		{a.separator != " ", "separator=" + pyText(a.separator)},
		{a.order == ascending, "order=1"},
		{a.order == descending, "order=-1"},
		{a.distinct || a.typ.kind == permutationType, "once=True"},
	} {
		if extra.is {
			args = append(args, extra.text)
		}
	}
	if a.index != nil {
		args = append(args, "index="+pyText(pyAttribute(a.index)))
		if a.from != nil {
			args = append(args, "start="+pyInt(a.from))
		}
	}
	p.row("array(%s)", strings.Join(args, ", "))
}

func (p *pythonWriter) graph(g *graph) {
	edges := fmt.Sprintf("%s - 1", pyInt(g.nodes))
	if !g.tree {
		edges = pyInt(g.edges)
	}
	args := []string{
		pyInt(g.nodes), edges, fmt.Sprintf("(%s, %s)", pyText(pyAttribute(g.name)), pyText(pyAttribute(g.to))),
		"lambda: " + pyInt(g.typ.lo), "lambda: " + pyInt(g.typ.hi),
	}
	if w := g.weight; w != nil {
		args = append(
			args,
			fmt.Sprintf("weight=(%s, lambda: %s, lambda: %s)", pyText(pyAttribute(w.name)), pyInt(w.typ.lo), pyInt(w.typ.hi)),
		)
	}
	for _, extra := range []struct {
		is   bool
		text string
	}{{g.simple, "simple"}, {g.connected, "connected"}, {g.directed, "directed"}, {g.acyclic, "acyclic"}} {
		if extra.is {
			args = append(args, extra.text+"=True")
		}
	}
	p.row("graph(%s)", strings.Join(args, ", "))
}

// pyRead returns the call that reads a value of a field. Tight is "True" if the next item may follow without a
// blank.
func pyRead(f *field, tight string) string {
	t := f.typ
	switch t.kind {
	case intType, permutationType:
		return fmt.Sprintf("integer(%s, %s, %s)", pyInt(t.lo), pyInt(t.hi), tight)
	case floatType:
		return fmt.Sprintf("decimal(%s, %s, %d, %d, %s)", pyFloat(t.lo), pyFloat(t.hi), t.decimals[0], t.decimals[1], tight)
	case enumType:
		var words []string
		for _, o := range t.options {
			words = append(words, pyText(o))
		}
		return fmt.Sprintf("option([%s], %s)", strings.Join(words, ", "), tight)
	}
	var allowed []byte
	for c, ok := range t.letters {
		if ok {
			allowed = append(allowed, byte(c))
		}
	}
	read := "word"
	if t.kind == textType {
		read = "text_line"
	}
	return fmt.Sprintf("%s(%s, %s, %s, %s)", read, pyText(string(allowed)), pyInt(t.lo), pyInt(t.hi), tight)
}

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// pyText returns a Python string literal in which each byte is a character below U+0100.
func pyText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// pyName returns the expression for the current value of a name.
func pyName(n *name) string { return "cur." + pyAttribute(n) }

// pyAttribute returns the attribute for a name. It is never a Python keyword.
func pyAttribute(n *name) string {
	if slices.Contains(pythonKeywords, strings.TrimRight(n.text, "_")) {
		return n.text + "_"
	}
	return n.text
}

var pythonKeywords = strings.Fields("False None True and as assert async await break class continue def del elif else except " +
	"finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func pyView(x *expr) string { return fmt.Sprintf("view(%s, %d)", pyText(pyAttribute(x.name)), x.depth) }

func pyAll(args []*expr, each func(*expr) string) string {
	all := make([]string, len(args))
	for i, a := range args {
		all[i] = each(a)
	}
	return strings.Join(all, ", ")
}

func pyInt(x *expr) string {
	switch x.op {
	case "constant":
		return strconv.FormatInt(x.n, 10)
	case "name":
		return pyName(x.name)
	case "neg":
		return "-" + pyInt(x.args[0])
	case "+", "-", "*":
		return fmt.Sprintf("(%s %s %s)", pyInt(x.args[0]), x.op, pyInt(x.args[1]))
	case "/":
		return fmt.Sprintf("div(%s, %s)", pyInt(x.args[0]), pyInt(x.args[1]))
	case "%":
		return fmt.Sprintf("mod(%s, %s)", pyInt(x.args[0]), pyInt(x.args[1]))
	case "^":
		return fmt.Sprintf("power(%s, %s)", pyInt(x.args[0]), pyInt(x.args[1]))
	case "abs":
		return fmt.Sprintf("abs(%s)", pyInt(x.args[0]))
	}
	return pyCall(x, pyInt, "0", "MOST", "LEAST")
}

// pyCall returns the call of a function on a list or on several numbers. The Python expressions least and most are
// the smallest and the largest integer: for an empty list, min returns most, and max returns least.
func pyCall(x *expr, each func(*expr) string, zero, maximum, minimum string) string {
	first, values := x.args[0], ""
	switch {
	case first.kind.isList():
		values = pyView(first)
	case first.kind.number():
		values = "[" + pyAll(x.args, each) + "]"
	}
	switch x.op {
	case "[]":
		return fmt.Sprintf("at(%s, %d, %s, %s)", pyText(pyAttribute(first.name)), first.depth, pyInt(x.args[1]), zero)
	case "len":
		if !first.kind.isList() {
			values = pyWord(first)
		}
		return "len(" + values + ")"
	case "different":
		return "len(set(" + values + "))"
	case "count":
		switch {
		case !first.kind.isList():
			return fmt.Sprintf("times(%s, %s)", pyWord(first), pyWord(x.args[1]))
		case x.args[1].kind == word:
			return fmt.Sprintf("%s.count(%s)", values, pyWord(x.args[1]))
		case first.kind == integers:
			return fmt.Sprintf("%s.count(%s)", values, pyInt(x.args[1]))
		}
		return "0" // decimal numbers are not counted
	case "sum":
		return "sum(" + values + ")"
	case "min":
		return fmt.Sprintf("min(%s, default=%s)", values, maximum)
	case "max":
		return fmt.Sprintf("max(%s, default=%s)", values, minimum)
	}
	return "gcd_of(" + values + ")"
}

func pyFloat(x *expr) string {
	if x.kind == integer {
		return "float(" + pyInt(x) + ")"
	}
	switch x.op {
	case "constant":
		if math.IsInf(x.f, 0) || math.IsNaN(x.f) {
			return fmt.Sprintf("float(%q)", strconv.FormatFloat(x.f, 'g', -1, 64))
		}
		return "float(" + strconv.FormatFloat(x.f, 'g', -1, 64) + ")"
	case "name":
		return pyName(x.name)
	case "neg":
		return "-" + pyFloat(x.args[0])
	case "+", "-", "*", "/":
		return fmt.Sprintf("(%s %s %s)", pyFloat(x.args[0]), x.op, pyFloat(x.args[1]))
	case "abs":
		return fmt.Sprintf("abs(%s)", pyFloat(x.args[0]))
	}
	return pyCall(x, pyFloat, "0.0", "INFINITY", "-INFINITY")
}

func pyWord(x *expr) string {
	switch x.op {
	case "constant":
		return pyText(x.s)
	case "[]":
		return fmt.Sprintf("at(%s, %d, %s, \"\")", pyText(pyAttribute(x.args[0].name)), x.args[0].depth, pyInt(x.args[1]))
	}
	return pyName(x.name)
}

func pyTruth(x *expr) string {
	switch x.op {
	case "and", "or":
		return fmt.Sprintf("(%s %s %s)", pyTruth(x.args[0]), x.op, pyTruth(x.args[1]))
	case "not":
		return "(not " + pyTruth(x.args[0]) + ")"
	case "all", "any":
		return fmt.Sprintf(
			"%s(%s for %s in range(%s, %s + 1))", x.op, pyTruth(x.args[2]), pyName(x.name), pyInt(x.args[0]),
			pyInt(x.args[1]),
		)
	case "distinct":
		return "distinct(" + pyAll(x.args, pyView) + ")"
	case "sorted":
		return "is_sorted(" + pyView(x.args[0]) + ")"
	case "permutation":
		return "is_permutation(" + pyView(x.args[0]) + ")"
	case "palindrome":
		s := pyWord(x.args[0])
		return fmt.Sprintf("(%s == %s[::-1])", s, s)
	}
	each := pyInt
	switch a, b := x.args[0], x.args[1]; {
	case a.kind == word:
		each = pyWord
	case a.kind == decimal || b.kind == decimal:
		each = pyFloat
	}
	op := x.op
	if op == "=" {
		op = "=="
	}
	return fmt.Sprintf("(%s %s %s)", each(x.args[0]), op, each(x.args[1]))
}
