package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/problem/scaffold"
	"assay/judge/report"
)

func initCommand(c *console) *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:     "init [directory]",
		Short:   "start a contest directory with a first problem",
		Long:    "Init writes a judge.toml, which marks the root of a contest, and an example problem to\nreplace. It never overwrites a file.",
		Example: "  judge init my-contest",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if dir == "" {
				return usageError{errors.New("the name of the directory is empty\n    write a name, or none for the current directory")}
			}
			contest, err := scaffold.Contest(dir)
			if err != nil {
				return usageError{err}
			}
			first, err := draftProblem(cmd.Context(), c, dir, "first", "batch", language)
			if err != nil {
				return err
			}
			if err := c.write(contest, first); err != nil {
				return usageError{err}
			}
			here, err := os.Getwd()
			if err != nil {
				return err
			}
			if err := os.Chdir(dir); err != nil {
				return err
			}
			defer os.Chdir(here)
			c.baseDir = dir
			if err := generateCases(cmd.Context(), c, "first"); err != nil {
				return err
			}
			next := "judge verify first"
			if dir != "." {
				next = "cd " + report.Quote(dir) + " && " + next
			}
			fmt.Fprintln(c.out, "next: "+next)
			return nil
		},
	}
	setterLanguageFlag(cmd, &language)
	return cmd
}

// setterLanguageFlag adds the flag for the language of a new problem's programs.
func setterLanguageFlag(cmd *cobra.Command, language *string) {
	*language = "go"
	cli.ChoiceFlag(
		cmd.Flags(), language, "lang",
		"of your programs and the solutions: "+strings.Join(scaffold.Languages, ", "), scaffold.Languages...,
	)
}
