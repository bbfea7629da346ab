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
	return a.subcommand("queue", "show how much work waits", func(ctx context.Context, api *client.Client, _ []string) error {
		queues, err := api.Queues(ctx)
		if err != nil {
			return err
		}
		accounts, err := api.AccountLoads(ctx)
		if err != nil {
			return err
		}
		if len(queues) == 0 && len(accounts) == 0 {
			fmt.Fprintln(a.out, "nothing waits")
		}
		for _, q := range queues {
			fmt.Fprintf(
				a.out, "%-11s %-10s %d waiting, %d with a worker, the oldest for %s\n", q.Priority, q.Class,
				q.Waiting, q.Running, time.Since(q.Oldest).Round(time.Second),
			)
			if q.UntrustedOnly > 0 {
				fmt.Fprintf(
					a.out, "%-22s %d of them were judged by untrusted workers only: they wait for a trusted worker\n",
					"", q.UntrustedOnly,
				)
			}
		}
		a.printBusiest(accounts)
		return nil
	})
}

// maxBusyAccounts is the maximum number of accounts that busiest prints.
const maxBusyAccounts = 5

// printBusiest prints the number of remote runs and the accounts with the most open work.
func (a *admin) printBusiest(loads []client.AccountLoad) {
	runs, idle := 0, 0
	for _, one := range loads {
		runs, idle = runs+one.Workflows, idle+one.IdleWorkflows
	}
	if runs > 0 {
		fmt.Fprintf(a.out, "%-22s %d; %d of them wait to be planned\n", "remote runs", runs, idle)
	}
	for _, one := range loads[:min(len(loads), maxBusyAccounts)] {
		fmt.Fprintf(
			a.out, "  of %-18s %d jobs, %d remote runs, the oldest for %s\n", one.Login, one.Jobs, one.Workflows,
			time.Since(one.Oldest).Round(time.Second),
		)
	}
}

func (a *admin) cancel() *cobra.Command {
	var login, problem string
	cmd := a.subcommand("cancel", "cancel the pending submissions of an account or a problem", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		if login == "" && problem == "" {
			return &judge.UsageError{Err: errors.New("choose submissions with --user or --problem")}
		}
		cancelled, err := api.CancelPending(ctx, login, problem)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "cancelled: %d submissions", cancelled.Submissions)
		if cancelled.Workflows > 0 {
			fmt.Fprintf(a.out, ", %d remote runs", cancelled.Workflows)
		}
		fmt.Fprintln(a.out)
		return nil
	})
	cmd.Flags().StringVar(
		&login, "user", "",
		"of this username, with the remote runs of judge verify, adequacy, golf and arena",
	)
	cmd.Flags().StringVar(&problem, "problem", "", "to this problem")
	return cmd
}

func (a *admin) judgements() *cobra.Command {
	var f client.JudgementFilter
	var versions bool
	cmd := a.subcommand("judgements", "list judgements and the workers that made them", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		judgements, err := api.Judgements(ctx, f)
		if err != nil {
			return err
		}
		if len(judgements) == 0 {
			fmt.Fprintln(a.out, "none")
		}
		slices.SortStableFunc(judgements, func(x, y client.Judgement) int { // keeps a submission's runs together, in order
			return cmp.Or(cmp.Compare(y.Number, x.Number), cmp.Compare(x.ID, y.ID))
		})
		t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, j := range judgements {
			verdict, notes := cmp.Or(string(j.Verdict), "open"), j.RepeatReason
			if j.Verdict == judge.JudgeError {
				notes = cmp.Or(j.Reason, notes)
			}
			switch {
			case j.Verdict == "" && !j.Ended.IsZero():
				verdict = "cancelled" // not the current judgement
			case j.Current && !j.Ended.IsZero():
				verdict += ", counts"
			}
			fmt.Fprintf(
				t, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f ms\t%s\t%s\n", j.Number, j.Problem, j.Login, j.Program,
				cmp.Or(j.Worker, "-"), verdict, j.CPUMillis, j.Case, notes,
			)
			if versions && j.Version != "" {
				fmt.Fprintf(t, "\tjudge %s, sandbox %s", j.Version, j.IsolationLevel)
				for _, id := range slices.Sorted(maps.Keys(j.Toolchains)) {
					fmt.Fprintf(t, ", %s: %s", id, j.Toolchains[id])
				}
				fmt.Fprintln(t)
			}
		}
		return t.Flush()
	})
	cmd.Flags().StringVar(&f.Worker, "worker", "", "only those of this worker")
	cmd.Flags().BoolVar(&versions, "versions", false, "also print the versions of the judge and of the toolchains")
	cmd.Flags().StringVar(&f.Origin, "again", "",
		"only those that were repeated, with all runs: near-limit (of time), untrusted (the worker) or rejudge")
	return cmd
}
