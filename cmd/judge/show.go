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

// showing holds the flags of judge show.
type showing struct {
	language string
	html     string
	pdf      string
	golf     bool
	game     bool
}

func showCommand(c *console) *cobra.Command {
	var s showing
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

func (s *showing) run(ctx context.Context, c *console, name string) error {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	folder, faults, err := contest.Load(name)
	if err != nil {
		return err
	}
	if folder == nil {
		return faults
	}
	statement, err := s.read(ctx, contest, folder)
	if err != nil {
		return err
	}
	if s.html != "" {
		if err := s.page(folder.Title, statement); err != nil {
			return err
		}
	}
	if s.pdf != "" {
		return s.printed(ctx, folder.Title, statement)
	}
	if s.html != "" {
		return nil
	}
	width, is := screen(c.out)
	color, err := c.useColor(is)
	if err != nil {
		return err
	}
	if err := report.Statement(c.out, statement.Markdown, width, color, cli.Shown(statement.Pictures)); err != nil {
		return err
	}
	if s.golf || s.game {
		return nil // the rules contain the limits
	}
	if all := folder.Languages(); len(all) > 1 {
		fmt.Fprintf(c.out, "\nlanguages: %s (--language)\n", strings.Join(all, ", "))
	}
	if folder.Limits.CPU > 0 {
		fmt.Fprintf(c.out, "\nlimits for each case: %v of CPU time, %d MiB of memory\n", folder.Limits.CPU, folder.Limits.Memory>>20)
	} else {
		fmt.Fprintf(c.out, "\nlimits for each case: %d MiB of memory; the time limit is computed from the submissions\n", folder.Limits.Memory>>20)
	}
	return nil
}

// read returns the selected statement.
func (s *showing) read(
	ctx context.Context, contest *workspace.Workspace, folder *workspace.Problem,
) (read *workspace.Statement, err error) {
	switch {
	case s.golf && s.game:
		return nil, usageError{errors.New("--golf and --game cannot be combined: choose one statement")}
	case s.language != "" && s.golf:
		return nil, usageError{errors.New("--golf and --language cannot be combined: a golf statement has one language")}
	case s.language != "" && s.game:
		return nil, usageError{errors.New("--game and --language cannot be combined: a game's statement has one language")}
	case s.game:
		if err := folder.CheckGame(); err != nil {
			return nil, fmt.Errorf("%w\n    to show its statement: judge show %s", err, folder.ID)
		}
		text, err := contest.GameStatement(folder)
		return &workspace.Statement{Markdown: text, Pictures: folder.PicturesOf(text, cmp.Or(folder.Game.Statement, folder.Statement()))}, err
	case !s.golf:
		if read, err = folder.ReadStatement(s.language); err != nil || s.html == "" && s.pdf == "" || !workspace.Converted(read.Pictures) {
			return read, err
		}
	}
	if err := contest.Start(workspace.Running{Jobs: 1}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	if read != nil {
		return read, contest.Convert(ctx, read.Pictures)
	}
	text, err := contest.GolfStatement(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &workspace.Statement{Markdown: text, Pictures: folder.PicturesOf(text, cmp.Or(folder.Golf.Statement, folder.Statement()))}, nil
}

// drawn renders a statement as a page that embeds all its files.
func drawn(w io.Writer, title string, s *workspace.Statement) error {
	text, document := s.Markdown, ""
	if d := s.Document; d != nil && s.Only {
		document = cli.DataURL(d.Type, d.Data)
		text = nil
	}
	return report.StatementHTML(w, title, cmp.Or(s.Language, "en"), text, cli.Shown(s.Pictures), document)
}

// page writes the statement to an HTML file.
func (s *showing) page(title string, statement *workspace.Statement) error {
	file, err := os.Create(s.html)
	if err != nil {
		return usageError{fmt.Errorf("--html %s: %w", s.html, errors.Unwrap(err))}
	}
	return errors.Join(drawn(file, title, statement), file.Close())
}
