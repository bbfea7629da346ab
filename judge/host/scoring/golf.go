package scoring

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Measure is the unit in which the length of golf submissions is compared.
type Measure string

// The measures.
const (
	Bytes Measure = "bytes"
	Chars Measure = "chars"
)

// An GolfSubmission is a golf submission that is or was valid.
type GolfSubmission struct {
	// Number is unique within the hole.
	Number int64
	Author string // id
	// Language is the group in which submissions compete. The same language with other flags is another group.
	Language   string
	At         time.Time // time of arrival, unique within the hole
	ValidSince time.Time // when it became valid
	// Valid is false if the submission was later found to be wrong.
	Valid bool
	Bytes int
	Chars int
}

// Size returns the length of the submission.
func (a *GolfSubmission) Size(m Measure) int {
	if m == Chars {
		return a.Chars
	}
	return a.Bytes
}

// A Golfer is a row of a golf ranking: an author and the author's counting submission.
type Golfer struct {
	Rank int // from 1; unique
	*GolfSubmission
	// Since is when the author first had a valid submission of at most this length. It decides between equal
	// lengths, so that sending the same submission again changes nothing.
	Since time.Time
	// Points are 1000 times the shortest length in the submission's language, divided by the submission's length.
	// In the ranking over all languages, the author's best submission counts.
	Points int
}

// RankGolf computes the ranking of a hole in a language, or in all languages if language is empty. Each author with a
// valid submission has a row, shortest first. Ties go to the earlier Since. The order of the submissions does not matter.
func RankGolf(answers []GolfSubmission, language string, m Measure) []Golfer {
	best := shortest(answers, m)
	places := map[string]*Golfer{}
	for i := range answers {
		a := &answers[i]
		if !a.Valid || language != "" && a.Language != language {
			continue
		}
		p := places[a.Author]
		if p == nil {
			p = &Golfer{GolfSubmission: a}
			places[a.Author] = p
		}
		if d := cmp.Compare(a.Size(m), p.Size(m)); d < 0 || d == 0 && a.At.Before(p.At) {
			p.GolfSubmission = a
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

// shortest maps each language to its shortest valid submission.
func shortest(answers []GolfSubmission, m Measure) map[string]*GolfSubmission {
	best := map[string]*GolfSubmission{}
	for i := range answers {
		a := &answers[i]
		if b := best[a.Language]; a.Valid && (b == nil || a.Size(m) < b.Size(m)) {
			best[a.Language] = a
		}
	}
	return best
}

// A Record is a submission that was shorter than all earlier valid ones.
type Record struct {
	*GolfSubmission
	Before int // the length of the previous record; 0 for the first
}

// Records returns the valid submissions that were records in their language when they became valid, oldest first.
// If language is empty, it returns those of all languages.
func Records(answers []GolfSubmission, language string, m Measure) (records []Record) {
	order := make([]*GolfSubmission, 0, len(answers))
	for i := range answers {
		if a := &answers[i]; a.Valid && (language == "" || a.Language == language) {
			order = append(order, a)
		}
	}
	slices.SortFunc(order, func(a, b *GolfSubmission) int {
		return cmp.Or(a.ValidSince.Compare(b.ValidSince), cmp.Compare(a.Number, b.Number))
	})
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
