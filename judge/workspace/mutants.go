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
	"assay/judge/running/lang"
)

// Mutants opens the lab in which a problem's mutants are judged.
func (p *Problem) Mutants(ctx context.Context, solutions []string) (*mutate.Lab, error) {
	tools, err := p.w.goTools(ctx)
	if err != nil {
		return nil, err
	}
	return mutate.Open(ctx, mutate.Setting{
		Folder: p.Folder, Runner: p.w.Box, Crew: p.Crew(), Jobs: p.w.Jobs, Tools: tools, Solutions: solutions,
		Build: func(ctx context.Context, dir string, setters bool) (*judge.Program, error) {
			l, err := p.w.Tools.Detect(dir, "")
			if err != nil {
				return nil, err
			}
			from := lang.ByContestant
			if setters {
				from = lang.BySetter
			}
			made, err := p.w.Tools.Build(ctx, dir, l, from)
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
func (p *Problem) Supply(ctx context.Context, solutions []string) (*stress.Lab, error) {
	reference, err := p.Part(ctx, p.Reference)
	if err != nil {
		return nil, err
	}
	return stress.Open(ctx, stress.Setting{
		Folder: p.Folder, Runner: p.w.Box, Crew: p.Crew(), Solution: reference,
		Literals: gen.Literals(append(solutions, p.Reference.Path)...), Limits: p.w.Config.Setter, Jobs: p.w.Jobs,
	})
}

// Accepted lists the solutions that are promised to be accepted and may be in Go.
func (p *Problem) Accepted() (paths []string) {
	dir := filepath.Join(p.Solutions(), judge.Accepted.Folder())
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
func (p *Problem) Mutable() (paths []string) {
	programs := p.Accepted()
	if p.Reference != nil {
		programs = append(programs, p.Reference.Path)
	}
	for _, path := range programs {
		if l, err := p.w.Tools.Detect(path, ""); err == nil && slices.Contains(l.Extensions, "go") {
			paths = append(paths, path)
		}
	}
	return paths
}
