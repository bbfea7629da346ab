package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
)

// swappedArguments replaces err with a better error if the problem and solution arguments were swapped.
func swappedArguments(cmd *cobra.Command, err error) error {
	args, parameters := cmd.Flags().Args(), cli.Parameters(cmd)
	if judge.BlameOf(err) != judge.Caller || len(args) < 2 || len(parameters) < 2 ||
		parameters[0].Name != "problem" && parameters[0].Name != "game" {
		return err
	}
	if _, failed := os.Stat(args[0]); failed != nil && filepath.Ext(args[0]) == "" {
		return err // it is neither a file nor meant as one
	}
	contest, failed := cli.FindContest()
	if failed != nil {
		return err
	}
	ids, failed := contest.KnownProblems()
	if failed != nil || slices.Contains(ids, args[0]) || !slices.Contains(ids, args[1]) {
		return err
	}
	args[0], args[1] = args[1], args[0]
	return usageError{fmt.Errorf("%s is a problem: did you swap them?\n    %s %s", args[0], cmd.CommandPath(), strings.Join(args, " "))}
}
