// Package report draws the results of judging and verifying: on the terminal, as lines of JSON, as JUnit XML, and as a
// page of HTML. It also draws statements.
//
// A report depends only on the stream of judge.Events. So Replay draws a saved stream byte for byte as it was drawn live.
// To add a report, add a file with a type that implements Report.
//
// Titles, messages, compiler logs and outputs are untrusted. The package makes them harmless before they reach a terminal
// or a page. It does not judge, does not decide what an event contains, and reads neither flags nor the environment.
package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"assay/judge"
)

// A Report draws events.
type Report interface {
	// Event handles the next event. It is called in order, from one goroutine. It must not change the event.
	Event(judge.Event)
	// Close draws the rest, even if the stream broke off, and returns the first write error. It does not close the
	// writer of the report.
	Close() error
}

// Join returns a report that passes events to several reports.
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

// maxEvent bounds a line of a saved stream, in bytes. A case with all its excerpts has about 20 kB.
const maxEvent = 16 << 20

// Replay passes the events of a saved stream to reports, and closes them. If a line is not valid, it returns an error that
// names the line; the events before it are drawn. It ignores empty lines.
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

// errNotSaved means that a file is not a saved report.
var errNotSaved = errors.New("not a saved report\n    save one with --json, such as: judge submit wythoff sol.py --json > saved.json")
