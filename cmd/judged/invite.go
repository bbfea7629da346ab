package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/judge/host/client"
)

// invite returns the command for invitations.
func (a *admin) invite() *cobra.Command {
	var n client.NewInvitation
	cmd := a.subcommand("invite", "print a link with which people create their own accounts",
		func(ctx context.Context, api *client.Client, _ []string) error {
			address, err := publicAddress(ctx, api)
			if err != nil {
				return err
			}
			i, err := api.CreateInvitation(ctx, n)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s%s\nfor %d people, until %s; to revoke it: judged admin invite end %s\n", address.URL, i.Path, i.Uses,
				i.Expires.Local().Format(time.DateTime), i.ID)
			return nil
		})
	cmd.Flags().StringVar(&n.Contest, "contest", "", "the `NAME` of a contest that the account enters")
	cmd.Flags().StringVar(&n.Note, "note", "", "the purpose, for the list")
	cmd.Flags().IntVar(&n.Uses, "uses", 1, "how many accounts can be created")
	cmd.Flags().Float64Var(&n.Days, "days", 7, "valid for this many days: 0.5 is 12 hours")
	list := a.subcommand("list", "list the invitations", func(ctx context.Context, api *client.Client, _ []string) error {
		all, err := api.Invitations(ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, i := range all {
			fmt.Fprintf(t, "%s\t%s\t%d of %d used\tuntil %s\t%s\t%s\n", i.ID, i.State, i.Used, i.Uses,
				i.Expires.Local().Format(time.DateTime), i.Contest, i.Note)
		}
		return t.Flush()
	})
	end := a.subcommand("end <id>", "revoke an invitation", func(ctx context.Context, api *client.Client, args []string) error {
		return api.RevokeInvitation(ctx, args[0])
	})
	cmd.AddCommand(list, end)
	return cmd
}
