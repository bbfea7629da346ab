// Package report draws what people see of judging and verifying: on the
// terminal, as lines of JSON, as JUnit XML and as a page of HTML.
//
// Reports only listen. Each one is drawn from the stream of judge.Event alone, so
// that Replay redraws a saved stream byte for byte. A new report is one file with
// a Report in it.
//
// The package does not judge, and does not decide what goes into an event. It
// reads neither flags nor the environment; it trusts no text that it is given:
// titles, messages, compilers' logs and outputs are made harmless before they
// reach a terminal or a page.
package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"assay/judge"
)

// Report listens to events and draws them.
type Report interface {
	// Event takes the next event. Events come in order, from one goroutine, and
	// must not be changed.
	Event(judge.Event)
	// Close draws what is left, also where the stream broke off, and returns the
	// first error of writing. It does not close what the report was written to.
	Close() error
}

// Join makes one report of several.
func Join(reports ...Report) Report { return joined(reports) }

type joined []Report

func (j joined) Event(e judge.Event) {
	for _, r := range j {
		r.Event(e)
	}
}

func (j joined) Close() error {
	errs := make([]error, len(j))
	for i, r := range j {
		errs[i] = r.Close()
	}
	return errors.Join(errs...)
}

// maxEvent bounds a line of a saved stream, in bytes. A case with all its
// excerpts takes some 20 kB.
const maxEvent = 16 << 20

// Replay sends the events of a saved stream to the reports, and closes them. An
// error names the line; what came before it was drawn. Empty lines do not count
// as events.
func Replay(r io.Reader, reports ...Report) error {
	all := Join(reports...)
	return errors.Join(replay(r, all), all.Close())
}

func replay(r io.Reader, to Report) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxEvent)
	n, events := 0, 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		e, err := judge.DecodeEvent(line)
		if err != nil && events == 0 && line[0] != '{' {
			return errNotSaved
		}
		if err != nil {
			return fmt.Errorf("line %d of the saved report: %w", n, err)
		}
		events++
		to.Event(e)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d of the saved report: %w", n+1, err)
	}
	if events == 0 {
		return errors.New("the saved report is empty: it is made with --json")
	}
	return nil
}

// errNotSaved says that a file is not a saved report.
var errNotSaved = errors.New("not a saved report\n    save one with --json, such as: judge submit wythoff sol.py --json > saved.json")
