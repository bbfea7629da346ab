// Package shrink makes an input smaller while a property holds, such as "it is valid, and the solution is still wrong
// on it".
//
//	result, err := shrink.Text(ctx, input, shrink.Budget{Evaluations: 5000}, holds, nil)
//
// Text reads an input as lines of words, and guesses which numbers count what follows them (see Series). It removes
// items together with their count, removes lines, words and letters, lowers numbers, alone and in pairs, and replaces
// words by other words of the input. A line feed at the end stays. The property must reject invalid inputs. A caller
// that knows the form of the input uses Guided with a Shape.
//
// The order of inputs is shortlex: fewer bytes come first. Among inputs of the same length, the first different byte
// decides: digits come before letters, and letters before anything else (see Less). The same input, budget of
// evaluations and property give the same result. With a budget of time, the result may vary.
//
// The package does no input or output, runs no programs, and does not know verdicts.
package shrink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// A Budget bounds a search. A zero field means no bound.
type Budget struct {
	Evaluations int // of the property
	Time        time.Duration
}

// A Step is a smaller text that was found.
type Step struct {
	Pass        string // what made it smaller: "drop lines"
	Evaluations int    // so far
	Text        []byte // read-only
}

// A Result is the result of Text or Guided.
type Result struct {
	Text        []byte
	Evaluations int
	Steps       int
	Done        bool // no tried change makes it smaller; if false, the budget is used up
}

// ErrNotHeld means that the property does not hold for the original input.
var ErrNotHeld = errors.New("the property does not hold for the input")

// Text makes input smaller while holds returns true. It calls step, if not nil, with each smaller text.
//
// It returns ErrNotHeld, the first error of holds, or the error of ctx. With the last two, it also returns the smallest
// text so far.
func Text(ctx context.Context, input []byte, b Budget, holds func(text []byte) (bool, error), step func(Step)) (*Result, error) {
	return Guided(ctx, input, Guess{}, b, holds, step)
}

// A Shape is a known form of texts.
type Shape interface {
	// Propose calls try with smaller texts. If try returns true, the next texts are made from that text. Propose
	// stops when over returns true. It returns false if the text does not have the form.
	Propose(text []byte, try func(pass string, text []byte) bool, over func() bool) bool
}

// Guided is like Text for a text of known form. It tries only what the shape proposes. If the text does not have the
// form, it uses Guess.
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
	deadline time.Time // if zero, there is none

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

// over reports whether the search must end: the budget is used up, or there was an error.
func (s *search) over() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.budget.Evaluations > 0 && s.evaluations >= s.budget.Evaluations || !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.spent = true
	}
	return s.spent || s.err != nil
}

// try takes a text if it is smaller than the current one and the property holds for it.
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
