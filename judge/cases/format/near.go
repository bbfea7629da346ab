package format

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A Wrong is an input with one mistake.
type Wrong struct {
	Text []byte
	What string // `n = 101, above its bounds`
}

// Near generates inputs with one mistake each: a number beyond its bounds or in another spelling, a word with other
// letters, a line or value too many or too few, a wrong blank or line end, or a violated condition. Check rejects each
// of them. They are made from small inputs of Draw.
func (g *Grammar) Near(r *rand.Rand, o Options) (all []Wrong, err error) {
	n := &neighbor{g: g, r: r, seen: map[string]bool{}}
	if o.Size == 0 {
		o.Size = 5
	}
	const from = 4
	for range from {
		text, err := g.Draw(r, o)
		if err != nil {
			return nil, err
		}
		n.text, n.root = text, g.read(text, true).root
		n.bytes()
		n.parts()
	}
	n.beyondBounds(o)
	n.conditions(o)
	return n.all, nil
}

// A neighbor collects wrong inputs made from one valid input.
type neighbor struct {
	g    *Grammar
	r    *rand.Rand
	text []byte
	root *node
	seen map[string]bool
	all  []Wrong
}

func (n *neighbor) add(text []byte, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if n.seen[what] || text == nil || n.g.Check(text) == nil {
		return
	}
	n.seen[what] = true
	n.all = append(n.all, Wrong{text, what})
}

// bytes changes white space and line ends.
func (n *neighbor) bytes() {
	t := n.text
	n.add([]byte{}, "an empty file")
	n.add(bytes.TrimSuffix(t, []byte("\n")), "no line feed at the end")
	n.add(append(bytes.Clone(t), '\n'), "an empty line at the end")
	n.add(append([]byte{'\n'}, t...), "an empty line at the start")
	n.add(append(bytes.Clone(t), "0\n"...), "a line too much")
	n.add(append([]byte{' '}, t...), "a blank before the first word")
	n.add(append(bytes.TrimSuffix(bytes.Clone(t), []byte("\n")), " \n"...), "a blank at the end of the last line")
	n.add(bytes.ReplaceAll(t, []byte("\n"), []byte("\r\n")), "line ends of two bytes")
	n.add(append(bytes.Clone(t), 0), "a zero byte at the end")
	if i := bytes.IndexByte(t, ' '); i >= 0 {
		n.add(slices.Insert(bytes.Clone(t), i, ' '), "two blanks between words")
		n.add(splice(t, i, i+1, "\t"), "a tab between words")
		n.add(splice(t, i, i+1, ""), "no blank between words")
		n.add(splice(t, i, i+1, "\n"), "a line end between words")
	}
	if i := bytes.IndexByte(t, '\n'); i >= 0 {
		n.add(slices.Insert(bytes.Clone(t), i, ' '), "a blank at the end of the first line")
	}
	if i := bytes.LastIndexByte(bytes.TrimSuffix(t, []byte("\n")), '\n'); i >= 0 {
		n.add(t[:i+1], "the last line is missing")
		n.add(splice(t, i, i+1, " "), "a blank instead of the last line end")
	}
}

func splice(t []byte, from, to int, with string) []byte {
	return slices.Concat(t[:from], []byte(with), t[to:])
}

// parts changes one part of the tree at a time.
func (n *neighbor) parts() {
	for k, part := range find(n.root, func(*node) bool { return true }) {
		change := func(what string, do func(part *node)) {
			root := n.root.clone()
			do(find(root, func(*node) bool { return true })[k])
			n.add(n.g.render(root), "%s", what)
		}
		switch f := part.of.(type) {
		case *field:
			if f.name.kind == integer {
				n.number(f.name.text, part.n, part.lo, part.hi, func(what, text string) { change(what, func(p *node) { p.words = []string{text} }) })
			} else {
				n.word(f, f.name.text, part.s, func(what, text string) { change(what, func(p *node) { p.s = text }) })
			}
		case *array:
			n.array(f, part, change)
		case *repeat:
			if m := len(part.kids); m > 0 {
				change("a round of the block in line "+strconv.Itoa(f.row)+" more", func(p *node) { p.kids = append(p.kids, p.kids[m-1]) })
				change("a round of the block in line "+strconv.Itoa(f.row)+" less", func(p *node) { p.kids = p.kids[:m-1] })
			}
		case *grid:
			if m := len(part.words); m > 0 {
				what := "a row of " + f.name.text
				change(what+" more", func(p *node) { p.words = append(p.words, p.words[0]) })
				change(what+" less", func(p *node) { p.words = p.words[1:] })
				n.word(&f.field, what, part.words[m-1], func(what, text string) { change(what, func(p *node) { p.words[m-1] = text }) })
			}
		case *graph:
			n.graph(f, part, change)
		}
	}
}

// number writes a number in other spellings, and replaces it by numbers just beyond its bounds.
func (n *neighbor) number(name string, v, lo, hi int64, put func(what, text string)) {
	if hi < math.MaxInt64 {
		put(name+" is one above its bound", strconv.FormatInt(hi+1, 10))
	}
	if lo > math.MinInt64 {
		put(name+" is one below its bound", strconv.FormatInt(lo-1, 10))
	}
	text := strconv.FormatInt(v, 10)
	put(name+" has a plus in front", "+"+text)
	put(name+" has a zero in front", strings.Replace("0"+text, "0-", "-0", 1))
	put(name+" has a fraction", text+".0")
	put(name+" is a word", "x")
	put(name+" is beyond 64 bits", "18446744073709551616")
	put(name+" is in hexadecimal", "0x1")
	put(name+" is missing", "")
	if lo <= 0 && hi >= 0 {
		put(name+" is -0", "-0")
	}
}

// word replaces a value that is not an integer by invalid ones.
func (n *neighbor) word(f *field, name, s string, put func(what, text string)) {
	switch f.typ.kind {
	case enumType:
		put(name+" is in other letters", flipCase(s))
		put(name+" is another word", s+"x")
		put(name+" is missing", "")
		return
	case floatType:
		put(name+" has a plus in front", "+"+s)
		put(name+" has an exponent", s+"e0")
		put(name+" has a point and no decimals", strings.SplitN(s, ".", 2)[0]+".")
		put(name+" has too many decimals", fmt.Sprintf("%s%s", strings.SplitN(s+".", ".", 2)[0], "."+strings.Repeat("0", f.typ.decimals[1]+1)))
		if f.typ.hi.op == "constant" && f.typ.lo.op == "constant" {
			put(name+" is above its bound", strconv.FormatInt(int64(f.typ.hi.float(nil))+1, 10))
			put(name+" is below its bound", strconv.FormatInt(int64(f.typ.lo.float(nil))-1, 10))
		}
		return
	}
	for c := byte(' '); c <= '~'; c++ {
		if !f.typ.letters[c] && c != ' ' && s != "" {
			put(name+" has a letter that it may not have", string(c)+s[1:])
			break
		}
	}
	if s != "" {
		put(name+" has a letter beyond ASCII", "é"+s[1:])
		put(name+" has a control character", "\x01"+s[1:])
		put(name+" has a blank inside", s[:1]+" "+s[1:])
	}
	if f.typ.hi.op == "constant" && f.typ.hi.n < maxDeclaration {
		put(name+" is one character too long", strings.Repeat(string(f.typ.alphabet[:1]), int(f.typ.hi.n)+1))
	} else if f.typ.lo == f.typ.hi {
		put(name+" is one character too long", s+string(f.typ.alphabet[:1]))
	}
	if f.typ.lo.op == "constant" && f.typ.lo.n > 0 && f.typ.lo.n < maxDeclaration {
		put(name+" is one character too short", strings.Repeat(string(f.typ.alphabet[:1]), int(f.typ.lo.n)-1))
	} else if f.typ.lo == f.typ.hi && s != "" {
		put(name+" is one character too short", s[1:])
	}
}

func flipCase(s string) string {
	if up := strings.ToUpper(s); up != s {
		return up
	}
	return strings.ToLower(s)
}

func (n *neighbor) array(a *array, part *node, change func(string, func(*node))) {
	name := a.name.text
	m := len(part.ints) + len(part.words)
	if m == 0 {
		return
	}
	texts := slices.Clone(part.words)
	for _, v := range part.ints {
		texts = append(texts, strconv.FormatInt(v, 10))
	}
	put := func(what string, words []string) {
		change(what, func(p *node) { p.ints, p.words = nil, words })
	}
	put(name+" has a value more", append(slices.Clone(texts), texts[m-1]))
	put(name+" has a value less", texts[:m-1])
	i := n.r.IntN(m)
	set := func(what, text string) {
		words := slices.Clone(texts)
		words[i] = text
		put(what, words)
	}
	what := "a value of " + name
	if a.name.kind == integer && a.index == nil {
		n.number(what, part.ints[i], part.lo, part.hi, set)
	} else if a.name.kind != integer {
		n.word(&a.field, what, texts[i], set)
	}
	if m > 1 {
		words := slices.Clone(texts)
		words[m-1] = words[0]
		put(name+" has a value twice", words)
		slices.Reverse(texts)
		put(name+" is in the opposite order", texts)
	}
}

func (n *neighbor) graph(g *graph, part *node, change func(string, func(*node))) {
	width := g.width()
	m := len(part.ints) / width
	if m == 0 {
		return
	}
	last := (m - 1) * width
	change("an edge more", func(p *node) { p.ints = append(p.ints, p.ints[last:]...) })
	change("an edge less", func(p *node) { p.ints = p.ints[:last] })
	change("an edge joins a node with itself", func(p *node) { p.ints[last+1] = p.ints[last] })
	change("an edge ends below the nodes", func(p *node) { p.ints[last] = g.base - 1 })
	change("an edge ends above the nodes", func(p *node) { p.ints[last] = slices.Max(p.ints) + int64(m) + 1 })
	if m > 1 {
		change("an edge stands there twice", func(p *node) { copy(p.ints[last:last+2], p.ints[:2]) })
		change("an edge stands there in both directions", func(p *node) { p.ints[last], p.ints[last+1] = p.ints[1], p.ints[0] })
	}
	if m > 2 {
		change("the edges make a cycle", func(p *node) { p.ints[last], p.ints[last+1] = p.ints[0], p.ints[width+1] })
	}
	if g.weight != nil {
		n.edgeWeight(g, last+2, change)
	}
}

func (n *neighbor) edgeWeight(g *graph, at int, change func(string, func(*node))) {
	if w := g.weight; w.typ.lo.op == "constant" && w.typ.hi.op == "constant" {
		change(w.name.text+" is one above its bound", func(p *node) { p.ints[at] = w.typ.hi.n + 1 })
		change(w.name.text+" is one below its bound", func(p *node) { p.ints[at] = w.typ.lo.n - 1 })
	}
}

// beyondBounds draws inputs that are valid except for one count beyond its bounds. The counted values match it.
func (n *neighbor) beyondBounds(o Options) {
	o.Most = 1 << 20
	for _, f := range n.g.bounds {
		if f.name.kind != integer || !f.name.counts || f.name.array {
			continue
		}
		for _, bound := range []struct {
			x    *expr
			step int64
			what string
		}{{f.typ.hi, 1, "above"}, {f.typ.lo, -1, "below"}} {
			if bound.x.op != "constant" || bound.x.n > 1<<20 {
				continue
			}
			o.force = map[*name]int64{f.name: bound.x.n + bound.step}
			if text, err := n.g.Draw(n.r, o); err == nil {
				n.add(text, "%s is one %s its bound, and so is what it counts", f.name.text, bound.what)
			}
		}
	}
}

// conditions draws inputs in which one condition does not hold.
func (n *neighbor) conditions(o Options) {
	o.force = nil
	size := o.Size
	for _, w := range n.g.wheres {
		for k := range 4 { // small and large; from the third on, other conditions may be violated, too
			o.loose, o.lax, o.Size, o.Most = w, k >= 2, size*int64(1-k%2), 1<<20
			if text, err := n.g.Draw(n.r, o); err == nil {
				n.add(text, "not: %s", w.text)
				break
			}
		}
	}
}
