package trial

import (
	"context"
	"errors"
	"os"

	"assay/judge"
	"assay/judge/running/check"
)

// multiPass tries a program that runs on the case's input, and then, as long as the
// checker accepts and leaves nextpass.in in its feedback folder, on that. Limits are
// for each pass. The feedback folder stays the same.
type multiPass struct {
	*Batch
	validator *check.Validator
	passes    int
}

func newMultiPass(ctx context.Context, b *Batch, limits judge.Limits) (Bench, error) {
	s := &b.setter.Setup
	part := s.Problem.Checker.Program
	if part == nil || part.Speaks != "kattis" {
		return nil, &judge.Fault{File: s.Problem.Dir, Text: "a multi-pass problem needs a checker program that makes the next pass", Hint: `write: [checker] program = "checker", speaks = "kattis"`}
	}
	v, err := s.validator(ctx, part, limits)
	if err != nil {
		return nil, err
	}
	return &multiPass{Batch: b, validator: v, passes: passes(s.Problem)}, nil
}

// Close ends the setter's programs.
func (t *multiPass) Close() error {
	return errors.Join(t.validator.Close(), t.Batch.Close())
}

// Try runs the program pass by pass.
func (t *multiPass) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.retime(func(limits judge.Limits) (*judge.Attempt, error) { return t.try(ctx, c, limits) })
}

func (t *multiPass) try(ctx context.Context, c *judge.Case, limits judge.Limits) (*judge.Attempt, error) {
	files, err := openCase(c)
	if err != nil {
		return nil, err
	}
	defer files.close()
	session, err := t.validator.Open(files.request(c, nil))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var all *judge.Attempt
	for pass := 1; ; pass++ {
		a, again, err := t.pass(ctx, c, session, limits, pass)
		if err != nil {
			if all != nil {
				all.Close()
			}
			return nil, err
		}
		if all = worse(all, a); !again {
			break
		}
	}
	if t.KeepOutput != nil {
		if err := t.KeepOutput(c, all.Out); err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// pass runs the program once and has its output judged.
func (t *multiPass) pass(ctx context.Context, c *judge.Case, s *check.Session, limits judge.Limits, pass int) (a *judge.Attempt, again bool, err error) {
	in, err := os.Open(s.Input())
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	if a, err = t.run(ctx, c, in, limits); err != nil {
		return nil, false, err
	}
	o := judge.Outcome{Verdict: judge.Classify(a.Exec, t.Limits), Message: a.Exec.Fate()}
	if o.Verdict == judge.NotJudged {
		o, err = s.Run(ctx, a.Out)
	}
	if err == nil {
		again, o, err = nextPass(s, o, pass, t.passes)
	}
	if err != nil {
		a.Close()
		return nil, false, err
	}
	a.Settled = &o
	return a, again, nil
}
