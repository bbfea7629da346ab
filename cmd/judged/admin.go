package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/server"
)

// admin asks a running server, with the token that its folder of data has.
type admin struct {
	*console
	data string
}

func adminCommand(c *console) *cobra.Command {
	a := &admin{console: c}
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "look after a server: workers, tokens, backups",
		Long: `Admin asks the server whose folder of data is on this machine. It needs no token: who may
read the folder is its admin.

` + exitHelp,
	}
	cmd.PersistentFlags().StringVar(&a.data, "data", "data", "the server's folder of data")
	cmd.AddCommand(a.worker(), a.token(), a.queue(), a.backup(), a.restore())
	return cmd
}

// api is the way to the server.
func (a *admin) api() (*client.Client, error) {
	address, token, err := server.Admin(a.data)
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
	var class string
	add := &cobra.Command{Use: "add <name>", Short: "make a code by which a worker joins, once and within a day", RunE: func(cmd *cobra.Command, args []string) error {
		api, err := a.api()
		if err != nil {
			return err
		}
		address, err := public(cmd.Context(), api)
		if err != nil {
			return err
		}
		i, err := api.Invite(cmd.Context(), client.NewInvite{Worker: args[0], Class: class})
		if err != nil {
			return err
		}
		address.Code = i.Code
		fmt.Fprintf(a.out, "on the worker's machine, until %s:\n  judged worker --join '%s'\nA worker knows the secret data of the problems that it judges.\n", i.Expires.Local().Format(time.DateTime), address)
		return nil
	}}
	add.Flags().StringVar(&class, "class", server.Class, "the class of machines that it belongs to")
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
			fmt.Fprintf(a.out, "%-16s %-10s %-8s %-18s %s  %s\n", w.Name, w.Class, w.State, here, w.Offer.Machine, w.Note)
		}
		return nil
	})
	set := func(name, short, state string) *cobra.Command {
		return a.below(name+" <worker>", short, func(ctx context.Context, api *client.Client, args []string) error {
			return api.SetWorker(ctx, args[0], client.SetWorker{State: state})
		})
	}
	cmd.AddCommand(add, list, set("drain", "let a worker end its jobs and stop", "drained"),
		set("resume", "let a worker that was drained come back", "active"), set("revoke", "shut a worker out, for ever", "revoked"))
	return cmd
}

func (a *admin) token() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "make tokens for people and programs, list and revoke them"}
	var scopes []string
	var label string
	var days int
	add := a.below("add <login>", "make a token for an account, which is made where it is new", func(ctx context.Context, api *client.Client, args []string) error {
		n := client.NewToken{Login: args[0], Label: label}
		for _, s := range scopes {
			n.Scopes = append(n.Scopes, client.Scope(s))
		}
		if days > 0 {
			n.Until = time.Now().AddDate(0, 0, days)
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
	add.Flags().IntVar(&days, "days", 0, "how long it is good; 0 is for ever")
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
		if len(queues) == 0 {
			fmt.Fprintln(a.out, "nothing waits")
		}
		for _, q := range queues {
			fmt.Fprintf(a.out, "%-11s %-10s %d waiting, %d given out, the oldest for %s\n", q.Lane, q.Class, q.Waiting, q.Out, time.Since(q.Oldest).Round(time.Second))
		}
		return nil
	})
}

func (a *admin) backup() *cobra.Command {
	return a.below("backup <folder>", "write everything into a new folder, while the server goes on", func(ctx context.Context, api *client.Client, args []string) error {
		dir, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		if err := api.Backup(ctx, dir); err != nil {
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
		if err := server.Restore(cmd.Context(), args[0], a.data, database, cli.Version()); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s is as it was; next: judged serve\n", a.data)
		return nil
	}}
	cmd.Flags().StringVar(&database, "database", "", "postgres://... of an empty database; not set, SQLite in the folder of data")
	return cmd
}
