package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/queue"
	"assay/judge/host/server"
	"assay/judge/report"
)

// admin asks a running server, with the token that its folder of data has.
type admin struct {
	*console
	out  io.Writer // people choose their names and labels
	data string
}

func adminCommand(c *console) *cobra.Command {
	a := &admin{console: c, out: report.Safe(c.out)}
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "look after a server: accounts, workers, tokens, backups",
		Long: `Admin asks the server whose folder of data is on this machine. It needs no token: who may
read the folder is its admin.

` + exitHelp,
	}
	cmd.PersistentFlags().StringVar(&a.data, "data", "", "the server's `DIR` of data; not set, the one that judge.toml names")
	cmd.AddCommand(a.account(), a.contest(), a.invite(), a.worker(), a.class(), a.token(), a.queue(), a.cancel(), a.judgings(), a.rejudge(), a.backup(), a.restore())
	return cmd
}

// folder is the folder of data: that of the flag, or the one that a server of this contest has.
func (a *admin) folder() (string, error) {
	if a.data != "" {
		return a.data, nil
	}
	contest, err := cli.Find()
	if err != nil {
		return "", err
	}
	data, root := contest.Config.Server.Data, contest.Root
	if contest.House { // there is no judge.toml: a server's folder of data may be moved elsewhere
		root = "."
	}
	fromFolder(root, []*string{&data})
	return cli.Near(data), contest.Close()
}

// api is the way to the server.
func (a *admin) api() (*client.Client, error) {
	data, err := a.folder()
	if err != nil {
		return nil, err
	}
	address, token, err := server.Admin(data)
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{Address: address, Token: token, Version: cli.Version(), Patience: 5 * time.Second})
}

// public is the address by which others reach the server.
func public(ctx context.Context, api *client.Client) (a client.Address, err error) {
	s, err := api.Server(ctx)
	if err != nil {
		return a, err
	}
	return client.ParseAddress(s.URL)
}

// below is a command that asks the server.
func (a *admin) below(use, short string, ask func(ctx context.Context, api *client.Client, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		api, err := a.api()
		if err != nil {
			return err
		}
		return ask(cmd.Context(), api, args)
	}}
}

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
		fmt.Fprintf(a.out, "on the worker's machine, until %s:\n  judged worker --join '%s'\nA worker knows the secret data of the problems that it judges.\n", i.Expires.Local().Format(time.DateTime), address)
		if i.Cluster {
			fmt.Fprintln(a.out, "When it has joined, the cluster of the queue must let it in. What belongs into its configuration is said by:\n  judged admin worker cluster")
		}
		if guest {
			fmt.Fprintln(a.out, "What a guest judges is judged again by a worker that is none, and counts then; while none is here, it waits.")
		}
		return nil
	}}
	add.Flags().BoolVar(&guest, "guest", false, "somebody else's machine: others judge again all that it judges, and it gets nothing of problems whose contest has not ended")
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
	cluster := a.below("cluster", "print whom the queue's own cluster lets in, for its configuration", func(ctx context.Context, api *client.Client, _ []string) error {
		workers, err := api.Workers(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, "# Only for a server that was started with --queue: the queue in its own folder lets workers in by itself.\n# The server's password is a variable of the environment of nats-server.\nauthorization { users: [\n  { user: server, password: $JUDGE_SERVER }")
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
		set("resume", "let a worker that was drained come back", "active"), set("revoke", "shut a worker out, for ever", "revoked"))
	return cmd
}

func (a *admin) class() *cobra.Command {
	cmd := &cobra.Command{Use: "class", Short: "list the classes of workers, make one anew"}
	list := a.below("list", "say what the workers of each class have in common", func(ctx context.Context, api *client.Client, _ []string) error {
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
	accept := a.below("accept <class>", "make a class anew of what a worker of it has now: after compilers were upgraded", func(ctx context.Context, api *client.Client, args []string) error {
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
	if differ := slices.DeleteFunc(slices.Clone(workers), func(w client.Worker) bool { return len(classes[at].Changes(&w.Offer)) == 0 }); len(differ) > 0 {
		workers = differ
	}
	if len(workers) != 1 {
		return nil, nil, &judge.Misuse{Err: fmt.Errorf("%d workers of the class %s may be meant: say which with --worker\n    see: judged admin worker list", len(workers), class)}
	}
	return &classes[at], &workers[0], nil
}

func (a *admin) token() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "make tokens for people and programs, list and revoke them"}
	var scopes []string
	var label string
	var days float64
	add := a.below("add <login>", "make a token for an account, which is made where it is new", func(ctx context.Context, api *client.Client, args []string) error {
		n := client.NewToken{Login: args[0], Label: label}
		for _, s := range scopes {
			n.Scopes = append(n.Scopes, client.Scope(s))
		}
		if days > 36500 {
			return &judge.Misuse{Err: fmt.Errorf("--days %v: a token is good for 36500 days at most, or for ever: 0", days)}
		}
		if days > 0 {
			n.Until = time.Now().Add(time.Duration(days * float64(24*time.Hour)))
		}
		t, err := api.NewToken(ctx, n)
		if err != nil {
			return err
		}
		address, err := public(ctx, api)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "judge login %s --token %s\n", address, t.Text)
		return nil
	})
	add.Flags().StringSliceVar(&scopes, "scope", []string{string(client.Submit)}, "submit, publish or admin (again for more)")
	add.Flags().StringVar(&label, "label", "", "what it is for")
	add.Flags().Float64Var(&days, "days", 0, "how long it is good: 0.5 is 12 hours, 0 is for ever")
	list := a.below("list", "list the tokens", func(ctx context.Context, api *client.Client, _ []string) error {
		tokens, err := api.Tokens(ctx)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			state := "good"
			switch {
			case !t.Revoked.IsZero():
				state = "revoked"
			case !t.Expires.IsZero() && t.Expires.Before(time.Now()):
				state = "expired"
			}
			fmt.Fprintf(a.out, "%s  %-16s %-8s %-22s %s\n", t.ID, t.Login, state, strings.Join(t.Scopes, ","), t.Label)
		}
		return nil
	})
	revoke := a.below("revoke <id>", "end a token", func(ctx context.Context, api *client.Client, args []string) error {
		return api.RevokeToken(ctx, args[0])
	})
	cmd.AddCommand(add, list, revoke)
	return cmd
}

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

func (a *admin) backup() *cobra.Command {
	return a.below("backup <name>", "write everything into a new folder of the server's backups, while the server goes on", func(ctx context.Context, api *client.Client, args []string) error {
		dir, err := api.Backup(ctx, args[0])
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, "wrote", dir)
		return nil
	})
}

func (a *admin) restore() *cobra.Command {
	var database string
	cmd := &cobra.Command{Use: "restore <backup>", Short: "make a new folder of data of a backup, for a server to be started on", RunE: func(cmd *cobra.Command, args []string) error {
		if _, err := os.Stat(args[0]); err != nil {
			return &judge.Misuse{Err: err}
		}
		data, err := a.folder()
		if err != nil {
			return err
		}
		if err := server.Restore(cmd.Context(), args[0], data, database, cli.Version()); err != nil {
			return err
		}
		next := "judged serve"
		if a.data != "" {
			next += " --data " + data
		}
		if database != "" {
			next += " --database URL"
		}
		fmt.Fprintf(a.out, "%s is as it was; next: %s\n", data, next)
		return nil
	}}
	cmd.Flags().StringVar(&database, "database", "", "postgres://... of an empty database; not set, SQLite in the folder of data")
	return cmd
}
