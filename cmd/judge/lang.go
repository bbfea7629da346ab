package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge/workspace"
)

func langCommand(c *console) *cobra.Command {
	var r running
	var all bool
	cmd := &cobra.Command{
		Use:     "lang [language...]",
		Short:   "list the languages, or prove that one works in the sandbox",
		Long:    "Lang lists the languages of judge.toml and what is missing for them. With names (or --all)\nit builds and runs the hello program of each in the sandbox.",
		Example: "  judge lang\n  judge lang python3 cpp",
		RunE: c.withAnyCache(func(cmd *cobra.Command, args []string) error {
			if err := lookAnew(); err != nil {
				return err
			}
			return r.within(func(contest *workspace.Workspace) error {
				if all {
					args = contest.Config.IDs()
				}
				if len(args) > 0 {
					return proveLanguages(cmd.Context(), c, contest, args)
				}
				_, err := describeLanguages(cmd.Context(), c, contest)
				return err
			})
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "prove every language that is ready")
	r.flags(c, cmd.Flags())
	return cmd
}

// describeLanguages prints a line for each language, and returns how many are
// ready.
func describeLanguages(ctx context.Context, con *console, contest *workspace.Workspace) (int, error) {
	ready := 0
	table := con.table()
	defer table.Flush()
	for _, l := range contest.Config.Languages {
		status, err := contest.Tools.Ready(ctx, l)
		if err != nil {
			return 0, err
		}
		what := status.Version
		if status.Ready {
			ready++
		} else {
			what = fmt.Sprintf("missing %s: apt-get install %s", strings.Join(status.Missing, ", "), status.Package)
			if status.Package == "" {
				what = fmt.Sprintf("missing %s: %s", strings.Join(status.Missing, ", "), status.Obtain)
			}
		}
		first, _, _ := strings.Cut(what, "\n")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.ID, l.Name, strings.Join(l.Extensions, " "), first)
	}
	return ready, nil
}

// proveLanguages builds and runs the hello programs of the languages.
func proveLanguages(ctx context.Context, con *console, contest *workspace.Workspace, ids []string) error {
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
