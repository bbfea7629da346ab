package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/shrink"
	"assay/judge/cases/stress"
)

// finish shrinks a failing input, shows it, and saves it if requested.
func (f *finding) finish(ctx context.Context, c *console, b *fixture, found *stress.Trial, provenance string) error {
	before := len(found.Input)
	small := &stress.Shrunk{Trial: found}
	if f.budget > 0 && f.evaluations > 0 {
		var err error
		if small, err = f.smaller(ctx, c, b, found); err != nil {
			return err
		}
		how := "no smaller input was found"
		switch {
		case !small.Done && small.Evaluations >= f.evaluations:
			how = "the limit of --evaluations was reached"
		case !small.Done:
			how = "the time of --budget was used up"
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
		&judge.Finished{
			Verdict: judged.Verdict, Judged: 1, Cases: 1, First: judged.ID(), Slowest: judged.ID(),
			TimeMS: float64(judged.Exec.CPU.Microseconds()) / 1000, Memory: judged.Exec.Memory,
		})
	if err != nil {
		return err
	}
	if err := f.keep(c, b, small.Trial, provenance+upper(found.Origin)+".\n"); err != nil {
		return err
	}
	return errNotAccepted
}

// smaller shrinks a failing input. It prints each step, or shows the progress on a terminal.
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

// keep writes the failing input to the file of --out, and adds it as a case to the group of --add.
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
	path, err := gen.Keep(b.folder.Directory, f.add, caseName("found", t.Input), t.Input, t.Answer, provenance)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "kept: %s\n", cli.Near(path))
	return nil
}

// caseName names a case after its input, so that the name is unique.
func caseName(kind string, input []byte) string {
	sum := sha256.Sum256(input)
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// upper capitalizes the first letter of text.
func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
