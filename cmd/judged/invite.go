package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"assay/judge/host/client"
)

// invite is what an admin does with links by which people make accounts for themselves.
func (a *admin) invite() *cobra.Command {
	var n client.NewInvitation
	cmd := a.below("invite", "print a link by which people make accounts for themselves", func(ctx context.Context, api *client.Client, _ []string) error {
		address, err := public(ctx, api)
		if err != nil {
			return err
		}
		i, err := api.NewInvitation(ctx, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s%s\nfor %d people, until %s; take it back: judged admin invite end %s\n", address.URL, i.Path, i.Uses, i.Expires.Local().Format(time.DateTime), i.ID)
		return nil
	})
	cmd.Flags().StringVar(&n.Contest, "contest", "", "the `NAME` of a contest in which they take part")
	cmd.Flags().StringVar(&n.Note, "note", "", "what it is for, for the list")
	cmd.Flags().IntVar(&n.Uses, "uses", 1, "how many may come")
	cmd.Flags().Float64Var(&n.Days, "days", 7, "how long it is good: 0.5 is 12 hours")
	list := a.below("list", "list the invitations", func(ctx context.Context, api *client.Client, _ []string) error {
		all, err := api.Invitations(ctx)
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, i := range all {
			fmt.Fprintf(t, "%s\t%s\t%d of %d came\tuntil %s\t%s\t%s\n", i.ID, i.State, i.Used, i.Uses, i.Expires.Local().Format(time.DateTime), i.Contest, i.Note)
		}
		return t.Flush()
	})
	end := a.below("end <id>", "take an invitation back", func(ctx context.Context, api *client.Client, args []string) error {
		return api.EndInvitation(ctx, args[0])
	})
	cmd.AddCommand(list, end)
	return cmd
}
