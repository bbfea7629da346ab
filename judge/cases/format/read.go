package format

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Rejection is the reason why a text does not match a declaration.
type Rejection struct {
	Line, Column int // from 1; columns are in bytes
	Text         string
}

func (r *Rejection) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", r.Line, r.Column, r.Text)
}

// Check compares every byte of text with the declaration. It returns nil if the text matches.
func (g *Grammar) Check(text []byte) *Rejection {
	r := g.read(text, false)
	return r.rejection()
}

// read reads a text. If tree is set, it also builds the syntax tree.
func (g *Grammar) read(text []byte, tree bool) *reader {
	r := &reader{g: g, data: text, e: newEnv(g), pending: map[hit]bool{}, rejectedAt: -1}
	if tree {
		r.root = &node{}
	}
	r.ok = r.block(g.body, r.root) &&
		(r.pos == len(text) || r.reject(max(r.pos, r.rejectedAt+1), "want the end of the file, got %s", r.describeNext()))
	if r.ok && len(text) == 0 { // the judge does not allow empty cases
		r.ok = r.reject(0, "want a line, got the end of the file")
	}
	return r
}

// A hit is a bound, an option, an alternative, or a feature that an input reaches.
type hit struct {
	what  hitKind
	at, k int
}

type hitKind int

const (
	lowest hitKind = iota // decl field at
	highest
	option // option k of the field with number at
	chosen // alternative k of the choice with number at
	equal  // bound of the condition with number at
	shown  // feature at
)

// A reader reads a text from its start. If a method cannot read, it records the reason and returns false. Of all
// recorded reasons, the reader reports the one at the furthest position in the text.
type reader struct {
	g         *Grammar
	data      []byte
	pos       int
	lineStart bool // nothing has been read on the line yet
	e         *env
	root      *node // if nil, the reader builds no tree
	ok        bool
	empty     int // number of rounds in which nothing was read

	rejectedAt    int // position of the furthest refusal; -1 if there is none
	rejectedText  string
	expectedWords []string // words that would be allowed at rejectedAt

	hits    []hit // in the order they were reached
	pending map[hit]bool
}

// state is the part of a reader that is restored if an alternative fails.
type state struct {
	pos     int
	fresh   bool
	lengths []int
	hits    int
}

func (r *reader) save() state {
	return state{r.pos, r.lineStart, r.e.lengths(nil), len(r.hits)}
}

func (r *reader) restore(s state) {
	r.pos, r.lineStart = s.pos, s.fresh
	r.e.truncate(s.lengths)
	for _, h := range r.hits[s.hits:] {
		delete(r.pending, h)
	}
	r.hits = r.hits[:s.hits]
}

func (r *reader) recordHit(what hitKind, at, k int) {
	h := hit{what, at, k}
	if !r.pending[h] {
		r.pending[h] = true
		r.hits = append(r.hits, h)
	}
}

func (r *reader) reject(at int, format string, args ...any) bool {
	if at > r.rejectedAt {
		r.rejectedAt, r.rejectedText, r.expectedWords = at, fmt.Sprintf(format, args...), nil
	}
	return false
}

// rejectWord records that the word want is not at the current position.
func (r *reader) rejectWord(want string) bool {
	if r.pos > r.rejectedAt {
		r.rejectedAt, r.rejectedText, r.expectedWords = r.pos, "", nil
	}
	if r.pos == r.rejectedAt && r.rejectedText == "" && !slices.Contains(r.expectedWords, want) {
		r.expectedWords = append(r.expectedWords, want)
	}
	return false
}

func (r *reader) rejection() *Rejection {
	if r.ok {
		return nil
	}
	at, text := max(r.rejectedAt, 0), r.rejectedText
	if text == "" {
		shown := r.expectedWords[:min(len(r.expectedWords), 8)]
		text = "want " + strings.Join(shown[:len(shown)-1], ", ")
		if len(shown) > 1 {
			text += " or "
		}
		r.pos = at
		text += shown[len(shown)-1] + ", got " + r.nextWord()
	}
	before := r.data[:min(at, len(r.data))]
	return &Rejection{1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n'), text}
}

// describeNext describes the text at the current position.
func (r *reader) describeNext() string {
	switch {
	case r.pos >= len(r.data):
		return "the end of the file"
	case r.data[r.pos] == '\n':
		return "the end of the line"
	case r.data[r.pos] == ' ':
		return "a blank"
	}
	c, _ := utf8.DecodeRune(r.data[r.pos:])
	return strconv.QuoteRune(c)
}

func (r *reader) nextWord() string {
	if w := r.token(false); w != "" {
		return short(w)
	}
	return r.describeNext()
}

func short(s string) string {
	if len(s) > 60 {
		return fmt.Sprintf("%q...%q (%d bytes)", s[:30], s[len(s)-15:], len(s))
	}
	return strconv.Quote(s)
}

// token returns the word at the current position, without consuming it. The word ends at white space. If numeric is
// set, it also ends where it no longer looks like a number.
func (r *reader) token(numeric bool) string {
	end := r.pos
	for end < len(r.data) {
		c := r.data[end]
		if c <= ' ' || numeric && !isDigit(c) && c != '-' && c != '.' {
			break
		}
		end++
	}
	return string(r.data[r.pos:end])
}

// block reads the statements of a block into the kids of a node, which may be nil.
func (r *reader) block(b block, parent *node) bool {
	for _, s := range b {
		var made *node
		if parent != nil {
			made = &node{decl: s}
		}
		ok := true
		switch s := s.(type) {
		case *line:
			r.lineStart = true
			ok = r.items(s.items, 0, made, r.endOfLine)
		case *repeat:
			ok = r.repeat(s, made)
		case *either:
			ok = r.either(s, made)
		case *grid:
			ok = r.grid(s, made)
		case *graph:
			ok = r.graph(s, made)
		case *let:
			r.e.setInt(s.name, s.value.int(r.e))
			made = nil
		case *where:
			ok = r.where(s)
			made = nil
		case *feature:
			if s.cond.truth(r.e) {
				r.recordHit(shown, s.number, 0)
			}
			made = nil
		}
		if !ok {
			return false
		}
		if parent != nil {
			parent.kids = append(parent.kids, made)
		}
	}
	return true
}

func (r *reader) endOfLine() bool {
	if r.pos >= len(r.data) || r.data[r.pos] != '\n' {
		return r.reject(r.pos, "want the end of the line, got %s", r.describeNext())
	}
	r.pos++
	return true
}

func (r *reader) repeat(s *repeat, parent *node) bool {
	if s.rounds != nil {
		return r.openRepeat(s, parent)
	}
	n := s.count.int(r.e)
	from := int64(1)
	if s.from != nil {
		from = s.from.int(r.e)
	}
	for i := range max(n, 0) {
		if r.empty > maxEmpty {
			return r.reject(r.pos, "the block of line %d repeats %d times, and reads nothing", s.row, n)
		}
		at := r.pos
		r.e.enter(s.depth)
		if s.index != nil {
			r.e.setInt(s.index, from+i)
		}
		if !r.round(s, parent) {
			return false
		}
		if r.pos == at {
			r.empty++
		}
	}
	return true
}

func (r *reader) round(s *repeat, parent *node) bool {
	var round *node
	if parent != nil {
		round = &node{}
		parent.kids = append(parent.kids, round)
	}
	return r.block(s.body, round)
}

// openRepeat reads rounds up to the line or EOF that ends them.
func (r *reader) openRepeat(s *repeat, parent *node) bool {
	f := s.rounds
	lo, hi := f.typ.lo.int(r.e), f.typ.hi.int(r.e)
	n := int64(0)
	for ; !r.atClosing(s); n++ {
		if n == hi {
			return r.reject(r.pos, "want %s, got %s: there are at most %d rounds", s.closingText(), r.describeNext(), hi)
		}
		at := r.pos
		r.e.enter(s.depth)
		if !r.round(s, parent) {
			return false
		}
		if r.pos == at {
			return r.reject(r.pos, "a round of the block of line %d reads nothing", s.row)
		}
	}
	if n < lo {
		return r.reject(r.pos, "%s comes after %d rounds, not %d to %d", s.closingText(), n, lo, hi)
	}
	if lo != hi && n == lo {
		r.recordHit(lowest, f.number, 0)
	}
	if lo != hi && n == hi {
		r.recordHit(highest, f.number, 0)
	}
	if s.stop != "" {
		r.pos += len(s.stop) + 1
	}
	return true
}

// closingText describes what ends the rounds.
func (s *repeat) closingText() string {
	if s.stop == "" {
		return "the end of the file"
	}
	return fmt.Sprintf("the line %q", s.stop)
}

// atClosing reports whether the end of the rounds comes next.
func (r *reader) atClosing(s *repeat) bool {
	if s.stop == "" {
		return r.pos >= len(r.data)
	}
	return bytes.HasPrefix(r.data[r.pos:], []byte(s.stop+"\n"))
}

// maxEmpty is the maximum number of rounds in which nothing is read.
const maxEmpty = 1_000_000

// either reads the first alternative that matches.
func (r *reader) either(s *either, parent *node) bool {
	before := r.save()
	for k, alt := range s.alts {
		var part *node
		if parent != nil {
			part = &node{}
			parent.alt, parent.kids = k, []*node{part}
		}
		r.recordHit(chosen, s.number, k)
		if r.block(alt, part) {
			return true
		}
		r.restore(before)
	}
	return false
}

func (r *reader) where(w *where) bool {
	if w.cond.truth(r.e) {
		if w.cond.boundReached(r.e) {
			r.recordHit(equal, w.number, 0)
		}
		return true
	}
	return r.reject(r.pos, "%s", w.describeViolation(r.e))
}

// describeViolation describes a violated condition, including the values of its operands.
func (w *where) describeViolation(e *env) string {
	x := w.cond
	for x.op == "and" {
		if x.args[0].truth(e) {
			x = x.args[1]
		} else {
			x = x.args[0]
		}
	}
	text := fmt.Sprintf("it must be that %s", w.text)
	if slices.Contains(comparisons, x.op) && x.args[0].kind.number() && x.args[0].op != "constant" {
		text += fmt.Sprintf("; %s is %s", x.args[0].text, formatNumber(x.args[0], e))
		if x.args[1].op != "constant" {
			text += fmt.Sprintf(", %s is %s", x.args[1].text, formatNumber(x.args[1], e))
		}
	}
	return text
}

func formatNumber(x *expr, e *env) string {
	if x.kind == integer {
		return strconv.FormatInt(x.int(e), 10)
	}
	return strconv.FormatFloat(x.float(e), 'g', -1, 64)
}

// boundReached reports whether both sides of a comparison in the condition are equal.
func (x *expr) boundReached(e *env) bool {
	switch x.op {
	case "and", "or":
		return x.args[0].boundReached(e) || x.args[1].boundReached(e)
	case "<=", ">=":
		return x.args[0].kind == integer && x.args[1].kind == integer && x.args[0].int(e) == x.args[1].int(e)
	case "<", ">":
		return x.args[0].kind == integer && x.args[1].kind == integer && magnitude(sub(x.args[0].int(e), x.args[1].int(e))) == 1
	}
	return false
}

// hasBound reports whether boundReached can be true.
func (x *expr) hasBound() bool {
	switch x.op {
	case "and", "or":
		return x.args[0].hasBound() || x.args[1].hasBound()
	case "<=", ">=", "<", ">":
		return x.args[0].kind == integer && x.args[1].kind == integer
	}
	return false
}
