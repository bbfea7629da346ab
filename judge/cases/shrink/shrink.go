// Package shrink makes an input smaller while a property holds, such as "valid,
// and the solution is still wrong on it".
//
//	result, err := shrink.Text(ctx, input, shrink.Budget{Evaluations: 5000}, holds, nil)
//
// It knows no format; a caller that does gives it a Shape (see Guided). It reads a text as
// lines of words and guesses which numbers count what follows them (see Series), so
// that a number falls together with what it counts; then it takes away lines, words
// and letters, lowers numbers, alone and in pairs, and makes words alike. A line feed
// at the end stays. What is not valid is for the property to reject.
//
// Smaller is shortlex: fewer bytes; among as many, digits before letters before
// anything else, at the first byte that differs (see Less). The same input, budget
// of evaluations and property give the same result; a budget of time does not.
//
// The package does no input or output, starts nothing, and does not know what a
// verdict is.
package shrink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Budget bounds a search. A zero field means no bound.
type Budget struct {
	Evaluations int // of the property
	Time        time.Duration
}

// Step is a smaller text that was found.
type Step struct {
	Pass        string // what made it smaller: "drop lines"
	Evaluations int    // until then
	Text        []byte // not to be changed
}

// Result is what came out.
type Result struct {
	Text        []byte
	Evaluations int
	Steps       int
	Done        bool // nothing that is tried makes it smaller any more; else the budget is used up
}

// ErrNotHeld says that the property does not hold for the input to begin with.
var ErrNotHeld = errors.New("the property does not hold for the input")

// Text makes input smaller while holds says true. It calls step, if not nil,
// with each smaller text.
//
// The error is ErrNotHeld, the first error of holds, or the end of ctx; with the
// last two comes the smallest text so far.
func Text(ctx context.Context, input []byte, b Budget, holds func(text []byte) (bool, error), step func(Step)) (*Result, error) {
	return Guided(ctx, input, Guess{}, b, holds, step)
}

// A Shape is a known form of texts.
type Shape interface {
	// Propose offers smaller texts in the place of a text. Try reports whether one is
	// taken, and then the next are made of that one; over says when to stop. It
	// returns false if the text does not have the form.
	Propose(text []byte, try func(pass string, text []byte) bool, over func() bool) bool
}

// Guided is Text for a known form of the text: what the shape proposes
// is all that is tried, unless the text does not have the form: then Guess proposes.
func Guided(
	ctx context.Context, input []byte, shape Shape, b Budget, holds func(text []byte) (bool, error),
	step func(Step),
) (*Result, error) {
	s := &search{
		ctx: ctx, holds: holds, step: step, budget: b,
		text: bytes.Clone(input), tried: map[[sha256.Size]byte]bool{},
	}
	if b.Time > 0 {
		s.deadline = time.Now().Add(b.Time)
	}
	s.evaluations++
	ok, err := holds(s.text)
	if err == nil && !ok {
		err = ErrNotHeld
	}
	if err != nil {
		return s.result(), err
	}
	if !shape.Propose(s.text, s.try, s.over) {
		Guess{}.Propose(s.text, s.try, s.over)
	}
	return s.result(), s.err
}

// Less reports whether a is smaller than b in shortlex order.
func Less(a, b []byte) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return rank(a[i]) < rank(b[i])
		}
	}
	return false
}

// rank orders bytes by how simple they look.
func rank(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c)
	case 'a' <= c && c <= 'z':
		return 1<<8 + int(c)
	case 'A' <= c && c <= 'Z':
		return 2<<8 + int(c)
	}
	return 3<<8 + int(c)
}

// search is the state of a run.
type search struct {
	ctx      context.Context
	holds    func([]byte) (bool, error)
	step     func(Step)
	budget   Budget
	deadline time.Time // zero for none

	text        []byte // the smallest so far
	tried       map[[sha256.Size]byte]bool
	evaluations int
	steps       int
	spent       bool // the budget is used up
	err         error
}

func (s *search) result() *Result {
	return &Result{Text: s.text, Evaluations: s.evaluations, Steps: s.steps, Done: !s.spent && s.err == nil}
}

// over reports whether the search has to end early.
func (s *search) over() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.budget.Evaluations > 0 && s.evaluations >= s.budget.Evaluations || !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.spent = true
	}
	return s.spent || s.err != nil
}

// try takes the candidate if it is smaller than the current text and the property
// holds for it.
func (s *search) try(pass string, text []byte) bool {
	if s.over() || !Less(text, s.text) {
		return false
	}
	key := sha256.Sum256(text)
	if s.tried[key] {
		return false
	}
	s.tried[key] = true
	s.evaluations++
	ok, err := s.holds(text)
	if err != nil {
		s.err = err
		return false
	}
	if !ok {
		return false
	}
	s.text = text
	s.steps++
	if s.step != nil {
		s.step(Step{Pass: pass, Evaluations: s.evaluations, Text: text})
	}
	return true
}
