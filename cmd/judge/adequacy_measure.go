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

// findings determines which mutants each case kills, and returns the event that reports this.
func (m *measuring) findings(ctx context.Context, c *console, at *workspace.Location, folder *workspace.Problem) (judge.Event, error) {
	defer c.clear()
	if m.on != "" {
		return m.measureOn(ctx, c, at)
	}
	grid, err := folder.Grid(ctx, c.counter("mutants judged"))
	if err != nil {
		return nil, err
	}
	return grid.Event(), nil
}

// measure judges the mutants, and searches for inputs that kill the surviving ones.
func (m *measuring) measure(ctx context.Context, c *console, folder *workspace.Problem, solutions []string, journal string) (
	*mutate.Lab, []*mutate.Result, []*mutate.Find, error,
) {
	lab, err := folder.Mutants(ctx, solutions)
	if err != nil {
		return nil, nil, nil, err
	}
	lab.Thorough, lab.Progress, lab.Journal = m.thorough, c.counter("mutants judged"), journal
	results, finds, err := folder.Adequacy(ctx, lab, solutions, m.hunt)
	c.clear()
	return lab, results, finds, err
}

// keep saves inputs found by the search as cases. It starts with the inputs that kill the most mutants.
func (m *measuring) keep(c *console, folder *workspace.Problem, finds []*mutate.Find) error {
	out := c.out
	if m.drawing.json { // with --json, stdout contains only JSON lines
		out = c.err
	}
	for _, f := range mutate.Few(finds) {
		provenance := fmt.Sprintf(
			"Found by: judge adequacy %s --seed %d --count %d\n%s.\nIt kills:\n", folder.ID, m.hunt.Seed,
			m.hunt.Count, upper(f.Origin),
		)
		for _, r := range f.Kills {
			provenance += r.Subject.Name(r.Mutant) + "\n" + r.Subject.Diff(r.Mutant)
		}
		path, err := gen.Keep(folder.Directory, m.add, caseName("mutant", f.Input), f.Input, f.Answer, provenance)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "kept: %s, which kills %d\n", cli.Near(path), len(f.Kills))
	}
	return nil
}
