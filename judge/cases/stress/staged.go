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

// A solution that talks to an interactor, or runs more than once on a case, is tried as it
// is judged. Each goroutine has a stage of its own for that.

// stage is a trial.Bench for one solution with certain limits, and the files of the case
// that is on it.
type stage struct {
	trial.Bench
	limits judge.Limits
	dir    string
	remove func() error
}

// staged reports whether solutions are tried as they are judged, with the interactor or run
// by run, rather than run once and their output held against the reference solution's.
func (l *Lab) staged() bool {
	return l.Folder.Kind.Interactive || l.Folder.Kind.MultiPass || len(l.Folder.Reruns) > 0
}

// close ends the stage. It may be nil.
func (s *stage) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.Bench.Close(), s.remove())
}

// onStage makes the stage for certain limits, which rarely change.
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
	_, err = made.Build(ctx) // it is built: this hands it over
	return b.stage, err
}

// perform tries the solution on an input with its answer as a case is judged.
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
