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
	"assay/judge/host/job"
	"assay/judge/host/workflow"
	"assay/judge/internal/forceremove"
	"assay/judge/workspace"
)

// A mutantState holds the lab with the mutants of a snapshot. Several jobs share the lab.
type mutantState struct {
	mu        sync.Mutex
	problem   *workspace.Problem
	solutions []string
	runner    *mutate.Runner // nil until a job needs it
}

// mutantRunner returns a copy of the lab with the mutants of a snapshot, with the options of one job. The first call
// generates the mutants.
func (o *openProblem) mutantRunner(ctx context.Context, options *workflow.AdequacyOptions) (*mutate.Runner, error) {
	m := &o.mutating
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runner == nil {
		p, err := o.problemAt(ctx, options.Problem)
		if err != nil {
			return nil, err
		}
		solutions := p.AcceptedSolutions()
		lab, err := p.MutantRunner(ctx, solutions)
		if err != nil {
			return nil, err
		}
		m.problem, m.solutions, m.runner = p, solutions, lab
	}
	lab := *m.runner
	lab.Thorough, lab.Notes = options.Thorough, slices.Clip(lab.Notes)
	return &lab, nil
}

// problemAt opens the problem of a snapshot.
func (o *openProblem) problemAt(ctx context.Context, problem string) (*workspace.Problem, error) {
	l, err := o.locate(problem)
	if err != nil {
		return nil, err
	}
	p, faults, err := l.ReadForJudging(ctx)
	return p, errors.Join(err, faults.AsError())
}

// addFaults reports errors in the problem directory as events, so that they do not fail the job. It returns any other
// error.
func (b *taskOutput) addFaults(err error) error {
	faults, some := errors.AsType[judge.ProblemErrors](err)
	if one, is := errors.AsType[*judge.ProblemError](err); is && !some {
		faults, some = judge.ProblemErrors{one}, true
	}
	if !some {
		return err
	}
	b.lines = nil
	for _, f := range faults {
		if err := b.addEvents(&judge.ProblemErrorFound{Fault: f}); err != nil {
			return err
		}
	}
	return nil
}

// sampleMutants is the approximate number of mutants judged to estimate the time per mutant.
const sampleMutants = 16

// makeMutants generates the mutants of a snapshot and estimates the time to judge one.
func (r *Runner) makeMutants(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var asked workflow.AdequacyOptions
	if err := decodeOptions(s, &asked); err != nil {
		return err
	}
	b.output = workflow.MutantSet{}
	lab, err := o.mutantRunner(ctx, &asked)
	if err != nil {
		return b.addFaults(err)
	}
	output := workflow.MutantSet{Digest: lab.MutantsHash(), Count: lab.MutantCount()}
	if output.Count > 0 {
		start := time.Now()
		lab.Jobs = 1
		tried, err := lab.JudgeShard(ctx, 0, max(output.Count/sampleMutants, 1))
		if err != nil {
			return b.addFaults(err)
		}
		output.TimePerMutant = time.Since(start) / time.Duration(len(tried))
	}
	b.output = output
	return nil
}

// sameMutants returns the lab with the mutants of a snapshot. It returns an error if their identity is not made, the
// identity of the mutants that an earlier lab job generated.
func (o *openProblem) sameMutants(ctx context.Context, options *workflow.AdequacyOptions, digest string) (*mutate.Runner, error) {
	lab, err := o.mutantRunner(ctx, options)
	if err == nil && lab.MutantsHash() != digest {
		err = errors.New("this worker generates different mutants from the other workers: compare their toolchains")
	}
	return lab, err
}

// judgeMutants judges a part of the mutants.
func (r *Runner) judgeMutants(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.MutantsOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	lab, err := o.sameMutants(ctx, &taskOptions.AdequacyOptions, taskOptions.Digest)
	if err == nil && (taskOptions.First < 0 || taskOptions.Stride < 1) {
		err = fmt.Errorf("the job asks for part %d of %d", taskOptions.First, taskOptions.Stride)
	}
	if err != nil {
		return err
	}
	lab.Jobs = 1
	b.lines, err = lab.JudgeShard(ctx, taskOptions.First, taskOptions.Stride)
	return err
}

// scoreMutants searches for inputs that kill the surviving mutants.
func (r *Runner) scoreMutants(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.ScoreOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	lab, err := o.sameMutants(ctx, &taskOptions.AdequacyOptions, taskOptions.Digest)
	if err != nil {
		return err
	}
	dir, err := r.newDir()
	if err != nil {
		return err
	}
	defer func() { _ = forceremove.All(dir) }() // the process removes leftovers when it ends
	lab.Journal = filepath.Join(dir, "journal")
	n, err := r.writePriorLines(ctx, lab.Journal, s)
	if err != nil {
		return err
	}
	if n != lab.MutantCount() {
		return fmt.Errorf("the results have %d mutants of %d", n, lab.MutantCount())
	}
	results, _, err := o.mutating.problem.MeasureAdequacy(ctx, lab, o.mutating.solutions, taskOptions.Budget)
	if err != nil {
		return b.addFaults(err)
	}
	return b.addEvents(lab.Report(results, taskOptions.Budget, ""))
}

// measureGrid reports which errors each test case of a snapshot finds.
func (r *Runner) measureGrid(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var asked workflow.AdequacyOptions
	if err := decodeOptions(s, &asked); err != nil {
		return err
	}
	p, err := o.problemAt(ctx, asked.Problem)
	if err != nil {
		return b.addFaults(err)
	}
	grid, err := p.MeasureGrid(ctx, nil)
	if err != nil {
		return b.addFaults(err)
	}
	return b.addEvents(grid.Event())
}
