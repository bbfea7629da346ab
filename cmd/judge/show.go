package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/report"
	"assay/judge/workspace"
)

// showing are the flags of judge show.
type showing struct {
	language string
	html     string
}

func showCommand(c *console) *cobra.Command {
	var s showing
	cmd := &cobra.Command{
		Use:     "show <problem>",
		Short:   "show a problem's statement",
		Example: "  judge show wythoff | less -R\n  judge show path/to/package --language de\n  judge show path/to/package --html statement.html",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(c, args[0])
		},
	}
	cmd.Flags().StringVar(&s.language, "language", "", "the statement's language, where a problem package has several: en, de, ...")
	cmd.Flags().StringVar(&s.html, "html", "", "write it as a page to `FILE`")
	return cmd
}

func (s *showing) run(c *console, name string) error {
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	folder, faults, err := contest.Folder(name)
	if err != nil {
		return err
	}
	if folder == nil {
		return faults
	}
	text, err := s.statement(folder)
	if err != nil {
		return err
	}
	if s.html != "" {
		return s.page(folder.Title, text)
	}
	width, is := screen(c.out)
	colour, err := c.useColour(is)
	if err != nil {
		return err
	}
	if err := report.Statement(c.out, text, width, colour); err != nil {
		return err
	}
	if folder.Limits.CPU > 0 {
		fmt.Fprintf(c.out, "\nlimits for each case: %v of CPU time, %d MiB\n", folder.Limits.CPU, folder.Limits.Memory>>20)
	} else {
		fmt.Fprintf(c.out, "\nlimits for each case: %d MiB; the time limit is found out from the submissions\n", folder.Limits.Memory>>20)
	}
	return nil
}

// statement reads the statement as Markdown.
func (s *showing) statement(f *workspace.Problem) ([]byte, error) {
	if f.Package != nil {
		text, err := f.Package.Markdown(s.language)
		return []byte(text), err
	}
	if s.language != "" {
		return nil, usageError{fmt.Errorf("--language %s: %s has its statement in one language", s.language, f.ID)}
	}
	text, err := os.ReadFile(f.Statement())
	if err != nil {
		return nil, f.Lint()
	}
	return text, nil
}

// page writes the statement as a page.
func (s *showing) page(title string, text []byte) error {
	file, err := os.Create(s.html)
	if err != nil {
		return usageError{fmt.Errorf("--html: %w", err)}
	}
	return errors.Join(report.StatementHTML(file, title, text), file.Close())
}
