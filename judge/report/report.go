// Package report presents the results of judging and verifying: on the terminal, as JSON lines, as JUnit XML, and
// as an HTML page. It also renders statements.
//
// A report depends only on the stream of judge.Events. So replaying a saved stream gives the same bytes as the
// live report. To add a report, add a file with a type that implements Report.
//
// Titles, messages, compiler logs and outputs are untrusted. The package makes them harmless before they reach a
// terminal or a page. It does not judge, does not decide what an event contains, and reads neither flags nor the
// environment.
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
	// Event handles the next event, which it must not change. Calls are sequential.
	Event(judge.Event)
	// Close writes everything that has not been written yet, even if the stream broke off. It returns the first
	// write error, and does not close the underlying writer.
	Close() error
}

// Multi returns a report that passes each event to several reports.
func Multi(reports ...Report) Report { return joined(reports) }

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

// maxEvent is the maximum size of a line in a saved stream, in bytes. A case with all its excerpts has about 20
// kB.
const maxEvent = 16 << 20

// Replay passes the events of a saved stream to reports, and closes them. For an invalid line, it returns an error
// that includes the line number, after it has passed on the events before it. It ignores empty lines.
func Replay(r io.Reader, reports ...Report) error {
	all := Multi(reports...)
	return errors.Join(replay(r, all), all.Close())
}

func replay(r io.Reader, target Report) error {
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
		target.Event(e)
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
