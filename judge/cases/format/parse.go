package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// Parse parses a declaration. File is its name in messages. If there are errors, the grammar is nil.
func Parse(file string, text []byte) (*Grammar, judge.ProblemErrors) {
	rows, faults := lex(file, string(text))
	if len(faults) > 0 {
		return nil, faults
	}
	p := &parser{g: &Grammar{File: file}, rows: rows}
	p.scope = p.newScope(nil, 0)
	if len(rows) > 0 {
		p.g.body = p.block(rows[0].indent)
	}
	if len(p.faults) == 0 && p.next < len(rows) {
		p.faults = append(p.faults, p.faultAt(rows[p.next].tokens[0], "the line is indented less than the first one", ""))
	}
	if len(p.faults) == 0 && !declaresLines(p.g.body) {
		p.faults = append(p.faults, &judge.ProblemError{
			File: file, Text: "the declaration has no line of the input", Hint: "such as: line n: int 1..100",
		})
	}
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	p.g.analyzeNames()
	return p.g, nil
}

// declaresLines reports whether a block declares lines of the input.
func declaresLines(b block) bool {
	return slices.ContainsFunc(b, func(s any) bool {
		switch s.(type) {
		case *where, *feature, *let:
			return false
		}
		return true
	})
}

// A parser parses rows into a grammar. After an error, it continues with the next row.
type parser struct {
	g      *Grammar
	rows   []row
	next   int // row
	tokens []token
	pos    int
	level  int // of brackets
	scope  *scope
	faults judge.ProblemErrors
}

// parseAbort is the panic value that stops the parsing of a row.
type parseAbort struct{ fault *judge.ProblemError }

func (p *parser) newScope(parent *scope, depth int) *scope {
	return &scope{parent: parent, depth: depth, names: map[string]*name{}}
}

func (p *parser) faultAt(t token, text, hint string) *judge.ProblemError {
	return &judge.ProblemError{File: p.g.File, Line: t.line, Column: t.column, Text: text, Hint: hint}
}

func (p *parser) fail(t token, hint, format string, args ...any) {
	panic(parseAbort{p.faultAt(t, fmt.Sprintf(format, args...), hint)})
}

// maxNesting is the maximum nesting depth of blocks and of brackets.
const maxNesting = 50

// block parses the following rows that have the given indentation.
func (p *parser) block(indent string) (b block) {
	if p.level++; p.level > maxNesting {
		p.faults = append(p.faults, p.faultAt(p.rows[p.next].tokens[0], fmt.Sprintf("more than %d blocks in each other", maxNesting), ""))
		p.next = len(p.rows)
	}
	defer func() { p.level-- }()
	for p.next < len(p.rows) {
		r := p.rows[p.next]
		switch {
		case r.indent == indent:
		case strings.HasPrefix(indent, r.indent):
			return b
		default:
			p.faults = append(p.faults, p.faultAt(
				r.tokens[0], "the line is indented neither as the one before it nor as one above",
				"lines of a block start below each other; only `repeat`, `either` and `or` have a block below them",
			))
			p.next++
			continue
		}
		if r.tokens[0].text == "or" && r.tokens[0].kind == nameToken {
			return b // the enclosing `either` block handles `or`
		}
		p.next++
		if s := p.statement(r); s != nil {
			b = append(b, s)
		} else if len(p.faults) > 0 {
			p.skip(r) // the block below a faulty row cannot be parsed
		}
	}
	return b
}

// skip skips the block below a row.
func (p *parser) skip(r row) {
	for p.next < len(p.rows) && len(p.rows[p.next].indent) > len(r.indent) && strings.HasPrefix(p.rows[p.next].indent, r.indent) {
		p.next++
	}
}

// inner parses the block below a row in a new scope.
func (p *parser) inner(r row, s *scope) block {
	outer := p.scope
	p.scope = s
	defer func() { p.scope = outer }()
	if p.next == len(p.rows) || !strings.HasPrefix(p.rows[p.next].indent, r.indent) || len(p.rows[p.next].indent) == len(r.indent) {
		p.faults = append(p.faults, p.faultAt(
			r.tokens[0], fmt.Sprintf("there is no block below %q", r.tokens[0].text),
			"indent the lines of its block more than the line itself",
		))
		return nil
	}
	return p.block(p.rows[p.next].indent)
}

var keywords = []string{"line", "repeat", "either", "grid", "tree", "graph", "let", "where", "feature", "beyond"}

// statement parses a row. It returns nil if the row has an error or is not a separate statement.
func (p *parser) statement(r row) (s any) {
	defer func() {
		if b, ok := recover().(parseAbort); ok {
			p.faults = append(p.faults, b.fault)
			s = nil
		}
	}()
	level := p.level
	defer func() { p.level = level }()
	p.tokens, p.pos = r.tokens, 1
	head := r.tokens[0]
	if head.kind != nameToken || !slices.Contains(keywords, head.text) {
		hint := suggest.Hint(head.text, keywords)
		if t := p.peek(); t.text == ":" || t.text == "[" {
			hint = fmt.Sprintf("declare values in lines of the input: line %s%s ...", head.text, t.text)
		}
		p.fail(head, hint, "unknown statement %q", head.text)
	}
	switch head.text {
	case "line":
		s = p.line(head)
	case "repeat":
		return p.repeat(r)
	case "either":
		return p.either(r)
	case "grid":
		s = p.grid(head)
	case "tree", "graph":
		s = p.graph(head)
	case "let":
		s = p.let()
	case "where":
		s = p.where(head, r)
	case "feature":
		s = p.feature(head)
	case "beyond":
		p.g.informal = append(p.g.informal, p.expect(stringToken, "", "a sentence in quotes").text)
	}
	p.end()
	return s
}

// peek returns the next token of the row. At the end of the row, it returns an endToken.
func (p *parser) peek() token { return p.peekAt(0) }

func (p *parser) peekAt(k int) token {
	if p.pos+k < len(p.tokens) {
		return p.tokens[p.pos+k]
	}
	last := p.tokens[len(p.tokens)-1]
	return token{kind: endToken, line: last.line, column: last.end + 1}
}

// accept consumes the next token if it is the symbol or word text.
func (p *parser) accept(text string) bool {
	t := p.peek()
	if (t.kind == symbolToken || t.kind == nameToken) && t.text == text {
		p.pos++
		return true
	}
	return false
}

// expect consumes the next token, which must be of kind k. If text is not empty, the token must also have that
// text.
func (p *parser) expect(k tokenKind, text, what string) token {
	t := p.peek()
	if t.kind != k || text != "" && t.text != text {
		p.fail(t, "", "want %s, got %s", what, t.describe())
	}
	p.pos++
	return t
}

func (p *parser) symbol(text string) { p.expect(symbolToken, text, `"`+text+`"`) }

func (p *parser) end() {
	if t := p.peek(); t.kind != endToken {
		p.fail(t, "", "want the end of the line, got %s", t.describe())
	}
}

func (t token) describe() string {
	switch t.kind {
	case endToken:
		return "the end of the line"
	case stringToken:
		return fmt.Sprintf("the string %.60q", t.text)
	}
	return fmt.Sprintf("%.60q", t.text)
}

// reserved lists words that have a meaning in expressions, so that they cannot be names.
var reserved = []string{"and", "or", "not", "when", "in", "all", "any"}

// declare adds a name to the current scope. Another alternative of the same choice may declare the name again, for
// values of the same kind.
func (p *parser) declare(t token, k kind, isArray bool) *name {
	if slices.Contains(reserved, t.text) {
		p.fail(t, "", "%q cannot be a name", t.text)
	}
	if _, twice := p.scope.names[t.text]; twice {
		p.fail(t, "give one of them another name", "%q is declared twice", t.text)
	}
	for s := p.scope.parent; s != nil; s = s.parent {
		if n := s.names[t.text]; n != nil && n.single(p.scope) {
			p.fail(t, "give one of them another name", "%q is declared above already", t.text)
		}
	}
	i := slices.IndexFunc(p.g.names, func(n *name) bool { return n.text == t.text })
	if i < 0 {
		n := &name{text: t.text, slot: len(p.g.names), kind: k, array: isArray}
		p.g.names = append(p.g.names, n)
		i = n.slot
	}
	n := p.g.names[i]
	if n.kind != k || n.array != isArray {
		p.fail(t, "give one of them another name", "%q is declared above as something else", t.text)
	}
	n.scopes = append(n.scopes, p.scope)
	p.scope.names[t.text] = n
	return n
}

func (p *parser) repeat(r row) any {
	s := &repeat{row: r.tokens[0].line, depth: p.scope.depth + 1}
	inner := p.newScope(p.scope, s.depth)
	if p.peek().kind == nameToken && p.peekAt(1).text == "=" {
		t := p.expect(nameToken, "", "a name")
		p.pos++
		s.from = p.arithmetic(integer)
		p.symbol("..")
		last := p.arithmetic(integer)
		s.count = span(s.from, last)
		outer := p.scope
		p.scope = inner
		s.index = p.declare(t, integer, false)
		s.index.index = true
		p.scope = outer
	} else {
		p.rounds(r, s)
	}
	p.end()
	s.body = p.inner(r, inner)
	if len(s.body) > 0 && !declaresLines(s.body) {
		p.fail(r.tokens[0], "a block that repeats has lines of the input", "nothing to repeat")
	}
	return s
}

// rounds parses the number of repetitions of a block. It is `n` or `n times`. If the input has no count, it is
// `1..100 until "0 0"` or `1..100 until end`.
func (p *parser) rounds(r row, s *repeat) {
	at := p.peek()
	s.count = p.count()
	if !p.accept("..") {
		p.accept("times")
		return
	}
	hi := p.arithmetic(integer)
	p.checkBounds(at, s.count, hi)
	n := &name{text: "rounds of line " + strconv.Itoa(s.row), slot: len(p.g.names), scopes: []*scope{p.scope}, counts: true}
	p.g.names = append(p.g.names, n)
	s.rounds = &field{row: s.row, name: n, typ: &typ{kind: intType, lo: s.count, hi: hi}}
	p.expect(nameToken, "until", `"until" and the line after the last round in quotes, or: until end`)
	if p.accept("end") {
		return
	}
	t := p.expect(stringToken, "", `the line after the last round in quotes, or: until end`)
	if s.stop = withoutEscapes(t.text); s.stop == "" {
		p.fail(t, "such as: until \"0 0\"", "an empty line cannot end a block")
	}
}

// span returns the expression for the number of integers in lo..hi.
func span(lo, hi *expr) *expr {
	one := &expr{kind: integer, op: "constant", n: 1, text: "1"}
	if lo.op == "constant" && lo.n == 1 {
		return hi
	}
	return &expr{
		kind: integer, op: "+", args: []*expr{{kind: integer, op: "-", args: []*expr{hi, lo}}, one},
		text: "the length of " + lo.text + ".." + hi.text,
	}
}

func (p *parser) either(r row) any {
	p.end()
	s := &either{row: r.tokens[0].line}
	s.alts = append(s.alts, p.inner(r, p.newScope(p.scope, p.scope.depth)))
	for p.next < len(p.rows) && p.rows[p.next].indent == r.indent && p.rows[p.next].tokens[0].text == "or" {
		or := p.rows[p.next]
		p.next++
		p.tokens, p.pos = or.tokens, 1
		p.end()
		s.alts = append(s.alts, p.inner(or, p.newScope(p.scope, p.scope.depth)))
	}
	if len(s.alts) == 1 {
		p.fail(r.tokens[0], "write `or` below it, and its lines below that", "`either` without `or`")
	}
	return s
}

func (p *parser) let() any {
	t := p.expect(nameToken, "", "a name")
	p.symbol("=")
	x := p.expression()
	if x.kind != integer {
		p.fail(t, "", "want an integer, got %s", kindNames[x.kind])
	}
	return &let{p.declare(t, integer, false), x}
}

func (p *parser) where(head token, r row) any {
	start := p.pos
	x := p.condition()
	text := p.textFrom(start)
	if p.accept("when") {
		when := p.condition()
		not := &expr{kind: truth, op: "not", args: []*expr{when}}
		x = &expr{kind: truth, op: "or", args: []*expr{not, x}}
		text = p.textFrom(start)
	}
	w := &where{row: head.line, cond: x, text: text, number: len(p.g.wheres)}
	p.g.wheres = append(p.g.wheres, w)
	return w
}

func (p *parser) feature(head token) any {
	text := p.expect(stringToken, "", "what the feature is, in quotes").text
	p.expect(nameToken, "when", `"when"`)
	f := &feature{row: head.line, text: text, cond: p.condition(), number: len(p.g.features)}
	p.g.features = append(p.g.features, f)
	return f
}

// textFrom returns the text of the tokens from start up to the current one.
func (p *parser) textFrom(start int) string {
	var b strings.Builder
	for i := start; i < p.pos; i++ {
		t := p.tokens[i]
		if i > start && (t.line != p.tokens[i-1].line || t.column > p.tokens[i-1].end+1) {
			b.WriteByte(' ')
		}
		if t.kind == stringToken {
			fmt.Fprintf(&b, "%q", t.text)
			continue
		}
		b.WriteString(t.text)
	}
	return b.String()
}
