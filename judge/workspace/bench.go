package workspace

import (
	"context"
	"io"
	"os"

	"assay/judge"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Bench returns the bench that runs the built program made on the cases of picked.
func (p *Problem) Bench(ctx context.Context, picked *judge.Problem, path string, made *lang.Result, way trial.Way) (trial.Bench, error) {
	return p.bench(ctx, picked, path, func(context.Context) (*lang.Result, error) { return made, nil }, way, nil)
}

// bench returns the bench that builds a submission by calling build, and runs it. Picked is the problem, or the
// selected part of it.
func (p *Problem) bench(
	ctx context.Context, picked *judge.Problem, path string, build func(context.Context) (*lang.Result, error),
	way trial.Way, keep func(*judge.Case, *io.SectionReader) error,
) (trial.Bench, error) {
	return trial.New(ctx, trial.Setup{
		Problem: picked, Runner: p.w.Box, Crew: p.Crew(), Source: path, Make: build, ShowSource: p.showsSource(path),
		Way: way, KeepOutput: keep, Quiet: &p.w.beside.quiet,
	})
}

// showsSource reports whether a submission can read its own files. In a package, this is the case for a submission
// that is a directory, because some of its files may be data.
func (p *Problem) showsSource(path string) bool {
	if p.Package == nil || p.Package.Foreign || p.Kind.Answers {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
