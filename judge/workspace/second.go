package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// Second finds and builds the accepted solution that must agree with the reference on
// every case: the one that problem.toml names, or else the first that can be built,
// those in Go before others; nil where there is none.
func (w *Workspace) Second(ctx context.Context, f *problem.Folder) (*gen.Second, error) {
	if f.Second == "none" || f.Reference == nil {
		return nil, nil
	}
	dir := filepath.Join(w.Near(problem.Solutions(f.Dir, f.Tests)), judge.Accepted.Folder())
	paths := w.Accepted(f)
	entries, _ := os.ReadDir(dir) // a missing folder has no solutions
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if f.Second != "" {
		if paths = []string{filepath.Join(dir, f.Second)}; !filepath.IsLocal(f.Second) {
			return nil, f.Fault("second", fmt.Sprintf("%q is no name of a solution", f.Second), "write the name of a file in "+dir)
		}
	}
	for _, path := range paths {
		made, err := w.buildFor(ctx, f, source{path: path, from: lang.ByContestant})
		if err == nil && made.OK {
			return w.agreement(ctx, f, path, made.Program)
		}
		if err == nil {
			err = errors.New(made.Log)
		}
		if f.Second != "" {
			return nil, f.Fault("second", fmt.Sprintf("the solution %s cannot be built", path), err.Error())
		}
	}
	return nil, nil
}

// agreement is the second solution with what is right.
func (w *Workspace) agreement(ctx context.Context, f *problem.Folder, path string, program *judge.Program) (*gen.Second, error) {
	checkers, err := w.Checkers(ctx, f)
	if err != nil {
		return nil, err
	}
	checks := fmt.Sprint(f.Checker.Name, f.Checker.Args)
	if part := f.Checker.Program; part != nil {
		built, err := w.Part(ctx, part)
		if err != nil {
			return nil, err
		}
		checks = fmt.Sprint(built.Key, part.Args, part.Speaks)
	}
	return &gen.Second{Name: path, Program: program, Checker: checkers, Checks: checks, Ledger: filepath.Join(w.Cache, "agreed", f.ID)}, nil
}
