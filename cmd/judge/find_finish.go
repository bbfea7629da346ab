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
func (f *findOptions) finish(ctx context.Context, c *console, b *solutionTest, failing *stress.Trial, provenance string) error {
	before := len(failing.Input)
	small := &stress.Shrunk{Trial: failing}
	if f.budget > 0 && f.evaluations > 0 {
		var err error
		if small, err = f.shrinkInput(ctx, c, b, failing); err != nil {
			return err
		}
		suffix := "no smaller input was found"
		switch {
		case !small.Done && small.Evaluations >= f.evaluations:
			suffix = "the limit of --evaluations was reached"
		case !small.Done:
			suffix = "the time of --budget was used up"
		}
		line := fmt.Sprintf("shrunk: from %d to %d bytes in %d evaluations; %s", before, len(small.Input), small.Evaluations, suffix)
		if small.Steps == 0 {
			line = fmt.Sprintf(
				"not shrunk: nothing smaller than %d bytes was found in %d evaluations; %s", before,
				small.Evaluations, suffix,
			)
		}
		fmt.Fprintln(c.out, line)
		provenance += capitalize(line) + ".\n"
	} else if err := b.tester.Complete(ctx, failing); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	const group, name = "found", "input"
	judged := small.Event(group, name)
	err := b.render(c, judged,
		&judge.GroupJudged{Group: group, Verdict: judged.Verdict, Cases: 1},
		&judge.Finished{
			Verdict: judged.Verdict, Judged: 1, Cases: 1, First: judged.ID(), Slowest: judged.ID(),
			TimeMS: float64(judged.Exec.CPU.Microseconds()) / 1000, Memory: judged.Exec.Memory,
		})
	if err != nil {
		return err
	}
	if err := f.saveInput(c, b, small.Trial, provenance+capitalize(failing.Origin)+".\n"); err != nil {
		return err
	}
	return errNotAccepted
}

// shrinkInput shrinks a failing input. It prints each step, or shows the progress on a terminal.
func (f *findOptions) shrinkInput(
	ctx context.Context, c *console, b *solutionTest, failing *stress.Trial,
) (shrunk *stress.Shrunk, err error) {
	budget := shrink.Budget{Evaluations: f.evaluations, Time: f.budget}
	if f.verbose {
		return b.tester.Shrink(ctx, failing, budget, func(s shrink.Step) {
			fmt.Fprintf(c.out, "  evaluation %d: %d bytes, %s\n", s.Evaluations, len(s.Text), s.Pass)
		})
	}
	var size atomic.Int64
	size.Store(int64(len(failing.Input)))
	before := b.tester.Progress().Evaluations
	c.showWhile(func() string {
		return fmt.Sprintf(
			"shrinking: from %d to %d bytes, %d of at most %d evaluations", len(failing.Input), size.Load(),
			b.tester.Progress().Evaluations-before, f.evaluations,
		)
	}, func() {
		shrunk, err = b.tester.Shrink(ctx, failing, budget, func(s shrink.Step) { size.Store(int64(len(s.Text))) })
	})
	return shrunk, err
}

// saveInput writes the failing input to the file of --out, and adds it as a case to the group of --add.
func (f *findOptions) saveInput(c *console, b *solutionTest, t *stress.Trial, provenance string) error {
	if f.out != "" {
		if err := os.WriteFile(f.out, t.Input, 0o644); err != nil {
			return fmt.Errorf("write the input: %w", err)
		}
		fmt.Fprintf(c.out, "written: %s\n", f.out)
	}
	if f.add == "" {
		return nil
	}
	path, err := gen.AddCase(b.problem.Directory, f.add, uniqueCaseName("found", t.Input), t.Input, t.Answer, provenance)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "kept: %s\n", cli.DisplayPath(path))
	return nil
}

// uniqueCaseName names a case after its input, so that the name is unique.
func uniqueCaseName(kind string, input []byte) string {
	sum := sha256.Sum256(input)
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// capitalize capitalizes the first letter of text.
func capitalize(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
