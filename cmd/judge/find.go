package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// findOptions holds the flags of the commands that search for a failing input.
type findOptions struct {
	runOptions
	language    string
	evaluations int
	budget      time.Duration
	out         string
	add         string
	verbose     bool
	derived     bool // inputs are generated from the declared format alone
}

func (f *findOptions) flags(c *console, set *pflag.FlagSet) {
	set.IntVar(&f.evaluations, "evaluations", 5000, "most smaller inputs to try; 0 keeps the input unchanged")
	set.DurationVar(
		&f.budget, "budget", 10*time.Minute,
		"most time for trying them; if it is used up, the result depends on the machine; 0s keeps the input unchanged",
	)
	set.StringVar(&f.out, "out", "", "write the input to `FILE`")
	set.StringVar(&f.add, "add", "", "save it as a case of `GROUP` in the problem's cases/ directory, with the reference solution's answer")
	set.StringVar(&f.language, "lang", "", "the solution's language, if its name does not determine it")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "print each step of shrinking the input")
	f.runOptions.flags(c, set)
}

// solutionTest is a built solution in the lab of its problem.
type solutionTest struct {
	contest *workspace.Workspace
	problem *workspace.Problem
	path    string // path of the solution
	tester  *workspace.SolutionTester
}

func (b *solutionTest) close() error { return errors.Join(b.tester.Close(), b.contest.Close()) }

// open opens the problem and builds all programs. The fixture must be closed.
func (f *findOptions) open(ctx context.Context, c *console, name, path string) (*solutionTest, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usageError{fmt.Errorf("solution %s: %s", path, problem.Reason(err))}
	}
	contest, err := cli.FindContest()
	if err != nil {
		return nil, err
	}
	at, err := contest.Locate(name)
	if err != nil {
		return nil, err
	}
	if f.add != "" && at.IsBundled() {
		return nil, cannotChange(name)
	}
	if f.add != "" && !problem.GoodName(f.add) {
		return nil, usageError{fmt.Errorf("--add %q cannot be the name of a group\n    use letters, digits, dots, - and _", f.add)}
	}
	b := &solutionTest{contest: contest, path: path}
	if b.problem, err = at.OpenForJudging(ctx, f.runOptions.workspaceOptions()); err != nil {
		return nil, err
	}
	if err := contest.Start(f.runOptions.workspaceOptions()); err != nil {
		return nil, err
	}
	if err := f.openTester(ctx, c, b); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// openTester opens the lab. If the solution does not compile, build shows the errors as judge submit does.
func (f *findOptions) openTester(ctx context.Context, c *console, b *solutionTest) (err error) {
	if f.language != "" {
		if _, err := b.contest.Tools.Language(f.language); err != nil {
			return err
		}
	}
	if b.tester, err = b.problem.TestSolution(ctx, b.path, f.language, f.derived); err != nil {
		return err
	}
	b.problem = b.tester.Problem
	if b.tester.Tester == nil {
		return errors.Join(b.render(c, b.tester.Built, &judge.Finished{Verdict: judge.CompileError}), errNotAccepted)
	}
	for _, note := range b.tester.Notes() {
		fmt.Fprintln(c.err, "note: "+note)
	}
	return nil
}

// render renders events of the solution as judge submit does.
func (b *solutionTest) render(c *console, events ...judge.Event) error {
	out, err := c.terminal("", "")
	if err != nil {
		return err
	}
	for _, e := range append([]judge.Event{b.tester.Started}, events...) {
		out.Event(e)
	}
	return out.Close()
}
