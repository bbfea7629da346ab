// Package shrink makes an input smaller while a property holds, such as "it is valid, and the solution is still
// wrong on it".
//
//	result, err := shrink.Text(ctx, input, shrink.Budget{Evaluations: 5000}, holds, nil)
//
// Text reads an input as lines of words, and guesses which numbers count what follows them (see Series). It
// removes items together with their count, and removes lines, words and letters. It lowers numbers, alone and in
// pairs, and replaces words with other words of the input. A line feed at the end is kept. The property must
// reject invalid inputs. A caller that knows the form of the input uses Guided with a Shape.
//
// Inputs are ordered in shortlex order: shorter inputs come first. Among inputs of the same length, the first
// different byte decides: digits come before letters, and letters before anything else (see Less). The same input,
// evaluation budget and property give the same result. With a time budget, the result may vary.
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

// A Budget limits a search. A zero field means no limit.
type Budget struct {
	Evaluations int // number of evaluations of the property
	Time        time.Duration
}

// A Step reports a smaller text.
type Step struct {
	Pass        string // pass that made it smaller, such as "drop lines"
	Evaluations int    // so far
	Text        []byte // read-only
}

// A Result is the result of Text or Guided.
type Result struct {
	Text        []byte
	Evaluations int
	Steps       int
	Done        bool // no attempted change makes it smaller; if false, the budget is used up
}

// ErrPropertyNotHeld means that the property does not hold for the original input.
var ErrPropertyNotHeld = errors.New("the property does not hold for the input")

// Text makes input smaller while holds returns true. It calls step, if not nil, with each smaller text.
//
// It returns ErrPropertyNotHeld, the first error of holds, or the error of ctx. In the last two cases, it also returns the
// smallest text so far.
func Text(ctx context.Context, input []byte, b Budget, holds func(text []byte) (bool, error), step func(Step)) (*Result, error) {
	return TextWithShape(ctx, input, Guess{}, b, holds, step)
}

// A Shape proposes smaller texts for a known form of text.
type Shape interface {
	// Propose calls try with smaller texts. If try returns true, further texts are derived from that text. Propose
	// stops when over returns true. It returns false if the text does not have the form.
	Propose(text []byte, try func(pass string, text []byte) bool, over func() bool) bool
}

// TextWithShape is like Text for a text of a known form. It tries only texts that the shape proposes. If the text does
// not have the form, it uses Guess.
func TextWithShape(
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
		err = ErrPropertyNotHeld
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
	deadline time.Time // zero means no deadline

	text        []byte // smallest text so far
	tried       map[[sha256.Size]byte]bool
	evaluations int
	steps       int
	exhausted   bool // whether the budget is used up
	err         error
}

func (s *search) result() *Result {
	return &Result{Text: s.text, Evaluations: s.evaluations, Steps: s.steps, Done: !s.exhausted && s.err == nil}
}

// over reports whether the search must stop, because the budget is used up or an error occurred.
func (s *search) over() bool {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.budget.Evaluations > 0 && s.evaluations >= s.budget.Evaluations || !s.deadline.IsZero() && !time.Now().Before(s.deadline) {
		s.exhausted = true
	}
	return s.exhausted || s.err != nil
}

// try evaluates a text and adopts it if it is smaller than the current one and the property holds.
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
