package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/problem"
)

func shrinkCommand(c *console) *cobra.Command {
	var f findOptions
	cmd := &cobra.Command{
		Use:   "shrink <problem> <solution> <case or file.in>",
		Short: "shrink a failing input",
		Long: `Shrink takes an input on which a solution fails: a case of the problem, or a file. It makes
the input as small as possible. The input stays valid, and the solution still fails in the
same way: with the same verdict, and after a crash with the same exit code or signal. If the
problem declares its input (input.format), counts are reduced together with their items. The
result is the same on every machine, unless --budget ends the search. If a checker keeps
state between cases, it sees only the samples before the input.

Exit codes: 0 the solution does not fail on the input, 1 it fails, 2 wrong usage, 3 error in
the problem directory, 4 judge or system error, 130 interrupted.`,
		Example: "  judge shrink wythoff sol.py large/lost-fib-40\n  judge shrink wythoff sol.py hack.in --out small.in",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.shrink(cmd.Context(), c, args[0], args[1], args[2])
		},
	}
	f.flags(c, cmd.Flags())
	return cmd
}

func (f *findOptions) shrink(ctx context.Context, c *console, name, path, input string) (err error) {
	if f.budget <= 0 || f.evaluations <= 0 {
		return usageError{errors.New("--evaluations and --budget must be above 0")}
	}
	b, err := f.open(ctx, c, name, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	text, generated, origin, err := b.input(input)
	if err != nil {
		return err
	}
	t, err := b.tester.Try(ctx, "shrink", text)
	if err != nil {
		return err
	}
	switch {
	case t.Invalid != "":
		return usageError{fmt.Errorf("%s is not valid: %s", origin, t.Invalid)}
	case !t.Fails():
		fmt.Fprintf(c.out, "the solution does not fail on %s, so there is nothing to shrink\n", origin)
		return nil
	}
	t.Origin = "it comes from " + origin
	if generated != nil && generated.Line != "" {
		t.Line, t.Seed = generated.Line, gen.StoredSeed(b.problem.Directory, generated.Group, generated)
	}
	return f.finish(ctx, c, b, t, fmt.Sprintf("Made by: judge shrink %s %s %s\n", b.problem.ID, path, input))
}

// input reads the named input: a case or, if there is no such case, a file.
func (b *solutionTest) input(name string) (text []byte, generated *judge.Case, origin string, err error) {
	picked, err := b.problem.Pick(nil, []string{name})
	if unknown, ok := errors.AsType[*problem.UnknownError](err); ok {
		if text, err = os.ReadFile(name); err == nil {
			return text, nil, "the file " + name, nil
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, "", unknown
		}
		return nil, nil, "", usageError{fmt.Errorf("input %s: %s", name, problem.Reason(err))}
	}
	if err != nil {
		return nil, nil, "", err
	}
	var cases []*judge.Case
	for g := range picked.Groups {
		for i := range picked.Groups[g].Cases {
			cases = append(cases, &picked.Groups[g].Cases[i])
		}
	}
	if len(cases) > 1 {
		return nil, nil, "", usageError{fmt.Errorf("%d groups have a case %q\n    write %q", len(cases), name, cases[0].ID())}
	}
	text, err = os.ReadFile(cases[0].In)
	return text, cases[0], "the case " + cases[0].ID(), err
}
