package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/queue"
)

func (a *admin) worker() *cobra.Command {
	cmd := &cobra.Command{Use: "worker", Short: "add workers, list them, take them out of service"}
	var guest bool
	add := &cobra.Command{Use: "add <name>", Short: "make a code by which a worker joins, once and within a day", RunE: func(cmd *cobra.Command, args []string) error {
		api, err := a.api()
		if err != nil {
			return err
		}
		address, err := public(cmd.Context(), api)
		if err != nil {
			return err
		}
		i, err := api.Invite(cmd.Context(), client.NewInvite{Worker: args[0], Guest: guest})
		if err != nil {
			return err
		}
		address.Code = i.Code
		fmt.Fprintf(
			a.out,
			"on the worker's machine, until %s:\n  judged worker --join '%s'\nA worker knows the secret data of the problems that it judges.\n",
			i.Expires.Local().Format(time.DateTime), address,
		)
		if i.Cluster {
			fmt.Fprintln(
				a.out,
				"When it has joined, the cluster of the queue must let it in. What belongs into its configuration is said by:\n  judged admin worker cluster",
			)
		}
		if guest {
			fmt.Fprintln(a.out, "What a guest judges is judged again by a worker that is none, and counts then; while none is here, it waits.")
		}
		return nil
	}}
	add.Flags().BoolVar(
		&guest, "guest", false,
		"the machine belongs to another owner: workers of yours rejudge its submissions, and it gets no problem whose contest has not ended",
	)
	list := a.below("list", "list the workers", func(ctx context.Context, api *client.Client, _ []string) error {
		workers, err := api.Workers(ctx)
		if err != nil {
			return err
		}
		for _, w := range workers {
			here := "away"
			if w.Connected {
				here = fmt.Sprintf("here, %d of %d busy", w.Running, w.Offer.Slots)
			}
			class := w.Class
			if w.Guest {
				class += " guest"
			}
			if w.Factor > 0 {
				class += fmt.Sprintf(" x%.2f", w.Factor)
			}
			fmt.Fprintf(a.out, "%-16s %-10s %-8s %-18s %s  %s\n", w.Name, class, w.State, here, w.Offer.Machine, w.Note)
		}
		return nil
	})
	cluster := a.below("cluster", "print whom the queue's own cluster lets in, for its configuration", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		workers, err := api.Workers(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(
			a.out,
			"# Only for a server that was started with --queue: the queue in its own folder lets workers in by itself.\n# The server's password is a variable of the environment of nats-server.\nauthorization { users: [\n  { user: server, password: $JUDGE_SERVER }",
		)
		for _, w := range workers {
			if w.State != "revoked" {
				fmt.Fprintf(a.out, "  # %s\n  %s\n", w.Name, queue.User(w.Name, w.Class, w.Key, w.Guest))
			}
		}
		fmt.Fprintln(a.out, "] }")
		return nil
	})
	set := func(name, short, state string) *cobra.Command {
		return a.below(name+" <worker>", short, func(ctx context.Context, api *client.Client, args []string) error {
			return api.SetWorker(ctx, args[0], client.SetWorker{State: state})
		})
	}
	cmd.AddCommand(add, list, cluster, set("drain", "let a worker end its jobs and stop", "drained"),
		set("resume", "let a worker that was drained come back", "active"), set("revoke", "block a worker permanently", "revoked"))
	return cmd
}

func (a *admin) class() *cobra.Command {
	cmd := &cobra.Command{Use: "class", Short: "list the classes of workers, update one"}
	list := a.below("list", "say what the workers of each class have in common", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		classes, err := api.Classes(ctx)
		if err != nil {
			return err
		}
		if len(classes) == 0 {
			fmt.Fprintln(a.out, "there are none yet: the first worker makes its own")
		}
		for _, c := range classes {
			fmt.Fprintf(a.out, "%s: %s, sandbox %s, since %s\n", c.Name, c.Arch, c.Rung, c.Filled.Local().Format(time.DateTime))
			for _, id := range slices.Sorted(maps.Keys(c.Languages)) {
				fmt.Fprintf(a.out, "  %-12s %s\n", id, c.Languages[id])
			}
		}
		return nil
	})
	var worker string
	var apply bool
	accept := a.below("accept <class>", "give a class the versions of one of its workers, after compilers were upgraded", func(
		ctx context.Context, api *client.Client, args []string,
	) error {
		was, now, err := a.offered(ctx, api, args[0], worker)
		if err != nil {
			return err
		}
		changes := was.Changes(&now.Offer)
		for _, line := range changes {
			fmt.Fprintln(a.out, line)
		}
		switch {
		case len(changes) == 0:
			fmt.Fprintf(a.out, "the class %s is as the worker %s is\n", args[0], now.Name)
			return nil
		case !apply:
			fmt.Fprintf(a.out, "nothing has changed yet; next:\n  judged admin class accept %s --worker %s --apply\n", args[0], now.Name)
			return nil
		}
		done, err := api.AcceptClass(ctx, args[0], now.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "the class %s is as the worker %s is now; start that again if it has ended\n", args[0], now.Name)
		if len(done.Stopped) > 0 {
			fmt.Fprintf(a.out, "these differ from it, end their jobs and stop: %s\n", strings.Join(done.Stopped, ", "))
		}
		return nil
	})
	accept.Flags().StringVar(&worker, "worker", "", "the worker; may be left out where one has been refused, or there is one only")
	accept.Flags().BoolVar(&apply, "apply", false, "do it; else the differences are shown")
	cmd.AddCommand(list, accept)
	return cmd
}

// offered finds a class and the worker that is to say what it is: the one that is named, or the
// only one that differs, or the only one.
func (a *admin) offered(ctx context.Context, api *client.Client, class, worker string) (*client.Class, *client.Worker, error) {
	classes, err := api.Classes(ctx)
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(classes, func(c client.Class) bool { return c.Name == class })
	if at < 0 {
		return nil, nil, &judge.Misuse{Err: fmt.Errorf("no worker has said yet what the class %q is\n    see: judged admin class list", class)}
	}
	workers, err := api.Workers(ctx)
	if err != nil {
		return nil, nil, err
	}
	workers = slices.DeleteFunc(workers, func(w client.Worker) bool {
		return w.Class != class || w.State == "revoked" || worker != "" && w.Name != worker
	})
	if differ := slices.DeleteFunc(
		slices.Clone(workers), func(w client.Worker) bool { return len(classes[at].Changes(&w.Offer)) == 0 },
	); len(differ) > 0 {
		workers = differ
	}
	if len(workers) != 1 {
		return nil, nil, &judge.Misuse{
			Err: fmt.Errorf(
				"%d workers of the class %s may be meant: say which with --worker\n    see: judged admin worker list",
				len(workers), class,
			),
		}
	}
	return &classes[at], &workers[0], nil
}
