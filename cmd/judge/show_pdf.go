package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/report"
	"assay/judge/workspace"
)

// browsers lists the names, on different systems, of browsers that can print pages.
var browsers = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// printTimeout is the time limit for printing with a browser.
const printTimeout = 2 * time.Minute

// writePDF writes the statement as a PDF file. If the statement is a PDF file, it is copied.
func (s *showOptions) writePDF(ctx context.Context, title string, statement *workspace.Statement) error {
	if d := statement.Document; d != nil && statement.DocumentOnly && d.Type == "application/pdf" {
		return writeFlagFile("pdf", s.pdf, d.Data)
	}
	var page bytes.Buffer
	if err := renderStatement(&page, title, statement); err != nil {
		return err
	}
	return printPDF(ctx, page.Bytes(), s.pdf)
}

// printPDF prints a page to a file with an installed browser.
func printPDF(ctx context.Context, page []byte, file string) error {
	browser := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		return &judge.UsageError{
			Err: fmt.Errorf(
				"--pdf needs Chromium or Chrome, but none of these was found: %s\n"+
					"    install the package chromium (on Ubuntu chromium-browser), or print the page of --html from any browser",
				strings.Join(browsers, ", "),
			),
		}
	}
	dir, err := os.MkdirTemp("", "assay-print-")
	if err != nil {
		return fmt.Errorf("print the statement: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // including the browser's temporary directory
	from, to := filepath.Join(dir, "statement.html"), filepath.Join(dir, "statement.pdf")
	if err := os.WriteFile(from, page, 0o600); err != nil {
		return fmt.Errorf("print the statement: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, printTimeout)
	defer cancel()
	args := []string{
		"--headless", "--disable-gpu", "--no-pdf-header-footer",
		"--user-data-dir=" + filepath.Join(dir, "profile"), "--print-to-pdf=" + to,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // as root, it refuses to run sandboxed; the page has no scripts
	}
	print := exec.CommandContext(ctx, browser, append(args, "file://"+filepath.ToSlash(from))...)
	if runtime.GOOS == "linux" { // it makes a socket there, and socket paths are limited to 108 characters
		print.Env = append(os.Environ(), "TMPDIR=/tmp")
	}
	said, err := print.CombinedOutput()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	made, missing := os.ReadFile(to)
	if err = errors.Join(err, missing); err != nil {
		return fmt.Errorf("%s did not print the statement: %w\n%s", filepath.Base(browser), err, report.Lines(
			string(said[max(len(said)-1000, 0):]), "    ",
		))
	}
	return writeFlagFile("pdf", file, made)
}
