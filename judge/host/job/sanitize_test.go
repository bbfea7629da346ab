package job_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/job"
)

// TestWordsOfWorkers checks that texts from a worker are limited, and contain no control characters.
func TestWordsOfWorkers(t *testing.T) {
	const evil = "a\x1b[31mred\x00\u009b2J\xff"
	o := job.Capabilities{Slots: 4, Machine: evil, Version: strings.Repeat("x", 1<<20), Languages: map[string]string{evil: evil}}
	for i := range 5000 {
		o.Languages[fmt.Sprint(i)] = "x"
	}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	if want := "a\uFFFD[31mred\uFFFD\uFFFD2J\uFFFD"; o.Machine != want || len(o.Version) > 200 || len(o.Languages) > 500 {
		t.Errorf("the machine is %q, with %d bytes of a version and %d languages", o.Machine, len(o.Version), len(o.Languages))
	}
	for text := range o.Languages {
		if strings.ContainsAny(text+o.Languages[text], "\x1b\x00") {
			t.Errorf("a language is %q: %q", text, o.Languages[text])
		}
	}
	for _, slots := range []int{-1, 0, job.MaxSlots + 1, 1_000_000} {
		if o := (job.Capabilities{Slots: slots}); o.Check() == nil {
			t.Errorf("a worker has %d slots", slots)
		}
	}
	b := job.Heartbeat{Slots: 1_000_000, Note: evil + strings.Repeat("x", 1<<20), Running: make([]job.Running, 1_000_000)}
	if b.Sanitize(); b.Slots != job.MaxSlots || len(b.Note) > 2000 || strings.Contains(b.Note, "\x1b") || len(b.Running) > 1000 {
		t.Errorf("a beat has %d slots, %d jobs and %d bytes of a note", b.Slots, len(b.Running), len(b.Note))
	}
}

// TestVerdictsOfWorkers checks that a result with an unknown verdict becomes a failure of the worker.
func TestVerdictsOfWorkers(t *testing.T) {
	good := job.Result{
		Job: "j", Worker: "w", State: job.Done, Reason: "line\n\x1b[2J",
		Finished: &judge.Finished{Verdict: judge.WrongAnswer},
		Rows:     []job.CaseRow{{Case: "a", Verdict: judge.WrongAnswer}, {Case: "b", Verdict: judge.Skipped}},
	}
	read := func(change func(*job.Result)) *job.Result {
		t.Helper()
		r := good
		finished := *good.Finished
		r.Finished, r.Rows = &finished, append([]job.CaseRow(nil), good.Rows...)
		change(&r)
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := job.DecodeResult(data)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if r := read(func(*job.Result) {}); r.State != job.Done || len(r.Rows) != 2 || r.Reason != "line\n\uFFFD[2J" {
		t.Errorf("a good one is read as %+v", r)
	}
	for name, change := range map[string]func(*job.Result){
		"the verdict": func(r *job.Result) { r.Finished.Verdict = "\x1b[31mPWN<script>" },
		"none":        func(r *job.Result) { r.Finished.Verdict = "" },
		"a row":       func(r *job.Result) { r.Rows[1].Verdict = "PWN" },
	} {
		if r := read(change); r.State != job.Failed || r.Finished != nil || r.Rows != nil ||
			!strings.Contains(r.Reason, "is not a verdict") || strings.Contains(r.Reason, "\x1b") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, e := range []judge.Event{&judge.CaseJudged{Verdict: "PWN"}, &judge.GroupJudged{Verdict: "PWN"}, &judge.Finished{Verdict: "PWN"}} {
		packed, _, err := job.Pack([]judge.Event{e, &judge.Noted{Text: "x"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.UnpackJudgement(packed); err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
}

// TestFewBytesThatBecomeMany checks that compressed events are not unpacked if they are too large, and that such
// events are not packed either.
func TestFewBytesThatBecomeMany(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	for range 700 {
		if _, err := z.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := job.UnpackLines(bomb.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 32 MiB") {
		t.Errorf("700 MiB out of %d KiB: %v", bomb.Len()>>10, err)
	}
	line := bytes.Repeat([]byte("x"), 1<<20)
	if _, err := job.PackLines(append(make([][]byte, 0, 40), line, line, line)); err != nil {
		t.Errorf("3 MiB: %v", err)
	}
	lines := make([][]byte, 40)
	for i := range lines {
		lines[i] = line
	}
	if _, err := job.PackLines(lines); err == nil {
		t.Error("40 MiB are packed")
	}
	// A judging of this size loses its details.
	var events []judge.Event
	for i := range 40 {
		events = append(events, &judge.CaseJudged{Case: fmt.Sprint(i), Verdict: judge.WrongAnswer, Stderr: string(line)})
	}
	packed, _, err := job.Pack(append(events, &judge.Finished{Verdict: judge.WrongAnswer}))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := job.UnpackJudgement(packed); err != nil || len(back) < 41 {
		t.Errorf("%d events, %v", len(back), err)
	}
}
