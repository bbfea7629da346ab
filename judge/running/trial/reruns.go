package trial

import (
	"context"
	"errors"
	"fmt"
	"io"

	"assay/judge"
	"assay/judge/running/check"
)

// reruns runs a program several times on a case, as often as the problem requires. In some of the runs, the
// program talks to the interactor. After such a run, the interactor's output is the input of the next run or,
// after the last run, the output that the checker judges. After a run without the interactor, the checker judges
// the program's output, and the checker's output is the input of the next run. The checker gets the input of the
// run. Limits are for each run.
type reruns struct {
	*interactive
	interacts []bool
	program   *check.Validator // the checker, if it is a setter's program
}

func newReruns(ctx context.Context, b *Batch, limits judge.Limits) (_ Executor, err error) {
	s := &b.setter.Setup
	p := s.Problem
	t := &reruns{interactive: &interactive{passes: passes{Batch: b}}, interacts: p.Reruns}
	if p.Kind.Interactive {
		if t.join, err = s.joiner(); err != nil {
			return nil, err
		}
		if t.validator, err = s.validator(ctx, p.Interactor, limits); err != nil {
			return nil, err
		}
	}
	if p.Checker.Program != nil {
		t.program, err = s.validator(ctx, p.Checker.Program, limits)
	} else {
		b.Checker, err = s.Programs.Checker(ctx) // checks the options now
	}
	if err != nil {
		return nil, errors.Join(err, t.closeParts())
	}
	return t, nil
}

func (t *reruns) closeParts() (err error) {
	for _, v := range []*check.Validator{t.validator, t.program} {
		if v != nil {
			err = errors.Join(err, v.Close())
		}
	}
	return err
}

// Close stops the setter's programs.
func (t *reruns) Close() error { return errors.Join(t.closeParts(), t.Batch.Close()) }

// Try runs the program as often as required.
func (t *reruns) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	return t.repeatIfSlow(func(limits judge.Limits) (*judge.Attempt, error) {
		r := &rerun{reruns: t, c: c, limits: limits}
		all, err := r.try(ctx)
		if err == nil && t.KeepOutput != nil {
			err = t.KeepOutput(c, all.Out)
		}
		return all, errors.Join(err, r.close(all, err))
	})
}

// rerun is a case in progress.
type rerun struct {
	*reruns
	c                 *judge.Case
	limits            judge.Limits
	files             caseFiles
	interactorSession *check.Session // the interactor's session
	checkerSession    *check.Session // the checker's session
	kept              []*capture     // inputs of runs, kept until the end of the case
	talk              transcript
}

// close releases the resources of the case. If failed is not nil, it also closes the attempt.
func (r *rerun) close(combined *judge.Attempt, failed error) (err error) {
	for _, s := range []*check.Session{r.interactorSession, r.checkerSession} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	for _, k := range r.kept {
		k.close()
	}
	if combined != nil && combined.Close != nil && failed != nil {
		combined.Close()
	}
	r.files.close()
	return err
}

// keep returns a capture whose content is kept until the end of the case.
func (r *rerun) keep() *capture {
	k := &capture{dir: r.TempDir}
	r.kept = append(r.kept, k)
	return k
}

func (r *rerun) try(ctx context.Context) (combined *judge.Attempt, err error) {
	if r.files, err = openCase(r.c); err != nil {
		return nil, err
	}
	if r.validator != nil {
		if r.interactorSession, err = r.validator.Open(r.files.request(r.c, nil)); err != nil {
			return nil, err
		}
	}
	if r.reruns.program != nil {
		if r.checkerSession, err = r.reruns.program.Open(r.files.request(r.c, nil)); err != nil {
			return nil, err
		}
	}
	in := r.files.in
	for run, talks := range r.interacts {
		a, o, next, err := r.runOnce(ctx, in, talks, run == len(r.interacts)-1)
		if err != nil {
			if combined != nil && combined.Close != nil {
				combined.Close()
			}
			return nil, err
		}
		if o.Verdict != judge.Accepted && run > 0 {
			o.Message = fmt.Sprintf("in run %d: %s", run+1, o.Message)
		}
		a.Outcome = &o
		if combined = combineAttempts(combined, a); o.Verdict != judge.Accepted {
			break
		}
		in = next
		if r.interactorSession != nil {
			r.talk.pass(run < len(r.interacts)-1)
		}
	}
	combined.Dialogue = r.talk.String()
	return combined, nil
}

// runOnce runs the program once. It returns the attempt, its outcome, and, unless this is the last run, the input of
// the next run.
func (r *rerun) runOnce(ctx context.Context, in *io.SectionReader, talks, last bool) (
	a *judge.Attempt, o judge.Outcome, nextInput *io.SectionReader, err error,
) {
	a, o, out, err := r.output(ctx, in, talks)
	switch {
	case err != nil || o.Verdict != judge.Accepted:
	case last:
		o, err = r.checkLast(ctx, in, out)
	case talks:
		nextInput = out
	default:
		k := r.keep()
		if err = r.checkerSession.SetInput(in); err == nil {
			if o, err = r.checkerSession.CheckPass(ctx, out, k); err == nil {
				nextInput, err = k.reader()
			}
		}
	}
	if err != nil && a != nil && a.Close != nil {
		a.Close()
	}
	return a, o, nextInput, err
}

// output runs the program. If the program talks to the interactor, it returns the interactor's output, and
// otherwise the program's own output.
func (r *rerun) output(ctx context.Context, in *io.SectionReader, talks bool) (
	a *judge.Attempt, o judge.Outcome, out *io.SectionReader, err error,
) {
	if !talks {
		if a, err = r.run(ctx, r.c, io.NewSectionReader(in, 0, in.Size()), r.limits); err != nil {
			return nil, o, nil, err
		}
		if o = (judge.Outcome{Verdict: judge.Classify(a.Exec, r.Limits), Message: a.Exec.Termination()}); o.Verdict == judge.NotJudged {
			o = judge.Outcome{Verdict: judge.Accepted}
		}
		return a, o, a.Out, nil
	}
	if err = r.interactorSession.SetInput(in); err != nil {
		return nil, o, nil, err
	}
	if a, o, err = r.interactive.runPass(ctx, r.c, r.interactorSession, r.limits, &r.talk); err != nil {
		return nil, o, nil, err
	}
	a.Out = section("")
	if o.Verdict != judge.Accepted {
		return a, o, nil, nil
	}
	text, file, err := r.interactorSession.Output()
	if err != nil {
		return nil, o, nil, fmt.Errorf("read the output of the interactor: %w", err)
	}
	defer file.Close()
	k := r.keep()
	if _, err = io.Copy(k, text); err == nil {
		out, err = k.reader()
	}
	return a, o, out, err
}

// checkLast judges the output of the last run with the checker.
func (r *rerun) checkLast(ctx context.Context, in, out *io.SectionReader) (judge.Outcome, error) {
	if r.checkerSession != nil {
		if err := r.checkerSession.SetInput(in); err != nil {
			return judge.Outcome{}, err
		}
		return r.checkerSession.CheckPass(ctx, out, nil)
	}
	checker, err := r.setter.Programs.Checker(ctx) // a separate checker, because several cases are judged at the same time
	if err != nil {
		return judge.Outcome{}, err
	}
	defer checker.Close()
	return checker.Check(ctx, check.Request{Case: r.c.ID(), In: in, Ans: r.files.ans, Out: out, Args: r.c.CheckerArgs})
}
