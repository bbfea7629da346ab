package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"assay/judge/workspace"
)

func doctorCommand(c *console) *cobra.Command {
	var r runOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "show the isolation that this machine offers, and which languages are ready",
		RunE: c.withSpareCache(func(cmd *cobra.Command, cache string) error {
			return r.withContest(func(contest *workspace.Workspace) error {
				printSandbox(c, contest)
				fmt.Fprintln(c.out)
				ready, of, err := printLanguages(cmd.Context(), c, contest)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.out, "\n%d of %d languages are ready; `judge lang <id>` tests one\n", ready, of)
				fmt.Fprintln(c.out, "cache:", cache)
				return nil
			})
		}),
	}
	r.flags(c, cmd.Flags())
	return cmd
}

func printSandbox(con *console, contest *workspace.Workspace) {
	r := contest.Sandbox.Report()
	fmt.Fprintf(con.out, "sandbox: %s on %s/%s\n", r.Level, runtime.GOOS, runtime.GOARCH)
	table := con.table()
	for _, row := range r.Enforcements() {
		by := row.Mechanism
		if by == "" {
			by = "not enforced"
		}
		fmt.Fprintf(table, "  %s\t%s\n", row.Property, by)
	}
	for _, missing := range r.Missing {
		fmt.Fprintf(table, "  %s\tnot enforced\n", missing)
	}
	table.Flush()
	for _, refused := range r.Unavailable {
		fmt.Fprintf(con.out, "  no %s here: %v\n", refused.Level, refused.Err)
	}
}
