package stress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/internal/forceremove"
	"assay/judge/running/trial"
)

// Solutions that talk to an interactor or run more than once per case are tried exactly as they are judged. For
// this, each goroutine has its own stage.

// A stage is a trial.Executor for one solution with fixed limits, with files for its current case.
type stage struct {
	trial.Executor
	limits judge.Limits
	dir    string
	remove func() error
}

// usesStage reports whether solutions are tried on a stage. Other solutions run once per input, and the checker
// compares their output with the reference solution's.
func (l *Tester) usesStage() bool {
	return l.Directory.Kind.Interactive || l.Directory.Kind.MultiPass || len(l.Directory.Reruns) > 0
}

// close closes the stage. S may be nil.
func (s *stage) close() error {
	if s == nil {
		return nil
	}
	return errors.Join(s.Executor.Close(), s.remove())
}

// stageFor returns the stage for the given limits. It reuses the stage while the limits stay the same, which is the
// usual case.
func (b *worker) stageFor(ctx context.Context, limits judge.Limits) (*stage, error) {
	if b.stage != nil && b.stage.limits == limits {
		return b.stage, nil
	}
	err := b.stage.close()
	if b.stage = nil; err != nil {
		return nil, err
	}
	dir, remove, err := forceremove.Temp("", "assay-stress-")
	if err != nil {
		return nil, err
	}
	made, err := b.tester.Stage(b.tester.processCtx, limits)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	b.stage = &stage{made, limits, dir, remove}
	_, err = made.Build(ctx) // the program is already built, and this only passes it on
	return b.stage, err
}

// runStaged judges the solution on a case with the given input and answer.
func (b *worker) runStaged(ctx context.Context, limits judge.Limits, name string, input, answer []byte) (*Trial, error) {
	s, err := b.stageFor(ctx, limits)
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
	o := judge.Outcome{Verdict: judge.Classify(a.Exec, limits), Message: a.Exec.Termination()}
	switch {
	case a.Outcome != nil:
		o = *a.Outcome
	case o.Verdict == judge.NotJudged:
		if o, err = s.Check(ctx, c, a); err != nil {
			return nil, err
		}
	}
	if o.Verdict == judge.JudgeError {
		part := b.tester.Directory.Interactor
		if part == nil {
			part = b.tester.Directory.Checker.Program
		}
		return nil, b.tester.blame(&judge.ProblemError{Text: o.Message}, part, input)
	}
	out, err := io.ReadAll(a.Out)
	return &Trial{
		Input: input, Answer: answer, Output: out, Exec: a.Exec, Stderr: a.Stderr, Dialogue: a.Dialogue,
		Verdict: o.Verdict, Message: o.Message, Position: o.Place,
	}, err
}
