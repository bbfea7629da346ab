package stress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/internal/raze"
	"assay/judge/running/trial"
)

// Solutions that talk to an interactor or run more than once per case are tried exactly as they are judged. For
// this, each goroutine has its own stage.

// A stage is a trial.Bench for one solution with fixed limits, with files for its current case.
type stage struct {
	trial.Bench
	limits judge.Limits
	dir    string
	remove func() error
}

// staged reports whether solutions are tried on a stage. Other solutions run once per input, and the checker
// compares their output with the reference solution's.
func (l *Lab) staged() bool {
	return l.Folder.Kind.Interactive || l.Folder.Kind.MultiPass || len(l.Folder.Reruns) > 0
}

// close closes the stage. S may be nil.
func (s *stage) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.Bench.Close(), s.remove())
}

// onStage returns the stage for the given limits. It reuses the stage while the limits stay the same, which is the
// usual case.
func (b *bench) onStage(ctx context.Context, limits judge.Limits) (*stage, error) {
	if b.stage != nil && b.stage.limits == limits {
		return b.stage, nil
	}
	err := b.stage.close()
	if b.stage = nil; err != nil {
		return nil, err
	}
	dir, remove, err := raze.Temp("", "assay-stress-")
	if err != nil {
		return nil, err
	}
	made, err := b.lab.Stage(b.lab.life, limits)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	b.stage = &stage{made, limits, dir, remove}
	_, err = made.Build(ctx) // the program is already built, and this only passes it on
	return b.stage, err
}

// perform judges the solution on a case with the given input and answer.
func (b *bench) perform(ctx context.Context, limits judge.Limits, name string, input, answer []byte) (*Trial, error) {
	s, err := b.onStage(ctx, limits)
	if err != nil {
		return nil, err
	}
	c := &judge.Case{Group: "stress", Name: name, In: filepath.Join(s.dir, "case.in"), Ans: filepath.Join(s.dir, "case.ans")}
	if err := errors.Join(os.WriteFile(c.In, input, 0o600), os.WriteFile(c.Ans, answer, 0o600)); err != nil {
		return nil, fmt.Errorf("write an input: %w", err)
	}
	a, err := s.Try(ctx, c)
	if err != nil {
		return nil, err
	}
	if a.Close != nil {
		defer a.Close()
	}
	o := judge.Outcome{Verdict: judge.Classify(a.Exec, limits), Message: a.Exec.Fate()}
	switch {
	case a.Settled != nil:
		o = *a.Settled
	case o.Verdict == judge.NotJudged:
		if o, err = s.Check(ctx, c, a); err != nil {
			return nil, err
		}
	}
	if o.Verdict == judge.JudgeError {
		part := b.lab.Folder.Interactor
		if part == nil {
			part = b.lab.Folder.Checker.Program
		}
		return nil, b.lab.blame(&judge.Fault{Text: o.Message}, part, input)
	}
	out, err := io.ReadAll(a.Out)
	return &Trial{
		Input: input, Answer: answer, Output: out, Exec: a.Exec, Stderr: a.Stderr, Dialogue: a.Dialogue,
		Verdict: o.Verdict, Message: o.Message, Place: o.Place,
	}, err
}
