package check

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"

	"assay/judge"
)

func newUnordered(options) (comparer, error) { return compareUnordered, nil }

// compareUnordered compares the lines as a multiset, in constant memory. Blanks at the end of a line and empty
// lines do not matter.
//
// It hashes each line to 128 bits, with secret seeds, and adds up the hashes in buckets by their first bits. Equal
// multisets have equal sums. Different multisets have equal sums only with the probability of guessing all these
// bits. If sums differ, the remaining code only constructs the message.
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
	return u.outcome(extra, missing)
}

// A lineHash is the hash of a line.
type lineHash [2]uint64

const bucketBits = 15

// sums contains, for each bucket, the sum of the hashes of the answer's lines minus that of the output's lines.
type sums [1 << bucketBits]lineHash

// add adds a hash times times.
func (s *sums) add(h lineHash, times uint64) {
	sum := &s[h[0]>>(64-bucketBits)]
	sum[0] += h[0] * times
	sum[1] += h[1] * times
}

// balanced reports whether, in the bucket of h, the hashes of both texts have the same sum.
func (s *sums) balanced(h lineHash) bool {
	return s[h[0]>>(64-bucketBits)] == lineHash{}
}

// unordered is a single comparison.
type unordered struct {
	ctx   context.Context // context of the call; an unordered is used only within one call
	r     Request
	b     *buffers
	seeds [2]maphash.Seed

	search *search // nil until it is needed
}

// each calls f for the non-empty lines of a text until f returns false.
func (u *unordered) each(text *io.SectionReader, f func(l line, h lineHash) bool) error {
	s := u.b.open("the lines", text, &u.b.list)
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

// hashLong hashes a line that is too long for the window.
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

// An excess is a line that occurs more often in one text than in the other.
type excess struct {
	found      bool
	count      int64 // how often the line occurs in this text
	otherCount int64 // how often it occurs in the other text
	line       line  // the first extra occurrence
}

// first returns a line that occurs more often in text than in other. If text has lines that do not occur in other
// at all, it usually returns the first of them.
func (u *unordered) first(text, other *io.SectionReader) (excess, error) {
	if u.search == nil {
		u.search = new(search)
	}
	hash, found, err := u.firstUnknown(text, other)
	if err != nil {
		return excess{}, err
	}
	if !found {
		hash, found, err = u.firstTooMany(text, other)
	}
	if err != nil || !found {
		return excess{}, err
	}
	e := excess{found: true}
	if e.count, err = u.count(text, hash); err != nil {
		return e, err
	}
	if e.otherCount, err = u.count(other, hash); err != nil {
		return e, err
	}
	left := e.otherCount
	err = u.each(text, func(l line, h lineHash) bool {
		if h == hash {
			e.line = line{start: l.start, end: l.end}
			left--
		}
		return left >= 0
	})
	return e, err
}

// count counts how often a line occurs in a text.
func (u *unordered) count(text *io.SectionReader, hash lineHash) (n int64, err error) {
	err = u.each(text, func(_ line, h lineHash) bool {
		if h == hash {
			n++
		}
		return true
	})
	return n, err
}

// A search is the memory for constructing the message.
type search struct {
	known   [1 << (knownBits - 6)]uint64 // a Bloom filter
	tallies [candidates]tally
	index   map[lineHash]int // to tallies
}

type tally struct {
	hash  lineHash
	extra int64 // how many more times the line occurs in this text than in the other
}

const (
	knownBits  = 24
	candidates = 1 << 12 // number of lines per round
	rounds     = 8
)

// slots calls f for each bit that h has in the filter.
func (s *search) slots(h lineHash, f func(word *uint64, bit uint64)) {
	for _, i := range [...]uint64{h[0] >> 40, h[0] >> 16, h[1] >> 40, h[1] >> 16, h[0]<<8 ^ h[1]} {
		i &= 1<<knownBits - 1
		f(&s.known[i>>6], 1<<(i&63))
	}
}

// firstUnknown returns the hash of the first line of text that does not occur in other. If the texts have millions
// of lines, it may miss such a line.
func (u *unordered) firstUnknown(text, other *io.SectionReader) (hash lineHash, found bool, err error) {
	clear(u.search.known[:])
	err = u.each(other, func(_ line, h lineHash) bool {
		u.search.slots(h, func(word *uint64, bit uint64) { *word |= bit })
		return true
	})
	if err != nil {
		return hash, false, err
	}
	err = u.each(text, func(_ line, h lineHash) bool {
		u.search.slots(h, func(word *uint64, bit uint64) { found = found || *word&bit == 0 })
		hash = h
		return !found
	})
	return hash, found, err
}

// firstTooMany returns the hash of the first line that occurs more often in text than in other. It counts a few
// thousand lines from unequal buckets at a time. If it finds none in many lines, it gives up.
func (u *unordered) firstTooMany(text, other *io.SectionReader) (hash lineHash, found bool, err error) {
	var from int64
	for range rounds {
		n, next, err := u.collect(text, from)
		if err != nil {
			return hash, false, err
		}
		if err := u.tally(text, 1); err != nil {
			return hash, false, err
		}
		if err := u.tally(other, -1); err != nil {
			return hash, false, err
		}
		for _, t := range u.search.tallies[:n] {
			if t.extra > 0 {
				return t.hash, true, nil
			}
		}
		if from = next; from == text.Size() {
			break
		}
	}
	return hash, false, nil
}

// collect starts tallies for lines from unequal buckets, in the order of the text, beginning at the offset from.
// It returns the number of tallies, and the offset at which the next call must begin.
func (u *unordered) collect(text *io.SectionReader, from int64) (n int, offset int64, err error) {
	u.search.index = make(map[lineHash]int)
	offset = text.Size()
	tail := io.NewSectionReader(text, from, text.Size()-from)
	err = u.each(tail, func(l line, h lineHash) bool {
		if _, known := u.search.index[h]; known || u.b.sums.balanced(h) {
			return true
		}
		if n == candidates {
			offset = from + l.start
			return false
		}
		u.search.index[h] = n
		u.search.tallies[n] = tally{hash: h}
		n++
		return true
	})
	return n, offset, err
}

// tally adds the parameter by to the tally of each line of a text. Lines without a tally are ignored.
func (u *unordered) tally(text *io.SectionReader, delta int64) error {
	return u.each(text, func(_ line, h lineHash) bool {
		if u.b.sums.balanced(h) {
			return true
		}
		if i, ok := u.search.index[h]; ok {
			u.search.tallies[i].extra += delta
		}
		return true
	})
}

// outcome returns the outcome for an additional line in the output, a missing line, or both.
func (u *unordered) outcome(extra, missing excess) (judge.Outcome, error) {
	w := newDifferenceFinder(u.ctx, u.r, u.r.Ans.Size(), u.r.Out.Size())
	want := ""
	if missing.found {
		w.ansAt = missing.line.start
		want = "want " + w.quoteLine(u.r.Ans, missing.line)
		if missing.otherCount > 0 {
			want += fmt.Sprintf(" %s, got it %s", times(missing.count), times(missing.otherCount))
		} else if missing.count > 1 {
			want += " " + times(missing.count)
		}
	}
	if !extra.found {
		if want == "" {
			return w.wrongAnswer("the lines are not those of the answer")
		}
		return w.wrongAnswer("a line is missing: %s", want)
	}
	w.outAt = extra.line.start
	got := "got " + w.quoteLine(u.r.Out, extra.line)
	if extra.otherCount > 0 {
		got += fmt.Sprintf(" %s, want it %s", times(extra.count), times(extra.otherCount))
	} else {
		got += ", which the answer does not have"
	}
	if want != "" {
		return w.wrongAnswer("line %d: %s; %s", w.line(), got, want)
	}
	return w.wrongAnswer("line %d: %s", w.line(), got)
}

func (w *differenceFinder) quoteLine(text *io.SectionReader, l line) string {
	return w.quote(text, span{l.start, l.end}, l.start)
}

// times returns a count in words, such as once.
func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
