package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/problem"
	"assay/judge/workspace"
)

func coverageCommand(c *console) *cobra.Command {
	var d outputOptions
	cmd := &cobra.Command{
		Use:   "coverage <problem>",
		Short: "show which bounds and features of the declared input the cases cover",
		Long: `Coverage reads the problem's input.format. For each bound, word, alternative, condition and
feature that it declares, it counts the cases in which that occurs.

Exit codes: 0 each occurs, 1 some do not, 2 wrong usage, 3 error in the problem directory,
4 judge or system error, 130 interrupted.`,
		Example: "  judge coverage pd-duel",
		RunE: func(cmd *cobra.Command, args []string) error {
			return printCoverage(cmd.Context(), c, &d, args[0])
		},
	}
	d.jsonFlag(cmd.Flags())
	return cmd
}

func printCoverage(ctx context.Context, c *console, d *outputOptions, name string) (err error) {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	folder, err := contest.OpenForJudging(ctx, name, workspace.RunOptions{Jobs: runtime.NumCPU()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	grammar, err := folder.Format()
	if err != nil {
		return err
	}
	if grammar == nil {
		return &judge.ProblemError{
			File: folder.Dir, Text: "the problem has no declaration of its input",
			Hint: "add it in " + filepath.Join(
				folder.Dir, problem.FormatFile,
			),
		}
	}
	if fault := folder.NotGenerated(folder.Ungenerated()); fault != nil {
		return fault
	}
	coverage := grammar.NewCoverage()
	for _, g := range folder.Groups {
		for _, one := range g.Cases {
			input, err := os.ReadFile(one.In)
			if err != nil {
				return folder.CaseFault(&one, fmt.Sprintf("case %s: %s", one.ID(), problem.Reason(err)), "run: judge generate "+folder.ID)
			}
			if refusal := coverage.Add(input); refusal != nil {
				return folder.CaseFault(
					&one, fmt.Sprintf("case %s does not match the declared format: %s", one.ID(), refusal),
					"fix the case, or "+folder.FormatPath(),
				)
			}
		}
	}
	shown := &judge.CoverageMeasured{
		Format: judge.EventFormat, Problem: folder.ID, File: cli.DisplayPath(folder.FormatPath()),
		Cases: folder.CaseCount(),
	}
	for _, goal := range coverage.Goals() {
		shown.Goals = append(shown.Goals, judge.CoverageGoal{Description: goal.Description, Line: goal.Line, Cases: goal.Count})
	}
	if err := d.withReports(c, func(tell func(judge.Event)) error { tell(shown); return nil }); err != nil {
		return err
	}
	if shown.CoveredCount() < len(shown.Goals) {
		return errNotAccepted
	}
	return nil
}
