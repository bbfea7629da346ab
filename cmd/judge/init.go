package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/judge/problem/scaffold"
)

func initCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:     "init [folder]",
		Short:   "start a contest folder with a first puzzle",
		Long:    "Init writes a judge.toml, which marks the root of a contest, and a first puzzle to write\nover. It does not write over any file.",
		Example: "  judge init my-contest",
		Args:    atMost(1, "judge init [folder]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			written, err := scaffold.Contest(dir)
			if err != nil {
				return usageError{err}
			}
			c.wrote(written)
			if err := os.Chdir(dir); err != nil {
				return err
			}
			if err := newPuzzle(cmd.Context(), c, "first", "batch"); err != nil {
				return err
			}
			if dir != "." {
				fmt.Fprintf(c.out, "next: cd %s; judge verify first\n", dir)
			}
			return nil
		},
	}
}

// wrote says which files were written.
func (c *console) wrote(paths []string) {
	for _, p := range paths {
		fmt.Fprintln(c.out, "wrote", filepath.ToSlash(near(p)))
	}
}
