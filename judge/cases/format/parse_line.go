package format

import (
	"fmt"
	"strings"
)

// maxItems is the maximum number of literals, fields, and alternatives of a line.
const maxItems = 1000

func (p *parser) line(head token) any {
	l := &line{row: head.line, items: p.items()}
	if n := textsIn(l.items, true); n > 0 {
		p.fail(head, "a text extends to the end of its line", "a text is followed by something else in its line")
	}
	return l
}

// textsIn counts the text values in items that do not end the line. If last is set, the last item ends the line.
func textsIn(items []any, last bool) (n int) {
	for i, it := range items {
		atEnd := last && i == len(items)-1
		switch it := it.(type) {
		case *field:
			if it.typ.kind == textType && !atEnd {
				n++
			}
		case *array:
			if it.typ.kind == textType {
				n++
			}
		case *group:
			for _, alt := range it.alts {
				n += textsIn(alt, atEnd)
			}
		}
	}
	return n
}

// items parses the items of a line or an alternative.
func (p *parser) items() (items []any) {
	if p.level++; p.level > maxNesting {
		p.fail(p.peek(), "", "more than %d brackets in each other", maxNesting)
	}
	defer func() { p.level-- }()
	for {
		and := p.peek()
		glue := len(items) > 0 && p.accept("&")
		t := p.peek()
		switch {
		case t.kind == stringToken:
			p.pos++
			text := withoutEscapes(t.text)
			if text == "" || strings.ContainsAny(text, "\n\r") {
				p.fail(t, "", "a line cannot have an empty word")
			}
			items = append(items, &literal{text, glue})
			p.g.literals = append(p.g.literals, text)
		case t.kind == nameToken && (p.peekAt(1).text == ":" || p.peekAt(1).text == "["):
			items = append(items, p.field(glue))
		case t.text == "(" && t.kind == symbolToken:
			if glue {
				p.fail(t, "", "& cannot precede brackets")
			}
			items = append(items, p.group())
		case glue:
			p.fail(t, "", "want a value after &, got %s", t.describe())
		case t.kind == nameToken:
			p.fail(
				t,
				fmt.Sprintf("declare a value as %s: int 1..100, and a fixed word as %q", t.text, t.text),
				"want a value, got %s", t.describe(),
			)
		default:
			return items
		}
		if glue {
			p.checkSeparable(and, items[len(items)-2], items[len(items)-1])
		}
		if len(items) > maxItems {
			p.fail(t, "", "more than %d values in a line", maxItems)
		}
	}
}

// checkSeparable rejects two items without a blank between them if they could not be separated when an input is read.
func (p *parser) checkSeparable(position token, left, right any) {
	var t *typ
	switch left := left.(type) {
	case *literal:
		return
	case *field:
		t = left.typ
	case *array:
		t = left.typ
	}
	if l, ok := right.(*literal); !ok || t == nil || t.isAmbiguousBefore(l.text[0]) {
		p.fail(
			position,
			"after &, write a character that the value cannot contain, such as: h: int 0..23 & \":\" & m: int 0..59",
			"the end of the value before & is ambiguous",
		)
	}
}

// isAmbiguousBefore reports whether the end of a value is ambiguous if the next character is c.
func (t *typ) isAmbiguousBefore(c byte) bool {
	switch t.kind {
	case wordType, textType:
		return t.letters[c]
	case enumType:
		for _, a := range t.options {
			for _, b := range t.options {
				if a != b && strings.HasPrefix(b, a) {
					return true
				}
			}
		}
		return false
	}
	return isDigit(c) || c == '-' || c == '.'
}

// withoutEscapes removes the escapes for character sets from a string.
func withoutEscapes(s string) string { return strings.NewReplacer(`\\`, `\`, `\-`, `-`).Replace(s) }

func (p *parser) group() any {
	g := &group{row: p.peek().line}
	p.symbol("(")
	outer := p.scope
	for {
		p.scope = p.newScope(outer, outer.depth)
		g.alts = append(g.alts, p.items())
		p.scope = outer
		if !p.accept("|") {
			break
		}
	}
	p.expect(symbolToken, ")", `"|" or ")"`)
	return g
}

// field parses a value or an array: its name and its type.
func (p *parser) field(glue bool) any {
	t := p.expect(nameToken, "", "a name")
	f := field{row: t.line, glue: glue}
	if !p.accept("[") {
		p.symbol(":")
		f.typ = p.typ()
		if f.typ.kind == permutationType {
			p.fail(t, "write: "+t.text+"[n]: permutation 1..n", "a permutation is several values")
		}
		f.name = p.declare(t, f.typ.valueKind(), false)
		f.name.negative = f.name.negative || f.typ.kind == intType && f.typ.lo.op == "constant" && f.typ.lo.n < 0
		return &f
	}
	a := &array{separator: " "}
	inner := p.newScope(p.scope, p.scope.depth)
	outer := p.scope
	if p.peek().kind == nameToken && p.peekAt(1).text == "=" {
		index := p.expect(nameToken, "", "a name")
		p.pos++
		a.from = p.arithmetic(integer)
		p.symbol("..")
		a.count = span(a.from, p.arithmetic(integer))
		p.scope = inner
		a.index = p.declare(index, integer, false)
		a.index.index = true
	} else {
		a.count = p.count()
	}
	p.symbol("]")
	p.symbol(":")
	f.typ = p.typ()
	p.scope = outer
	p.modifiers(a, f.typ)
	f.name = p.declare(t, f.typ.valueKind(), true)
	a.field = f
	return a
}

// count parses a count.
func (p *parser) count() *expr {
	at := p.peek()
	x := p.arithmetic(integer)
	switch {
	case x.op == "constant" && x.n < 0:
		p.fail(at, "", "there cannot be %d of something", x.n)
	case x.op == "name" && x.name.negative:
		p.fail(
			at, "raise the lower bound of "+x.name.text+" to 0 or 1",
			"%s says how many there are, and its lower bound is below 0", x.name.text,
		)
	}
	return x
}

// modifiers parses what follows the type of an array.
func (p *parser) modifiers(a *array, t *typ) {
	for {
		at := p.peek()
		if next := p.peekAt(1).text; at.kind != nameToken || next == ":" || next == "[" {
			return
		}
		switch at.text {
		case "sorted", "descending":
			a.order = ascending
			if at.text == "descending" {
				a.order = descending
			}
		case "distinct":
			a.distinct = true
		case "by":
			p.pos++
			sep := p.expect(stringToken, "", "the separator of the values, in quotes")
			a.separator = withoutEscapes(sep.text)
			p.pos--
			if a.separator == "" {
				p.fail(sep, "characters without anything between them are a word", "the separator is empty")
			}
			if a.separator != " " && t.isAmbiguousBefore(a.separator[0]) {
				p.fail(sep, "such as: by \",\"", "the end of a value before %q is ambiguous", a.separator)
			}
			if strings.Contains(a.separator, "\n") {
				p.fail(sep, "", "values on lines of their own are a `repeat`")
			}
		default:
			p.fail(at, "an array may be: sorted, descending, distinct, by \",\"", "unexpected %q", at.text)
		}
		p.pos++
		if (a.order != anyOrder || a.distinct) && (a.index != nil || t.kind != intType && t.kind != wordType) {
			p.fail(at, "such an array has integers or words, and bounds that are the same for all", "this array cannot be %s", at.text)
		}
	}
}

var types = []string{"int", "float", "word", "text", "permutation"}

// typ parses the type of a field.
func (p *parser) typ() *typ {
	t := p.peek()
	if t.kind == stringToken {
		return p.options()
	}
	if t.kind != nameToken {
		p.fail(
			t,
			"one of: int 1..9, float 0..1, word 1..9 of \"a-z\", text 0..9, permutation 1..n, \"A\" or \"B\"",
			"want a type, got %s", t.describe(),
		)
	}
	p.pos++
	switch t.text {
	case "int":
		lo, hi := p.bounds(integer)
		return &typ{kind: intType, lo: lo, hi: hi}
	case "permutation":
		lo, hi := p.bounds(integer)
		return &typ{kind: permutationType, lo: lo, hi: hi}
	case "float":
		lo, hi := p.bounds(decimal)
		made := &typ{kind: floatType, lo: lo, hi: hi, decimals: [2]int{0, 6}}
		if p.accept("decimals") {
			made.decimals = p.decimals()
		}
		return made
	case "word", "text":
		return p.wordType(t)
	}
	p.fail(t, hintType(t.text), "unknown type %q", t.text)
	return nil
}

func (p *parser) options() *typ {
	made := &typ{kind: enumType}
	for {
		t := p.expect(stringToken, "", "a word in quotes")
		text := withoutEscapes(t.text)
		if text == "" || strings.ContainsAny(text, " \n\r\t") {
			p.fail(t, "", "%q is not a word", text)
		}
		for _, o := range made.options {
			if o == text {
				p.fail(t, "", "%q appears twice", text)
			}
		}
		made.options = append(made.options, text)
		p.g.literals = append(p.g.literals, text)
		if p.peek().text != "or" || p.peekAt(1).kind != stringToken {
			return made
		}
		p.pos++
	}
}

func (p *parser) wordType(t token) *typ {
	made := &typ{kind: wordType}
	set := "!-~"
	if t.text == "text" {
		made.kind, set = textType, " -~"
	}
	at := p.peek()
	made.lo = p.arithmetic(integer)
	made.hi = made.lo
	if p.accept("..") {
		made.hi = p.arithmetic(integer)
	}
	p.checkBounds(at, made.lo, made.hi)
	if p.accept("of") {
		at = p.expect(stringToken, "", "the characters, in quotes")
		set = at.text
	}
	problem := made.characters(set)
	if problem == "" && made.kind == wordType && made.letters[' '] {
		problem = "a word has no blanks; a text has"
	}
	if problem != "" {
		p.fail(at, `such as: of "a-zA-Z0-9_\-"`, "characters %q: %s", set, problem)
	}
	return made
}

// characters parses a set of characters, such as a-z0-9.
func (t *typ) characters(text string) (problem string) {
	add := func(c byte) {
		if !t.letters[c] {
			t.letters[c] = true
			t.alphabet = append(t.alphabet, c)
		}
	}
	at := func(i int) (byte, int) { // returns the character at i, and its length
		if text[i] == '\\' && i+1 < len(text) {
			return text[i+1], 2
		}
		return text[i], 1
	}
	for i := 0; i < len(text); {
		lo, n := at(i)
		i += n
		if lo < ' ' || lo > '~' {
			return "only printable ASCII can be declared"
		}
		if i+1 >= len(text) || text[i] != '-' {
			add(lo)
			continue
		}
		hi, n := at(i + 1)
		i += 1 + n
		if hi < lo || hi > '~' {
			return fmt.Sprintf("the range %c-%c runs downwards", lo, hi)
		}
		for c := int(lo); c <= int(hi); c++ {
			add(byte(c))
		}
	}
	if len(t.alphabet) == 0 {
		return "the set is empty"
	}
	return ""
}

func (p *parser) decimals() (d [2]int) {
	read := func() int {
		t := p.expect(integerToken, "", "a number of decimals")
		if !t.n.IsInt64() || t.n.Int64() > 15 {
			p.fail(t, "", "at most 15 decimals can be declared")
		}
		return int(t.n.Int64())
	}
	d[0] = read()
	d[1] = d[0]
	t := p.peek()
	if p.accept("..") {
		d[1] = read()
	}
	if d[1] < d[0] {
		p.fail(t, "", "the range of decimals runs downwards")
	}
	return d
}

// bounds reads lo..hi.
func (p *parser) bounds(k kind) (lo, hi *expr) {
	at := p.peek()
	lo = p.arithmetic(k)
	p.expect(symbolToken, "..", `".." and the upper bound`)
	hi = p.arithmetic(k)
	p.checkBounds(at, lo, hi)
	return lo, hi
}

func (p *parser) checkBounds(at token, lo, hi *expr) {
	if lo.op == "constant" && hi.op == "constant" && lo.float(nil) > hi.float(nil) {
		p.fail(at, "the lower bound comes first", "%s..%s runs downwards", lo.text, hi.text)
	}
}
