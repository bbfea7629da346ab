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
	"assay/judge/packages/exchange"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// importOptions holds the flags of judge import.
type importOptions struct {
	runOptions
	name string
}

func importCommand(c *console) *cobra.Command {
	var i importOptions
	cmd := &cobra.Command{
		Use:   "import <source>",
		Short: "make a problem directory from a package, or from a directory of inputs and answers",
		Long: `Import makes problems/<name>/ and solutions/<name>/ from a package in the ICPC format (a
directory or an archive), a Polygon package, a directory of *.in with *.out or *.ans, or the
JSON that Competitive Companion sends. Features that a problem directory lacks are reported.
If one of them affects judging, nothing is written. Packages can also be judged unchanged.

` + exitHelp,
		Example: "  judge import ../packages/hello\n  judge import hello.zip --name greeting\n  judge import tests/",
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.run(cmd.Context(), c, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&i.name, "name", "", "name of the new problem (default the name of the source)")
	i.runOptions.flags(c, f)
	return cmd
}

func (i *importOptions) run(ctx context.Context, c *console, source string) (err error) {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if contest.IsBundled {
		return usageError{errors.New("an imported problem needs a contest directory\n    " + bundledNote)}
	}
	if i.name != "" && !problem.GoodName(i.name) {
		return usageError{fmt.Errorf("--name %q cannot be the name of a problem\n    use letters, digits, dots, - and _", i.name)}
	}
	if _, err := os.Stat(source); err != nil {
		return usageError{fmt.Errorf("%s: %s", source, problem.Reason(err))}
	}
	var notes exchange.Notes
	var id string
	if strings.EqualFold(filepath.Ext(source), ".json") {
		id, notes, err = i.importTask(contest, source)
	} else {
		id, notes, err = i.importDir(ctx, contest, source)
	}
	if exists, ok := errors.AsType[*exchange.ExistsError](err); ok {
		return usageError{exists}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "wrote %s\n", cli.DisplayPath(filepath.Join(contest.Root, "problems", id)))
	for _, note := range notes {
		fmt.Fprintln(c.out, "note: "+note)
	}
	fmt.Fprintf(c.out, "next: judge verify %s\n", id)
	return nil
}

// importTask imports a task sent by Competitive Companion.
func (i *importOptions) importTask(contest *workspace.Workspace, source string) (id string, notes exchange.Notes, err error) {
	data, err := os.ReadFile(source)
	if err != nil {
		return "", nil, &judge.ProblemError{File: source, Text: problem.Reason(err)}
	}
	t, err := exchange.ReadTask(source, data)
	if err != nil {
		return "", nil, err
	}
	if id = i.name; id == "" {
		id = t.ID()
	}
	notes, err = exchange.Companion(t, filepath.Join(contest.Root, "problems", id))
	return id, notes, err
}

// importDir imports a package, or a plain directory.
func (i *importOptions) importDir(ctx context.Context, contest *workspace.Workspace, source string) (
	id string, notes exchange.Notes, err error,
) {
	if _, err := os.Stat(source); err == nil {
		source = unambiguousPath(source)
	}
	if err := contest.Start(i.runOptions.workspaceOptions()); err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	at, err := contest.Locate(source)
	if err != nil {
		return "", nil, err
	}
	folder, faults, err := at.ReadForJudging(ctx)
	if err = errors.Join(err, faults.AsError()); err != nil {
		return "", nil, err
	}
	prepared, err := folder.Prepared(ctx)
	if err != nil {
		return "", nil, err
	}
	if id = i.name; id == "" {
		id = folder.ID
	}
	if !problem.GoodName(id) {
		return "", nil, usageError{fmt.Errorf("%q cannot be the name of a problem\n    choose one with --name", id)}
	}
	notes, err = exchange.Native(
		folder.Directory, filepath.Join(contest.Root, "problems", id),
		filepath.Join(contest.Root, "solutions", id), func(path string) bool { return knowsLanguage(contest, path) },
	)
	if prepared.Limit != "" {
		notes = append(notes, prepared.Limit)
	}
	return id, notes, err
}

// knowsLanguage reports whether a program is in a language of the contest.
func knowsLanguage(contest *workspace.Workspace, path string) bool {
	_, err := contest.Tools.Detect(path, "")
	return err == nil
}
