package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/judge/report"
)

func reportCommand(c *console) *cobra.Command {
	var d drawing
	cmd := &cobra.Command{
		Use:     "report <saved.json>",
		Short:   "draw a saved report again",
		Long:    "Report draws what --json has saved: on the terminal, as JUnit or as a page of HTML. \"-\" is\nstandard input. It exits with 0 where it could draw everything, whatever the verdict.",
		Example: "  judge submit wythoff sol.py --json > saved.json; judge report saved.json --html out.html",
		Args:    exactly(1, "judge report <saved.json>"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			in := c.in
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return usageError{err}
				}
				defer f.Close()
				in = f
			}
			out, err := d.open(c)
			if err != nil {
				return err
			}
			if err := report.Replay(in, out); err != nil {
				return usageError{fmt.Errorf("%s: %w", args[0], err)}
			}
			return nil
		},
	}
	d.flags(cmd.Flags())
	return cmd
}
