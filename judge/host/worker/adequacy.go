package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/cases/mutate"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/internal/raze"
	"assay/judge/workspace"
)

// A mutating holds the lab with the mutants of a snapshot. Several jobs share the lab.
type mutating struct {
	mu        sync.Mutex
	problem   *workspace.Problem
	solutions []string
	lab       *mutate.Lab // nil until a job needs it
}

// mutants returns a copy of the lab with the mutants of a snapshot, with the options of one job. The first call
// generates the mutants.
func (o *opened) mutants(ctx context.Context, asked *flow.AdequacyOptions) (*mutate.Lab, error) {
	m := &o.mutating
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lab == nil {
		p, err := o.ready(ctx, asked.Problem)
		if err != nil {
			return nil, err
		}
		solutions := p.Accepted()
		lab, err := p.Mutants(ctx, solutions)
		if err != nil {
			return nil, err
		}
		m.problem, m.solutions, m.lab = p, solutions, lab
	}
	lab := *m.lab
	lab.Thorough, lab.Notes = asked.Thorough, slices.Clip(lab.Notes)
	return &lab, nil
}

// ready opens the problem of a snapshot.
func (o *opened) ready(ctx context.Context, problem string) (*workspace.Problem, error) {
	l, err := o.locate(problem)
	if err != nil {
		return nil, err
	}
	p, faults, err := l.Ready(ctx)
	return p, errors.Join(err, faults.AsError())
}

// faults reports errors in the problem directory as events, so that they do not fail the job. It returns any other
// error.
func (b *taskOutput) faults(err error) error {
	faults, some := errors.AsType[judge.Faults](err)
	if one, is := errors.AsType[*judge.Fault](err); is && !some {
		faults, some = judge.Faults{one}, true
	}
	if !some {
		return err
	}
	b.lines = nil
	for _, f := range faults {
		if err := b.tell(&judge.FaultFound{Fault: f}); err != nil {
			return err
		}
	}
	return nil
}

// tries is the approximate number of mutants judged to estimate the time per mutant.
const tries = 16

// lab generates the mutants of a snapshot and estimates the time to judge one.
func (r *Runner) lab(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.AdequacyOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	b.output = flow.Mutated{}
	lab, err := o.mutants(ctx, &asked)
	if err != nil {
		return b.faults(err)
	}
	made := flow.Mutated{Made: lab.Identity(), Count: lab.Count()}
	if made.Count > 0 {
		start := time.Now()
		lab.Jobs = 1
		tried, err := lab.Part(ctx, 0, max(made.Count/tries, 1))
		if err != nil {
			return b.faults(err)
		}
		made.Each = time.Since(start) / time.Duration(len(tried))
	}
	b.output = made
	return nil
}

// same returns the lab with the mutants of a snapshot. It returns an error if their identity is not made, the
// identity of the mutants that an earlier lab job generated.
func (o *opened) same(ctx context.Context, asked *flow.AdequacyOptions, made string) (*mutate.Lab, error) {
	lab, err := o.mutants(ctx, asked)
	if err == nil && lab.Identity() != made {
		err = errors.New("this worker generates different mutants from the other workers: compare their toolchains")
	}
	return lab, err
}

// mutants judges a part of the mutants.
func (r *Runner) mutants(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.MutantsOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	lab, err := o.same(ctx, &asked.AdequacyOptions, asked.Made)
	if err == nil && (asked.First < 0 || asked.Of < 1) {
		err = fmt.Errorf("the job asks for part %d of %d", asked.First, asked.Of)
	}
	if err != nil {
		return err
	}
	lab.Jobs = 1
	b.lines, err = lab.Part(ctx, asked.First, asked.Of)
	return err
}

// score searches for inputs that kill the surviving mutants.
func (r *Runner) score(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.ScoreOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	lab, err := o.same(ctx, &asked.AdequacyOptions, asked.Made)
	if err != nil {
		return err
	}
	dir, err := r.newDir()
	if err != nil {
		return err
	}
	defer func() { _ = raze.All(dir) }() // the process removes leftovers when it ends
	lab.Journal = filepath.Join(dir, "journal")
	n, err := r.gather(ctx, lab.Journal, s)
	if err != nil {
		return err
	}
	if n != lab.Count() {
		return fmt.Errorf("the results have %d mutants of %d", n, lab.Count())
	}
	results, _, err := o.mutating.problem.Adequacy(ctx, lab, o.mutating.solutions, asked.Hunt)
	if err != nil {
		return b.faults(err)
	}
	return b.tell(lab.Report(results, asked.Hunt, ""))
}

// grid reports which errors each test case of a snapshot finds.
func (r *Runner) grid(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.AdequacyOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	p, err := o.ready(ctx, asked.Problem)
	if err != nil {
		return b.faults(err)
	}
	grid, err := p.Grid(ctx, nil)
	if err != nil {
		return b.faults(err)
	}
	return b.tell(grid.Event())
}
