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
	"assay/judge/internal/cachedir"
)

// SecondSolution finds and builds the accepted solution that must agree with the reference solution on every case: the
// one that problem.toml names, or the first one that can be built, preferring Go. It returns nil, nil if there is
// none.
func (p *Problem) SecondSolution(ctx context.Context) (*gen.SecondSolution, error) {
	if p.Second == "none" || p.Reference == nil {
		return nil, nil
	}
	dir := filepath.Join(p.SolutionsDir(), judge.Accepted.Dir())
	paths := p.AcceptedSolutions()
	entries, _ := os.ReadDir(dir) // a missing directory has no solutions
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if p.Second != "" {
		if paths = []string{filepath.Join(dir, p.Second)}; !filepath.IsLocal(p.Second) {
			return nil, p.Fault("second", fmt.Sprintf("%q is not the name of a solution", p.Second), "write the name of a file in "+dir)
		}
	}
	for _, path := range paths {
		built, err := p.Solution(ctx, path)
		if err == nil && built.OK {
			return p.secondSolution(ctx, path, built.Program)
		}
		if err == nil {
			err = errors.New(built.Log)
		}
		if p.Second != "" {
			return nil, p.Fault("second", fmt.Sprintf("the solution %s cannot be built", path), err.Error())
		}
	}
	return nil, nil
}

// secondSolution returns the second solution, built as program, together with the checks that decide whether it agrees.
func (p *Problem) secondSolution(ctx context.Context, path string, program *judge.Program) (*gen.SecondSolution, error) {
	checks := fmt.Sprint(p.Checker.Name, p.Checker.Args)
	if part := p.Checker.Program; part != nil {
		built, err := p.BuildProgram(ctx, part)
		if err != nil {
			return nil, err
		}
		checks = fmt.Sprint(built.Key, part.Args, part.Protocol)
	}
	agreed := filepath.Join(p.w.Cache, "agreed")
	cachedir.Trim(agreed, cachedir.Limits{Bytes: 256 << 20, Files: 10_000})
	return &gen.SecondSolution{
		Name: path, Program: program, Programs: p.SetterPrograms(), CheckerKey: checks,
		Ledger: filepath.Join(agreed, p.ID),
	}, nil
}
