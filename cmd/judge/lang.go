package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge/workspace"
)

func langCommand(c *console) *cobra.Command {
	var r runOptions
	var all bool
	cmd := &cobra.Command{
		Use:   "lang [language...]",
		Short: "list the languages, or test one in the sandbox",
		Long: `Lang lists the languages of judge.toml: first those that are ready on this machine, then the
others with what to install. With names (or --all), it builds and runs the hello program of
each language in the sandbox.

Languages that only the judge chooses, such as substitutes in problem packages, are not
listed. docs/languages.md has all of them.`,
		Example: "  judge lang\n  judge lang python3 cpp",
		RunE: c.withAnyCache(func(cmd *cobra.Command, args []string) error {
			if err := dropToolchainCache(); err != nil {
				return err
			}
			return r.withContest(func(contest *workspace.Workspace) error {
				if all {
					args = contest.Config.IDs()
				}
				if len(args) > 0 {
					return checkLanguages(cmd.Context(), c, contest, args)
				}
				_, _, err := printLanguages(cmd.Context(), c, contest)
				return err
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "test every language that is ready")
	r.flags(c, cmd.Flags())
	return cmd
}

// printLanguages prints two tables: the languages that are ready, and the others with installation
// instructions. Internal languages are omitted. It returns the number of ready languages and the total.
func printLanguages(ctx context.Context, con *console, contest *workspace.Workspace) (ready, total int, err error) {
	var installed, missing []string
	for _, l := range contest.Config.Languages {
		if l.IsInternal() {
			continue
		}
		status, err := contest.Tools.Ready(ctx, l)
		if err != nil {
			return 0, 0, err
		}
		row := func(what string) string {
			first, _, _ := strings.Cut(what, "\n")
			return fmt.Sprintf("%s\t%s\t%s\t%s", l.ID, l.Name, strings.Join(l.Extensions, " "), first)
		}
		switch {
		case status.Ready:
			installed = append(installed, row(status.Version))
		case status.Package != "":
			missing = append(
				missing,
				row(fmt.Sprintf("missing %s: apt-get install %s", strings.Join(status.Missing, ", "), status.Package)),
			)
		default:
			missing = append(missing, row(fmt.Sprintf("missing %s: %s", strings.Join(status.Missing, ", "), status.Obtain)))
		}
	}
	for i, part := range []struct {
		heading, last string
		rows          []string
	}{{"READY", "version", installed}, {"NOT INSTALLED", "how to install it", missing}} {
		if i > 0 && len(part.rows) > 0 {
			fmt.Fprintln(con.out)
		}
		if len(part.rows) == 0 {
			continue
		}
		table := con.table()
		fmt.Fprintf(con.out, "%s (%d)\n", part.heading, len(part.rows))
		fmt.Fprintf(table, "id\tlanguage\tfiles\t%s\n%s\n", part.last, strings.Join(part.rows, "\n"))
		if err := table.Flush(); err != nil {
			return 0, 0, err
		}
	}
	return len(installed), len(installed) + len(missing), nil
}

// checkLanguages builds and runs the hello programs of the languages.
func checkLanguages(ctx context.Context, con *console, contest *workspace.Workspace, ids []string) error {
	failed := false
	for _, id := range ids {
		l, err := contest.Tools.Language(id)
		if err != nil {
			return usageError{err}
		}
		if err := contest.Tools.Hello(ctx, l); err != nil {
			failed = true
			fmt.Fprintf(con.out, "%s: hello fails: %v\n", l.ID, err)
			continue
		}
		fmt.Fprintf(con.out, "%s: hello works\n", l.ID)
	}
	if failed {
		return errNotAccepted
	}
	return nil
}
