package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/workspace"
)

// runOptions holds the flags of every command that runs programs.
type runOptions struct {
	jobs    int
	require string
	pin     bool
	console *console // reports builds that take long
}

func (r *runOptions) flags(c *console, f *pflag.FlagSet) {
	r.console = c
	f.IntVarP(&r.jobs, "jobs", "j", runtime.NumCPU(), "programs that run at the same time; results do not depend on it")
	f.BoolVar(&r.pin, "pin", false, "keep each worker on one CPU, for reproducible times")
	levels := []string{"isolated", "any"}
	for _, level := range sandbox.Levels() {
		levels = append(levels, string(level))
	}
	r.require = os.Getenv("ASSAY_REQUIRE")
	cli.ChoiceFlag(
		f, &r.require, "require",
		"isolated: reject a machine on which the sandbox cannot isolate; none: run programs without isolation, even as user 0",
		levels...,
	)
}

// workspaceOptions returns the workspace options that the flags select.
func (r *runOptions) workspaceOptions() workspace.RunOptions {
	return workspace.RunOptions{
		Jobs: r.jobs, RequiredIsolation: r.require, Pin: r.pin, OnBuild: r.console.buildProgress(),
		OnProgress: r.console.casesProgress(),
	}
}

// bundledNote is the note printed if there is no contest. It says where the problems come from.
const bundledNote = "no judge.toml here or above: using the bundled problems; start your own contest with: judge init"

// cannotChange returns the error for a change to a bundled problem.
func cannotChange(name string) error {
	return usageError{fmt.Errorf(
		"%s is a bundled problem, which cannot be changed\n    copy its directory, or start your own problem with: judge new <problem>",
		name,
	)}
}

// withContest starts the contest of the current directory, calls f with the contest, and closes it.
func (r runOptions) withContest(do func(contest *workspace.Workspace) error) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	return r.withStarted(contest, do)
}

// withStarted starts a contest, calls f with it, and closes it.
func (r runOptions) withStarted(contest *workspace.Workspace, f func(contest *workspace.Workspace) error) error {
	if err := contest.Start(r.workspaceOptions()); err != nil {
		return err
	}
	return errors.Join(f(contest), contest.Close())
}

// eachProblem calls f with every named problem, or with all problems of the contest if names is empty. F reports whether
// the problem has no errors.
func (r runOptions) eachProblem(names []string, f func(contest *workspace.Workspace, location *workspace.Location) (bool, error)) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if names, err = contest.SelectProblems(names); err != nil {
		return err
	}
	location, err := contest.Locate(names[0]) // before the start: a bundle contains its languages and limits
	if err != nil {
		return err
	}
	return r.withStarted(contest, func(contest *workspace.Workspace) error {
		ok := true
		for i, name := range names {
			if i > 0 {
				if location, err = contest.Locate(name); err != nil {
					return err
				}
			}
			good, err := f(contest, location)
			if err != nil {
				return err
			}
			ok = ok && good
		}
		if !ok {
			return errFaults
		}
		return nil
	})
}

// dropToolchainCache drops cached toolchain data, because a toolchain may just have been installed.
func dropToolchainCache() error {
	cache, err := cli.CacheDir()
	if err != nil {
		return err
	}
	return lang.ForgetToolOutput(cache)
}
