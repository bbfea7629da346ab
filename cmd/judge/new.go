package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/problem/scaffold"
)

func newCommand(c *console) *cobra.Command {
	var kind, language string
	cmd := &cobra.Command{
		Use:     "new <problem>",
		Short:   "start a problem, with a small example to write over",
		Long:    "New writes the folder of a small problem, whole, with a solution that is right and one that\nis wrong, and generates its cases. Write your own problem over it.",
		Example: "  judge new two-sum; judge verify two-sum\n  judge new guess --kind interactive --lang python",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := newProblem(cmd.Context(), c, args[0], kind, language); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "next: judge verify %s\n", args[0])
			return nil
		},
	}
	kind = "batch"
	cli.OneOf(cmd.Flags(), &kind, "kind", strings.Join(scaffold.Kinds, " or "), scaffold.Kinds...)
	settersLanguage(cmd, &language)
	return cmd
}

func newProblem(ctx context.Context, c *console, id, kind, language string) error {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	if contest.House {
		return usageError{errors.New("a new problem needs a contest folder\n    " + houseNote)}
	}
	written, err := scaffold.Problem(contest.Root, id, kind, language)
	if err != nil {
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			return usageError{err}
		}
		return err
	}
	c.wrote(written)
	g := generation{running: running{jobs: 1, console: c}}
	if err := g.run(ctx, c, []string{id}); err != nil {
		return fmt.Errorf("the problem is written; its cases are still to be made with: judge generate %s\n    %w", id, err)
	}
	return nil
}
