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
	cmd := &cobra.Command{Use: "worker", Short: "add, list, drain and revoke workers"}
	list := a.subcommand("list", "list the workers", func(ctx context.Context, api *client.Client, _ []string) error {
		workers, err := api.Workers(ctx)
		if err != nil {
			return err
		}
		for _, w := range workers {
			here := "offline"
			if w.Connected {
				here = fmt.Sprintf("online, %d of %d busy", w.Running, w.Capabilities.Slots)
			}
			class := w.Class
			if w.Untrusted {
				class += " untrusted"
			}
			if w.SpeedFactor > 0 {
				class += fmt.Sprintf(" x%.2f", w.SpeedFactor)
			}
			fmt.Fprintf(a.out, "%-16s %-10s %-8s %-18s %s  %s\n", w.Name, class, w.State, here, w.Capabilities.Machine, w.Note)
		}
		return nil
	})
	set := func(name, short, state string) *cobra.Command {
		return a.subcommand(name+" <worker>", short, func(ctx context.Context, api *client.Client, args []string) error {
			return api.UpdateWorker(ctx, args[0], client.WorkerUpdate{State: state})
		})
	}
	cmd.AddCommand(a.workerAdd(), list, a.workerCluster(), set("drain", "let a worker finish its jobs and stop", "drained"),
		set("resume", "enable a drained worker", "active"), set("revoke", "block a worker permanently", "revoked"))
	return cmd
}

func (a *admin) workerAdd() *cobra.Command {
	var untrusted bool
	add := &cobra.Command{Use: "add <name>", Short: "create a code with which a worker joins once, within 24 hours",
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := a.api()
			if err != nil {
				return err
			}
			address, err := publicAddress(cmd.Context(), api)
			if err != nil {
				return err
			}
			i, err := api.CreateJoinCode(cmd.Context(), client.NewJoinCode{Worker: args[0], Untrusted: untrusted})
			if err != nil {
				return err
			}
			address.Code = i.Code
			fmt.Fprintf(
				a.out,
				"on the worker's machine, until %s:\n  judged worker --join '%s'\nA worker can read the secret data of the problems that it judges.\n",
				i.Expires.Local().Format(time.DateTime),
				address,
			)
			if i.Cluster {
				fmt.Fprintln(
					a.out,
					"When it has joined, add it to the configuration of the cluster, which this command prints:\n  judged admin worker cluster",
				)
			}
			if untrusted {
				fmt.Fprintln(a.out, "A verdict of an untrusted worker counts only after a trusted worker has also judged the submission. "+
					"Without a trusted worker, verdicts wait.")
			}
			return nil
		}}
	add.Flags().BoolVar(
		&untrusted, "untrusted", false,
		"the machine belongs to another owner: workers of yours rejudge its submissions, and it gets no problem whose contest has not ended",
	)
	return add
}

func (a *admin) workerCluster() *cobra.Command {
	return a.subcommand("cluster", "print the users for the configuration of an external cluster", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		workers, err := api.Workers(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(
			a.out,
			"# Only for a server that was started with --queue. The embedded queue admits workers by itself.\n"+
				"# The server's password is a variable of the environment of nats-server.\nauthorization { users: [\n"+
				"  { user: server, password: $JUDGE_SERVER }",
		)
		for _, w := range workers {
			if w.State != "revoked" {
				fmt.Fprintf(a.out, "  # %s\n  %s\n", w.Name, queue.UserConfig(w.Name, w.Class, w.Key, w.Untrusted))
			}
		}
		fmt.Fprintln(a.out, "] }")
		return nil
	})
}

func (a *admin) class() *cobra.Command {
	cmd := &cobra.Command{Use: "class", Short: "list the classes of workers, update one"}
	list := a.subcommand("list", "show what the workers of each class have in common", func(
		ctx context.Context, api *client.Client, _ []string,
	) error {
		classes, err := api.Classes(ctx)
		if err != nil {
			return err
		}
		if len(classes) == 0 {
			fmt.Fprintln(a.out, "none yet: the first worker defines its class")
		}
		for _, c := range classes {
			fmt.Fprintf(a.out, "%s: %s, sandbox %s, since %s\n", c.Name, c.Arch, c.IsolationLevel, c.Created.Local().Format(time.DateTime))
			for _, id := range slices.Sorted(maps.Keys(c.Languages)) {
				fmt.Fprintf(a.out, "  %-12s %s\n", id, c.Languages[id])
			}
		}
		return nil
	})
	var worker string
	var apply bool
	accept := a.subcommand("accept <class>", "update a class to the versions of one of its workers, after an upgrade of compilers", func(
		ctx context.Context, api *client.Client, args []string,
	) error {
		was, now, err := a.classAndWorker(ctx, api, args[0], worker)
		if err != nil {
			return err
		}
		changes := was.Changes(&now.Capabilities)
		for _, line := range changes {
			fmt.Fprintln(a.out, line)
		}
		switch {
		case len(changes) == 0:
			fmt.Fprintf(a.out, "the class %s equals the worker %s\n", args[0], now.Name)
			return nil
		case !apply:
			fmt.Fprintf(a.out, "nothing has changed yet; next:\n  judged admin class accept %s --worker %s --apply\n", args[0], now.Name)
			return nil
		}
		done, err := api.AcceptClass(ctx, args[0], now.Name)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "the class %s now equals the worker %s; restart the worker if it has ended\n", args[0], now.Name)
		if len(done.Drained) > 0 {
			fmt.Fprintf(a.out, "drained, because they differ: %s\n", strings.Join(done.Drained, ", "))
		}
		return nil
	})
	accept.Flags().StringVar(&worker, "worker", "", "the worker (default: the one that was refused, or the only one)")
	accept.Flags().BoolVar(&apply, "apply", false, "update the class (default: only show the differences)")
	cmd.AddCommand(list, accept)
	return cmd
}

// classAndWorker returns a class, and the worker whose capabilities the class should adopt. It chooses the named worker,
// the only worker that differs from the class, or the only worker.
func (a *admin) classAndWorker(ctx context.Context, api *client.Client, class, worker string) (*client.Class, *client.Worker, error) {
	classes, err := api.Classes(ctx)
	if err != nil {
		return nil, nil, err
	}
	index := slices.IndexFunc(classes, func(c client.Class) bool { return c.Name == class })
	if index < 0 {
		return nil, nil, &judge.UsageError{
			Err: fmt.Errorf("no worker has joined the class %q yet\n    see: judged admin class list", class),
		}
	}
	workers, err := api.Workers(ctx)
	if err != nil {
		return nil, nil, err
	}
	workers = slices.DeleteFunc(workers, func(w client.Worker) bool {
		return w.Class != class || w.State == "revoked" || worker != "" && w.Name != worker
	})
	if differ := slices.DeleteFunc(
		slices.Clone(workers), func(w client.Worker) bool { return len(classes[index].Changes(&w.Capabilities)) == 0 },
	); len(differ) > 0 {
		workers = differ
	}
	if len(workers) != 1 {
		return nil, nil, &judge.UsageError{
			Err: fmt.Errorf(
				"the class %[2]s has %[1]d workers: choose one with --worker\n    see: judged admin worker list",
				len(workers), class,
			),
		}
	}
	return &classes[index], &workers[0], nil
}
