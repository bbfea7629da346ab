package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/problem"
	"assay/judge/report"
	"assay/judge/workspace"
)

// bookletOptions holds the flags of judge statement.
type bookletOptions struct {
	contest  bool
	title    string
	paper    string
	language string
	html     string
	pdf      string
}

func statementCommand(c *console) *cobra.Command {
	p := bookletOptions{paper: report.Papers[0]}
	cmd := &cobra.Command{
		Use:   "statement [problem...]",
		Short: "print statements on paper: of problems, or a booklet of a contest",
		Long: `Statement prints the statements of problems, each on its own page, with samples and room for
notes. With --contest it prints a booklet with a cover, in which problems have labels. The
booklet contains the named problems in this order, or all problems of the contest.`,
		Example: `  judge statement wythoff --pdf statement.pdf
  judge statement --contest --pdf booklet.pdf --paper letter
  judge statement --contest wythoff sylver --title "Spring contest" --pdf booklet.pdf`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&p.contest, "contest", false, "print a booklet with a cover and with labels")
	f.StringVar(&p.title, "title", "", "title on the cover (default: the name of the contest's directory)")
	cli.ChoiceFlag(f, &p.paper, "paper", "size of the paper: a4 or letter", report.Papers...)
	f.StringVar(&p.language, "language", "", "language of the statements: en, de, ...")
	f.StringVar(&p.pdf, "pdf", "", "print to `FILE`, by an installed Chromium or Chrome")
	f.StringVar(&p.html, "html", "", "write the page that is printed to `FILE`")
	return cmd
}

func (p *bookletOptions) run(ctx context.Context, c *console, names []string) (err error) {
	switch {
	case len(names) == 0 && !p.contest:
		return usageError{
			errors.New("missing: a problem, or --contest for all of the contest\n    judge statement wythoff --pdf statement.pdf"),
		}
	case p.title != "" && !p.contest:
		return usageError{errors.New("--title is for booklets: add --contest")}
	case p.pdf == "" && p.html == "":
		return usageError{errors.New(
			"missing: --pdf FILE, or --html FILE for a page to print from a browser\n    judge show prints a statement to the terminal",
		)}
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	if names, err = contest.SelectProblems(names); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	booklet := &report.Booklet{}
	if p.contest {
		booklet.Title, booklet.About = cmp.Or(p.title, contestName(contest)), fmt.Sprintf("%d problems", len(names))
		if len(names) == 1 {
			booklet.About = "1 problem"
		}
	}
	for i, name := range names {
		one, document, err := p.readProblem(ctx, contest, name)
		if err != nil {
			return err
		}
		if document != nil && document.Type == "application/pdf" && len(names) == 1 && !p.contest && p.html == "" {
			return writeFlagFile("pdf", p.pdf, document.Data)
		}
		if document != nil {
			fmt.Fprintf(c.err, "note: the statement of %s is the file %s: print it separately\n", name, document.Name)
		}
		if p.contest {
			one.Label = label(i)
		}
		booklet.Problems = append(booklet.Problems, *one)
	}
	var page bytes.Buffer
	if err := report.BookletHTML(&page, booklet, p.paper); err != nil {
		return err
	}
	if p.html != "" {
		if err := writeFlagFile("html", p.html, page.Bytes()); err != nil || p.pdf == "" {
			return err
		}
	}
	return printPDF(ctx, page.Bytes(), p.pdf)
}

// readProblem reads a problem for the booklet. If the problem's statement is only a document, read returns that file as
// well.
func (p *bookletOptions) readProblem(
	ctx context.Context, contest *workspace.Workspace, name string,
) (*report.BookletProblem, *workspace.StatementFile, error) {
	folder, faults, err := contest.Load(name)
	if err != nil {
		return nil, nil, err
	}
	if folder == nil {
		return nil, nil, faults
	}
	read, err := folder.ReadStatement(p.language)
	if err != nil {
		return nil, nil, err
	}
	if workspace.NeedsConversion(read.Pictures) {
		if err := contest.Start(workspace.RunOptions{Jobs: 1}); err != nil {
			return nil, nil, err
		}
		if err := contest.ConvertPictures(ctx, read.Pictures); err != nil {
			return nil, nil, err
		}
	}
	one := &report.BookletProblem{
		Title: folder.Title, Language: cmp.Or(read.Language, "en"), CPU: folder.Limits.CPU, Memory: folder.Limits.Memory,
		Markdown: read.Markdown, Pictures: cli.StatementPictures(read.Pictures),
	}
	if read.DocumentOnly {
		one.Document = read.Document.Name
		return one, read.Document, nil
	}
	for _, s := range folder.UnshownSamples(read) {
		one.Samples = append(one.Samples, report.BookletSample(s))
	}
	return one, nil, nil
}

// contestName returns the name of the contest's directory.
func contestName(contest *workspace.Workspace) string {
	dir, err := filepath.Abs(contest.Root)
	if err != nil || contest.IsBundled {
		return "Bundled problems"
	}
	return filepath.Base(dir)
}

// label returns the label of the problem with this index: A to Z, then AA.
func label(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return label(i/26-1) + label(i%26)
}

// writeFlagFile writes the file that a flag names.
func writeFlagFile(flag, path string, data []byte) error {
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return usageError{fmt.Errorf("--%s %s: %s", flag, path, problem.Reason(err))}
	}
	return nil
}
