package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/judge/problem"
	"assay/judge/running/check"
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
	return &cobra.Command{
		Use:     "list [problems|languages|checkers]",
		Short:   "list the puzzles, the languages and the checkers",
		Example: "  judge list\n  judge list checkers",
		Args:    atMost(1, "judge list [problems|languages|checkers]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, t := range topics {
				if len(args) == 1 && args[0] == t.name {
					return t.list(c)
				}
				names = append(names, t.name)
			}
			if len(args) == 1 {
				return usageError{fmt.Errorf("nothing is listed as %q\n    one of: %s", args[0], strings.Join(names, ", "))}
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
		},
	}
}

func (c *console) table() *tabwriter.Writer { return tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0) }

func listProblems(c *console) error {
	contest, err := findContest()
	if err != nil {
		return err
	}
	if contest.House {
		fmt.Fprintln(c.err, houseNote)
	}
	ids, err := problem.List(contest.Root)
	if err != nil {
		return err
	}
	out := c.table()
	defer out.Flush()
	for _, id := range ids {
		folder, err := contest.Open(id)
		if folder == nil || err != nil {
			fmt.Fprintf(out, "%s\t(has faults: judge verify %s)\n", id, id)
			continue
		}
		limit := folder.Limits.CPU.String()
		if folder.Limits.CPU == 0 {
			limit = "time limit of its submissions"
		}
		fmt.Fprintf(out, "%s\t%s\t%d cases\t%s\n", id, folder.Title, folder.Count(), limit)
	}
	return nil
}

func listLanguages(c *console) error {
	contest, err := findContest()
	if err != nil {
		return err
	}
	out := c.table()
	defer out.Flush()
	for _, l := range contest.Config.Languages {
		fmt.Fprintf(out, "%s\t%s\t%s\n", l.ID, l.Name, strings.Join(l.Extensions, " "))
	}
	return nil
}

func listCheckers(c *console) error {
	out := c.table()
	defer out.Flush()
	for _, d := range check.Names() {
		fmt.Fprintf(out, "%s\t%s\n", d.Name, d.Doc)
		for _, o := range d.Options {
			fmt.Fprintf(out, "  %s\t  %s\n", strings.TrimSpace(o.Name+" "+o.Value), o.Doc)
		}
	}
	return nil
}
