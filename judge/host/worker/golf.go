package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// checkGolf checks a golf submission.
func (r *Runner) checkGolf(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) (err error) {
	var taskOptions workflow.GolfCheckOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	dir, done, err := r.writeSubmission(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	reading := taskOptions.Reading
	reading.Path = taskOptions.File
	for _, path := range []*string{&reading.Path, &reading.Header, &reading.Footer} {
		if *path == "" {
			continue
		}
		local := filepath.FromSlash(*path)
		if !filepath.IsLocal(local) {
			return fmt.Errorf("%.200q is not the path of a submitted file", *path)
		}
		*path = filepath.Join(dir, local)
	}
	stage, err := o.w.StartGolf(ctx, o.Problem)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Checker.Close()) }()
	stage.Runner = turnRunner{stage.Runner, b.turn}
	taskOptions.Check.Jobs, taskOptions.Check.Progress = 1, b.progressFunc()
	result, err := o.w.CheckGolf(ctx, stage, taskOptions.Name, reading, taskOptions.Check)
	var proved workflow.GolfCheckOutput
	if _, ok := errors.AsType[*judge.UsageError](err); ok {
		proved.Misuse = err.Error()
		proved.Unknown, _ = errors.AsType[*golf.UnknownLanguageError](err)
		b.output = proved
		return nil
	}
	if err != nil {
		return err
	}
	proved.Verdict, proved.How = result.Verdict, result.How
	for _, l := range o.w.Config.Languages {
		if l.Name != result.Language {
			continue
		}
		proved.Language = l.ID
		if identity, err := o.w.Tools.Identity(ctx, l); err == nil { // if not installed, the verdict says so
			proved.Toolchain = identity
		}
	}
	b.output = proved
	return b.addEvents(&result.GolfChecked)
}

// progressEvery is the minimum time between two progress reports.
const progressEvery = 300 * time.Millisecond

// progressFunc returns a function that reports the progress of a check. It returns nil if b.progress is nil.
func (b *taskOutput) progressFunc() func(done, of int) {
	if b.progress == nil {
		return nil
	}
	last := time.Now()
	return func(done, of int) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			b.progress(&judge.Progressed{Done: done, Total: of})
		}
	}
}
