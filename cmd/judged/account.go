package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/roster"
)

// account is what an admin does with accounts: they log in, in a browser.
func (a *admin) account() *cobra.Command {
	cmd := &cobra.Command{Use: "account", Short: "make accounts for people, list them, make new passwords, erase people"}
	list := a.below("list", "list the accounts", func(ctx context.Context, api *client.Client, _ []string) error {
		people, err := api.People(ctx)
		if err != nil {
			return err
		}
		for _, p := range people {
			state := "logs in"
			switch {
			case p.Disabled:
				state = "shut out"
			case !p.Password:
				state = "tokens only"
			}
			fmt.Fprintf(a.out, "%-24s %-13s %-12s %s\n", p.Login, cmp.Or(p.Role, "-"), state, p.Name)
		}
		return nil
	})
	set := func(use, short string, p client.SetPerson) *cobra.Command {
		return a.below(use+" <login>", short, func(ctx context.Context, api *client.Client, args []string) error {
			slip, err := api.SetPerson(ctx, args[0], p)
			if err != nil || !p.Reset {
				return err
			}
			return a.slips(ctx, api, []client.Slip{*slip})
		})
	}
	cmd.AddCommand(a.addAccount(), a.importAccounts(), list, a.role(), a.erase(), set("reset", "make a new password, which ends all sessions", client.SetPerson{Reset: true}),
		set("disable", "shut an account out, with all its sessions and tokens", client.SetPerson{State: "out"}), set("enable", "let it in again", client.SetPerson{State: "in"}))
	return cmd
}

func (a *admin) addAccount() *cobra.Command {
	var name, role, contest string
	cmd := a.below("add <login>", "make an account, and print its password", func(ctx context.Context, api *client.Client, args []string) error {
		if strings.ContainsAny(name+args[0], "\t\r\n") {
			return &judge.Misuse{Err: errors.New("a name has no line ends and tabs")}
		}
		list := "login\tname\n" + args[0] + "\t" + quoted(cmp.Or(name, args[0]))
		return a.newPeople(ctx, api, client.NewPeople{List: []byte(list), Role: role, Contest: contest})
	})
	cmd.Flags().StringVar(&name, "name", "", "what people read; not set, the login")
	accountFlags(cmd, &role, &contest)
	return cmd
}

// quoted is a cell of a table.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func accountFlags(cmd *cobra.Command, role, contest *string) {
	cmd.Flags().StringVar(role, "role", "contestant", "contestant, runner, judge, contest-admin or admin")
	cmd.Flags().StringVar(contest, "contest", "", "the `NAME` of a contest in which they take part")
}

func (a *admin) importAccounts() *cobra.Command {
	var n client.NewPeople
	const short = "create accounts from a list, and print a login sheet for each"
	cmd := a.below("import <file>", short, func(ctx context.Context, api *client.Client, args []string) error {
		list, err := a.list(args[0])
		if err != nil {
			return err
		}
		n.List = list
		return a.importList(ctx, api, n)
	})
	cmd.Long = `Import creates an account for each person on a list, and prints a login sheet with a password for each. The
passwords are not shown again. First it prints what it found in the list to standard error. With
--dry-run it prints that to standard output, with each row, and creates nothing.

The list has a name in each line, or is a table as spreadsheet programs save it (CSV, or text with tabs),
in UTF-8, UTF-16 with a byte order mark, or Windows-1252. The first line of a table names the columns in
English, German, French or Spanish: name, or first name and last name; username; e-mail; password; team;
group or class. Other columns are ignored. People who have an account keep it. "-" reads standard input.`
	accountFlags(cmd, &n.Role, &n.Contest)
	cmd.Flags().BoolVar(&n.DryRun, "dry-run", false, "print what the import would do, and create nothing")
	cmd.Flags().BoolVar(&n.SkipErrors, "skip-errors", false, "leave out rows with errors (default: any error stops the import)")
	return cmd
}

// importList previews a list, and imports just what the preview says.
func (a *admin) importList(ctx context.Context, api *client.Client, n client.NewPeople) error {
	check := n
	check.DryRun = true
	found, err := api.NewPeople(ctx, check)
	if err != nil {
		return err
	}
	p := &found.Preview
	if n.DryRun {
		previewRows(a.out, p)
		preview(a.out, p)
		fmt.Fprintln(a.out, "This was a dry run: nothing was created.")
	} else {
		preview(a.err, p)
	}
	if p.Wrong > 0 && !n.SkipErrors {
		return fmt.Errorf("%w\n    correct the list, or leave these rows out with --skip-errors", p.Errors())
	}
	if n.DryRun {
		return nil
	}
	n.Seen = p.Digest
	return a.newPeople(ctx, api, n)
}

// previewRows prints each row of a list.
func previewRows(to io.Writer, p *roster.Preview) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LINE\tRESULT\tUSERNAME\tNAME\tE-MAIL\tTEAM\tGROUPS\tNOTE")
	cell := func(text string) string {
		return cmp.Or(strings.Join(strings.Fields(text), " "), "-")
	}
	for _, r := range p.Rows {
		note := cmp.Or(r.Wrong, strings.Join(r.Notes, "; "))
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Line, r.State, cell(r.Login), cell(r.Name),
			cell(r.Email), cell(r.Team), cell(strings.Join(r.Groups, ", ")), note)
	}
	_ = w.Flush()
}

// preview prints what was found in a list, and what its import does.
func preview(to io.Writer, p *roster.Preview) {
	format := p.Encoding
	if s := p.SeparatorName(); s != "" {
		format += ", separator " + s
	}
	fmt.Fprintf(to, "list: %s\n", format)
	var used []string
	for _, c := range p.Columns {
		if c.Field != "" {
			used = append(used, fmt.Sprintf("%q (%s)", c.Title, c.Field))
		}
	}
	if used != nil {
		fmt.Fprintf(to, "columns: %s\n", strings.Join(used, ", "))
	}
	for _, title := range p.Ignored() {
		fmt.Fprintf(to, "ignored column: %q\n", title)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(to, "note: %s\n", note)
	}
	fmt.Fprintf(to, "new accounts: %d, existing accounts: %d, new teams: %d, rows with errors: %d\n", p.New, p.Existing, p.Teams, p.Wrong)
}

// list reads the list that a command names.
func (a *admin) list(file string) ([]byte, error) {
	const most = 1 << 20
	in := a.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, &judge.Misuse{Err: err}
		}
		defer f.Close()
		in = f
	}
	list, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(list) > most {
		err = fmt.Errorf("%s has more than %d bytes: it is not a list of people", file, most)
	}
	if err != nil {
		return nil, &judge.Misuse{Err: err}
	}
	return list, nil
}

func (a *admin) newPeople(ctx context.Context, api *client.Client, n client.NewPeople) error {
	slips, err := api.NewPeople(ctx, n)
	if err != nil {
		return err
	}
	for _, s := range slips.There {
		fmt.Fprintf(a.err, "%s is there already, as %s\n", s.Name, s.Login)
	}
	return a.slips(ctx, api, slips.Made)
}

// slips prints what people log in with, to be cut apart.
func (a *admin) slips(ctx context.Context, api *client.Client, slips []client.Slip) error {
	address, err := public(ctx, api)
	if err != nil {
		return err
	}
	for _, s := range slips {
		fmt.Fprintf(a.out, "%s\n  at        %s\n  login     %s\n  password  %s\n%s\n", s.Name, address.URL, s.Login, s.Password, strings.Repeat("- ", 30))
	}
	return nil
}

func (a *admin) role() *cobra.Command {
	var contest string
	cmd := a.below("role <login> <role>", "say what an account may do: contestant, runner, judge, contest-admin, admin, or none", func(ctx context.Context, api *client.Client, args []string) error {
		_, err := api.SetPerson(ctx, args[0], client.SetPerson{Role: args[1], Contest: contest})
		return err
	})
	cmd.Flags().StringVar(&contest, "contest", "", "only in the contest of this `NAME`")
	return cmd
}

func (a *admin) erase() *cobra.Command {
	var sure bool
	cmd := a.below("erase <login>", "take a person out of the server, for ever", func(ctx context.Context, api *client.Client, args []string) error {
		if !sure {
			return &judge.Misuse{Err: fmt.Errorf("this deletes the name, the login and the programs of %s, and cannot be undone\n    if you want that, say so: --sure", args[0])}
		}
		if err := api.ErasePerson(ctx, args[0]); err != nil {
			return err
		}
		fmt.Fprintf(a.out, "%s is erased; backups that were made before still have everything\n", args[0])
		return nil
	})
	cmd.Flags().BoolVar(&sure, "sure", false, "do it")
	cmd.Long = `Erase deletes the name, the login, the address, the tokens and the programs of a person, and
what was said when they were judged. Verdicts and places on boards stay, as those of a "deleted
user". Backups that were made before keep everything: after one is restored, erase the person again.`
	return cmd
}
