package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/problem/scaffold"
	"assay/judge/workspace"
)

func newCommand(c *console) *cobra.Command {
	var kind, language string
	cmd := &cobra.Command{
		Use:   "new <problem>",
		Short: "start a problem from a small example",
		Long: `New writes the directory of a small, complete problem, and generates its cases. It has a
correct solution, a wrong one and, except for outputs and bots, one that is too slow. Replace
its parts by your own.`,
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
	cli.ChoiceFlag(cmd.Flags(), &kind, "kind", "of problem: "+strings.Join(scaffold.Kinds, ", "), scaffold.Kinds...)
	setterLanguageFlag(cmd, &language)
	return cmd
}

// newProblem writes a new problem and generates its cases.
func newProblem(ctx context.Context, c *console, id, kind, language string) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if contest.IsBundled {
		return usageError{errors.New("a new problem needs a contest directory\n    " + bundledNote)}
	}
	draft, err := draftProblem(ctx, c, contest.Root, id, kind, language)
	if err != nil {
		return err
	}
	if err := c.write(draft); err != nil {
		return err
	}
	return generateCases(ctx, c, id)
}

// draftProblem drafts a problem in a language that is installed.
func draftProblem(ctx context.Context, c *console, root, id, kind, language string) (*scaffold.Draft, error) {
	draft, err := scaffold.Problem(cli.DisplayPath(root), id, kind, language)
	if err != nil {
		if _, fault := errors.AsType[*judge.ProblemError](err); fault {
			return nil, usageError{err}
		}
		return nil, err
	}
	r := defaultRunOptions(c)
	return draft, r.withContest(func(contest *workspace.Workspace) error {
		for _, word := range draft.Extensions {
			l, err := contest.Tools.Language(word)
			if err != nil {
				return usageError{err}
			}
			if _, err := contest.Tools.Identity(ctx, l); err != nil {
				return fmt.Errorf(
					"%w\n    or start the problem in another language, with --lang: %s\n    nothing was written", err,
					strings.Join(
						scaffold.Languages, ", ",
					),
				)
			}
		}
		return nil
	})
}

// write writes the drafts, and prints the names of the files.
func (c *console) write(drafts ...*scaffold.Draft) error {
	written, err := scaffold.Write(drafts...)
	for _, p := range written {
		fmt.Fprintln(c.out, "wrote", filepath.ToSlash(filepath.Join(c.baseDir, cli.DisplayPath(p))))
	}
	return err
}

func generateCases(ctx context.Context, c *console, id string) error {
	g := generateOptions{runOptions: defaultRunOptions(c)}
	if err := g.run(ctx, c, []string{id}); err != nil {
		return fmt.Errorf("the problem is written; generate its cases with: judge generate %s\n    %w", id, err)
	}
	return nil
}

// defaultRunOptions returns the settings of commands that lack the flags for running programs.
func defaultRunOptions(c *console) runOptions {
	return runOptions{jobs: 1, require: os.Getenv("ASSAY_REQUIRE"), console: c}
}
