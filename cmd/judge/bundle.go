package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/bundle"
)

func bundleCommand(c *console) *cobra.Command {
	var r runOptions
	cmd := &cobra.Command{
		Use:   "bundle <problem> <directory>",
		Short: "pack a problem into one file that is judged the same everywhere",
		Long: `Bundle writes <directory>/<problem>.bundle. A bundle contains the problem directory with its
generated cases, the languages and limits of this contest, and what must be measured for a
problem package, such as its time limit. It contains no solutions. The same problem gets the
same id on any machine. Other commands accept the file as a problem.

` + exitHelp,
		Example: "  judge bundle wythoff out\n  judge submit out/wythoff.bundle sol.py",
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeBundle(cmd.Context(), c, r, args[0], args[1])
		},
	}
	r.flags(c, cmd.Flags())
	return cmd
}

func writeBundle(ctx context.Context, c *console, r runOptions, name, out string) (err error) {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	at, err := contest.Locate(name)
	if err != nil {
		return err
	}
	folder, frozen, err := cli.BundleProblem(ctx, contest, at, r.workspaceOptions())
	if err != nil {
		return err
	}
	path := filepath.Join(out, folder.ID+bundle.Extension)
	if err := frozen.WriteFile(path); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %d files, id %s\n", path, len(frozen.Manifest.Files), frozen.Manifest.ID())
	return nil
}
