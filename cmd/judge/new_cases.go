package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/problem"
)

// newCaseOptions holds the flags of judge generate for new cases.
type newCaseOptions struct {
	count int
	seed  uint64
	out   string
	add   string
}

func (n *newCaseOptions) flags(f *pflag.FlagSet) {
	f.IntVar(&n.count, "count", 0, "make this many new cases, with other seeds; testcases/ stays unchanged")
	f.Uint64Var(&n.seed, "seed", 1, "seed of --count: the same seed makes the same cases")
	f.StringVar(&n.out, "out", "", "write the new cases to `DIR`")
	f.StringVar(&n.add, "add", "", "save the new cases in the problem's cases/`GROUP`")
}

// checkFlags rejects flags that cannot be combined.
func (n *newCaseOptions) checkFlags(check bool, names []string) error {
	switch {
	case n.count < 0:
		return usageError{fmt.Errorf("--count %d: it must be above 0", n.count)}
	case n.count == 0 && (n.out != "" || n.add != ""):
		return usageError{errors.New("--out and --add are for new cases\n    set their number with --count")}
	case n.count == 0:
		return nil
	case check:
		return usageError{errors.New("--check and --count cannot be combined")}
	case (n.out == "") == (n.add == ""):
		return usageError{errors.New("--count needs either --out DIR or --add GROUP")}
	case len(names) != 1:
		return usageError{errors.New("--count is for one problem: judge generate <problem> --count N")}
	case n.add != "" && !problem.GoodName(n.add):
		return usageError{fmt.Errorf("--add %q cannot be the name of a group\n    use letters, digits, dots, - and _", n.add)}
	}
	return nil
}

// makeCases makes the new cases.
func (n *newCaseOptions) makeCases(ctx context.Context, c *console, maker *gen.CaseGenerator, tell func(judge.Event)) error {
	cases, err := maker.GenerateFresh(ctx, n.count, n.seed)
	c.clear()
	if err != nil {
		return err
	}
	id := maker.Directory.ID
	if n.add != "" {
		for _, f := range cases {
			provenance := fmt.Sprintf(
				"Made by: judge generate %s --count %d --seed %d\nfrom the generator line: %s\n", id, n.count, n.seed,
				f.Line,
			)
			if _, err := gen.AddCase(maker.Directory, n.add, uniqueCaseName("fresh", f.Input), f.Input, f.Answer, provenance); err != nil {
				return err
			}
		}
		tell(
			&judge.FreshCasesGenerated{
				Format: judge.EventFormat, Problem: id, Cases: len(cases), Seed: n.seed,
				Dir: cli.DisplayPath(filepath.Join(
					maker.Directory.Dir, "cases", n.add,
				)),
			},
		)
		return nil
	}
	if err := os.MkdirAll(n.out, 0o755); err != nil {
		return usageError{fmt.Errorf("--out: %w", err)}
	}
	for i, f := range cases {
		base := filepath.Join(n.out, fmt.Sprintf("%04d", i+1))
		if err := errors.Join(os.WriteFile(base+".in", f.Input, 0o644), os.WriteFile(base+".ans", f.Answer, 0o644)); err != nil {
			return fmt.Errorf("write the new cases: %w", err)
		}
	}
	tell(&judge.FreshCasesGenerated{Format: judge.EventFormat, Problem: id, Cases: len(cases), Seed: n.seed, Dir: n.out})
	return nil
}
