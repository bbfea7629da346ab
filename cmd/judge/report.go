package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"assay/judge/report"
)

func reportCommand(c *console) *cobra.Command {
	var d outputOptions
	cmd := &cobra.Command{
		Use:   "report <saved.json>",
		Short: "draw a saved report",
		Long: `Report draws the output of --json: on the terminal, as JUnit or as an HTML page. "-" means
standard input. If the report was drawn, the exit code is 0 for any verdict.`,
		Example: "  judge submit wythoff sol.py --json > saved.json; judge report saved.json --html out.html",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			in := c.in
			if args[0] != "-" {
				f, err := openFile(args[0])
				if err != nil {
					return err
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
