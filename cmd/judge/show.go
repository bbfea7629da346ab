package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/report"
	"assay/judge/workspace"
)

// showOptions holds the flags of judge show.
type showOptions struct {
	language string
	html     string
	pdf      string
	golf     bool
	game     bool
}

func showCommand(c *console) *cobra.Command {
	var s showOptions
	cmd := &cobra.Command{
		Use:   "show <problem>",
		Short: "show a problem's statement",
		Example: `  judge show wythoff | less -R
  judge show path/to/package --language de
  judge show path/to/package --html statement.html
  judge show wythoff --pdf statement.pdf
  judge show wythoff --golf
  judge show sylver --game`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd.Context(), c, args[0])
		},
	}
	cmd.Flags().StringVar(&s.language, "language", "", "the statement's language, if a problem package has several: en, de, ...")
	cmd.Flags().BoolVar(&s.golf, "golf", false, "the statement for golfers: the domain, how code is called, and what is counted")
	cmd.Flags().BoolVar(
		&s.game, "game", false,
		"the statement for authors of bots: protocol, rules, limits, faults, and example bots",
	)
	cmd.Flags().StringVar(&s.html, "html", "", "write it as a page to `FILE`")
	cmd.Flags().StringVar(&s.pdf, "pdf", "", "print it to `FILE`, by an installed Chromium or Chrome")
	return cmd
}

func (s *showOptions) run(ctx context.Context, c *console, name string) error {
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	problem, faults, err := contest.Load(name)
	if err != nil {
		return err
	}
	if problem == nil {
		return faults
	}
	statement, err := s.readStatement(ctx, contest, problem)
	if err != nil {
		return err
	}
	if s.html != "" {
		if err := s.writeHTML(problem.Title, statement); err != nil {
			return err
		}
	}
	if s.pdf != "" {
		return s.writePDF(ctx, problem.Title, statement)
	}
	if s.html != "" {
		return nil
	}
	width, is := terminalSize(c.out)
	color, err := c.useColor(is)
	if err != nil {
		return err
	}
	if err := report.Statement(c.out, statement.Markdown, width, color, cli.StatementPictures(statement.Pictures)); err != nil {
		return err
	}
	if s.golf || s.game {
		return nil // the rules contain the limits
	}
	if all := problem.Languages(); len(all) > 1 {
		fmt.Fprintf(c.out, "\nlanguages: %s (--language)\n", strings.Join(all, ", "))
	}
	if problem.Limits.CPU > 0 {
		fmt.Fprintf(c.out, "\nlimits for each case: %v of CPU time, %d MiB of memory\n", problem.Limits.CPU, problem.Limits.Memory>>20)
	} else {
		fmt.Fprintf(
			c.out, "\nlimits for each case: %d MiB of memory; the time limit is computed from the submissions\n", problem.Limits.Memory>>20,
		)
	}
	return nil
}

// readStatement returns the selected statement.
func (s *showOptions) readStatement(
	ctx context.Context, contest *workspace.Workspace, problem *workspace.Problem,
) (read *workspace.Statement, err error) {
	switch {
	case s.golf && s.game:
		return nil, usageError{errors.New("--golf and --game cannot be combined: choose one statement")}
	case s.language != "" && s.golf:
		return nil, usageError{errors.New("--golf and --language cannot be combined: a golf statement has one language")}
	case s.language != "" && s.game:
		return nil, usageError{errors.New("--game and --language cannot be combined: a game's statement has one language")}
	case s.game:
		if err := problem.CheckGame(); err != nil {
			return nil, fmt.Errorf("%w\n    to show its statement: judge show %s", err, problem.ID)
		}
		text, err := contest.GameStatement(problem)
		return &workspace.Statement{
			Markdown: text, Pictures: problem.ReadPictures(text, cmp.Or(problem.Game.Statement, problem.Statement())),
		}, err
	case !s.golf:
		if read, err = problem.ReadStatement(s.language); err != nil || s.html == "" && s.pdf == "" ||
			!workspace.NeedsConversion(read.Pictures) {
			return read, err
		}
	}
	if err := contest.Start(workspace.RunOptions{Jobs: 1}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	if read != nil {
		return read, contest.ConvertPictures(ctx, read.Pictures)
	}
	text, err := contest.GolfStatement(ctx, problem)
	if err != nil {
		return nil, err
	}
	return &workspace.Statement{
		Markdown: text, Pictures: problem.ReadPictures(text, cmp.Or(problem.Golf.Statement, problem.Statement())),
	}, nil
}

// renderStatement renders a statement as a page that embeds all its files.
func renderStatement(w io.Writer, title string, s *workspace.Statement) error {
	text, document := s.Markdown, ""
	if d := s.Document; d != nil && s.DocumentOnly {
		data := d.Data
		if !d.IsPDF() {
			data = report.DocumentHTML(data, cli.StatementPictures(s.Pictures))
		}
		document = report.DataURL(d.Type, data)
		text = nil
	}
	return report.StatementHTML(w, title, cmp.Or(s.Language, "en"), text, cli.StatementPictures(s.Pictures), document)
}

// writeHTML writes the statement to an HTML file.
func (s *showOptions) writeHTML(title string, statement *workspace.Statement) error {
	file, err := os.Create(s.html)
	if err != nil {
		return usageError{fmt.Errorf("--html %s: %w", s.html, errors.Unwrap(err))}
	}
	return errors.Join(renderStatement(file, title, statement), file.Close())
}
