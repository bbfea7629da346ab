package trial

import (
	"context"
	"os"

	"assay/judge"
	"assay/judge/running/check"
)

// multiPass runs a program on the case's input. As long as the checker accepts and leaves nextpass.in in its
// feedback directory, it runs the program again with that file as input. Limits are for each pass. All passes use
// the same feedback directory.
type multiPass struct{ passes }

func newMultiPass(ctx context.Context, b *Batch, limits judge.Limits) (Executor, error) {
	s := &b.setter.Setup
	part := s.Problem.Checker.Program
	if part == nil || part.Protocol != "kattis" {
		return nil, &judge.ProblemError{
			File: s.Problem.Dir, Text: "a multi-pass problem needs a checker program that makes the next pass",
			Hint: `write: [checker] program = "checker", speaks = "kattis"`,
		}
	}
	p, err := newPasses(ctx, b, part, limits)
	if err != nil {
		return nil, err
	}
	return &multiPass{p}, nil
}

// Try runs the program pass by pass.
func (t *multiPass) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.repeatIfSlow(func(limits judge.Limits) (*judge.Attempt, error) {
		return t.runPasses(c, func(s *check.Session, _ int) (*judge.Attempt, judge.Outcome, error) {
			return t.runPass(ctx, c, s, limits)
		}, func(_ *check.Session, all *judge.Attempt) error {
			if t.KeepOutput == nil {
				return nil
			}
			return t.KeepOutput(c, all.Out)
		})
	})
}

// runPass runs the program for one pass and judges its output.
func (t *multiPass) runPass(
	ctx context.Context, c *judge.Case, s *check.Session, limits judge.Limits,
) (*judge.Attempt, judge.Outcome, error) {
	in, err := os.Open(s.Input())
	if err != nil {
		return nil, judge.Outcome{}, err
	}
	defer in.Close()
	a, err := t.run(ctx, c, in, limits)
	if err != nil {
		return nil, judge.Outcome{}, err
	}
	o := judge.Outcome{Verdict: judge.Classify(a.Exec, t.Limits), Message: a.Exec.Termination()}
	if o.Verdict == judge.NotJudged {
		o, err = s.Run(ctx, a.Out)
	}
	return a, o, err
}
