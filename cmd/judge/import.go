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

// importing holds the flags of judge import.
type importing struct {
	running
	name string
}

func importCommand(c *console) *cobra.Command {
	var i importing
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
	i.running.flags(c, f)
	return cmd
}

func (i *importing) run(ctx context.Context, c *console, source string) (err error) {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	if contest.IsBundled {
		return usageError{errors.New("an imported problem needs a contest directory\n    " + houseNote)}
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
		id, notes, err = i.task(contest, source)
	} else {
		id, notes, err = i.directory(ctx, contest, source)
	}
	if exists, ok := errors.AsType[*exchange.ExistsError](err); ok {
		return usageError{exists}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "wrote %s\n", cli.Near(filepath.Join(contest.Root, "problems", id)))
	for _, note := range notes {
		fmt.Fprintln(c.out, "note: "+note)
	}
	fmt.Fprintf(c.out, "next: judge verify %s\n", id)
	return nil
}

// task imports a task sent by Competitive Companion.
func (i *importing) task(contest *workspace.Workspace, source string) (id string, notes exchange.Notes, err error) {
	data, err := os.ReadFile(source)
	if err != nil {
		return "", nil, &judge.Fault{File: source, Text: problem.Reason(err)}
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

// directory imports a package, or a plain directory.
func (i *importing) directory(ctx context.Context, contest *workspace.Workspace, source string) (
	id string, notes exchange.Notes, err error,
) {
	if _, err := os.Stat(source); err == nil {
		source = asPath(source)
	}
	if err := contest.Start(i.running.options()); err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	at, err := contest.Locate(source)
	if err != nil {
		return "", nil, err
	}
	folder, faults, err := at.Ready(ctx)
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
		filepath.Join(contest.Root, "solutions", id), func(path string) bool { return knows(contest, path) },
	)
	if prepared.Limit != "" {
		notes = append(notes, prepared.Limit)
	}
	return id, notes, err
}

// knows reports whether a program is in a language of the contest.
func knows(contest *workspace.Workspace, path string) bool {
	_, err := contest.Tools.Detect(path, "")
	return err == nil
}
