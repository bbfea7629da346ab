package workspace

import (
	"context"
	"io"
	"os"

	"assay/judge"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Executor returns the bench that runs the built program made on the cases of picked.
func (p *Problem) Executor(
	ctx context.Context, selected *judge.Problem, path string, built *lang.Result, way trial.RunMode,
) (trial.Executor, error) {
	return p.newBench(ctx, selected, path, func(context.Context) (*lang.Result, error) { return built, nil }, way, nil)
}

// newBench returns the bench that builds a submission by calling build, and runs it. Picked is the problem, or the
// selected part of it.
func (p *Problem) newBench(
	ctx context.Context, selected *judge.Problem, path string, build func(context.Context) (*lang.Result, error),
	way trial.RunMode, keep func(*judge.Case, *io.SectionReader) error,
) (trial.Executor, error) {
	return trial.New(ctx, trial.Setup{
		Problem: selected, Runner: p.w.Sandbox, Programs: p.SetterPrograms(), Source: path, BuildSubmission: build,
		ShowSource: p.showsSource(path), RunMode: way, KeepOutput: keep, Exclusive: &p.w.sharedLimits.exclusive,
	})
}

// showsSource reports whether a submission can read its own files. In a package, this is the case for a submission
// that is a directory, because some of its files may be data.
func (p *Problem) showsSource(path string) bool {
	if p.Package == nil || p.Package.Foreign || p.Kind.OutputOnly {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
