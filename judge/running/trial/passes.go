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
	most      int
}

func newPasses(ctx context.Context, b *Batch, part *judge.Part, limits judge.Limits) (passes, error) {
	problem, most := b.setter.Problem, 1
	if problem.Kind.MultiPass {
		most = cmp.Or(problem.Passes, judge.UsualPasses)
	}
	v, err := b.setter.validator(ctx, part, limits)
	return passes{b, v, most}, err
}

// Close stops the setter's programs.
func (p *passes) Close() error {
	return errors.Join(p.validator.Close(), p.Batch.Close())
}

// each runs all passes of a case. It calls the function once for each pass, and the function end after the last
// pass.
func (p *passes) each(c *judge.Case, once func(s *check.Session, pass int) (
	*judge.Attempt, judge.Outcome, error,
), end func(*check.Session, *judge.Attempt) error) (all *judge.Attempt, err error) {
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
			discard(all)
			all = nil
		}
	}()
	for pass, again := 1, true; again; pass++ {
		a, o, err := once(session, pass)
		if err == nil {
			again, o, err = p.next(session, o, pass)
		}
		if err != nil {
			discard(a)
			return all, err
		}
		a.Settled = &o
		all = worse(all, a)
	}
	return all, end(session, all)
}

// discard closes an attempt that is not used. If a is nil, it does nothing.
func discard(a *judge.Attempt) {
	if a != nil && a.Close != nil {
		a.Close()
	}
}

// next reports whether a pass with this outcome is followed by another one.
func (p *passes) next(s *check.Session, o judge.Outcome, pass int) (bool, judge.Outcome, error) {
	again, o, err := s.Next(o)
	switch {
	case err != nil:
		return false, o, err
	case again && p.most == 1:
		return false, judge.Outcome{
			Verdict: judge.JudgeError,
			Message: "the checker requests another pass (nextpass.in), which this kind of problem does not have",
		}, nil
	case again && pass >= p.most:
		return false, judge.Outcome{Verdict: judge.JudgeError, Message: fmt.Sprintf(
			"the checker requests pass %d; the problem has at most %d", pass+1, p.most,
		)}, nil
	case !again && pass > 1 && o.Verdict != judge.Accepted:
		o.Message = strings.TrimSpace(fmt.Sprintf("in pass %d: %s", pass, o.Message))
	}
	return again, o, nil
}

// worse combines an attempt with the attempt of the previous pass. The result ends like the later attempt, and
// contains the larger resource use of both.
func worse(before, a *judge.Attempt) *judge.Attempt {
	if before == nil {
		return a
	}
	discard(before)
	if a.Settled.Verdict == judge.Accepted {
		a.Exec.CPU, a.Exec.Wall = max(a.Exec.CPU, before.Exec.CPU), max(a.Exec.Wall, before.Exec.Wall)
	}
	a.Exec.Memory = max(a.Exec.Memory, before.Exec.Memory)
	return a
}
