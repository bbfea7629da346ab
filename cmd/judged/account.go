package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
)

// account returns the command for accounts.
func (a *admin) account() *cobra.Command {
	cmd := &cobra.Command{Use: "account", Short: "create, list, change and erase accounts"}
	list := a.subcommand("list", "list the accounts", func(ctx context.Context, api *client.Client, _ []string) error {
		people, err := api.Accounts(ctx)
		if err != nil {
			return err
		}
		for _, p := range people {
			state := "logs in"
			switch {
			case p.Disabled:
				state = "disabled"
			case !p.Password:
				state = "tokens only"
			}
			fmt.Fprintf(a.out, "%-24s %-13s %-12s %s\n", p.Login, cmp.Or(p.Role, "-"), state, p.Name)
		}
		return nil
	})
	set := func(use, short string, p client.AccountUpdate) *cobra.Command {
		return a.subcommand(use+" <login>", short, func(ctx context.Context, api *client.Client, args []string) error {
			slip, err := api.UpdateAccount(ctx, args[0], p)
			if err != nil || !p.ResetPassword {
				return err
			}
			return a.printCredentials(ctx, api, []client.Credentials{*slip})
		})
	}
	cmd.AddCommand(a.addAccount(), a.importAccounts(), list, a.role(), a.erase(),
		set("reset", "set a random password and end all sessions", client.AccountUpdate{ResetPassword: true}),
		set("disable", "disable an account, and end its sessions and tokens", client.AccountUpdate{State: "disabled"}),
		set("enable", "enable a disabled account", client.AccountUpdate{State: "enabled"}))
	return cmd
}

func (a *admin) addAccount() *cobra.Command {
	var name, role, contest string
	cmd := a.subcommand("add <login>", "create an account, and print its password",
		func(ctx context.Context, api *client.Client, args []string) error {
			if strings.ContainsAny(name+args[0], "\t\r\n") {
				return &judge.UsageError{Err: errors.New("a name cannot contain line ends or tabs")}
			}
			list := "login\tname\n" + args[0] + "\t" + quoteCSV(cmp.Or(name, args[0]))
			return a.createAccounts(ctx, api, client.NewAccounts{List: []byte(list), Role: role, Contest: contest})
		})
	cmd.Flags().StringVar(&name, "name", "", "the display `NAME` (default: the username)")
	accountFlags(cmd, &role, &contest)
	return cmd
}

// quoteCSV quotes text as a CSV cell.
func quoteCSV(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func accountFlags(cmd *cobra.Command, role, contest *string) {
	cmd.Flags().StringVar(role, "role", "contestant", "contestant, runner, judge, contest-admin or admin")
	cmd.Flags().StringVar(contest, "contest", "", "the `NAME` of a contest that the account enters")
}

func (a *admin) createAccounts(ctx context.Context, api *client.Client, n client.NewAccounts) error {
	slips, err := api.CreateAccounts(ctx, n)
	if err != nil {
		return err
	}
	for _, s := range slips.Existing {
		fmt.Fprintf(a.err, "%s exists already, as %s\n", s.Name, s.Login)
	}
	return a.printCredentials(ctx, api, slips.Created)
}

// printCredentials prints login sheets, to be cut apart.
func (a *admin) printCredentials(ctx context.Context, api *client.Client, slips []client.Credentials) error {
	address, err := publicAddress(ctx, api)
	if err != nil {
		return err
	}
	for _, s := range slips {
		fmt.Fprintf(a.out, "%s\n  at        %s\n  login     %s\n  password  %s\n%s\n", s.Name, address.URL, s.Login, s.Password,
			strings.Repeat("- ", 30))
	}
	return nil
}

func (a *admin) role() *cobra.Command {
	var contest string
	var sites []string
	cmd := a.subcommand("role <login> <role>", "set the role of an account: contestant, runner, judge, contest-admin, admin, or none",
		func(ctx context.Context, api *client.Client, args []string) error {
			_, err := api.UpdateAccount(ctx, args[0], client.AccountUpdate{Role: args[1], Contest: contest, Sites: sites})
			return err
		})
	cmd.Flags().
		StringSliceVar(&sites, "site", nil, "only for teams of the group with this `ID`, which is a site; can be repeated (runner, judge)")
	cmd.Flags().StringVar(&contest, "contest", "", "only in the contest of this `NAME`")
	return cmd
}

func (a *admin) erase() *cobra.Command {
	var sure bool
	cmd := a.subcommand(
		"erase <login>", "erase an account permanently",
		func(ctx context.Context, api *client.Client, args []string) error {
			if !sure {
				return &judge.UsageError{
					Err: fmt.Errorf("this deletes the name, the username and the programs of %s, and cannot be undone\n"+
						"    to confirm, add --sure", args[0]),
				}
			}
			if err := api.EraseAccount(ctx, args[0]); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s is erased; earlier backups still have everything\n", args[0])
			return nil
		},
	)
	cmd.Flags().BoolVar(&sure, "sure", false, "confirm")
	cmd.Long = `Erase deletes the name, the username, the e-mail address, the tokens and the programs of a person,
with the output of their judging. Verdicts and ranks on scoreboards stay, as those of a "deleted user".
Earlier backups keep everything: after you restore one, erase the person again.`
	return cmd
}
