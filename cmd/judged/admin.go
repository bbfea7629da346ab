package main

import (
	"context"
	"errors"
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

// admin sends requests to a running server, with the token from its data directory.
type admin struct {
	*console
	out  io.Writer // escapes names and labels that users chose
	data string
}

func adminCommand(c *console) *cobra.Command {
	a := &admin{console: c, out: report.NewSafeWriter(c.out)}
	cmd := &cobra.Command{
		Use:   "admin",
		Short: "manage a server: accounts, workers, tokens, and backups",
		Long: `Admin manages the server whose data directory is on this machine. It needs no token: an
account of the system that can read the directory is an administrator.

` + exitHelp,
	}
	cmd.PersistentFlags().StringVar(&a.data, "data", "", "the data `DIR` of the server (default: the one in judge.toml)")
	cmd.AddCommand(
		a.account(), a.contest(), a.invite(), a.worker(), a.class(), a.token(), a.queue(), a.cancel(),
		a.judgements(), a.rejudge(), a.backup(), a.restore(), a.migrate(), a.move(),
	)
	return cmd
}

// dataDir returns the data directory that the flag names. If the flag is not set, it returns the data directory
// that the judge.toml of the current contest directory determines.
func (a *admin) dataDir() (string, error) {
	if a.data != "" {
		return a.data, nil
	}
	contest, err := cli.FindContest()
	if err != nil {
		return "", err
	}
	data, root := contest.Config.Server.Data, contest.Root
	if contest.IsBundled { // without judge.toml, use the current directory, because a data directory may be moved
		root = "."
	}
	makeAbsolute(root, []*string{&data})
	return cli.DisplayPath(data), contest.Close()
}

// api returns a client for the server.
func (a *admin) api() (*client.Client, error) {
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	address, token, err := server.Admin(data)
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{Address: address, Token: token, Version: cli.Version(), RetryFor: 5 * time.Second})
}

// publicAddress returns the server's address for other machines.
func publicAddress(ctx context.Context, api *client.Client) (a client.Address, err error) {
	s, err := api.Server(ctx)
	if err != nil {
		return a, err
	}
	return client.ParseAddress(s.URL)
}

// subcommand returns a command that sends requests to the server.
func (a *admin) subcommand(use, short string, request func(ctx context.Context, api *client.Client, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		api, err := a.api()
		if err != nil {
			return err
		}
		return request(cmd.Context(), api, args)
	}}
}

func (a *admin) token() *cobra.Command {
	cmd := &cobra.Command{Use: "token", Short: "create, list and revoke access tokens"}
	var scopes []string
	var label string
	var days float64
	add := a.subcommand("add <login>", "create a token for an account, which is created if needed",
		func(ctx context.Context, api *client.Client, args []string) error {
			n := client.NewToken{Login: args[0], Label: label}
			for _, s := range scopes {
				n.Scopes = append(n.Scopes, client.Scope(s))
			}
			if days > 36500 {
				return &judge.UsageError{Err: fmt.Errorf("--days %v: a token is valid for at most 36500 days, or without limit: 0", days)}
			}
			if days > 0 {
				n.Expires = time.Now().Add(time.Duration(days * float64(24*time.Hour)))
			}
			t, err := api.CreateToken(ctx, n)
			if err != nil {
				return err
			}
			address, err := publicAddress(ctx, api)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "judge login %s --token %s\n", address, t.Text)
			return nil
		})
	add.Flags().StringSliceVar(&scopes, "scope", []string{string(client.Submit)}, "submit, publish or admin (may be repeated)")
	add.Flags().StringVar(&label, "label", "", "the purpose of the token")
	add.Flags().Float64Var(&days, "days", 0, "valid for this many days: 0.5 is 12 hours, 0 is without limit")
	list := a.subcommand("list", "list the tokens", func(ctx context.Context, api *client.Client, _ []string) error {
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
	revoke := a.subcommand("revoke <id>", "revoke a token", func(ctx context.Context, api *client.Client, args []string) error {
		return api.RevokeToken(ctx, args[0])
	})
	cmd.AddCommand(add, list, revoke)
	return cmd
}

func (a *admin) backup() *cobra.Command {
	return a.subcommand("backup <name>", "write a backup with this name, while the server runs",
		func(ctx context.Context, api *client.Client, args []string) error {
			dir, err := api.CreateBackup(ctx, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(a.out, "wrote", dir)
			return nil
		})
}

func (a *admin) migrate() *cobra.Command {
	var database string
	cmd := &cobra.Command{
		Use:   "migrate --database URL",
		Short: "update the schema of a database that several servers use",
		Long: `Migrate updates the schema of a PostgreSQL database for this version of judged, while servers of the
version before go on. A server updates the schema at its start only if no other server is there.
Restart the servers with this version afterwards, one after the other.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !strings.HasPrefix(database, "postgres") {
				return &judge.UsageError{
					Err: errors.New(
						"name a PostgreSQL database: --database postgres://USER@HOST/NAME\n    a server updates an SQLite database at its start",
					),
				}
			}
			if err := server.Migrate(cmd.Context(), database, cli.Version()); err != nil {
				return err
			}
			fmt.Fprintln(a.out, "the schema is that of this version; next: restart the servers with it, one after the other")
			return nil
		},
	}
	cmd.Flags().StringVar(&database, "database", "", "postgres://... of the database")
	return cmd
}

func (a *admin) restore() *cobra.Command {
	var database string
	cmd := &cobra.Command{Use: "restore <backup>", Short: "create a data directory from a backup",
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil {
				return &judge.UsageError{Err: err}
			}
			data, err := a.dataDir()
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
			fmt.Fprintf(a.out, "restored %s; next: %s\n", data, next)
			return nil
		}}
	cmd.Flags().StringVar(&database, "database", "", "postgres://... of an empty database (default: SQLite in the data directory)")
	return cmd
}
