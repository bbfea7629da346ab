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

// swapped replaces err with a better error if the problem and solution arguments were swapped.
func swapped(cmd *cobra.Command, err error) error {
	args, all := cmd.Flags().Args(), cli.Parameters(cmd)
	if judge.Whose(err) != judge.Caller || len(args) < 2 || len(all) < 2 || all[0].Name != "problem" && all[0].Name != "game" {
		return err
	}
	if _, failed := os.Stat(args[0]); failed != nil && filepath.Ext(args[0]) == "" {
		return err // it is neither a file nor meant as one
	}
	contest, failed := cli.Find()
	if failed != nil {
		return err
	}
	ids, failed := contest.Known()
	if failed != nil || slices.Contains(ids, args[0]) || !slices.Contains(ids, args[1]) {
		return err
	}
	args[0], args[1] = args[1], args[0]
	return usageError{fmt.Errorf("%s is a problem: did you swap them?\n    %s %s", args[0], cmd.CommandPath(), strings.Join(args, " "))}
}
