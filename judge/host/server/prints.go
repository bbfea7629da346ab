package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/printing"
	"assay/judge/host/store"
)

const (
	printCheckEvery     = time.Second      // interval between two checks for prints
	printTimeout        = 30 * time.Second // time limit of the print command
	printAbandonedAfter = 2 * printTimeout // time after which a print's server must have stopped
)

// printInterrupted is the reason for a failed print whose server stopped.
const printInterrupted = "the server ended while it printed: check whether the pages were printed"

// printLoop runs the print command for the files that teams send, one at a time.
func (s *Server) printLoop(ctx context.Context) {
	for {
		if err := s.printAll(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("print files of teams", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(printCheckEvery):
		}
	}
}

// printAll prints all waiting files.
func (s *Server) printAll(ctx context.Context) error {
	if err := s.store.AbandonPrints(ctx, printAbandonedAfter, printInterrupted); err != nil {
		return err
	}
	for ctx.Err() == nil {
		p, err := s.store.NextPrint(ctx)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		taken, err := s.store.SetPrint(ctx, p, store.Printing, "", "")
		if err != nil {
			return err
		}
		if !taken { // another server or a person has taken it
			continue
		}
		p.State = store.Printing
		to, reason := store.Printed, ""
		if err := s.print(ctx, p); err != nil {
			to, reason = store.PrintFailed, err.Error()
			s.o.Log.Warn("the print command failed", "contest", p.Contest, "print", p.Number, "error", err)
		}
		if _, err := s.store.SetPrint(context.WithoutCancel(ctx), p, to, "", reason); err != nil {
			return err
		}
	}
	return nil
}

// print runs the print command for a print.
func (s *Server) print(ctx context.Context, p *store.Print) error {
	c, err := s.store.Contest(ctx, p.Contest)
	if err != nil {
		return err
	}
	team, err := s.store.TeamByID(ctx, p.Team)
	if err != nil {
		return err
	}
	pages, err := printing.Pages(p.Body)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "assay-print-")
	if err != nil {
		return fmt.Errorf("make a directory for the file to print: %w", err)
	}
	defer os.RemoveAll(dir)
	file, head := filepath.Join(dir, "print.txt"), intake.PrintHead(c, team, p)
	if err := os.WriteFile(file, []byte(printing.Document(head, pages)), 0o600); err != nil {
		return fmt.Errorf("write the file to print: %w", err)
	}
	var argv []string
	for _, a := range s.o.PrintCommand {
		argv = append(argv, strings.ReplaceAll(a, "{file}", file))
	}
	within := cmp.Or(s.o.PrintTimeout, printTimeout)
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	kill := startInGroup(cmd)
	cmd.Dir, cmd.WaitDelay = s.o.Root, time.Second
	cmd.Env = append(
		os.Environ(), "ASSAY_CONTEST="+c.Slug, "ASSAY_TEAM="+head.Team, "ASSAY_TEAM_ID="+head.Number,
		"ASSAY_SEAT="+head.Seat,
		"ASSAY_GROUPS="+strings.Join(
			head.Groups, ", ",
		),
		"ASSAY_FILE="+head.File, "ASSAY_LANGUAGE="+head.Language, fmt.Sprint("ASSAY_PAGES=", p.Pages),
	)
	out, err := cmd.CombinedOutput()
	if err != nil {
		kill() // otherwise a child process could still print after a retry
	}
	switch output := strings.TrimSpace(string(out)); {
	case err == nil:
		return nil
	case ctx.Err() == context.DeadlineExceeded:
		return fmt.Errorf("print_command did not end within %g s", within.Seconds())
	case ctx.Err() != nil:
		return errors.New(printInterrupted)
	case errors.Is(err, exec.ErrWaitDelay):
		return errors.New("print_command ended, and what it started went on: it must wait for that")
	case output != "":
		const most = 300
		return fmt.Errorf("print_command: %w: %s", err, output[max(0, len(output)-most):])
	default:
		return fmt.Errorf("print_command: %w", err)
	}
}
