package scoring

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Measure is what of a golf answer is counted.
type Measure string

// The measures.
const (
	Bytes Measure = "bytes"
	Chars Measure = "chars"
)

// Answer is what a golf board knows of an answer that was proved right once.
type Answer struct {
	// Number is unique in its hole.
	Number int64
	Author string // id
	// Language is what answers are compared within: one called with other flags is another.
	Language string
	At       time.Time // of its arrival, which no other answer of the hole shares
	Stood    time.Time // when it was first right
	// Stands is false for one that was found wrong later.
	Stands bool
	Bytes  int
	Chars  int
}

// Size is the length of the answer.
func (a *Answer) Size(m Measure) int {
	if m == Chars {
		return a.Chars
	}
	return a.Bytes
}

// Golfer is a row of a golf board: an author with the answer that counts.
type Golfer struct {
	Rank int // from 1; no two authors share one
	*Answer
	// Since is when this author first had this length or less standing, which decides between
	// answers of one length: to send the same again changes nothing.
	Since time.Time
	// Points are 1000 times the shortest length of the answer's language by its own; over all
	// languages the most that an answer of the author's has.
	Points int
}

// Golf makes the board of a hole in a language, "" for all together: a row for each author
// with an answer that stands, the shortest first, and of one length the earlier Since. Each
// author counts by the shortest one that stands. The order of the answers does not matter.
func Golf(answers []Answer, language string, m Measure) []Golfer {
	best := shortest(answers, m)
	places := map[string]*Golfer{}
	for i := range answers {
		a := &answers[i]
		if !a.Stands || language != "" && a.Language != language {
			continue
		}
		p := places[a.Author]
		if p == nil {
			p = &Golfer{Answer: a}
			places[a.Author] = p
		}
		if d := cmp.Compare(a.Size(m), p.Size(m)); d < 0 || d == 0 && a.At.Before(p.At) {
			p.Answer = a
		}
		if size := a.Size(m); size > 0 {
			p.Points = max(p.Points, int(math.Round(1000*float64(best[a.Language].Size(m))/float64(size))))
		}
	}
	for i := range answers {
		a := &answers[i]
		p := places[a.Author]
		if p == nil || language != "" && a.Language != language || a.Size(m) > p.Size(m) {
			continue
		}
		if p.Since.IsZero() || a.At.Before(p.Since) {
			p.Since = a.At
		}
	}
	board := make([]Golfer, 0, len(places))
	for _, p := range places {
		board = append(board, *p)
	}
	slices.SortFunc(board, func(a, b Golfer) int {
		return cmp.Or(cmp.Compare(a.Size(m), b.Size(m)), a.Since.Compare(b.Since), cmp.Compare(a.Number, b.Number))
	})
	for i := range board {
		board[i].Rank = i + 1
	}
	return board
}

// shortest are the shortest answers that stand, by language.
func shortest(answers []Answer, m Measure) map[string]*Answer {
	best := map[string]*Answer{}
	for i := range answers {
		a := &answers[i]
		if b := best[a.Language]; a.Stands && (b == nil || a.Size(m) < b.Size(m)) {
			best[a.Language] = a
		}
	}
	return best
}

// Record is an answer that was shorter than all that stood before it.
type Record struct {
	*Answer
	Before int // the length that it beat; 0 for the first answer
}

// Records are the answers that stand and were records of their language when they were first
// right, the oldest first: those of one language, or of each where it is "".
func Records(answers []Answer, language string, m Measure) (records []Record) {
	order := make([]*Answer, 0, len(answers))
	for i := range answers {
		if a := &answers[i]; a.Stands && (language == "" || a.Language == language) {
			order = append(order, a)
		}
	}
	slices.SortFunc(order, func(a, b *Answer) int { return cmp.Or(a.Stood.Compare(b.Stood), cmp.Compare(a.Number, b.Number)) })
	best := map[string]int{}
	for _, a := range order {
		before, known := best[a.Language]
		if known && a.Size(m) >= before {
			continue
		}
		best[a.Language] = a.Size(m)
		records = append(records, Record{a, before})
	}
	return records
}
