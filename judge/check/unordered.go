package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"

	"assay/judge"
)

func newUnordered(options) (comparer, error) { return compareUnordered, nil }

// compareUnordered compares the lines as a multiset, in constant memory. Blanks at
// the end of a line and empty lines do not matter.
//
// Each line is hashed to 128 bits, with seeds that nobody outside knows, and the
// hashes are summed up, in buckets by their first bits. Equal multisets have equal
// sums. That others do, too, is as likely as guessing all those bits. Where sums
// differ, what follows is for the message only: a line that is there too often or not often
// enough is in a bucket whose sums differ, and few others are.
func compareUnordered(ctx context.Context, r Request, b *buffers) (judge.Outcome, error) {
	if b.sums == nil {
		b.sums = new(sums)
	}
	clear(b.sums[:])
	u := &unordered{ctx: ctx, r: r, b: b, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
	err := u.each(r.Ans, func(_ line, h lineHash) bool { b.sums.add(h, 1); return true })
	if err != nil {
		return judge.Outcome{}, err
	}
	err = u.each(r.Out, func(_ line, h lineHash) bool { b.sums.add(h, ^uint64(0)); return true })
	if err != nil {
		return judge.Outcome{}, err
	}
	if *b.sums == (sums{}) {
		return accepted, nil
	}
	extra, err := u.first(r.Out, r.Ans)
	if err != nil {
		return judge.Outcome{}, err
	}
	missing, err := u.first(r.Ans, r.Out)
	if err != nil {
		return judge.Outcome{}, err
	}
	return u.tell(extra, missing)
}

// lineHash is what stands for a line.
type lineHash [2]uint64

const bucketBits = 15

// sums are, for each bucket, the hashes of the answer's lines less those of the
// output's.
type sums [1 << bucketBits]lineHash

// add adds a hash that many times.
func (s *sums) add(h lineHash, times uint64) {
	sum := &s[h[0]>>(64-bucketBits)]
	sum[0] += h[0] * times
	sum[1] += h[1] * times
}

// balanced says whether the hash's bucket has equal sums.
func (s *sums) balanced(h lineHash) bool {
	return s[h[0]>>(64-bucketBits)] == lineHash{}
}

// unordered is one comparison.
type unordered struct {
	ctx   context.Context // of the call, within which the value lives
	r     Request
	b     *buffers
	seeds [2]maphash.Seed
}

// each calls f with the lines of a text that are not empty, until it returns false.
func (u *unordered) each(text *io.SectionReader, f func(l line, h lineHash) bool) error {
	name := "the output"
	if text == u.r.Ans {
		name = "the answer"
	}
	s := u.b.open(name, text, &u.b.list)
	for {
		l, ok, err := s.nextLine(u.ctx)
		if err != nil || !ok {
			return err
		}
		if l.empty() {
			continue
		}
		var h lineHash
		if l.text != nil {
			h = lineHash{maphash.Bytes(u.seeds[0], l.text), maphash.Bytes(u.seeds[1], l.text)}
		} else if h, err = u.hashLong(text, l); err != nil {
			return err
		}
		if !f(l, h) {
			return nil
		}
	}
}

// hashLong hashes a line that is not in memory.
func (u *unordered) hashLong(text *io.SectionReader, l line) (h lineHash, err error) {
	for i, seed := range u.seeds {
		var m maphash.Hash
		m.SetSeed(seed)
		if _, err := io.Copy(&m, io.NewSectionReader(text, l.start, l.end-l.start)); err != nil {
			return h, fmt.Errorf("read a line again: %w", err)
		}
		h[i] = m.Sum64()
	}
	return h, nil
}

// Bounds of the search for the message, in distinct lines at a time and in times.
const (
	candidates = 1 << 14
	rounds     = 8
)

// excess is a line that one text has more often than the other.
type excess struct {
	found     bool
	here      int64 // how often it has it
	there     int64 // how often the other one does
	line      line  // the first that is too many
	firstSeen int   // order of first appearance
}

// first returns the first line of a text that is there more often than in the other
// text. It gives up after a hundred thousand lines that are not.
func (u *unordered) first(text, other *io.SectionReader) (excess, error) {
	var from int64
	for range rounds {
		seen, next, err := u.collect(text, from)
		if err != nil {
			return excess{}, err
		}
		if err := u.count(seen, text, other); err != nil {
			return excess{}, err
		}
		best, bestHash := excess{}, lineHash{}
		for h, e := range seen {
			if e.here > e.there && (!best.found || e.firstSeen < best.firstSeen) {
				best, bestHash = *e, h
				best.found = true
			}
		}
		if best.found {
			return u.locate(best, bestHash, text)
		}
		if from = next; from < 0 {
			break
		}
	}
	return excess{}, nil
}

// collect gathers lines of unbalanced buckets from an offset on. Next is where to go
// on, negative at the end.
func (u *unordered) collect(text *io.SectionReader, from int64) (seen map[lineHash]*excess, next int64, err error) {
	seen, next = map[lineHash]*excess{}, -1
	tail := io.NewSectionReader(text, from, text.Size()-from)
	err = u.each(tail, func(l line, h lineHash) bool {
		if u.b.sums.balanced(h) || seen[h] != nil {
			return true
		}
		if len(seen) == candidates {
			next = from + l.start
			return false
		}
		seen[h] = &excess{firstSeen: len(seen)}
		return true
	})
	return seen, next, err
}

// count counts the lines that were gathered, in both texts.
func (u *unordered) count(seen map[lineHash]*excess, text, other *io.SectionReader) error {
	err := u.each(text, func(_ line, h lineHash) bool {
		if !u.b.sums.balanced(h) {
			if e := seen[h]; e != nil {
				e.here++
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	return u.each(other, func(_ line, h lineHash) bool {
		if !u.b.sums.balanced(h) {
			if e := seen[h]; e != nil {
				e.there++
			}
		}
		return true
	})
}

// locate finds the first occurrence that is too many.
func (u *unordered) locate(e excess, wanted lineHash, text *io.SectionReader) (excess, error) {
	left := e.there
	err := u.each(text, func(l line, h lineHash) bool {
		if h != wanted {
			return true
		}
		e.line = line{start: l.start, end: l.end}
		left--
		return left >= 0
	})
	return e, err
}

// tell makes the outcome.
func (u *unordered) tell(extra, missing excess) (judge.Outcome, error) {
	w := newWhere(u.ctx, u.r, u.r.Ans.Size(), u.r.Out.Size())
	want := ""
	if missing.found {
		w.ansAt = missing.line.start
		want = "want " + w.quoteLine(u.r.Ans, missing.line)
		if missing.there > 0 {
			want += fmt.Sprintf(" %s, got it %s", times(missing.here), times(missing.there))
		} else if missing.here > 1 {
			want += " " + times(missing.here)
		}
	}
	if !extra.found {
		if want == "" {
			return w.wrong("the lines are not those of the answer")
		}
		return w.wrong("a line is missing: %s", want)
	}
	w.outAt = extra.line.start
	got := "got " + w.quoteLine(u.r.Out, extra.line)
	if extra.there > 0 {
		got += fmt.Sprintf(" %s, want it %s", times(extra.here), times(extra.there))
	} else {
		got += ", which the answer does not have"
	}
	if want != "" {
		return w.wrong("line %d: %s; %s", w.line(), got, want)
	}
	return w.wrong("line %d: %s", w.line(), got)
}

func (w *where) quoteLine(text *io.SectionReader, l line) string {
	return w.quote(text, span{l.start, l.end}, l.start)
}

// times writes how often.
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
