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

// solved is a case with a correct output in addition to its answer.
type solved struct {
	id           string
	in, ans, out []byte
}

// decider decides whether an output that differs from the correct program's is wrong. It must be used by one
// goroutine at a time.
//
// Before each decision, a checker that keeps state across a submission's cases has seen the correct outputs of the
// samples. A checker that has rejected an output is reused, because it is assumed to have forgotten that output. A
// checker that has accepted one is not reused.
type decider struct {
	new      func(ctx context.Context) (check.Checker, error)
	stateful bool
	samples  []solved
	briefed  check.Checker // has seen the samples; nil until needed
	blank    check.Checker // has seen nothing; nil until needed
}

func (d *decider) close() error {
	return errors.Join(end(&d.briefed), end(&d.blank))
}

func end(c *check.Checker) error {
	if *c == nil {
		return nil
	}
	err := (*c).Close()
	*c = nil
	return err
}

// wrong reports whether the checker rejects an output. A checker that keeps state has first seen the correct
// outputs of the samples. wrong also returns the checker's message.
func (d *decider) wrong(ctx context.Context, c *solved, out []byte) (bool, string, error) {
	if d.briefed == nil {
		if err := d.brief(ctx); err != nil {
			return false, "", err
		}
	}
	return d.refuses(ctx, &d.briefed, c, out)
}

// alone reports whether the checker rejects an output without seeing earlier ones.
func (d *decider) alone(ctx context.Context, c *solved, out []byte) (wrong bool, err error) {
	if d.blank == nil {
		if d.blank, err = d.new(ctx); err != nil {
			return false, err
		}
	}
	wrong, _, err = d.refuses(ctx, &d.blank, c, out)
	return wrong, err
}

func (d *decider) refuses(ctx context.Context, checker *check.Checker, c *solved, out []byte) (bool, string, error) {
	outcome, err := ask(ctx, *checker, c, out)
	if err != nil {
		return false, "", errors.Join(err, end(checker))
	}
	if outcome.Verdict == judge.Accepted && d.stateful {
		return false, "", end(checker)
	}
	return outcome.Verdict != judge.Accepted, outcome.Message, nil
}

func (d *decider) brief(ctx context.Context) (err error) {
	if d.briefed, err = d.new(ctx); err != nil || !d.stateful {
		return err
	}
	for i := range d.samples {
		if _, err := ask(ctx, d.briefed, &d.samples[i], d.samples[i].out); err != nil {
			return errors.Join(err, end(&d.briefed))
		}
	}
	return nil
}

// submission judges outputs of all cases with a new checker, in judging order. It returns the index of the first
// rejected output, or -1 if there is none.
func (d *decider) submission(ctx context.Context, cases []solved, outs map[int][]byte) (at int, message string, err error) {
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
		outcome, err := ask(ctx, checker, &cases[i], out)
		if err != nil || outcome.Verdict != judge.Accepted {
			return i, outcome.Message, err
		}
	}
	return -1, "", nil
}

// ask judges one output with a checker. If the checker is at fault, ask returns a *judge.Fault.
func ask(ctx context.Context, checker check.Checker, c *solved, out []byte) (judge.Outcome, error) {
	outcome, err := checker.Check(ctx, check.Request{Case: c.id, In: section(c.in), Ans: section(c.ans), Out: section(out)})
	if err == nil && outcome.Verdict == judge.JudgeError {
		err = &judge.Fault{Text: fmt.Sprintf("the checker fails on case %s: %s", c.id, outcome.Message)}
	}
	return outcome, err
}

func section(text []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))
}
