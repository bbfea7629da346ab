package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/problem/scaffold"
)

func newCommand(c *console) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:     "new <problem>",
		Short:   "start a puzzle that verifies green at once",
		Long:    "New writes the folder of a small puzzle, whole, with a solution that is right and one that\nis wrong, and generates its cases. Write your own puzzle over it.",
		Example: "  judge new two-sum; judge verify two-sum\n  judge new guess --kind interactive",
		Args:    exactly(1, "judge new <problem>"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return newPuzzle(cmd.Context(), c, args[0], kind)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "batch", `"batch" or "interactive"`)
	return cmd
}

func newPuzzle(ctx context.Context, c *console, id, kind string) error {
	contest, err := findContest()
	if err != nil {
		return err
	}
	if contest.House {
		return usageError{errors.New("a new puzzle needs a contest folder\n    " + houseNote)}
	}
	written, err := scaffold.Puzzle(contest.Root, id, kind)
	if err != nil {
		if _, fault := errors.AsType[*judge.Fault](err); fault {
			return usageError{err}
		}
		return err
	}
	c.wrote(written)
	g := generation{running: running{jobs: 1}}
	if err := g.run(ctx, c, []string{id}); err != nil {
		return fmt.Errorf("the puzzle is written; its cases are still to be made with: judge generate %s\n    %w", id, err)
	}
	fmt.Fprintf(c.out, "next: judge verify %s\n", id)
	return nil
}
