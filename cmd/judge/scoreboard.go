package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge/host/client"
	"assay/judge/report"
)

func scoreboardCommand(c *console) *cobra.Command {
	var on string
	var jury bool
	cmd := &cobra.Command{
		Use:   "scoreboard <contest>",
		Short: "show the scoreboard of a contest on a server",
		Long: `Scoreboard shows the scoreboard of a contest. Name the contest as in the address of its pages. A
cell is + for accepted, +2 for accepted after two rejected submissions, -3 for three rejected
submissions, and ?1 for one submission whose verdict is pending or hidden. A * marks the first
team that solved a problem.

` + exitHelp,
		Example: "  judge scoreboard spring --on https://judge.example",
		RunE: func(cmd *cobra.Command, args []string) error {
			if on == "" {
				return usageError{errors.New("no server given\n    name the server with --on URL")}
			}
			return c.showScoreboard(cmd.Context(), on, args[0], jury)
		},
	}
	cmd.Flags().StringVar(&on, "on", "", "the server's `URL`; log in first: judge login URL")
	cmd.Flags().BoolVar(&jury, "jury", false, "as the jury sees it, without the freeze")
	return cmd
}

func (c *console) showScoreboard(ctx context.Context, server, contest string, jury bool) error {
	api, err := c.server(server)
	if err != nil {
		return err
	}
	b, err := api.Scoreboard(ctx, contest, jury)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, report.EscapeText(b.Name))
	for _, note := range b.Notes {
		fmt.Fprintln(c.out, note)
	}
	if len(b.Rows) == 0 {
		fmt.Fprintln(c.out, "there are no teams yet")
		return nil
	}
	out := c.table()
	head := map[string]string{"icpc": "solved\tpenalty", "points": "points\ttime"}[b.Kind]
	if head == "" {
		head = "points"
	}
	fmt.Fprintf(out, "rank\tname\t%s", head)
	for _, p := range b.Problems {
		fmt.Fprintf(out, "\t%s", report.EscapeText(p.Label))
	}
	fmt.Fprintln(out)
	for i := range b.Rows {
		r := &b.Rows[i]
		rank := "-"
		if r.Rank > 0 {
			rank = strconv.Itoa(r.Rank)
		}
		fmt.Fprintf(out, "%s\t%s", rank, report.EscapeText(r.Name))
		switch b.Kind {
		case "icpc":
			fmt.Fprintf(out, "\t%d\t%d", r.Solved, r.TimeS/60)
		case "points":
			fmt.Fprintf(out, "\t%g\t%s", r.Points, r.Time())
		default:
			fmt.Fprintf(out, "\t%g", r.Points)
		}
		for i := range r.Cells {
			fmt.Fprintf(out, "\t%s", formatCell(b.Kind, &r.Cells[i]))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// formatCell formats a cell in a few characters.
func formatCell(kind string, c *client.ScoreboardCell) string {
	var words []string
	switch {
	case c.Attempts == 0:
	case kind == "ioi":
		words = append(words, strconv.FormatFloat(c.Points, 'g', -1, 64))
	case c.Solved:
		mark := "+"
		if c.First {
			mark = "*+"
		}
		if c.Attempts > 1 {
			mark += strconv.Itoa(c.Attempts - 1)
		}
		words = append(words, mark, strconv.FormatInt(c.TimeS/60, 10))
	default:
		words = append(words, "-"+strconv.Itoa(c.Attempts))
	}
	if c.Pending > 0 {
		words = append(words, "?"+strconv.Itoa(c.Pending))
	}
	if len(words) == 0 {
		return "."
	}
	return strings.Join(words, " ")
}
