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
	talks   []bool
	program *check.Validator // the checker, if it is a setter's program
}

func newReruns(ctx context.Context, b *Batch, limits judge.Limits) (_ Bench, err error) {
	s := &b.setter.Setup
	p := s.Problem
	t := &reruns{interactive: &interactive{passes: passes{Batch: b}}, talks: p.Reruns}
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
		b.Checker, err = s.Crew.Checker(ctx) // checks the options now
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
	return t.retime(func(limits judge.Limits) (*judge.Attempt, error) {
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
	c       *judge.Case
	limits  judge.Limits
	files   caseFiles
	talking *check.Session // the interactor's session
	judging *check.Session // the checker's session
	kept    []*capture     // inputs of runs, kept until the end of the case
	talk    transcript
}

// close releases the resources of the case. If failed is not nil, it also closes the attempt.
func (r *rerun) close(all *judge.Attempt, failed error) (err error) {
	for _, s := range []*check.Session{r.talking, r.judging} {
		if s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	for _, k := range r.kept {
		k.close()
	}
	if all != nil && all.Close != nil && failed != nil {
		all.Close()
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

func (r *rerun) try(ctx context.Context) (all *judge.Attempt, err error) {
	if r.files, err = openCase(r.c); err != nil {
		return nil, err
	}
	if r.validator != nil {
		if r.talking, err = r.validator.Open(r.files.request(r.c, nil)); err != nil {
			return nil, err
		}
	}
	if r.reruns.program != nil {
		if r.judging, err = r.reruns.program.Open(r.files.request(r.c, nil)); err != nil {
			return nil, err
		}
	}
	in := r.files.in
	for run, talks := range r.talks {
		a, o, next, err := r.once(ctx, in, talks, run == len(r.talks)-1)
		if err != nil {
			if all != nil && all.Close != nil {
				all.Close()
			}
			return nil, err
		}
		if o.Verdict != judge.Accepted && run > 0 {
			o.Message = fmt.Sprintf("in run %d: %s", run+1, o.Message)
		}
		a.Settled = &o
		if all = worse(all, a); o.Verdict != judge.Accepted {
			break
		}
		in = next
		if r.talking != nil {
			r.talk.pass(run < len(r.talks)-1)
		}
	}
	all.Dialogue = r.talk.String()
	return all, nil
}

// once runs the program once. It returns the attempt, its outcome, and, unless this is the last run, the input of
// the next run.
func (r *rerun) once(ctx context.Context, in *io.SectionReader, talks, last bool) (
	a *judge.Attempt, o judge.Outcome, next *io.SectionReader, err error,
) {
	a, o, out, err := r.output(ctx, in, talks)
	switch {
	case err != nil || o.Verdict != judge.Accepted:
	case last:
		o, err = r.right(ctx, in, out)
	case talks:
		next = out
	default:
		k := r.keep()
		if err = r.judging.Give(in); err == nil {
			if o, err = r.judging.Between(ctx, out, k); err == nil {
				next, err = k.reader()
			}
		}
	}
	if err != nil && a != nil && a.Close != nil {
		a.Close()
	}
	return a, o, next, err
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
		if o = (judge.Outcome{Verdict: judge.Classify(a.Exec, r.Limits), Message: a.Exec.Fate()}); o.Verdict == judge.NotJudged {
			o = judge.Outcome{Verdict: judge.Accepted}
		}
		return a, o, a.Out, nil
	}
	if err = r.talking.Give(in); err != nil {
		return nil, o, nil, err
	}
	if a, o, err = r.interactive.talk(ctx, r.c, r.talking, r.limits, &r.talk); err != nil {
		return nil, o, nil, err
	}
	a.Out = section("")
	if o.Verdict != judge.Accepted {
		return a, o, nil, nil
	}
	text, file, err := r.talking.Output()
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

// right judges the output of the last run with the checker.
func (r *rerun) right(ctx context.Context, in, out *io.SectionReader) (judge.Outcome, error) {
	if r.judging != nil {
		if err := r.judging.Give(in); err != nil {
			return judge.Outcome{}, err
		}
		return r.judging.Between(ctx, out, nil)
	}
	checker, err := r.setter.Crew.Checker(ctx) // a separate checker, because several cases are judged at the same time
	if err != nil {
		return judge.Outcome{}, err
	}
	defer checker.Close()
	return checker.Check(ctx, check.Request{Case: r.c.ID(), In: in, Ans: r.files.ans, Out: out, Args: r.c.CheckerArgs})
}
