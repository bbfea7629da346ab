package workspace

import (
	"context"
	"io"
	"os"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Bench makes the bench on which a submission to a problem is tried. Picked is the
// problem, or a part of it.
func (w *Workspace) Bench(ctx context.Context, f *problem.Folder, picked *judge.Problem, path string, build func(context.Context) (*lang.Result, error), retime bool, keep func(*judge.Case, *io.SectionReader) error) (trial.Bench, error) {
	return trial.New(ctx, trial.Setup{
		Problem: picked, Runner: w.Box, Source: path, Make: build, ShowSource: showsSource(f, path),
		Part: w.Part, Usual: w.Config.Setter,
		Retime: retime, KeepOutput: keep,
		Checker: func(ctx context.Context) (check.Checker, error) { return w.Checker(ctx, f) },
	})
}

// showsSource says whether a submission sees its own files: one to a package does, if it
// is a folder, where some may be data.
func showsSource(f *problem.Folder, path string) bool {
	if f.Package == nil || f.Package.Foreign || f.Kind.Answers {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
