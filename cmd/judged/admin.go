package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
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
	cmd.AddCommand(
		a.account(), a.contest(), a.invite(), a.worker(), a.class(), a.token(), a.queue(), a.cancel(),
		a.judgings(), a.rejudge(), a.backup(), a.restore(),
	)
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
	if contest.IsBundled { // there is no judge.toml: a server's folder of data may be moved elsewhere
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
