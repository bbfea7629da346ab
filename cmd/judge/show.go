package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/judge/problem"
	"assay/judge/report"
)

func showCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:     "show <problem>",
		Short:   "show a puzzle's statement",
		Example: "  judge show wythoff | less -R",
		Args:    exactly(1, "judge show <problem>"),
		RunE: func(cmd *cobra.Command, args []string) error {
			contest, err := findContest()
			if err != nil {
				return err
			}
			dir, tests, err := problem.Find(contest.root, args[0])
			if err != nil {
				return err
			}
			folder, faults := problem.Open(near(dir), near(tests), contest.cfg.Solution)
			if folder == nil {
				return faults
			}
			text, err := os.ReadFile(folder.Statement())
			if err != nil {
				return append(faults, folder.Lint()...)
			}
			width, is := screen(c.out)
			colour, err := c.useColour(is)
			if err != nil {
				return err
			}
			if err := report.Statement(c.out, text, width, colour); err != nil {
				return err
			}
			fmt.Fprintf(c.out, "\nlimits for each case: %v of CPU time, %d MiB\n", folder.Limits.CPU, folder.Limits.Memory>>20)
			return nil
		},
	}
}
