package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/host/client"
)

func loginCommand(c *console) *cobra.Command {
	var token string
	cmd := &cobra.Command{
		Use:   "login <server>",
		Short: "log in to a server with a token",
		Long: `Login checks the token with the server, and stores it in a file that only you can read.
Without --token it reads the token from standard input. The server's administrator creates tokens.

` + exitHelp,
		Example: "  judge login https://judge.example\n  judge login https://judge.example --token assay_...",
		RunE: func(cmd *cobra.Command, args []string) error {
			return login(cmd.Context(), c, args[0], token)
		},
	}
	cmd.Flags().StringVar(&token, "token", "", "the token; - reads it from standard input")
	return cmd
}

func login(ctx context.Context, c *console, server, token string) error {
	a, err := client.ParseAddress(server)
	if err != nil {
		return err
	}
	if token == "" || token == "-" {
		if _, live := terminalSize(c.err); live {
			fmt.Fprintf(c.err, "token for %s: ", a.URL)
		}
		line, err := bufio.NewReader(c.in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the token: %w", err)
		}
		token = line
	}
	if token = strings.TrimSpace(token); token == "" {
		return usageError{errors.New("no token given: ask the server's administrator for one")}
	}
	api, err := client.New(client.Options{Address: a, Token: token, Version: cli.Version(), RetryFor: -1})
	if err != nil {
		return err
	}
	me, err := api.Account(ctx)
	if err != nil {
		return err
	}
	err = changeLogins(func(known client.Logins) error {
		known[a.URL] = client.Login{Token: token, Pin: a.Pin}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "logged in to %s as %s (scopes: %s)\n", a.URL, me.Login, strings.Join(me.Scopes, ", "))
	return nil
}

func logoutCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "logout <server>",
		Short: "log out of a server",
		RunE: func(_ *cobra.Command, args []string) error {
			a, err := client.ParseAddress(args[0])
			if err != nil {
				return err
			}
			return changeLogins(func(known client.Logins) error {
				if _, found := known[a.URL]; !found {
					return usageError{fmt.Errorf("you are not logged in to %s", a.URL)}
				}
				delete(known, a.URL)
				return nil
			})
		},
	}
}

// changeLogins saves the logins after change has modified them, unless change returns an error.
func changeLogins(change func(client.Logins) error) error {
	file, err := cli.LoginsFile()
	if err != nil {
		return err
	}
	known, err := client.ReadLogins(file)
	if err != nil {
		return err
	}
	if err := change(known); err != nil {
		return err
	}
	return client.WriteLogins(file, known)
}
