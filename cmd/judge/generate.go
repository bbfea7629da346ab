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

// generation are the flags of judge generate.
type generation struct {
	running
	fresh
	drawing
	check    bool
	minimize bool
	tiny     int64
	named    bool // the problems, rather than all of the contest
}

func generateCommand(c *console) *cobra.Command {
	var g generation
	cmd := &cobra.Command{
		Use:   "generate [problem...]",
		Short: "make test cases from the generator lines of problem.toml",
		Long: `Generate makes the cases of testcases/<problem>/ that are missing or out of date: each
input by the generator, held against the validator, answered by the reference. The
same lines make the same files on every machine; a manifest beside them has their
hashes. Nothing is put in place before everything is made without a fault.

Of a problem package it makes the data folder, by its generators.yaml, or the tests and
answers of a Polygon package, by its commands and its main solution. Judging never
needs that: what a package lacks is made in a copy of it in the cache.

An accepted solution must agree with the reference on every case: the one that the key
second of problem.toml names, or else the first, those in Go before others.

With --minimize it drops cases that add nothing to what the others find: mutants of the
right programs, programs under solutions/, and bounds of the declared input, each twice.
Samples and cases written by hand stay.

With --count it makes new cases from the same lines with other seeds instead, into a
folder (--out), or among the problem's cases written by hand (--add).

` + exitHelp,
		Example: "  judge generate wythoff\n  judge generate --check\n  judge generate wythoff --count 100 --seed 7 --out /tmp/wythoff",
		RunE: func(cmd *cobra.Command, args []string) error {
			return g.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&g.check, "check", false, "make everything anew in a temporary folder and prove that the files are the same")
	f.BoolVar(&g.minimize, "minimize", false, "remove the lines of problem.toml whose cases find nothing that other cases do not find; with --check only name them")
	f.Int64Var(&g.tiny, "tiny", 64, "with --minimize, keep cases of up to this many bytes in any case")
	g.fresh.flags(f)
	g.running.flags(c, f)
	g.drawing.jsonFlag(f)
	return cmd
}

func (g *generation) run(ctx context.Context, c *console, names []string) error {
	if err := g.fresh.usage(g.check, names); err != nil {
		return err
	}
	for _, name := range names {
		if bundle.Is(name) && !g.check && g.out == "" {
			return usageError{fmt.Errorf("%s is frozen: make the cases in the problem's folder, and freeze it again", name)}
		}
	}
	g.named = len(names) > 0
	return g.drawing.tell(c, func(tell func(judge.Event)) error {
		return g.each(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
			return g.one(ctx, c, contest, at, tell)
		})
	})
}

// one makes the cases of one problem, or checks them.
func (g *generation) one(ctx context.Context, c *console, contest *workspace.Workspace, at *workspace.Location, tell func(judge.Event)) (bool, error) {
	if at.Recipe != nil && g.count == 0 {
		if !g.named && !g.check {
			id := filepath.Base(at.Dir)
			tell(&judge.CasesMade{Format: judge.EventFormat, Problem: id, Why: id + " is a package: its data is made only where it is named"})
			return true, nil
		}
		return writePackage(ctx, c, at, g.check, tell)
	}
	if !g.check && g.out == "" && at.Brought() {
		return false, cannotChange(at.Name)
	}
	folder, err := at.Open()
	if at.Recipe != nil {
		folder, err = at.OpenReady(ctx, g.running.options())
	}
	if err != nil {
		return false, err
	}
	if folder.Generator == nil && !folder.Makes() && !g.check && g.count == 0 {
		tell(&judge.CasesMade{Format: judge.EventFormat, Problem: folder.ID, Cases: folder.Count(), Why: folder.ID + " has no generator: nothing to make"})
		return true, nil
	}
	faults, err := folder.Complete(ctx)
	if err == nil {
		err = faults.AsError()
	}
	if err != nil {
		return false, err
	}
	maker := folder.Maker()
	if g.count > 0 {
		maker.Progress = c.progress()
		return true, g.fresh.make(ctx, c, maker, tell)
	}
	if g.minimize {
		if more, err := g.prune(ctx, c, contest, folder, tell); !more || err != nil {
			return err == nil, err
		}
		pruned, err := at.Open()
		if err != nil {
			return false, err
		}
		maker.Folder = pruned.Folder
	}
	maker.Progress = c.progress()
	if maker.Second, err = folder.Agreement(ctx); err != nil {
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
			tell(&judge.FaultFound{Fault: f})
		}
		tell(&judge.CasesMade{Format: judge.EventFormat, Problem: folder.ID, Check: true, Cases: folder.Count(), Faults: len(faults)})
		return len(faults) == 0, nil
	}
	sum, err := maker.Generate(ctx)
	c.clear()
	if err != nil {
		return false, err
	}
	tell(&judge.CasesMade{Format: judge.EventFormat, Problem: folder.ID, Cases: folder.Count(), Made: sum.Made, Changed: sum.Changed, Kept: sum.Kept, Removed: sum.Removed})
	return true, nil
}

// prune takes lines out of problem.toml, and says whether cases must be removed.
func (g *generation) prune(ctx context.Context, c *console, contest *workspace.Workspace, folder *workspace.Problem, tell func(judge.Event)) (bool, error) {
	grid, err := folder.Grid(ctx, c.counter("mutants judged"))
	c.clear()
	if err != nil {
		return false, err
	}
	needed := grid.Needed(g.tiny)
	keep := func(one *judge.Case) bool { return needed[one.ID()] }
	changes, err := gen.Prune(folder.Folder, contest.Config.Solution, keep, g.check)
	if err != nil {
		return false, err
	}
	all := func(*judge.Case) bool { return true }
	tell(&judge.SuitePruned{Format: judge.EventFormat, Problem: folder.ID, Changes: changes, Before: grid.Tally(all), After: grid.Tally(keep)})
	return len(changes) > 0 && !g.check, nil
}
