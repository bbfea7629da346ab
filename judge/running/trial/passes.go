package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/judge"
	"assay/judge/running/check"
)

// passes runs a program on a case repeatedly, as long as one of the setter's programs requests another run. All
// runs belong to one session of that program.
type passes struct {
	*Batch
	validator *check.Validator
	maxPasses int
}

func newPasses(ctx context.Context, b *Batch, part *judge.SetterProgram, limits judge.Limits) (passes, error) {
	problem, most := b.setter.Problem, 1
	if problem.Kind.MultiPass {
		most = cmp.Or(problem.Passes, judge.DefaultPasses)
	}
	v, err := b.setter.validator(ctx, part, limits)
	return passes{b, v, most}, err
}

// Close stops the setter's programs.
func (p *passes) Close() error {
	return errors.Join(p.validator.Close(), p.Batch.Close())
}

// runPasses runs all passes of a case. It calls the function once for each pass, and the function end after the last
// pass.
func (p *passes) runPasses(c *judge.Case, once func(s *check.Session, pass int) (
	*judge.Attempt, judge.Outcome, error,
), end func(*check.Session, *judge.Attempt) error) (combined *judge.Attempt, err error) {
	files, err := openCase(c)
	if err != nil {
		return nil, err
	}
	defer files.close()
	session, err := p.validator.Open(files.request(c, nil))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	defer func() {
		if err != nil {
			discard(combined)
			combined = nil
		}
	}()
	for pass, again := 1, true; again; pass++ {
		a, o, err := once(session, pass)
		if err == nil {
			again, o, err = p.next(session, o, pass)
		}
		if err != nil {
			discard(a)
			return combined, err
		}
		a.Outcome = &o
		combined = combineAttempts(combined, a)
	}
	return combined, end(session, combined)
}

// discard closes an attempt that is not used. If a is nil, it does nothing.
func discard(a *judge.Attempt) {
	if a != nil && a.Close != nil {
		a.Close()
	}
}

// next reports whether a pass with this outcome is followed by another one.
func (p *passes) next(s *check.Session, o judge.Outcome, pass int) (bool, judge.Outcome, error) {
	again, o, err := s.WantsPass(o)
	switch {
	case err != nil:
		return false, o, err
	case again && p.maxPasses == 1:
		return false, judge.Outcome{
			Verdict: judge.JudgeError,
			Message: "the checker requests another pass (nextpass.in), which this kind of problem does not have",
		}, nil
	case again && pass >= p.maxPasses:
		return false, judge.Outcome{Verdict: judge.JudgeError, Message: fmt.Sprintf(
			"the checker requests pass %d; the problem has at most %d", pass+1, p.maxPasses,
		)}, nil
	case !again && pass > 1 && o.Verdict != judge.Accepted:
		o.Message = strings.TrimSpace(fmt.Sprintf("in pass %d: %s", pass, o.Message))
	}
	return again, o, nil
}

// combineAttempts combines an attempt with the attempt of the previous pass. The result ends like the later attempt, and
// contains the larger resource use of both.
func combineAttempts(previous, a *judge.Attempt) *judge.Attempt {
	if previous == nil {
		return a
	}
	discard(previous)
	if a.Outcome.Verdict == judge.Accepted {
		a.Exec.CPU, a.Exec.Wall = max(a.Exec.CPU, previous.Exec.CPU), max(a.Exec.Wall, previous.Exec.Wall)
	}
	a.Exec.Memory = max(a.Exec.Memory, previous.Exec.Memory)
	return a
}
