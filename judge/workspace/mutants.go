package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/mutate"
	"assay/judge/cases/stress"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// Mutants opens the lab in which a problem's mutants are judged.
func (w *Workspace) Mutants(ctx context.Context, f *problem.Folder, solutions []string) (*mutate.Lab, error) {
	checkers, err := w.Checkers(ctx, f)
	if err != nil {
		return nil, err
	}
	tools, err := w.goTools(ctx)
	if err != nil {
		return nil, err
	}
	return mutate.Open(ctx, mutate.Setting{
		Folder: f, Runner: w.Box, Checker: checkers, Jobs: w.Jobs, Tools: tools, Solutions: solutions,
		Build: func(ctx context.Context, dir string, setters bool) (*judge.Program, error) {
			l, err := w.Tools.Detect(dir, "")
			if err != nil {
				return nil, err
			}
			from := lang.ByContestant
			if setters {
				from = lang.BySetter
			}
			made, err := w.Tools.Build(ctx, dir, l, from)
			if err != nil {
				return nil, err
			}
			if !made.OK {
				return nil, &judge.Fault{File: dir, Text: "the mutants do not compile", Hint: made.Log}
			}
			return made.Program, nil
		},
	})
}

// Supply opens the lab that makes the inputs of a search.
func (w *Workspace) Supply(ctx context.Context, f *problem.Folder, solutions []string) (*stress.Lab, error) {
	checkers, err := w.Checkers(ctx, f)
	if err != nil {
		return nil, err
	}
	reference, err := w.Part(ctx, f.Reference)
	if err != nil {
		return nil, err
	}
	return stress.Open(ctx, stress.Setting{
		Folder: f, Runner: w.Box, Build: w.Part, Checker: checkers, Solution: reference,
		Literals: gen.Literals(append(solutions, f.Reference.Path)...), Limits: w.Config.Setter, Jobs: w.Jobs,
	})
}

// Accepted lists the solutions that are promised to be accepted and may be in Go.
func (w *Workspace) Accepted(f *problem.Folder) (paths []string) {
	dir := filepath.Join(w.Near(problem.Solutions(f.Dir, f.Tests)), judge.Accepted.Folder())
	entries, _ := os.ReadDir(dir) // a missing folder has no solutions
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) == ".go" {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

// goTools says where the sources are that a program in Go is compiled with.
func (w *Workspace) goTools(ctx context.Context) (mutate.Toolchain, error) {
	kit, err := Kit()
	if err != nil {
		return mutate.Toolchain{}, err
	}
	for _, l := range w.Config.Languages {
		for _, dir := range w.Tools.Located(ctx, l) {
			if _, err := os.Stat(filepath.Join(dir, "src", "fmt", "print.go")); err == nil {
				return mutate.Toolchain{Goroot: dir, Kit: kit}, nil
			}
		}
	}
	return mutate.Toolchain{}, errors.New("find the Go distribution: mutants are made of programs in Go, which this machine does not have\n    apt-get install golang-go")
}

// Mutable lists the programs of a problem that may be in Go.
func (w *Workspace) Mutable(f *problem.Folder) (paths []string) {
	programs := w.Accepted(f)
	if f.Reference != nil {
		programs = append(programs, f.Reference.Path)
	}
	for _, path := range programs {
		if l, err := w.Tools.Detect(path, ""); err == nil && slices.Contains(l.Extensions, "go") {
			paths = append(paths, path)
		}
	}
	return paths
}
