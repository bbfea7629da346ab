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
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// Mutants returns the lab that judges a problem's mutants.
func (p *Problem) Mutants(ctx context.Context, solutions []string) (*mutate.Lab, error) {
	tools, err := p.w.goTools(ctx)
	if err != nil {
		return nil, err
	}
	return mutate.Open(ctx, mutate.Setting{
		Folder: p.Directory, Runner: p.w.Box, Crew: p.Crew(), Jobs: p.w.Jobs, Tools: tools, Solutions: solutions,
		Language: func(path string) (*config.Language, error) { return p.w.Tools.Detect(path, "") },
		Build: func(ctx context.Context, dir string, l *config.Language, setters bool, extra lang.Extra) (*lang.Result, error) {
			from := lang.ByContestant
			if setters {
				from = lang.BySetter
			}
			return p.w.Tools.BuildWith(ctx, dir, l, from, extra)
		},
	})
}

// Adequacy judges the mutants of a lab, and searches for inputs that kill the surviving ones. It adds its notes to
// those of the lab.
func (p *Problem) Adequacy(ctx context.Context, lab *mutate.Lab, solutions []string, h mutate.Hunt) (
	[]*mutate.Result, []*mutate.Find, error,
) {
	marks, err := mutate.ReadMarks(p.Dir)
	if err != nil {
		return nil, nil, err
	}
	results, err := lab.Judge(ctx)
	if err != nil {
		return nil, nil, err
	}
	if faults := marks.Apply(lab, results); len(faults) > 0 {
		return nil, nil, faults
	}
	supply, err := p.Supply(ctx, solutions)
	if err != nil {
		return nil, nil, err
	}
	finds, notes, err := lab.Search(ctx, results, supply, h)
	lab.Notes = append(slices.Clip(lab.Notes), notes...)
	return results, finds, errors.Join(err, supply.Close())
}

// Supply returns the lab that generates the inputs for a search.
func (p *Problem) Supply(ctx context.Context, solutions []string) (*stress.Lab, error) {
	reference, err := p.Part(ctx, p.Reference)
	if err != nil {
		return nil, err
	}
	return stress.Open(ctx, stress.Setting{
		Folder: p.Directory, Runner: p.w.Box, Crew: p.Crew(), Solution: reference,
		Literals: gen.Literals(append(solutions, p.Reference.Path)...), Limits: p.w.Config.Setter, Jobs: p.w.Jobs,
	})
}

// Accepted lists the solutions that must be accepted and can be mutated.
func (p *Problem) Accepted() (paths []string) {
	dir := filepath.Join(p.Solutions(), judge.Accepted.Dir())
	entries, _ := os.ReadDir(dir) // a missing directory has no solutions
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); p.mutable(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// mutable reports whether the language of the program at path can be mutated.
func (p *Problem) mutable(path string) bool {
	l, err := p.w.Tools.Detect(path, "")
	return err == nil && mutate.Mutated(l.ID)
}

// Mutable lists the programs of the problem from which mutants are made: accepted solutions and the reference
// solution.
func (p *Problem) Mutable() []string {
	programs := p.Accepted()
	if p.Reference != nil && p.mutable(p.Reference.Path) {
		programs = append(programs, p.Reference.Path)
	}
	return programs
}

// goTools returns where this machine has the sources of Go's standard library, and the sources of the kit. It
// returns the zero Toolchain if the machine does not have Go's sources.
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
	return mutate.Toolchain{}, nil
}
