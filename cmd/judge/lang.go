package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func langCommand(c *console) *cobra.Command {
	var r running
	var all bool
	cmd := &cobra.Command{
		Use:     "lang [language...]",
		Short:   "list the languages, or prove that one works in the sandbox",
		Long:    "Lang lists the languages of judge.toml and what is missing for them. With names (or --all)\nit builds and runs the hello program of each in the sandbox.",
		Example: "  judge lang\n  judge lang python3 cpp",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := lookAnew(); err != nil {
				return err
			}
			return r.within(func(contest *contest) error {
				if all {
					args = contest.cfg.IDs()
				}
				if len(args) > 0 {
					return contest.prove(cmd.Context(), c, args)
				}
				_, err := contest.describeLanguages(cmd.Context(), c)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "prove every language that is ready")
	r.flags(cmd.Flags())
	return cmd
}

// describeLanguages prints a line for each language, and returns how many are
// ready.
func (c *contest) describeLanguages(ctx context.Context, con *console) (int, error) {
	ready := 0
	table := con.table()
	defer table.Flush()
	for _, l := range c.cfg.Languages {
		status, err := c.tools.Ready(ctx, l)
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

// prove builds and runs the hello programs of the languages.
func (c *contest) prove(ctx context.Context, con *console, ids []string) error {
	failed := false
	for _, id := range ids {
		l, known := c.cfg.Language(id)
		if !known {
			return usageError{fmt.Errorf("unknown language %q\n    one of: %s", id, strings.Join(c.cfg.IDs(), ", "))}
		}
		if err := c.tools.Hello(ctx, l); err != nil {
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
