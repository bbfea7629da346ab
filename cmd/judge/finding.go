package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/shrink"
	"assay/judge/cases/stress"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// finding are the flags of the commands that end with a failing input.
type finding struct {
	running
	language    string
	evaluations int
	budget      time.Duration
	out         string
	add         string
	verbose     bool
	derived     bool // inputs come from the declared format alone
}

func (f *finding) flags(c *console, set *pflag.FlagSet) {
	set.IntVar(&f.evaluations, "evaluations", 5000, "smaller inputs to try at most; 0 leaves the input as it is")
	set.DurationVar(
		&f.budget, "budget", 10*time.Minute,
		"time for trying them; if it is used up, the result depends on the machine; 0s leaves the input as it is",
	)
	set.StringVar(&f.out, "out", "", "write the input to `FILE`")
	set.StringVar(&f.add, "add", "", "keep it as a case of `GROUP`, in the problem's cases/ folder, with the reference's answer")
	set.StringVar(&f.language, "lang", "", "the solution's language, where its name does not tell")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "tell each step of making the input smaller")
	f.running.flags(c, set)
}

// fixture is a solution, built, in the lab of its problem.
type fixture struct {
	contest *workspace.Workspace
	folder  *workspace.Problem
	path    string // of the solution
	lab     *workspace.Lab
}

func (b *fixture) close() error { return errors.Join(b.lab.Close(), b.contest.Close()) }

// open opens the problem and builds everything. The fixture must be closed.
func (f *finding) open(ctx context.Context, c *console, name, path string) (*fixture, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usageError{fmt.Errorf("solution %s: %s", path, problem.Reason(err))}
	}
	contest, err := cli.Find()
	if err != nil {
		return nil, err
	}
	at, err := contest.Locate(name)
	if err != nil {
		return nil, err
	}
	if f.add != "" && at.Brought() {
		return nil, cannotChange(name)
	}
	if f.add != "" && !problem.GoodName(f.add) {
		return nil, usageError{fmt.Errorf("--add %q cannot be the name of a group\n    letters, digits, - _ and . will do", f.add)}
	}
	b := &fixture{contest: contest, path: path}
	if b.folder, err = at.OpenReady(ctx, f.running.options()); err != nil {
		return nil, err
	}
	if err := contest.Start(f.running.options()); err != nil {
		return nil, err
	}
	if err := f.build(ctx, c, b); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// build opens the lab. A solution that does not compile is shown as judge submit shows
// it.
func (f *finding) build(ctx context.Context, c *console, b *fixture) (err error) {
	if f.language != "" {
		if _, err := b.contest.Tools.Language(f.language); err != nil {
			return err
		}
	}
	if b.lab, err = b.folder.Lab(ctx, b.path, f.language, f.derived); err != nil {
		return err
	}
	b.folder = b.lab.Problem
	if b.lab.Lab == nil {
		return errors.Join(b.draw(c, b.lab.Built, &judge.Finished{Verdict: judge.CompileError}), errNotAccepted)
	}
	for _, note := range b.lab.Notes() {
		fmt.Fprintln(c.err, "note: "+note)
	}
	return nil
}

// draw draws events of the solution as judge submit does.
func (b *fixture) draw(c *console, events ...judge.Event) error {
	out, err := c.terminal("", "")
	if err != nil {
		return err
	}
	for _, e := range append([]judge.Event{b.lab.Started}, events...) {
		out.Event(e)
	}
	return out.Close()
}

// finish makes a failing input small, shows it, and keeps it where that is asked
// for.
func (f *finding) finish(ctx context.Context, c *console, b *fixture, found *stress.Trial, provenance string) error {
	before := len(found.Input)
	small := &stress.Shrunk{Trial: found}
	if f.budget > 0 && f.evaluations > 0 {
		var err error
		if small, err = f.smaller(ctx, c, b, found); err != nil {
			return err
		}
		how := "nothing makes it smaller"
		switch {
		case !small.Done && small.Evaluations >= f.evaluations:
			how = "these are all, --evaluations allows more"
		case !small.Done:
			how = "the time is used up, --budget gives it more"
		}
		line := fmt.Sprintf("shrunk: from %d to %d bytes in %d evaluations; %s", before, len(small.Input), small.Evaluations, how)
		if small.Steps == 0 {
			line = fmt.Sprintf("not shrunk: nothing smaller than %d bytes was found in %d evaluations; %s", before, small.Evaluations, how)
		}
		fmt.Fprintln(c.out, line)
		provenance += upper(line) + ".\n"
	} else if err := b.lab.Complete(ctx, found); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	const group, name = "found", "input"
	judged := small.Event(group, name)
	err := b.draw(c, judged,
		&judge.GroupJudged{Group: group, Verdict: judged.Verdict, Cases: 1},
		&judge.Finished{Verdict: judged.Verdict, Judged: 1, Cases: 1, First: judged.ID(), Slowest: judged.ID(), TimeMS: float64(judged.Exec.CPU.Microseconds()) / 1000, Memory: judged.Exec.Memory})
	if err != nil {
		return err
	}
	if err := f.keep(c, b, small.Trial, provenance+upper(found.Origin)+".\n"); err != nil {
		return err
	}
	return errNotAccepted
}

// smaller makes a failing input small. It tells each step, or on a terminal how far it came.
func (f *finding) smaller(ctx context.Context, c *console, b *fixture, found *stress.Trial) (small *stress.Shrunk, err error) {
	budget := shrink.Budget{Evaluations: f.evaluations, Time: f.budget}
	if f.verbose {
		return b.lab.Shrink(ctx, found, budget, func(s shrink.Step) {
			fmt.Fprintf(c.out, "  evaluation %d: %d bytes, %s\n", s.Evaluations, len(s.Text), s.Pass)
		})
	}
	var size atomic.Int64
	size.Store(int64(len(found.Input)))
	before := b.lab.Progress().Evaluations
	c.follow(func() string {
		return fmt.Sprintf(
			"shrinking: from %d to %d bytes, %d of at most %d evaluations", len(found.Input), size.Load(),
			b.lab.Progress().Evaluations-before, f.evaluations,
		)
	}, func() {
		small, err = b.lab.Shrink(ctx, found, budget, func(s shrink.Step) { size.Store(int64(len(s.Text))) })
	})
	return small, err
}

// keep writes the input to --out, and as a case to the group of --add.
func (f *finding) keep(c *console, b *fixture, t *stress.Trial, provenance string) error {
	if f.out != "" {
		if err := os.WriteFile(f.out, t.Input, 0o644); err != nil {
			return fmt.Errorf("write the input: %w", err)
		}
		fmt.Fprintf(c.out, "written: %s\n", f.out)
	}
	if f.add == "" {
		return nil
	}
	path, err := gen.Keep(b.folder.Folder, f.add, caseName("found", t.Input), t.Input, t.Answer, provenance)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "kept: %s\n", cli.Near(path))
	return nil
}

// caseName names a case after its input, so that no other has the name.
func caseName(kind string, input []byte) string {
	sum := sha256.Sum256(input)
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// upper starts a sentence.
func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
