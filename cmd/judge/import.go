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

// importing are the flags of judge import.
type importing struct {
	running
	name string
}

func importCommand(c *console) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import <source>",
		Short: "make a problem folder from a package, or from a folder of inputs and answers",
		Long: `Import makes problems/<name>/ and solutions/<name>/ from a package of the ICPC format (a
folder or an archive), a package of Polygon, a folder of *.in with *.out or *.ans, or the
JSON that Competitive Companion sends. What has no form in a problem folder is told; if
judging depends on it, nothing is written. Packages can also be judged as they are.

` + exitHelp,
		Example: "  judge import ../packages/hello\n  judge import hello.zip --name greeting\n  judge import tests/",
		RunE: func(cmd *cobra.Command, args []string) error {
			return i.run(cmd.Context(), c, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&i.name, "name", "", "name of the new problem; by default that of the source")
	i.running.flags(c, f)
	return cmd
}

func (i *importing) run(ctx context.Context, c *console, source string) (err error) {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	if contest.House {
		return usageError{errors.New("an imported problem needs a contest folder\n    " + houseNote)}
	}
	if i.name != "" && !problem.GoodName(i.name) {
		return usageError{fmt.Errorf("--name %q cannot be the name of a problem\n    letters, digits, - _ and . will do", i.name)}
	}
	if _, err := os.Stat(source); err != nil {
		return usageError{fmt.Errorf("%s: %s", source, problem.Reason(err))}
	}
	var notes exchange.Notes
	var id string
	if strings.EqualFold(filepath.Ext(source), ".json") {
		id, notes, err = i.task(contest, source)
	} else {
		id, notes, err = i.folder(ctx, contest, source)
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

// task imports what Competitive Companion sends.
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

// folder imports a package, or a plain folder.
func (i *importing) folder(ctx context.Context, contest *workspace.Workspace, source string) (id string, notes exchange.Notes, err error) {
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
	notes, err = exchange.Native(folder.Folder, filepath.Join(contest.Root, "problems", id), filepath.Join(contest.Root, "solutions", id), func(path string) bool { return knows(contest, path) })
	if prepared.Limit != "" {
		notes = append(notes, prepared.Limit)
	}
	return id, notes, err
}

// knows says whether a program is in a language of the contest.
func knows(contest *workspace.Workspace, path string) bool {
	_, err := contest.Tools.Detect(path, "")
	return err == nil
}
