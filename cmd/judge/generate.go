package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"assay/judge/gen"
)

// generation are the flags of judge generate.
type generation struct {
	running
	fresh
	check bool
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
	g.fresh.flags(f)
	g.running.flags(f)
	return cmd
}

func (g *generation) run(ctx context.Context, c *console, names []string) error {
	if err := g.fresh.usage(g.check, names); err != nil {
		return err
	}
	return g.each(names, func(contest *contest, name string) (bool, error) {
		if contest.house && !g.check && g.out == "" {
			return false, usageError{errors.New("the puzzles of the house cannot be changed here\n    " + houseNote)}
		}
		return g.one(ctx, c, contest, name)
	})
}

// one makes the cases of one problem, or checks them.
func (g *generation) one(ctx context.Context, c *console, contest *contest, name string) (bool, error) {
	folder, err := contest.open(name)
	if err != nil {
		return false, err
	}
	if folder.Generator == nil && !folder.Makes() && !g.check && g.count == 0 {
		fmt.Fprintf(c.out, "%s has no generator: nothing to make\n", folder.ID)
		return true, nil
	}
	maker := &gen.Maker{Folder: folder, Runner: contest.box, Build: contest.part, Jobs: contest.jobs, Limits: contest.cfg.Setter, Progress: c.counter("cases made")}
	if g.count > 0 {
		return true, g.fresh.make(ctx, c, maker)
	}
	if g.check {
		faults, err := maker.Check(ctx)
		c.clear()
		if err != nil {
			return false, err
		}
		for _, f := range faults {
			fmt.Fprintln(c.err, f)
		}
		if len(faults) > 0 {
			return false, nil
		}
		fmt.Fprintf(c.out, "%s: %d cases are what their lines make\n", folder.ID, folder.Count())
		return true, nil
	}
	sum, err := maker.Generate(ctx)
	c.clear()
	if err != nil {
		return false, err
	}
	fmt.Fprintf(c.out, "%s: %d made (%d changed), %d kept, %d removed\n", folder.ID, sum.Made, sum.Changed, sum.Kept, sum.Removed)
	return true, nil
}

// counter returns a function that redraws a line of progress on a terminal, and
// does nothing elsewhere. It is safe for concurrent use.
func (c *console) counter(what string) func(done, of int) {
	if _, is := screen(c.err); !is {
		return nil
	}
	var mu sync.Mutex
	return func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(c.err, "\r%d of %d %s\x1b[K", done, of, what)
	}
}

// clear removes the line of progress.
func (c *console) clear() {
	if _, is := screen(c.err); is {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
}
