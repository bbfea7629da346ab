package format

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/judge/internal/suggest"
)

func hintType(text string) string {
	if other, known := foreignTypes[strings.ToLower(text)]; known {
		return "write: " + other
	}
	if c, ok := suggest.Closest(text, types); ok {
		return fmt.Sprintf("did you mean %q?", c)
	}
	return suggest.List(append([]string{`"A" or "B"`}, types...))
}

// foreignTypes maps the names of types in other languages to declarations.
var foreignTypes = map[string]string{
	"integer": "int 1..100", "long": "int 1..10^18", "number": "int 1..100", "real": "float 0..1",
	"double": "float 0..1", "decimal": "float 0..1",
	"string": `word 1..100 of "a-z"`, "str": `word 1..100 of "a-z"`, "char": `word 1 of "a-z"`,
	"token": "word 1..100", "enum": `"A" or "B"`, "bool": `"0" or "1"`,
}

// condition parses a condition.
func (p *parser) condition() *expr {
	at := p.peek()
	x := p.expression()
	if x.kind != truth {
		p.fail(at, "", "want a condition, got %s", kindNames[x.kind])
	}
	return x
}

// expression parses an expression.
func (p *parser) expression() *expr {
	x := p.or()
	p.convertConstants(x)
	return x
}

// arithmetic parses an integer expression. If want is decimal, the expression may also be a decimal.
func (p *parser) arithmetic(want kind) *expr {
	at := p.peek()
	x := p.sum()
	p.convertConstants(x)
	if x.kind != integer && (want != decimal || x.kind != decimal) {
		hint := ""
		if x.kind.isList() {
			hint = "outside of its block, a name is the list of its values: use sum, min, max or len"
		}
		p.fail(at, hint, "want %s, got %s", kindNames[want], kindNames[x.kind])
	}
	return x
}

// convertConstants converts the constants of a complete expression to 64 bits.
func (p *parser) convertConstants(x *expr) {
	if x.big != nil {
		if !x.big.IsInt64() {
			p.fail(p.tokens[p.pos-1], "declare it as a word of digits", "%.40q does not fit into 64 bits", x.big.String())
		}
		x.n, x.big = x.big.Int64(), nil
	}
	for _, a := range x.args {
		p.convertConstants(a)
	}
}

func (p *parser) binary(operand func() *expr, want kind, ops ...string) *expr {
	at, start := p.peek(), p.pos
	x := operand()
	for slices.Contains(ops, p.peek().text) && (p.peek().kind == symbolToken || p.peek().kind == nameToken) {
		op := p.peek().text
		p.pos++
		right := p.peek()
		y := operand()
		x = p.combine(op, at, x, right, y, want)
		x.text = p.textFrom(start)
	}
	return x
}

// combine combines two expressions with an operator. It checks that their kinds match.
func (p *parser) combine(op string, at token, x *expr, right token, y *expr, want kind) *expr {
	if want == truth {
		for i, side := range []*expr{x, y} {
			if side.kind != truth {
				p.fail([]token{at, right}[i], "", "want a condition beside %q, got %s", op, kindNames[side.kind])
			}
		}
		return &expr{kind: truth, op: op, args: []*expr{x, y}}
	}
	for i, side := range []*expr{x, y} {
		if !side.kind.number() {
			p.fail([]token{at, right}[i], "", "want a number beside %q, got %s", op, kindNames[side.kind])
		}
	}
	k := max(x.kind, y.kind)
	if k == decimal && (op == "%" || op == "^") {
		p.fail(right, "", "%q is for integers", op)
	}
	made := &expr{kind: k, op: op, args: []*expr{x, y}}
	if x.big != nil && y.big != nil {
		if made.big = foldBig(op, x.big, y.big); made.big == nil {
			if y.big.Sign() == 0 {
				p.fail(right, "", "a division by 0")
			}
			p.fail(right, "powers have exponents of 0 to 1023", "%s %s %s cannot be computed", x.big, op, y.big)
		}
		made.op, made.args = "constant", nil
	}
	return made
}

// foldBig evaluates an operator on constants. It returns nil if it cannot.
func foldBig(op string, a, b *big.Int) *big.Int {
	r := new(big.Int)
	switch op {
	case "+":
		return r.Add(a, b)
	case "-":
		return r.Sub(a, b)
	case "*":
		return r.Mul(a, b)
	case "^":
		if b.Sign() < 0 || b.BitLen() > 10 || a.BitLen() > 64 {
			return nil
		}
		return r.Exp(a, b, nil)
	}
	if b.Sign() == 0 {
		return nil
	}
	// Round down. Go's big division does so only for positive divisors.
	m := new(big.Int)
	r.DivMod(a, b, m)
	if b.Sign() < 0 && m.Sign() != 0 {
		r.Sub(r, big.NewInt(1))
		m.Add(m, b)
	}
	if op == "/" {
		return r
	}
	return m
}

func (p *parser) or() *expr  { return p.binary(p.and, truth, "or") }
func (p *parser) and() *expr { return p.binary(p.not, truth, "and") }
func (p *parser) sum() *expr { return p.binary(p.product, integer, "+", "-") }
func (p *parser) product() *expr {
	return p.binary(p.unary, integer, "*", "/", "%")
}

func (p *parser) not() *expr {
	p.enterNested()
	defer func() { p.level-- }()
	at, start := p.peek(), p.pos
	switch {
	case p.accept("not"):
		x := p.not()
		if x.kind != truth {
			p.fail(at, "", "want a condition after \"not\", got %s", kindNames[x.kind])
		}
		return &expr{kind: truth, op: "not", args: []*expr{x}, text: p.textFrom(start)}
	case at.kind == nameToken && (at.text == "all" || at.text == "any"):
		p.pos++
		return p.quantifier(at, start)
	}
	return p.comparison()
}

func (p *parser) enterNested() {
	if p.level++; p.level > 4*maxNesting {
		p.fail(p.peek(), "", "the expression is nested too deeply")
	}
}

// quantifier parses a quantifier such as `all i in 1..n: condition`.
func (p *parser) quantifier(head token, start int) *expr {
	t := p.expect(nameToken, "", "a name")
	p.expect(nameToken, "in", `"in"`)
	lo := p.sum()
	p.symbol("..")
	hi := p.sum()
	if lo.kind != integer || hi.kind != integer {
		p.fail(head, "", "%q runs over integers", head.text)
	}
	p.symbol(":")
	outer := p.scope
	p.scope = p.newScope(outer, outer.depth)
	n := p.declare(t, integer, false)
	n.index = true
	x := p.or()
	p.scope = outer
	if x.kind != truth {
		p.fail(head, "", "want a condition, got %s", kindNames[x.kind])
	}
	return &expr{kind: truth, op: head.text, name: n, args: []*expr{lo, hi, x}, text: p.textFrom(start)}
}

var comparisons = []string{"=", "!=", "<", "<=", ">", ">="}

// comparison parses a <= b, and chains such as 1 <= a <= b.
func (p *parser) comparison() *expr {
	at, start := p.peek(), p.pos
	x := p.sum()
	var all *expr
	for slices.Contains(comparisons, p.peek().text) && p.peek().kind == symbolToken {
		op := p.peek()
		p.pos++
		y := p.sum()
		if x.kind.isList() || y.kind.isList() || x.kind == truth || y.kind == truth || x.kind.number() != y.kind.number() {
			p.fail(op, "", "%s cannot be compared with %s", kindNames[x.kind], kindNames[y.kind])
		}
		one := &expr{kind: truth, op: op.text, args: []*expr{x, y}, text: p.textFrom(start)}
		if all == nil {
			all = one
		} else {
			all = &expr{kind: truth, op: "and", args: []*expr{all, one}, text: p.textFrom(start)}
		}
		x = y
	}
	if all == nil {
		if x.text == "" {
			x.text = at.text
		}
		return x
	}
	return all
}

func (p *parser) unary() *expr {
	p.enterNested()
	defer func() { p.level-- }()
	at, start := p.peek(), p.pos
	if !p.accept("-") {
		return p.power()
	}
	x := p.unary()
	if !x.kind.number() {
		p.fail(at, "", "want a number after -, got %s", kindNames[x.kind])
	}
	if x.big != nil {
		return &expr{kind: integer, op: "constant", big: new(big.Int).Neg(x.big), text: p.textFrom(start)}
	}
	return &expr{kind: x.kind, op: "neg", args: []*expr{x}, text: p.textFrom(start)}
}

func (p *parser) power() *expr {
	at, start := p.peek(), p.pos
	x := p.atom()
	if x.text == "" {
		x.text = p.textFrom(start)
	}
	if !p.accept("^") {
		return x
	}
	right := p.peek()
	y := p.unary()
	x = p.combine("^", at, x, right, y, integer)
	x.text = p.textFrom(start)
	return x
}

func (p *parser) atom() *expr {
	t := p.peek()
	switch {
	case t.kind == integerToken:
		p.pos++
		return &expr{kind: integer, op: "constant", big: t.n}
	case t.kind == decimalToken:
		p.pos++
		return &expr{kind: decimal, op: "constant", f: t.f}
	case t.kind == stringToken:
		p.pos++
		return &expr{kind: word, op: "constant", s: withoutEscapes(t.text)}
	case t.text == "(" && t.kind == symbolToken:
		p.pos++
		x := p.or()
		p.symbol(")")
		return x
	case t.kind == nameToken && p.peekAt(1).text == "(" && p.peekAt(1).column == t.end+1 && p.peekAt(1).line == t.line:
		return p.function(t)
	case t.kind == nameToken && !slices.Contains(reserved, t.text):
		p.pos++
		x := p.reference(t)
		if x.kind.isList() && p.accept("[") {
			i := p.arithmeticInside()
			p.symbol("]")
			return &expr{kind: x.kind.element(), op: "[]", args: []*expr{x, i}}
		}
		return x
	}
	p.fail(t, "", "want a number or a name, got %s", t.describe())
	return nil
}

func (p *parser) arithmeticInside() *expr {
	at := p.peek()
	x := p.sum()
	if x.kind != integer {
		p.fail(at, "", "want an integer, got %s", kindNames[x.kind])
	}
	return x
}

// reference returns the expression for a name declared earlier.
func (p *parser) reference(t token) *expr {
	i := slices.IndexFunc(p.g.names, func(n *name) bool { return n.text == t.text && !(n.index && !n.single(p.scope)) })
	if i < 0 {
		var known []string
		for _, n := range p.g.names {
			known = append(known, n.text)
		}
		hint := suggest.Hint(t.text, known)
		if len(known) == 0 {
			hint = "an expression uses names that are declared above it"
		}
		p.fail(t, hint, "unknown name %q", t.text)
	}
	n := p.g.names[i]
	if n.single(p.scope) {
		n.used = true
		return &expr{kind: n.kind, op: "name", name: n}
	}
	n.tracked = true
	return &expr{kind: n.kind.list(), op: "list", name: n, depth: n.view(p.scope)}
}

// functions maps each function to the arguments it takes (a list, numbers, or either) and the kind of its result.
var functions = map[string]struct {
	list, word, numbers, extra bool
	gives                      kind
}{
	"sum":         {list: true},
	"min":         {list: true, numbers: true},
	"max":         {list: true, numbers: true},
	"gcd":         {list: true, numbers: true},
	"abs":         {numbers: true},
	"len":         {list: true, word: true},
	"different":   {list: true},
	"count":       {list: true, word: true, extra: true},
	"distinct":    {list: true, gives: truth},
	"sorted":      {list: true, gives: truth},
	"permutation": {list: true, gives: truth},
	"palindrome":  {word: true, gives: truth},
}

// function reads a call.
func (p *parser) function(t token) *expr {
	f, known := functions[t.text]
	if !known {
		var all []string
		for name := range functions {
			all = append(all, name)
		}
		p.fail(t, suggest.Hint(t.text, all), "unknown function %q", t.text)
	}
	p.pos += 2
	x := &expr{op: t.text, kind: f.gives}
	for {
		x.args = append(x.args, p.sum())
		if !p.accept(",") {
			break
		}
	}
	p.expect(symbolToken, ")", `"," or ")"`)
	first := x.args[0]
	fits := first.kind.isList() && f.list && len(x.args) == 1 || first.kind == word && f.word && len(x.args) == 1
	if t.text == "distinct" && !slices.ContainsFunc(x.args, func(a *expr) bool { return !a.kind.isList() }) {
		fits = true
	}
	if f.extra {
		fits = len(x.args) == 2 && (first.kind.isList() && f.list &&
			(first.kind.element() == x.args[1].kind && x.args[1].kind != decimal) || first.kind == word && x.args[1].kind == word)
	}
	if f.numbers && !fits && (t.text != "abs" || len(x.args) == 1) {
		fits = !slices.ContainsFunc(x.args, func(a *expr) bool { return !a.kind.number() })
	}
	if fits && (t.text == "gcd" || t.text == "sum" || t.text == "min" || t.text == "max" || t.text == "permutation") {
		fits = first.kind != words && (first.kind != decimals && first.kind != decimal || t.text != "gcd" && t.text != "permutation")
	}
	if !fits {
		p.fail(t, "sum, len, different, distinct, sorted, min, max and gcd take a list, which a name is outside of its block; "+
			"min, max, gcd and abs take numbers, len and palindrome a word", "%s cannot take %s", t.text, p.kindsOf(x.args))
	}
	if x.kind != truth {
		x.kind = integer
		if slices.ContainsFunc(x.args, func(a *expr) bool { return a.kind == decimal || a.kind == decimals }) &&
			t.text != "len" && t.text != "different" && t.text != "count" {
			x.kind = decimal
		}
	}
	return x
}

func (p *parser) kindsOf(args []*expr) string {
	text := ""
	for i, a := range args {
		if i > 0 {
			text += " and "
		}
		text += kindNames[a.kind]
	}
	return text
}
