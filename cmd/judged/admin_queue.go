package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
)

func (a *admin) queue() *cobra.Command {
	return a.below("queue", "say how much there is to do", func(ctx context.Context, api *client.Client, _ []string) error {
		queues, err := api.Queue(ctx)
		if err != nil {
			return err
		}
		askers, err := api.Askers(ctx)
		if err != nil {
			return err
		}
		if len(queues) == 0 && len(askers) == 0 {
			fmt.Fprintln(a.out, "nothing waits")
		}
		for _, q := range queues {
			fmt.Fprintf(a.out, "%-11s %-10s %d waiting, %d with a worker, the oldest for %s\n", q.Lane, q.Class, q.Waiting, q.Out, time.Since(q.Oldest).Round(time.Second))
			if q.OfGuests > 0 {
				fmt.Fprintf(a.out, "%-22s %d of them guests have judged: they wait until a worker is here that is no guest\n", "", q.OfGuests)
			}
		}
		a.askers(askers)
		return nil
	})
}

// mostAskers is how many accounts are named as those that ask for the most.
const mostAskers = 5

// askers says how many flows have not ended, and which accounts ask for the most.
func (a *admin) askers(all []client.Asker) {
	flows, idle := 0, 0
	for _, one := range all {
		flows, idle = flows+one.Flows, idle+one.Idle
	}
	if flows > 0 {
		fmt.Fprintf(a.out, "%-22s %d, of which %d wait to be planned\n", "flows", flows, idle)
	}
	for _, one := range all[:min(len(all), mostAskers)] {
		fmt.Fprintf(a.out, "  of %-18s %d jobs, %d flows, the oldest for %s\n", one.Login, one.Jobs, one.Flows, time.Since(one.Oldest).Round(time.Second))
	}
}

func (a *admin) cancel() *cobra.Command {
	var login, problem string
	cmd := a.below("cancel", "cancel what is not judged yet of a person or a problem", func(ctx context.Context, api *client.Client, _ []string) error {
		if login == "" && problem == "" {
			return &judge.Misuse{Err: errors.New("say whose submissions are cancelled, or to which problem: --login or --problem")}
		}
		done, err := api.CancelMany(ctx, login, problem)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "cancelled: %d submissions", done.Submissions)
		if done.Flows > 0 {
			fmt.Fprintf(a.out, ", %d flows", done.Flows)
		}
		fmt.Fprintln(a.out)
		return nil
	})
	cmd.Flags().StringVar(&login, "login", "", "the submissions of this login, and its flows: what judge verify, adequacy, golf and arena ask for with --on")
	cmd.Flags().StringVar(&problem, "problem", "", "the submissions to this problem")
	return cmd
}

func (a *admin) judgings() *cobra.Command {
	var f client.JudgingFilter
	var versions bool
	cmd := a.below("judgings", "list who judged what, and what was judged again", func(ctx context.Context, api *client.Client, _ []string) error {
		all, err := api.Judgings(ctx, f)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			fmt.Fprintln(a.out, "there are none")
		}
		slices.SortStableFunc(all, func(x, y client.Judging) int { // the runs of a submission in their order
			return cmp.Or(cmp.Compare(y.Number, x.Number), cmp.Compare(x.ID, y.ID))
		})
		t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, j := range all {
			verdict, notes := cmp.Or(string(j.Verdict), "open"), j.Why
			if j.Verdict == judge.JudgeError {
				notes = cmp.Or(j.Reason, notes)
			}
			switch {
			case j.Verdict == "" && !j.Ended.IsZero():
				verdict = "cancelled" // which counts for nothing
			case j.Stands && !j.Ended.IsZero():
				verdict += ", counts"
			}
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f ms\t%s\t%s\n", j.Number, j.Problem, j.Login, j.Program, cmp.Or(j.Worker, "-"), verdict, j.CPUMillis, j.Case, notes)
			if versions && j.Version != "" {
				fmt.Fprintf(t, "\tjudge %s, sandbox %s", j.Version, j.Rung)
				for _, id := range slices.Sorted(maps.Keys(j.Toolchains)) {
					fmt.Fprintf(t, ", %s: %s", id, j.Toolchains[id])
				}
				fmt.Fprintln(t)
			}
		}
		return t.Flush()
	})
	cmd.Flags().StringVar(&f.Worker, "worker", "", "what this worker judged")
	cmd.Flags().BoolVar(&versions, "versions", false, "say of each with which versions of the judge and of tool chains it was judged")
	cmd.Flags().StringVar(&f.Origin, "again", "", "what was judged again, with all runs: borderline (time decided barely), guest or rejudge")
	return cmd
}
