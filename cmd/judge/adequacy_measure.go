package main

import (
	"context"
	"fmt"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/mutate"
	"assay/judge/workspace"
)

// measureGrid determines which mutants each case kills, and returns the event that reports this.
func (m *adequacyOptions) measureGrid(
	ctx context.Context, c *console, location *workspace.Location, problem *workspace.Problem,
) (judge.Event, error) {
	defer c.clear()
	if m.server != "" {
		return m.measureOnServer(ctx, c, location)
	}
	grid, err := problem.MeasureGrid(ctx, c.counter("mutants judged"))
	if err != nil {
		return nil, err
	}
	return grid.Event(), nil
}

// measure judges the mutants, and searches for inputs that kill the surviving ones.
func (m *adequacyOptions) measure(ctx context.Context, c *console, problem *workspace.Problem, solutions []string, journal string) (
	*mutate.Runner, []*mutate.Result, []*mutate.FailingInput, error,
) {
	lab, err := problem.MutantRunner(ctx, solutions)
	if err != nil {
		return nil, nil, nil, err
	}
	lab.Thorough, lab.Progress, lab.Journal = m.thorough, c.counter("mutants judged"), journal
	results, finds, err := problem.MeasureAdequacy(ctx, lab, solutions, m.budget)
	c.clear()
	return lab, results, finds, err
}

// saveInputs saves inputs found by the search as cases. It starts with the inputs that kill the most mutants.
func (m *adequacyOptions) saveInputs(c *console, problem *workspace.Problem, finds []*mutate.FailingInput) error {
	out := c.out
	if m.outputOptions.json { // with --json, stdout contains only JSON lines
		out = c.err
	}
	for _, f := range mutate.SelectInputs(finds) {
		provenance := fmt.Sprintf(
			"Found by: judge adequacy %s --seed %d --count %d\n%s.\nIt kills:\n", problem.ID, m.budget.Seed,
			m.budget.Count, capitalize(f.Origin),
		)
		for _, r := range f.Kills {
			provenance += r.Subject.Name(r.Mutant) + "\n" + r.Subject.Diff(r.Mutant)
		}
		path, err := gen.AddCase(problem.Directory, m.add, uniqueCaseName("mutant", f.Input), f.Input, f.Answer, provenance)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "kept: %s, which kills %d\n", cli.DisplayPath(path), len(f.Kills))
	}
	return nil
}
