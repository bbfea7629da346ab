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

// running are the flags of every command that runs programs.
type running struct {
	jobs    int
	require string
	pin     bool
	console *console // where it is told what takes long to build
}

func (r *running) flags(c *console, f *pflag.FlagSet) {
	r.console = c
	f.IntVarP(&r.jobs, "jobs", "j", runtime.NumCPU(), "programs that run at one time; results do not depend on it")
	f.BoolVar(&r.pin, "pin", false, "keep each worker on one processor, for times that can be repeated")
	levels := []string{"isolated", "any"}
	for _, rung := range sandbox.Rungs() {
		levels = append(levels, string(rung))
	}
	r.require = os.Getenv("ASSAY_REQUIRE")
	cli.OneOf(f, &r.require, "require", "isolated: refuse a machine on which the sandbox cannot isolate; none: run programs without isolation, even as user 0", levels...)
}

// options are the flags as a workspace wants them.
func (r *running) options() workspace.Running {
	return workspace.Running{Jobs: r.jobs, Require: r.require, Pin: r.pin, Building: r.console.building(), Progress: r.console.making()}
}

// houseNote says where the problems come from, outside any contest.
const houseNote = "no judge.toml here or above: these are the problems of the house; start a contest of your own with: judge init"

// cannotChange is the error where something is to be written into a problem that the
// judge brings along.
func cannotChange(name string) error {
	return usageError{fmt.Errorf("%s came with the judge: it cannot be changed here\n    copy its folder, or start a problem of your own with: judge new <problem>", name)}
}

// within starts the contest of the current folder, calls f with it, and ends it.
func (r running) within(f func(contest *workspace.Workspace) error) error {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	return r.started(contest, f)
}

// started starts a contest, calls f with it, and ends it.
func (r running) started(contest *workspace.Workspace, f func(contest *workspace.Workspace) error) error {
	if err := contest.Start(r.options()); err != nil {
		return err
	}
	return errors.Join(f(contest), contest.Close())
}

// each calls f with every problem that is named, or with all of the contest. F
// says whether the problem is without a fault.
func (r running) each(names []string, f func(contest *workspace.Workspace, at *workspace.Location) (bool, error)) error {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	if names, err = contest.Names(names); err != nil {
		return err
	}
	at, err := contest.Locate(names[0]) // before the start: a bundle brings its languages and limits
	if err != nil {
		return err
	}
	return r.started(contest, func(contest *workspace.Workspace) error {
		ok := true
		for i, name := range names {
			if i > 0 {
				if at, err = contest.Locate(name); err != nil {
					return err
				}
			}
			good, err := f(contest, at)
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

// lookAnew has the toolchains asked again what they are: somebody may just have
// installed one.
func lookAnew() error {
	cache, err := cli.CacheDir()
	if err != nil {
		return err
	}
	return lang.Forget(cache)
}
