package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
)

func (a *admin) rejudge() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rejudge",
		Short: "rejudge submissions, show what would change, and apply it",
		Long: `Rejudge judges submissions again while their current verdicts remain in effect. Only the jury sees the new
verdicts, until you apply all of them at once.`,
	}
	var n client.NewRejudging
	var apply bool
	begin := a.subcommand("new <contest>", "rejudge submissions of a contest, and print what would change",
		func(ctx context.Context, api *client.Client, args []string) error {
			r, err := api.Rejudge(ctx, args[0], n)
			if err != nil {
				return err
			}
			if r.LeftOut > 0 {
				fmt.Fprintf(a.out, "%d submissions were left out: pending, or in another rejudging\n", r.LeftOut)
			}
			if r, err = a.waitForRejudging(ctx, api, r); err != nil {
				return err
			}
			if err := a.printChanges(r); err != nil {
				return err
			}
			if apply {
				return a.endRejudging(ctx, api, r.ID, "applied")
			}
			fmt.Fprintf(a.out, "nothing has changed yet; next, one of:\n  judged admin rejudge apply %s\n"+
				"  judged admin rejudge cancel %s\n", r.ID, r.ID)
			return nil
		})
	flags := begin.Flags()
	flags.StringVar(&n.Problem, "problem", "", "only this problem: its label or name")
	flags.StringVar(&n.Author, "who", "", "only this username or team, or #12 for one submission")
	flags.StringVar(&n.Group, "group", "", "only teams of this group")
	flags.StringVar(&n.Verdict, "verdict", "", "only this verdict, such as WA, or not-accepted")
	flags.StringVar(&n.Language, "language", "", "only this language: its id")
	flags.StringVar(&n.Time, "time", "", "only these contest times, such as 1:00-2:30 or 1:00-")
	flags.StringVar(&n.Worker, "worker", "", "only what this worker judged")
	flags.StringVar(&n.Version, "judged-with", "", "only what was judged with this `VERSION` of the problem: how its digest begins")
	flags.StringVar(&n.TargetVersion, "against", "", "the `VERSION` of the problem to judge with, needs --problem (default the active one)")
	flags.IntVar(&n.Repeats, "repeat", 1, "how often to judge each submission, from 1 to 10")
	flags.BoolVar(&n.All, "all", false, "every submission of the contest, if no other flag chooses some")
	flags.StringVar(&n.Reason, "reason", "", "the reason, for the list of rejudgings")
	flags.BoolVar(&apply, "apply", false, "apply it when all is judged, if possible")
	list := a.subcommand("list <contest>", "list the rejudgings of a contest, newest first",
		func(ctx context.Context, api *client.Client, args []string) error {
			all, err := api.Rejudgings(ctx, args[0])
			if err != nil {
				return err
			}
			if len(all) == 0 {
				fmt.Fprintln(a.out, "none")
			}
			t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, r := range all {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d of %d judged\t%s\n", r.ID, r.Created.Local().Format(time.DateTime), r.Author, r.State,
					r.Submissions-r.Pending, r.Submissions, r.Reason)
			}
			return t.Flush()
		})
	show := a.subcommand("show <id>", "print what a rejudging would change so far",
		func(ctx context.Context, api *client.Client, args []string) error {
			r, err := api.Rejudging(ctx, args[0])
			if err != nil {
				return err
			}
			return a.printChanges(r)
		})
	end := func(name, short, state string) *cobra.Command {
		return a.subcommand(name+" <id>", short, func(ctx context.Context, api *client.Client, args []string) error {
			return a.endRejudging(ctx, api, args[0], state)
		})
	}
	cmd.AddCommand(begin, list, show, end("apply", "apply a rejudging completely", "applied"),
		end("cancel", "cancel a rejudging", "cancelled"))
	return cmd
}

// waitForRejudging waits until a rejudging has no pending submissions. If it is interrupted, the rejudging continues.
func (a *admin) waitForRejudging(ctx context.Context, api *client.Client, r *client.Rejudging) (*client.Rejudging, error) {
	fmt.Fprintf(a.out, "rejudging %d submissions when no other work waits: %s\n", r.Submissions, r.ID)
	for {
		now, err := api.Rejudging(ctx, r.ID)
		if err != nil || now.Pending == 0 || now.State != "running" {
			return now, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (a *admin) endRejudging(ctx context.Context, api *client.Client, id, state string) error {
	if err := api.EndRejudging(ctx, id, client.RejudgingUpdate{State: state}); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "the rejudging is %s\n", state)
	return nil
}

// printChanges prints what a rejudging changes: first the submissions, then the teams.
func (a *admin) printChanges(r *client.Rejudging) error {
	changed, differ := 0, 0
	t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, s := range r.Rejudged {
		if len(s.Runs) > 0 {
			differ++
			fmt.Fprintf(t, "%d\t%s\t%s\truns differ\t%s\n", s.Number, s.Problem, s.Login, strings.Join(s.Runs, ", "))
		}
		if s.Changed {
			changed++
			fmt.Fprintf(
				t, "%d\t%s\t%s\t%s -> %s\t%s\n", s.Number, s.Problem, s.Login, verdictText(s.OldVerdict, s.OldScore),
				verdictText(s.NewVerdict, s.NewScore), s.Reason,
			)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, m := range r.RankChanges {
		fmt.Fprintf(
			t, "%s\trank %s -> %s\tsolved %d -> %d\t%s -> %s\n", m.Team, rankText(m.OldRank), rankText(m.NewRank),
			m.OldResult.Solved, m.NewResult.Solved, resultText(m.OldResult), resultText(m.NewResult),
		)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if r.Repeats > 1 {
		fmt.Fprintf(a.out, "each submission is judged %d times; the runs of %d differ\n", r.Repeats, differ)
	}
	fmt.Fprintf(a.out, "rejudged %d of %d submissions; %d of them change, and %d teams move (%s)\n", r.Submissions-r.Pending,
		r.Submissions, changed, len(r.RankChanges), r.State)
	return nil
}

func verdictText(v judge.Verdict, score string) string {
	text := cmp.Or(string(v), "none")
	if score != "" {
		text += " " + score
	}
	return text
}

func rankText(rank int) string {
	if rank == 0 {
		return "-"
	}
	return fmt.Sprint(rank)
}

func resultText(r client.TeamResult) string {
	text := (time.Duration(r.TimeS) * time.Second).String()
	if r.Points != 0 {
		text = fmt.Sprintf("%g points, %s", r.Points, text)
	}
	return text
}
