package mutate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"assay/judge"
	"assay/judge/running/check"
)

// solvedCase is a case with a correct output in addition to its answer.
type solvedCase struct {
	id           string
	in, ans, out []byte
}

// outputJudge decides whether an output that differs from the correct program's is wrong. It must be used by one
// goroutine at a time.
//
// Before each decision, a checker that keeps state across a submission's cases has seen the correct outputs of the
// samples. A checker that has rejected an output is reused, because it is assumed to have forgotten that output. A
// checker that has accepted one is not reused.
type outputJudge struct {
	new      func(ctx context.Context) (check.Checker, error)
	stateful bool
	samples  []solvedCase
	primed   check.Checker // has seen the samples; nil until needed
	unprimed check.Checker // has seen nothing; nil until needed
}

func (d *outputJudge) close() error {
	return errors.Join(closeChecker(&d.primed), closeChecker(&d.unprimed))
}

func closeChecker(c *check.Checker) error {
	if *c == nil {
		return nil
	}
	err := (*c).Close()
	*c = nil
	return err
}

// wrong reports whether the checker rejects an output. A checker that keeps state has first seen the correct
// outputs of the samples. wrong also returns the checker's message.
func (d *outputJudge) wrong(ctx context.Context, c *solvedCase, out []byte) (bool, string, error) {
	if d.primed == nil {
		if err := d.prime(ctx); err != nil {
			return false, "", err
		}
	}
	return d.rejects(ctx, &d.primed, c, out)
}

// wrongAlone reports whether the checker rejects an output without seeing earlier ones.
func (d *outputJudge) wrongAlone(ctx context.Context, c *solvedCase, out []byte) (wrong bool, err error) {
	if d.unprimed == nil {
		if d.unprimed, err = d.new(ctx); err != nil {
			return false, err
		}
	}
	wrong, _, err = d.rejects(ctx, &d.unprimed, c, out)
	return wrong, err
}

func (d *outputJudge) rejects(ctx context.Context, checker *check.Checker, c *solvedCase, out []byte) (bool, string, error) {
	outcome, err := judgeOutput(ctx, *checker, c, out)
	if err != nil {
		return false, "", errors.Join(err, closeChecker(checker))
	}
	if outcome.Verdict == judge.Accepted && d.stateful {
		return false, "", closeChecker(checker)
	}
	return outcome.Verdict != judge.Accepted, outcome.Message, nil
}

func (d *outputJudge) prime(ctx context.Context) (err error) {
	if d.primed, err = d.new(ctx); err != nil || !d.stateful {
		return err
	}
	for i := range d.samples {
		if _, err := judgeOutput(ctx, d.primed, &d.samples[i], d.samples[i].out); err != nil {
			return errors.Join(err, closeChecker(&d.primed))
		}
	}
	return nil
}

// judgeSubmission judges outputs of all cases with a new checker, in judging order. It returns the index of the first
// rejected output, or -1 if there is none.
func (d *outputJudge) judgeSubmission(
	ctx context.Context, cases []solvedCase, outs map[int][]byte,
) (caseIndex int, message string, err error) {
	checker, err := d.new(ctx)
	if err != nil {
		return 0, "", err
	}
	defer checker.Close()
	for i := range cases {
		out := cases[i].out
		if other, differs := outs[i]; differs {
			out = other
		}
		outcome, err := judgeOutput(ctx, checker, &cases[i], out)
		if err != nil || outcome.Verdict != judge.Accepted {
			return i, outcome.Message, err
		}
	}
	return -1, "", nil
}

// judgeOutput judges one output with a checker. If the checker is at fault, ask returns a *judge.ProblemError.
func judgeOutput(ctx context.Context, checker check.Checker, c *solvedCase, out []byte) (judge.Outcome, error) {
	outcome, err := checker.Check(ctx, check.Request{Case: c.id, In: section(c.in), Ans: section(c.ans), Out: section(out)})
	if err == nil && outcome.Verdict == judge.JudgeError {
		err = &judge.ProblemError{Text: fmt.Sprintf("the checker fails on case %s: %s", c.id, outcome.Message)}
	}
	return outcome, err
}

func section(text []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))
}
