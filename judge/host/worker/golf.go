package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/flow"
	"assay/judge/host/job"
)

// proof checks a golf submission.
func (r *Runner) proof(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) (err error) {
	var asked flow.ProofOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	dir, done, err := r.submission(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	reading := asked.Reading
	reading.At = asked.File
	for _, path := range []*string{&reading.At, &reading.Header, &reading.Footer} {
		if *path == "" {
			continue
		}
		local := filepath.FromSlash(*path)
		if !filepath.IsLocal(local) {
			return fmt.Errorf("%.200q is not the path of a submitted file", *path)
		}
		*path = filepath.Join(dir, local)
	}
	stage, err := o.w.Range(ctx, o.Problem)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Checker.Close()) }()
	stage.Runner = inTurn{stage.Runner, b.turn}
	asked.Proof.Jobs, asked.Proof.Progress = 1, b.tellHowFar()
	result, err := o.w.Prove(ctx, stage, asked.Name, reading, asked.Proof)
	var proved flow.Proved
	if _, ok := errors.AsType[*judge.Misuse](err); ok {
		proved.Misuse = err.Error()
		proved.Unknown, _ = errors.AsType[*golf.UnknownLanguageError](err)
		b.output = proved
		return nil
	}
	if err != nil {
		return err
	}
	proved.Verdict = result.Verdict
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
	return b.tell(&result.GolfProved)
}

// tellEvery is the minimum time between two progress reports.
const tellEvery = 300 * time.Millisecond

// tellHowFar returns a function that reports the progress of a check. It returns nil if b.progress is nil.
func (b *taskOutput) tellHowFar() func(done, of int) {
	if b.progress == nil {
		return nil
	}
	last := time.Now()
	return func(done, of int) {
		if now := time.Now(); now.Sub(last) >= tellEvery {
			last = now
			b.progress(&judge.Progressed{Done: done, Of: of})
		}
	}
}
