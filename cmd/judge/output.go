package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/report"
)

// outputOptions holds the flags of every command that renders events.
type outputOptions struct {
	json  bool
	junit string
	html  string
	// problem is the problem as the user named it, for commands in hints. If empty, the problem's id is used.
	problem string
	server  string // server that judges; empty means this machine
	// statement is included in the HTML page. If nil, the page has no statement.
	statement *report.EnclosedStatement
}

func (d *outputOptions) flags(f *pflag.FlagSet) {
	d.jsonFlag(f)
	f.StringVar(&d.junit, "junit", "", "write a JUnit report to `FILE`")
	d.htmlFlag(f)
}

func (d *outputOptions) jsonFlag(f *pflag.FlagSet) {
	f.BoolVar(&d.json, "json", false, "instead, write the events as lines of JSON, for judge report")
}

func (d *outputOptions) htmlFlag(f *pflag.FlagSet) {
	f.StringVar(&d.html, "html", "", "write an HTML page to `FILE`")
}

// withReports opens the reports, calls f with a function that sends events to them, and closes them. In text output,
// problem errors are written to standard error.
func (d *outputOptions) withReports(c *console, f func(tell func(judge.Event)) error) error {
	out, err := d.open(c)
	if err != nil {
		return err
	}
	err = f(func(e judge.Event) {
		if found, ok := e.(*judge.ProblemErrorFound); ok && !d.json {
			fmt.Fprintln(c.err, found.Fault)
			return
		}
		out.Event(e)
	})
	return errors.Join(err, out.Close())
}

// open opens the reports that the flags select.
func (d *outputOptions) open(c *console) (report.Report, error) {
	var reports []report.Report
	if d.json {
		reports = append(reports, c.withNotices(report.JSON(c.out)))
	} else {
		terminal, err := c.terminal(d.problem, d.server)
		if err != nil {
			return nil, err
		}
		reports = append(reports, c.withNotices(terminal))
	}
	for _, file := range []struct {
		path string
		make func(io.Writer) report.Report
	}{{d.junit, report.JUnit}, {d.html, report.HTMLWith(d.statement)}} {
		if file.path == "" {
			continue
		}
		made, err := newReportFile(file.path, file.make)
		if err != nil {
			return nil, usageError{err}
		}
		reports = append(reports, made)
	}
	return report.Multi(reports...), nil
}

// terminalSize returns the width of the terminal out, or zero if out is not a terminal. It also reports whether the
// terminal supports escape sequences. A dumb terminal does not.
func terminalSize(out io.Writer) (width int, isTerminal bool) {
	if w, ok := out.(*cli.ErrorWriter); ok {
		out = w.Out
	}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil && os.Getenv("TERM") != "dumb"
}

// terminal returns the report for human readers. The parameter problem is the problem as the user named it; if
// empty, the problem's id is used. The parameter to is the server that judges; if empty, this machine judges.
func (c *console) terminal(problem, server string) (report.Report, error) {
	width, is := terminalSize(c.out)
	color, err := c.useColor(is)
	if err != nil {
		return nil, err
	}
	return report.Terminal(c.out, report.TerminalOptions{
		Color: color, Live: is && !c.quiet, Width: width, Now: time.Now, Problem: problem, Server: server,
	}), nil
}

func (c *console) useColor(terminal bool) (bool, error) {
	color, err := report.UseColor(c.color, terminal, os.Getenv("NO_COLOR"))
	if err != nil {
		return false, usageError{err}
	}
	return color, nil
}

// reportFile is a report that is written to a temporary file and renamed when it is complete.
type reportFile struct {
	report.Report
	path     string
	tmp      *os.File
	hasEvent bool // an event
}

// Event draws an event.
func (f *reportFile) Event(e judge.Event) {
	f.hasEvent = true
	f.Report.Event(e)
}

func newReportFile(path string, make func(io.Writer) report.Report) (report.Report, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return nil, fmt.Errorf("write a report to %s: %w", path, err)
	}
	return &reportFile{Report: make(tmp), path: path, tmp: tmp}, nil
}

func (f *reportFile) Close() error {
	defer os.Remove(f.tmp.Name()) // after the rename there is nothing to remove
	err := errors.Join(f.Report.Close(), f.tmp.Chmod(0o644), f.tmp.Close())
	if err == nil && f.hasEvent { // without events there is no report
		err = os.Rename(f.tmp.Name(), f.path)
	}
	if err != nil {
		return fmt.Errorf("write a report to %s: %w", f.path, err)
	}
	return nil
}
