package job

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"assay/judge"
	"assay/judge/blob"
)

// Encode encodes a spec for the queue.
func (s *Spec) Encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the job %s: %w", s.ID, err)
	}
	if len(data) > MaxSpec {
		return nil, fmt.Errorf("the job %s is %d bytes; the limit is %d", s.ID, len(data), MaxSpec)
	}
	return data, nil
}

// DecodeSpec decodes an encoded spec. It ignores fields of later versions.
func DecodeSpec(data []byte) (*Spec, error) {
	s := &Spec{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("read a job: %w", err)
	}
	if s.ID == "" || s.Token == "" {
		return nil, errors.New("read a job: it has no id or no token")
	}
	return s, s.Check()
}

// Encode encodes a result for the queue.
func (r *Result) Encode() ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the result of job %s: %w", r.Job, err)
	}
	return data, nil
}

// DecodeResult decodes an encoded result. The worker may send anything. If the result contains values that the
// judge does not know, DecodeResult returns a failure of the worker instead.
func DecodeResult(data []byte) (*Result, error) {
	r := &Result{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read a result: %w", err)
	}
	switch {
	case r.Job == "" || r.Worker == "":
		return nil, errors.New("read a result: it names no job or no worker")
	case r.State != Done && r.State != Failed && r.State != GivenUp:
		return nil, fmt.Errorf("read the result of job %.64q: the state %.40q is not known", r.Job, r.State)
	case len(r.Events) > MaxEvents:
		return nil, fmt.Errorf("read the result of job %.64q: its events are %d bytes; the limit is %d", r.Job, len(r.Events), MaxEvents)
	}
	if err := r.check(); err != nil {
		r.MarkUnreadable(err)
	}
	return r, nil
}

// maxDetailed is the number of failing test cases that keep the details of their failure.
const maxDetailed = 20

// Pack compresses events to at most MaxEvents bytes, and returns the rows of the test cases. Only the first
// failing test cases keep the details of their failures. If the events are still too large, all test cases lose
// their details, and then events of accepted test cases are left out. A Noted event reports this. If there are too
// many test cases for a message, only some get a row, failed ones first. The number of rows does not affect the
// events.
func Pack(events []judge.Event) (packed []byte, rows []CaseRow, err error) {
	for _, e := range events {
		if c, ok := e.(*judge.CaseJudged); ok && !c.Static {
			rows = append(rows, CaseRow{
				Case: c.ID(), Verdict: c.Verdict, CPUUS: c.Exec.CPU.Microseconds(), WallUS: c.Exec.Wall.Microseconds(),
				Memory: c.Exec.Memory, Score: c.Score,
			})
		}
	}
	rows = fitRows(rows)
	for _, less := range []struct {
		keep     int
		accepted bool
		note     string
	}{
		{maxDetailed, true, ""},
		{0, true, "the details of the failing cases are left out: they are too large to keep"},
		{0, false, "the accepted cases and all details are left out: they are too large to keep"},
	} {
		packed, err = packEvents(dropDetails(events, less.keep, less.accepted, less.note))
		if err == nil && len(packed) <= MaxEvents {
			return packed, rows, nil
		}
		if err != nil && !errors.Is(err, errTooLarge) {
			return nil, nil, err
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, fmt.Errorf("the events are %d bytes even without details; the limit is %d", len(packed), MaxEvents)
}

// PackLines compresses lines, which must not contain line breaks.
func PackLines(lines [][]byte) ([]byte, error) {
	packed, err := compress(func(write func([]byte) error) error {
		for _, l := range lines {
			if err := write(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(packed) > MaxEvents {
		err = fmt.Errorf("the lines of the job are %d bytes when compressed; the limit is %d", len(packed), MaxEvents)
	}
	return packed, err
}

// fitRows removes rows that do not fit in a message: first the rows of accepted test cases, then the last ones.
func fitRows(rows []CaseRow) []CaseRow {
	for _, keep := range []func(CaseRow) bool{
		func(CaseRow) bool { return true },
		func(r CaseRow) bool { return r.Verdict != judge.Accepted },
	} {
		var remaining []CaseRow
		size := 0
		for _, r := range rows {
			if keep(r) {
				remaining, size = append(remaining, r), size+len(r.Case)+rowSize
			}
		}
		if rows = remaining; size <= maxRows {
			return rows
		}
	}
	size := 0
	for i, r := range rows {
		if size += len(r.Case) + rowSize; size > maxRows {
			return rows[:i]
		}
	}
	return rows
}

// rowSize is the approximate size of a row in bytes, excluding the name of the test case.
const rowSize = 120

// dropDetails returns a copy of the events in which only the first keep failing test cases have details. If accepted is
// false, it omits accepted test cases. If note is not empty, it adds a Noted event before the Finished event.
func dropDetails(events []judge.Event, keep int, accepted bool, note string) (out []judge.Event) {
	for _, e := range events {
		c, ok := e.(*judge.CaseJudged)
		switch {
		case !ok:
			if _, ends := e.(*judge.Finished); ends && note != "" {
				out = append(out, &judge.Noted{Text: note})
			}
			out = append(out, e)
		case c.Verdict == judge.Accepted && !accepted:
		case c.Verdict == judge.Accepted || keep > 0:
			if c.Verdict != judge.Accepted {
				keep--
			}
			out = append(out, e)
		default:
			short := *c
			short.Detail, short.Dialogue, short.Stderr = nil, "", ""
			out = append(out, &short)
		}
	}
	return out
}

func packEvents(events []judge.Event) ([]byte, error) {
	return compress(func(write func([]byte) error) error {
		for _, e := range events {
			line, err := judge.EncodeEvent(e)
			if err == nil {
				err = write(line)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// errTooLarge means that the lines exceed the size that a reader unpacks.
var errTooLarge = fmt.Errorf("the unpacked lines have more than %d MiB", maxUnpacked>>20)

// compress compresses the written lines.
func compress(lines func(write func([]byte) error) error) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	room := maxUnpacked
	err := lines(func(line []byte) error {
		if room -= len(line) + 1; room <= 0 {
			return errTooLarge
		}
		_, err := z.Write(append(slices.Clip(line), '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxUnpacked is the maximum size to which bytes from a worker are unpacked.
const maxUnpacked = 32 << 20

// Unpack reads events packed by Pack.
func Unpack(packed []byte) (events []judge.Event, err error) {
	lines, err := UnpackLines(packed)
	for _, l := range lines {
		e, err := judge.DecodeEvent(l)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, err
}

// UnpackLines reads the lines in the output of Pack or PackLines.
func UnpackLines(packed []byte) (lines [][]byte, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read packed lines: %w", err)
	}
	limited := &io.LimitedReader{R: z, N: maxUnpacked}
	data, err := io.ReadAll(limited)
	if err != nil {
		return nil, fmt.Errorf("read packed lines: %w", err)
	}
	if limited.N <= 0 {
		return nil, fmt.Errorf("packed lines have more than %d MiB", maxUnpacked>>20)
	}
	for line := range bytes.Lines(data) {
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines, nil
}

// Blobs returns the digests of the blobs that the work needs.
func (w *Work) Blobs() []blob.Digest {
	all := append([]blob.Digest{w.Bundle, w.Config}, w.Lines...)
	for _, f := range w.Files {
		all = append(all, f.Digest)
	}
	return all
}
