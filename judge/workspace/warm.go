package workspace

import (
	"context"
	"errors"
	"fmt"

	"assay/judge"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// BuildAll builds all of the setter's programs, so that no submission has to wait for them. It also judges the
// reference solution on the samples, to check this machine.
func (p *Problem) BuildAll(ctx context.Context) (err error) {
	if _, err := p.Prepared(ctx); err != nil {
		return err
	}
	for _, part := range setterParts(p.Directory) {
		if _, err := p.BuildProgram(ctx, part); err != nil {
			return err
		}
	}
	with, err := p.WithReference(ctx)
	if _, none := errors.AsType[*judge.ProblemError](err); none {
		return nil // without a reference solution, nothing more can be checked
	}
	if err != nil || with.Reference == nil || p.Kind.OutputOnly {
		return err
	}
	samples, err := with.selectCases([]string{judge.SampleGroup}, nil)
	if err != nil || samples.CaseCount() == 0 {
		return nil // a problem may have no samples
	}
	program, err := with.BuildProgram(ctx, with.Reference)
	if err != nil {
		return err
	}
	bench, err := with.Executor(ctx, samples, with.Reference.Path, &lang.Result{OK: true, Program: program}, trial.RunMode{Retime: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	sum, err := judge.Run(ctx, samples, bench, judge.Options{Jobs: 1}, func(judge.Event) {})
	if err == nil && sum.Verdict != judge.Accepted {
		err = &judge.ProblemError{
			File: with.Reference.Path,
			Text: fmt.Sprintf("the reference gets %s on the sample %s here", sum.Verdict, sum.First),
		}
	}
	return err
}
