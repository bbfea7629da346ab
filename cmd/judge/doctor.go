package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func doctorCommand(c *console) *cobra.Command {
	var r running
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "say what isolation this machine gives, and which languages are ready",
		Args:  exactly(0, "judge doctor"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := lookAnew(); err != nil {
				return err
			}
			r.instructions = true
			return r.within(func(contest *contest) error {
				contest.describeSandbox(c)
				fmt.Fprintln(c.out)
				ready, err := contest.describeLanguages(cmd.Context(), c)
				if err != nil {
					return err
				}
				fmt.Fprintf(c.out, "\n%d of %d languages are ready; `judge lang <id>` proves one\n", ready, len(contest.cfg.Languages))
				fmt.Fprintf(c.out, "cache: %s\n", contest.cache)
				return nil
			})
		},
	}
	r.flags(cmd.Flags())
	return cmd
}

// rung names the sandbox's rung on this machine, and what it does not enforce.
func (c *contest) rung() (string, []string) {
	r := c.box.Report()
	return string(r.Rung), r.Weaker()
}

func (c *contest) describeSandbox(con *console) {
	r := c.box.Report()
	fmt.Fprintf(con.out, "sandbox: %s on %s/%s\n", r.Rung, runtime.GOOS, runtime.GOARCH)
	table := con.table()
	for _, row := range r.Rows() {
		by := row.By
		if by == "" {
			by = "NOT ENFORCED"
		}
		fmt.Fprintf(table, "  %s\t%s\n", row.What, by)
	}
	for _, missing := range r.Missing {
		fmt.Fprintf(table, "  %s\tNOT ENFORCED\n", missing)
	}
	counted := r.Uncounted
	if counted == "" {
		counted = "yes"
	}
	fmt.Fprintf(table, "  instructions can be counted\t%s\n", counted)
	table.Flush()
	for _, refused := range r.Refused {
		fmt.Fprintf(con.out, "  no %s here: %v\n", refused.Rung, refused.Err)
	}
}
