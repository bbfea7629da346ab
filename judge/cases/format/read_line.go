package format

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// items reads the items of a line, starting with index from, and then calls rest. A choice takes the first
// alternative with which the whole line can be read.
func (r *reader) items(items []any, from int, parent *node, readRest func() bool) bool {
	for i := from; i < len(items); i++ {
		g, ok := items[i].(*group)
		if !ok {
			var made *node
			if parent != nil {
				made = &node{decl: items[i]}
				parent.kids = append(parent.kids[:i], made)
			}
			if !r.item(items[i], nextIsGlued(items, i), made) {
				return false
			}
			continue
		}
		before := r.save()
		for k, alt := range g.alts {
			var part *node
			if parent != nil {
				part = &node{decl: g, alt: k}
				parent.kids = append(parent.kids[:i], part)
			}
			r.recordHit(chosen, g.number, k)
			if r.items(alt, 0, part, func() bool { return r.items(items, i+1, parent, readRest) }) {
				return true
			}
			r.restore(before)
		}
		return false
	}
	return readRest()
}

// nextIsGlued reports whether an item follows item i without a blank.
func nextIsGlued(items []any, i int) bool {
	if i+1 == len(items) {
		return false
	}
	switch it := items[i+1].(type) {
	case *literal:
		return it.glue
	case *field:
		return it.glue
	case *array:
		return it.glue
	}
	return false
}

// blank reads the blank before an item. The first item of a line and a glued item have no blank before them.
func (r *reader) blank(glue bool) bool {
	if r.lineStart || glue {
		r.lineStart = false
		return true
	}
	if r.pos >= len(r.data) || r.data[r.pos] != ' ' {
		return r.reject(r.pos, "want a blank, got %s", r.describeNext())
	}
	r.pos++
	return true
}

func (r *reader) item(item any, glued bool, parent *node) bool {
	switch it := item.(type) {
	case *literal:
		return r.blank(it.glue) && r.literal(it.text, glued)
	case *field:
		return r.blank(it.glue) && r.field(it, glued, parent)
	case *array:
		return r.array(it, glued, parent)
	}
	return false
}

// literal reads a fixed text.
func (r *reader) literal(text string, glued bool) bool {
	if !strings.HasPrefix(string(r.data[r.pos:min(len(r.data), r.pos+len(text))]), text) ||
		!glued && r.pos+len(text) < len(r.data) && r.data[r.pos+len(text)] > ' ' {
		return r.rejectWord(strconv.Quote(text))
	}
	r.pos += len(text)
	return true
}

func (r *reader) field(f *field, glued bool, parent *node) bool {
	switch f.typ.kind {
	case intType:
		n, ok := r.int(f, label{name: f.name.text}, glued)
		if !ok {
			return false
		}
		r.e.setInt(f.name, n)
		if parent != nil {
			parent.n, parent.lo, parent.hi = n, f.typ.lo.int(r.e), f.typ.hi.int(r.e)
		}
		return true
	default:
		s, ok := r.word(f, label{name: f.name.text}, glued)
		if !ok {
			return false
		}
		r.set(f, s)
		if parent != nil {
			parent.s = s
		}
		return true
	}
}

// set stores the value of a field that is not an integer.
func (r *reader) set(f *field, s string) {
	if f.typ.kind == floatType {
		v, _ := strconv.ParseFloat(s, 64)
		r.e.setFloat(f.name, v)
		return
	}
	if f.name.used {
		r.e.setWord(f.name, s)
	}
}

// A label names a value in messages: a name, or an element of an array.
type label struct {
	name  string
	index int64
	array bool
}

func (l label) String() string {
	if l.array {
		return fmt.Sprintf("%s[%d]", l.name, l.index)
	}
	return l.name
}

// int reads an integer of the field, and checks its bounds.
func (r *reader) int(f *field, what label, glued bool) (int64, bool) {
	at := r.pos
	lo, hi := f.typ.lo.int(r.e), f.typ.hi.int(r.e)
	n, length := r.plainInt(glued)
	if length == 0 {
		text := r.token(glued)
		var err error
		n, err = strconv.ParseInt(text, 10, 64)
		if length = len(text); err != nil || text != strconv.FormatInt(n, 10) {
			return 0, r.notAnInteger(text, what.String(), err == nil, lo, hi)
		}
	}
	if n < lo || n > hi {
		return 0, r.reject(at, "%s = %d is not in %d..%d", what, n, lo, hi)
	}
	r.pos += length
	if lo != hi && n == lo {
		r.recordHit(lowest, f.number, 0)
	}
	if lo != hi && n == hi {
		r.recordHit(highest, f.number, 0)
	}
	return n, true
}

// plainInt reads an integer of at most 18 digits in canonical spelling, which is the common case. If the text does
// not begin with such an integer, the returned length is zero.
func (r *reader) plainInt(glued bool) (n int64, length int) {
	const most = 18
	data := r.data[r.pos:min(len(r.data), r.pos+most+2)]
	digits := data
	if len(data) > 0 && data[0] == '-' {
		digits = data[1:]
	}
	k := 0
	for k < len(digits) && isDigit(digits[k]) {
		n = 10*n + int64(digits[k]-'0')
		k++
	}
	if k == 0 || k > most || digits[0] == '0' && (k > 1 || len(digits) < len(data)) || k < len(digits) &&
		(digits[k] > ' ' && (!glued || digits[k] == '-' || digits[k] == '.')) {
		return 0, 0
	}
	if len(digits) < len(data) {
		n = -n
	}
	return n, len(data) - len(digits) + k
}

func (r *reader) notAnInteger(text, what string, spelt bool, lo, hi int64) bool {
	digits := strings.TrimPrefix(text, "-")
	switch {
	case text == "":
		return r.reject(r.pos, "want %s, an integer, got %s", what, r.describeNext())
	case spelt:
		return r.reject(r.pos, "%s = %s is not how an integer is written: no + and no zero in front", what, short(text))
	case digits != "" && strings.Trim(digits, "0123456789") == "":
		return r.reject(r.pos, "%s = %s is not in %d..%d", what, short(text), lo, hi)
	}
	return r.reject(r.pos, "want %s, an integer, got %s", what, short(text))
}

// word reads a value that is not an integer.
func (r *reader) word(f *field, what label, glued bool) (string, bool) {
	switch f.typ.kind {
	case enumType:
		return r.option(f, glued)
	case floatType:
		return r.float(f, what, glued)
	case textType:
		end := r.pos
		for end < len(r.data) && r.data[end] != '\n' {
			end++
		}
		return r.letters(f, what, string(r.data[r.pos:end]))
	}
	end := r.pos
	for end < len(r.data) && r.data[end] > ' ' && (!glued || f.typ.letters[r.data[end]]) {
		end++
	}
	return r.letters(f, what, string(r.data[r.pos:end]))
}

// letters checks a word's length and characters.
func (r *reader) letters(f *field, what label, s string) (string, bool) {
	lo, hi := f.typ.lo.int(r.e), f.typ.hi.int(r.e)
	for i := range len(s) {
		if !f.typ.letters[s[i]] {
			return "", r.reject(r.pos+i, "%s has the character %+q, which is not one of %s", what, s[i:i+1], f.typ.alphabetText())
		}
	}
	if n := int64(len(s)); n < lo || n > hi {
		want := fmt.Sprintf("%d to %d", lo, hi)
		if lo == hi {
			want = strconv.FormatInt(lo, 10)
		}
		return "", r.reject(r.pos, "%s has %d characters, not %s", what, n, want)
	}
	if lo != hi && int64(len(s)) == lo {
		r.recordHit(lowest, f.number, 0)
	}
	if lo != hi && int64(len(s)) == hi {
		r.recordHit(highest, f.number, 0)
	}
	r.pos += len(s)
	return s, true
}

// alphabetText formats the allowed characters of a word as in a declaration.
func (t *typ) alphabetText() string {
	var b strings.Builder
	for c := 0; c < 256; c++ {
		if !t.letters[c] {
			continue
		}
		last := c
		for last+1 < 256 && t.letters[last+1] {
			last++
		}
		if b.WriteByte(byte(c)); last > c+1 {
			fmt.Fprintf(&b, "-%c", last)
			c = last
		}
	}
	return strconv.Quote(b.String())
}

// option reads a word of an enumeration. It takes the longest word that matches.
func (r *reader) option(f *field, glued bool) (string, bool) {
	best := -1
	for k, o := range f.typ.options {
		if strings.HasPrefix(string(r.data[r.pos:min(len(r.data), r.pos+len(o))]), o) && (best < 0 || len(o) > len(f.typ.options[best])) &&
			(glued || r.pos+len(o) == len(r.data) || r.data[r.pos+len(o)] <= ' ') {
			best = k
		}
	}
	if best < 0 {
		for _, o := range f.typ.options {
			r.rejectWord(strconv.Quote(o))
		}
		return "", false
	}
	r.recordHit(option, f.number, best)
	r.pos += len(f.typ.options[best])
	return f.typ.options[best], true
}

// float reads a decimal number, without an exponent.
func (r *reader) float(f *field, what label, glued bool) (string, bool) {
	text := r.token(glued)
	whole, fraction, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if !digits(whole) || point && !digits(fraction) || len(whole) > 1 && whole[0] == '0' ||
		strings.HasPrefix(text, "-") && strings.Trim(whole+fraction, "0") == "" {
		got := short(text)
		if text == "" {
			got = r.describeNext()
		}
		return "", r.reject(r.pos, "want %s, a decimal number such as -1.25, got %s", what, got)
	}
	if n := len(fraction); n < f.typ.decimals[0] || n > f.typ.decimals[1] {
		return "", r.reject(r.pos, "want %d to %d decimals of %s, got %s", f.typ.decimals[0], f.typ.decimals[1], what, short(text))
	}
	lo, hi := f.typ.lo.float(r.e), f.typ.hi.float(r.e)
	v, _ := new(big.Rat).SetString(text)
	low, high := decimalRat(lo), decimalRat(hi)
	if v.Cmp(low) < 0 || v.Cmp(high) > 0 {
		return "", r.reject(r.pos, "%s = %s is not in %v..%v", what, short(text), lo, hi)
	}
	if v.Cmp(low) == 0 {
		r.recordHit(lowest, f.number, 0)
	}
	if v.Cmp(high) == 0 {
		r.recordHit(highest, f.number, 0)
	}
	r.pos += len(text)
	return text, true
}

// decimalRat returns the exact value of the shortest decimal that represents f.
func decimalRat(f float64) *big.Rat {
	v, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'f', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return v
}

func (r *reader) array(a *array, glued bool, parent *node) bool {
	n := max(a.count.int(r.e), 0)
	from := int64(1)
	if a.from != nil {
		from = a.from.int(r.e)
	}
	var ints []int64
	var texts []string
	keep := parent != nil || a.order != anyOrder || a.distinct || a.typ.kind == permutationType
	starts := r.pos
	for i := range n {
		if i == 0 && !r.blank(a.glue) {
			return false
		}
		if i > 0 && !r.separator(a) {
			return false
		}
		what := label{a.name.text, from + i, true}
		if a.index != nil {
			r.e.setInt(a.index, from+i)
		}
		tight := glued && i == n-1 || a.separator != " " && i < n-1
		at := r.pos
		if a.name.kind != integer {
			s, ok := r.word(&a.field, what, tight)
			if !ok {
				return false
			}
			if r.set(&a.field, s); keep {
				texts = append(texts, s)
			}
		} else {
			v, ok := r.int(&a.field, what, tight)
			if !ok {
				return false
			}
			if r.e.setInt(a.name, v); keep {
				ints = append(ints, v)
			}
		}
		if !inOrder(a, ints) || !inOrder(a, texts) {
			return r.reject(at, "%s is out of order: the values are %s", what, map[order]string{
				ascending: "sorted", descending: "descending",
			}[a.order])
		}
	}
	if (a.distinct || a.typ.kind == permutationType) && !r.distinct(a, starts, ints, texts) {
		return false
	}
	if parent != nil {
		parent.ints, parent.words = ints, texts
		if a.name.kind == integer && a.index == nil {
			parent.lo, parent.hi = a.typ.lo.int(r.e), a.typ.hi.int(r.e)
		}
	}
	return true
}

func (r *reader) separator(a *array) bool {
	sep := a.separator
	if !strings.HasPrefix(string(r.data[r.pos:min(len(r.data), r.pos+len(sep))]), sep) {
		if sep == " " {
			return r.reject(r.pos, "want a blank, got %s", r.describeNext())
		}
		return r.reject(r.pos, "want %q, got %s", sep, r.describeNext())
	}
	r.pos += len(sep)
	return true
}

// inOrder reports whether the last two values are in the array's order.
func inOrder[T int64 | string](a *array, values []T) bool {
	if n := len(values); n > 1 {
		switch a.order {
		case ascending:
			return values[n-2] <= values[n-1]
		case descending:
			return values[n-2] >= values[n-1]
		}
	}
	return true
}

// distinct rejects an array in which a value repeats.
func (r *reader) distinct(a *array, at int, ints []int64, texts []string) bool {
	i, ok := firstRepeated(ints)
	text := ""
	if ok {
		text = strconv.FormatInt(ints[i], 10)
	} else if i, ok = firstRepeated(texts); ok {
		text = texts[i]
	} else {
		return true
	}
	return r.reject(at, "%s has %s twice", a.name.text, text)
}

func firstRepeated[T int64 | string](values []T) (int, bool) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return slices.Index(values, sorted[i]), true
		}
	}
	return 0, false
}
