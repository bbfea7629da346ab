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

// MutantRunner returns the lab that judges a problem's mutants.
func (p *Problem) MutantRunner(ctx context.Context, solutions []string) (*mutate.Runner, error) {
	tools, err := p.w.goToolchain(ctx)
	if err != nil {
		return nil, err
	}
	return mutate.Open(ctx, mutate.Setting{
		Directory: p.Directory, Runner: p.w.Sandbox, Programs: p.SetterPrograms(), Jobs: p.w.Jobs, Tools: tools, Solutions: solutions,
		Language: func(path string) (*config.Language, error) { return p.w.Tools.Detect(path, "") },
		Build: func(ctx context.Context, dir string, l *config.Language, setters bool, extra lang.BuildOptions) (*lang.Result, error) {
			from := lang.ByContestant
			if setters {
				from = lang.BySetter
			}
			return p.w.Tools.BuildWith(ctx, dir, l, from, extra)
		},
	})
}

// MeasureAdequacy judges the mutants of a lab, and searches for inputs that kill the surviving ones. It adds its notes to
// those of the lab.
func (p *Problem) MeasureAdequacy(ctx context.Context, lab *mutate.Runner, solutions []string, h mutate.SearchBudget) (
	[]*mutate.Result, []*mutate.FailingInput, error,
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
	supply, err := p.InputTester(ctx, solutions)
	if err != nil {
		return nil, nil, err
	}
	finds, notes, err := lab.Search(ctx, results, supply, h)
	lab.Notes = append(slices.Clip(lab.Notes), notes...)
	return results, finds, errors.Join(err, supply.Close())
}

// InputTester returns the lab that generates the inputs for a search.
func (p *Problem) InputTester(ctx context.Context, solutions []string) (*stress.Tester, error) {
	reference, err := p.BuildProgram(ctx, p.Reference)
	if err != nil {
		return nil, err
	}
	return stress.Open(ctx, stress.Setting{
		Directory: p.Directory, Runner: p.w.Sandbox, Programs: p.SetterPrograms(), Solution: reference,
		Literals: gen.Literals(append(solutions, p.Reference.Path)...), Limits: p.w.Config.Setter, Jobs: p.w.Jobs,
	})
}

// AcceptedSolutions lists the solutions that must be accepted and can be mutated.
func (p *Problem) AcceptedSolutions() (paths []string) {
	dir := filepath.Join(p.SolutionsDir(), judge.Accepted.Dir())
	entries, _ := os.ReadDir(dir) // a missing directory has no solutions
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); p.isMutable(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// isMutable reports whether the language of the program at path can be mutated.
func (p *Problem) isMutable(path string) bool {
	l, err := p.w.Tools.Detect(path, "")
	return err == nil && mutate.CanMutate(l.ID)
}

// MutablePrograms lists the programs of the problem from which mutants are made: accepted solutions and the reference
// solution.
func (p *Problem) MutablePrograms() []string {
	programs := p.AcceptedSolutions()
	if p.Reference != nil && p.isMutable(p.Reference.Path) {
		programs = append(programs, p.Reference.Path)
	}
	return programs
}

// goToolchain returns where this machine has the sources of Go's standard library, and the sources of the kit. It
// returns the zero Toolchain if the machine does not have Go's sources.
func (w *Workspace) goToolchain(ctx context.Context) (mutate.Toolchain, error) {
	kit, err := KitSources()
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
