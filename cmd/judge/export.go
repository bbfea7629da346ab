package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay"
	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/packages/exchange"
	"assay/judge/problem"
	"assay/judge/report"
	"assay/judge/running/lang"
	"assay/judge/workspace"
)

// exportOptions holds the flags of judge export.
type exportOptions struct {
	format, out string
	defaultName bool // out is derived from the problem's name
}

func exportCommand(c *console) *cobra.Command {
	var e exportOptions
	cmd := &cobra.Command{
		Use:   "export <problem>",
		Short: "make a problem package from a problem directory",
		Long: `Export makes a package in the ICPC problem package format or in Polygon's, with the cases,
the programs under solutions/, the checker and the validator. In the ICPC format, programs that
use the kit are exported with the kit, and with scripts that build them. In Polygon's, they must
be written in C++ with testlib. Features that the format lacks are reported. If one of them
affects judging, nothing is written.

` + exitHelp,
		Example: "  judge export wythoff --to icpc-2025-09\n  judge export wythoff --to icpc-legacy --out packages/wythoff\n" +
			"  judge export sylver --to polygon",
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.run(cmd.Context(), c, args[0])
		},
	}
	f := cmd.Flags()
	e.format = "icpc-2025-09"
	formats := append(slices.Sorted(maps.Keys(exchange.Formats)), exchange.PolygonFormat)
	cli.ChoiceFlag(f, &e.format, "to", "the format: "+strings.Join(formats, ", "), formats...)
	f.StringVar(&e.out, "out", "", "directory of the package, which must not exist (default one with the problem's name, here)")
	return cmd
}

// unambiguousPath returns path in a form that cannot be read as a problem name.
func unambiguousPath(path string) string {
	if strings.ContainsRune(path, filepath.Separator) {
		return path
	}
	return "." + string(filepath.Separator) + path
}

// chooseDir chooses the directory to which the package is exported. The directory gets a name that the package format
// allows.
func (e *exportOptions) chooseDir(id string) error {
	if e.out == "" {
		e.out, e.defaultName = exchange.Name(id), true
		return nil
	}
	out, err := filepath.Abs(e.out)
	if err != nil {
		return err
	}
	dir, name := filepath.Split(out)
	if good := exchange.Name(name); good != name {
		return usageError{fmt.Errorf(
			"--out %s: %q cannot be the name of a package, which has only lower case letters and digits\n    use --out %s",
			e.out, name, cli.DisplayPath(filepath.Join(dir, good)),
		)}
	}
	return nil
}

func (e *exportOptions) run(ctx context.Context, c *console, name string) (err error) {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	folder, err := contest.OpenForJudging(ctx, name, workspace.RunOptions{Jobs: runtime.NumCPU()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	kit, err := fs.Sub(assay.Files, "judge/kit")
	if err != nil {
		return err
	}
	if err := e.chooseDir(folder.ID); err != nil {
		return err
	}
	tools := lang.New(contest.Config, nil, contest.Cache, kit) // nothing is built
	with := exchange.ExportOptions{
		Kit: kit, TeX: report.StatementTeX,
		PDF: func(svg []byte) ([]byte, error) {
			if err := contest.Start(workspace.RunOptions{Jobs: 1}); err != nil {
				return nil, err
			}
			return contest.ConvertSVG(ctx, svg)
		},
		Header:        tools.UserHeader,
		Seed:          func(group string, c *judge.Case) string { return gen.StoredSeed(folder.Directory, group, c) },
		KnowsLanguage: func(path string) bool { _, err := tools.Detect(path, ""); return err == nil },
	}
	solutions := problem.Solutions(folder.Dir, folder.Tests)
	var notes exchange.Notes
	if e.format == exchange.PolygonFormat {
		notes, err = exchange.Polygon(folder.Directory, solutions, e.out, with)
	} else {
		notes, err = exchange.ICPC(folder.Directory, solutions, e.out, exchange.Formats[e.format], with)
	}
	if exists, ok := errors.AsType[*exchange.ExistsError](err); ok {
		return usageError{exists}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "wrote %s\n", e.out)
	if name := filepath.Base(e.out); e.defaultName && name != folder.ID {
		fmt.Fprintf(c.out, "note: the package of %s is called %s: the format allows only lower case letters and digits\n", folder.ID, name)
	}
	for _, note := range notes {
		fmt.Fprintln(c.out, "note: "+note)
	}
	fmt.Fprintf(c.out, "next: judge verify %s\n", unambiguousPath(cli.DisplayPath(e.out)))
	return nil
}
