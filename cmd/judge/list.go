package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/report"
	"assay/judge/running/check"
	"assay/judge/workspace"
)

func listCommand(c *console) *cobra.Command {
	topics := []struct {
		name string
		list func(c *console) error
	}{
		{"problems", listProblems},
		{"languages", listLanguages},
		{"checkers", listCheckers},
	}
	var server string
	cmd := &cobra.Command{
		Use:     "list [problems|languages|checkers]",
		Short:   "list problems, languages and checkers",
		Example: "  judge list\n  judge list checkers",
		RunE: c.withAnyCache(func(cmd *cobra.Command, args []string) error {
			if server != "" {
				return c.listServerProblems(cmd.Context(), server)
			}
			var names []string
			for _, t := range topics {
				if len(args) == 1 && args[0] == t.name {
					return t.list(c)
				}
				names = append(names, t.name)
			}
			if len(args) == 1 {
				return usageError{fmt.Errorf("unknown list %q\n    %s", args[0], workspace.Hint(args[0], names))}
			}
			for i, t := range topics {
				if i > 0 {
					fmt.Fprintln(c.out)
				}
				fmt.Fprintln(c.out, strings.ToUpper(t.name))
				if err := t.list(c); err != nil {
					return err
				}
			}
			return nil
		}),
	}
	cmd.Flags().StringVar(&server, "on", "", "list the problems of the server at this `URL`")
	return cmd
}

func (c *console) table() *report.Table { return report.NewTable(c.out, false) }

func listProblems(c *console) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if contest.IsBundled {
		fmt.Fprintln(c.err, bundledNote)
	}
	own, err := contest.OwnProblems()
	if err != nil {
		return err
	}
	lent, err := contest.BundledProblems()
	if err != nil {
		return err
	}
	if len(own) == 0 {
		fmt.Fprintln(c.err, "this contest has no problems yet; make one with: judge new <problem>")
	}
	if err := c.listProblemLines(contest, own); err != nil || len(lent) == 0 {
		return err
	}
	fmt.Fprintln(c.out, "\nBundled problems:")
	return c.listProblemLines(contest, lent)
}

// listProblemLines lists problems, one per line.
func (c *console) listProblemLines(contest *workspace.Workspace, ids []string) error {
	out := c.table()
	for _, id := range ids {
		problem, err := contest.Open(id)
		if problem == nil || err != nil {
			fmt.Fprintf(out, "%s\t(has faults: judge verify %s)\n", id, id)
			continue
		}
		limit := problem.Limits.CPU.String()
		if problem.Limits.CPU == 0 {
			limit = "time limit of its submissions"
		}
		fmt.Fprintf(out, "%s\t%s\t%d cases\t%s\n", id, problem.Title, problem.CaseCount(), limit)
	}
	return out.Flush()
}

func listLanguages(c *console) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	out := c.table()
	defer out.Flush()
	for _, l := range contest.Config.Languages {
		if l.IsInternal() {
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", l.ID, l.Name, strings.Join(l.Extensions, " "))
	}
	return nil
}

func listCheckers(c *console) error {
	out := c.table()
	defer out.Flush()
	for _, d := range check.Descriptions() {
		fmt.Fprintf(out, "%s\t%s\n", d.Name, d.Doc)
		for _, o := range d.Options {
			fmt.Fprintf(out, "  %s\t  %s\n", strings.TrimSpace(o.Name+" "+o.Value), o.Doc)
		}
	}
	return nil
}
