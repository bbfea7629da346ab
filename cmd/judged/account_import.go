package main

import (
	"cmp"
	"context"
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

func (a *admin) importAccounts() *cobra.Command {
	var n client.NewAccounts
	const short = "create accounts from a list, and print a login sheet for each"
	cmd := a.subcommand("import <file>", short, func(ctx context.Context, api *client.Client, args []string) error {
		list, err := a.readList(args[0])
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

// importList previews a list, and then imports exactly the previewed list.
func (a *admin) importList(ctx context.Context, api *client.Client, n client.NewAccounts) error {
	check := n
	check.DryRun = true
	found, err := api.CreateAccounts(ctx, check)
	if err != nil {
		return err
	}
	p := &found.Preview
	if n.DryRun {
		printPreviewRows(a.out, p)
		printPreview(a.out, p)
		fmt.Fprintln(a.out, "This was a dry run: nothing was created.")
	} else {
		printPreview(a.err, p)
	}
	if p.Wrong > 0 && !n.SkipErrors {
		return fmt.Errorf("%w\n    correct the list, or leave these rows out with --skip-errors", p.Errors())
	}
	if n.DryRun {
		return nil
	}
	n.PreviewDigest = p.Digest
	return a.createAccounts(ctx, api, n)
}

// printPreviewRows prints each row of a list.
func printPreviewRows(out io.Writer, p *roster.Preview) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
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

// printPreview prints what a list contains, and what the import would do.
func printPreview(out io.Writer, p *roster.Preview) {
	format := p.Encoding
	if s := p.SeparatorName(); s != "" {
		format += ", separator " + s
	}
	fmt.Fprintf(out, "list: %s\n", format)
	var used []string
	for _, c := range p.Columns {
		if c.Field != "" {
			used = append(used, fmt.Sprintf("%q (%s)", c.Title, c.Field))
		}
	}
	if used != nil {
		fmt.Fprintf(out, "columns: %s\n", strings.Join(used, ", "))
	}
	for _, title := range p.Ignored() {
		fmt.Fprintf(out, "ignored column: %q\n", title)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(out, "note: %s\n", note)
	}
	fmt.Fprintf(out, "new accounts: %d, existing accounts: %d, new teams: %d, rows with errors: %d\n", p.New, p.Existing, p.Teams, p.Wrong)
}

// readList reads the list from the file named on the command line.
func (a *admin) readList(file string) ([]byte, error) {
	const most = 1 << 20
	in := a.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, &judge.UsageError{Err: err}
		}
		defer f.Close()
		in = f
	}
	list, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && len(list) > most {
		err = fmt.Errorf("%s has more than %d bytes: it is not a list of people", file, most)
	}
	if err != nil {
		return nil, &judge.UsageError{Err: err}
	}
	return list, nil
}
