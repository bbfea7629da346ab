package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/cases/gen"
	"assay/judge/workspace"
)

// generateOptions holds the flags of judge generate.
type generateOptions struct {
	runOptions
	newCaseOptions
	outputOptions
	check    bool
	minimize bool
	tiny     int64
	named    bool // the user named problems, instead of selecting all of the contest
}

func generateCommand(c *console) *cobra.Command {
	var g generateOptions
	cmd := &cobra.Command{
		Use:   "generate [problem...]",
		Short: "make test cases from the generator lines of problem.toml",
		Long: `Generate makes the cases of testcases/<problem>/ that are missing or out of date. The
generator makes each input, the validator checks it, and the reference solution answers it.
The same lines make the same files on every machine; a manifest beside them has their
hashes. If anything fails, no file changes.

In a problem package it makes the data directory as generators.yaml says. In a Polygon
package it makes the tests by the package's commands, and the answers by its main solution.
Judging never requires this: missing data is made in a copy in the cache.

An accepted solution must agree with the reference solution on every case. It is the one that
the key second of problem.toml names, or else the first one, with Go first.

With --minimize it removes cases that detect nothing new. A case must detect mutants, programs
under solutions/ or bounds of the declared input that fewer than two other cases detect.
Samples and cases written by hand stay.

With --count it instead makes new cases from the same lines with other seeds. They go to a
directory (--out), or to the problem's cases written by hand (--add).

` + exitHelp,
		Example: "  judge generate wythoff\n  judge generate --check\n  judge generate wythoff --count 100 --seed 7 --out /tmp/wythoff",
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.check, "check", false, "make everything again in a temporary directory and check that the files are the same")
	f.BoolVar(
		&g.minimize, "minimize", false,
		"remove the lines of problem.toml whose cases detect nothing new; with --check only list them",
	)
	f.Int64Var(&g.tiny, "tiny", 64, "with --minimize, keep all cases of up to this many bytes")
	g.newCaseOptions.flags(f)
	g.runOptions.flags(c, f)
	g.outputOptions.jsonFlag(f)
	return cmd
}

func (g *generateOptions) run(ctx context.Context, c *console, names []string) error {
	if err := g.newCaseOptions.checkFlags(g.check, names); err != nil {
		return err
	}
	for _, name := range names {
		if bundle.IsBundleFile(name) && !g.check && g.out == "" {
			return usageError{fmt.Errorf("%s is a bundle: make the cases in the problem's directory, and bundle it again", name)}
		}
	}
	g.named = len(names) > 0
	return g.outputOptions.withReports(c, func(tell func(judge.Event)) error {
		return g.eachProblem(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
			return g.generateProblem(ctx, c, contest, at, tell)
		})
	})
}

// generateProblem generates or checks the cases of one problem.
func (g *generateOptions) generateProblem(
	ctx context.Context, c *console, contest *workspace.Workspace, location *workspace.Location,
	tell func(judge.Event),
) (bool, error) {
	if location.Recipe != nil && g.count == 0 {
		if !g.named && !g.check {
			id := filepath.Base(location.Dir)
			tell(&judge.CasesGenerated{Format: judge.EventFormat, Problem: id, Reason: id + " is a package: to make its data, name it"})
			return true, nil
		}
		return writePackage(ctx, c, location, g.check, tell)
	}
	if !g.check && g.out == "" && location.IsBundled() {
		return false, cannotChange(location.Name)
	}
	problem, err := location.Open()
	if location.Recipe != nil {
		problem, err = location.OpenForJudging(ctx, g.runOptions.workspaceOptions())
	}
	if err != nil {
		return false, err
	}
	if problem.Generator == nil && !problem.Makes() && !g.check && g.count == 0 {
		tell(&judge.CasesGenerated{
			Format: judge.EventFormat, Problem: problem.ID, Cases: problem.CaseCount(),
			Reason: problem.ID + " has no generator: nothing to make",
		})
		return true, nil
	}
	faults, err := problem.MissingHeaders(ctx)
	if err == nil {
		err = faults.AsError()
	}
	if err != nil {
		return false, err
	}
	maker := problem.Maker()
	if g.count > 0 {
		maker.Progress = c.progress()
		return true, g.newCaseOptions.makeCases(ctx, c, maker, tell)
	}
	if g.minimize {
		if more, err := g.pruneCases(ctx, c, contest, problem, tell); !more || err != nil {
			return err == nil, err
		}
		pruned, err := location.Open()
		if err != nil {
			return false, err
		}
		maker.Directory = pruned.Directory
	}
	maker.Progress = c.progress()
	if maker.SecondSolution, err = problem.SecondSolution(ctx); err != nil {
		c.clear()
		return false, err
	}
	if g.check {
		faults, err := maker.Check(ctx)
		c.clear()
		if err != nil {
			return false, err
		}
		for _, f := range faults {
			tell(&judge.ProblemErrorFound{Fault: f})
		}
		tell(
			&judge.CasesGenerated{
				Format: judge.EventFormat, Problem: problem.ID, Check: true, Cases: problem.CaseCount(),
				Faults: len(faults),
			},
		)
		return len(faults) == 0, nil
	}
	sum, err := maker.Generate(ctx)
	c.clear()
	if err != nil {
		return false, err
	}
	tell(&judge.CasesGenerated{
		Format: judge.EventFormat, Problem: problem.ID, Cases: problem.CaseCount(), Generated: sum.Generated,
		Changed: sum.Changed, Kept: sum.Kept, Removed: sum.Removed,
	})
	return true, nil
}

// pruneCases removes the lines of unneeded cases from problem.toml, and reports whether cases must be removed.
func (g *generateOptions) pruneCases(
	ctx context.Context, c *console, contest *workspace.Workspace, problem *workspace.Problem,
	tell func(judge.Event),
) (bool, error) {
	grid, err := problem.MeasureGrid(ctx, c.counter("mutants judged"))
	c.clear()
	if err != nil {
		return false, err
	}
	needed := grid.NeededCases(g.tiny)
	keep := func(one *judge.Case) bool { return needed[one.ID()] }
	changes, err := gen.Prune(problem.Directory, contest.Config.Solution, keep, g.check)
	if err != nil {
		return false, err
	}
	all := func(*judge.Case) bool { return true }
	tell(
		&judge.SuitePruned{
			Format: judge.EventFormat, Problem: problem.ID, Changes: changes, Before: grid.Tally(all),
			After: grid.Tally(keep),
		},
	)
	return len(changes) > 0 && !g.check, nil
}
