package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// A judging is a submission that worker w judges. The test controls the progress of the judging.
type judging struct {
	*harness
	id     string
	spec   *job.Spec
	events []judge.Event
}

func (h *harness) judging() *judging {
	h.Helper()
	_, said := h.ask("submit", "POST", "/v1/submissions", h.submission("k"))
	var s client.Submission
	if err := json.Unmarshal([]byte(said), &s); err != nil {
		h.Fatal(said, err)
	}
	specs, err := h.store.NextJobs(h.Context(), job.PracticePriority, "main", 1)
	if err != nil || len(specs) != 1 {
		h.Fatal(specs, err)
	}
	j := &judging{harness: h, id: s.ID, spec: specs[0]}
	for i := range 6 {
		j.events = append(j.events, &judge.Noted{Text: fmt.Sprint(i)})
	}
	h.d.Listener().Taken("w", j.running())
	return j
}

func (j *judging) running() job.Running {
	return job.Running{Job: j.spec.ID, Generation: j.spec.Generation}
}

// tell sends the judging's events with indexes from `from` up to, but not including, `to`, as worker w would send
// them.
func (j *judging) tell(from, to int) {
	j.Helper()
	p := job.Progress{Running: j.running(), First: from}
	for _, e := range j.events[from:to] {
		line, err := judge.EncodeEvent(e)
		if err != nil {
			j.Fatal(err)
		}
		p.Events = append(p.Events, line)
	}
	j.d.Listener().Progress("w", p)
}

// end records the result in the database, as if another server had received it.
func (j *judging) end() { j.Helper(); j.fold(judge.Accepted, nil) }

func (j *judging) fold(v judge.Verdict, doubt *store.Doubt) {
	j.Helper()
	packed, _, err := job.Pack(j.events)
	if err != nil {
		j.Fatal(err)
	}
	if err := j.blobs.Put(blob.DigestOf(packed), int64(len(packed)), bytes.NewReader(packed)); err != nil {
		j.Fatal(err)
	}
	r := &job.Result{Job: j.spec.ID, Generation: 1, Token: j.spec.Token, Worker: "w", State: job.Done,
		Finished: &judge.Finished{Verdict: v}, Events: packed}
	if _, err := j.store.RecordDoubtfulResult(j.Context(), r, blob.DigestOf(packed), doubt); err != nil {
		j.Fatal(err)
	}
}

// A lineWriter is an event stream that a test reads.
type lineWriter struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  context.CancelFunc
}

// follow opens the event stream of the judging. The argument from is the query of the stream's URL.
func (j *judging) follow(from string) *lineWriter {
	j.Helper()
	ctx, stop := context.WithCancel(j.Context())
	j.Cleanup(stop)
	path := "/v1/submissions/" + j.id + "/events"
	r, err := http.NewRequestWithContext(ctx, "GET", j.URL+path+from, nil)
	if err != nil {
		j.Fatal(err)
	}
	r.Header.Set("Authorization", j.as("submit", "GET", path))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		j.Fatal(err)
	}
	j.Cleanup(func() { answer.Body.Close() })
	return &lineWriter{j.T, bufio.NewScanner(answer.Body), stop}
}

// next returns the next line with content: the text of a note, or the state at the end.
func (s *lineWriter) next() string {
	s.t.Helper()
	for s.lines.Scan() {
		var l client.JudgementLine
		if err := json.Unmarshal(s.lines.Bytes(), &l); err != nil {
			s.t.Fatalf("%q: %v", s.lines.Text(), err)
		}
		switch {
		case l.End != nil:
			return l.End.State + " " + string(l.End.Verdict)
		case l.Event != nil:
			e, err := judge.DecodeEvent(l.Event)
			if err != nil {
				s.t.Fatal(err)
			}
			return e.(*judge.Noted).Text
		}
	}
	return fmt.Sprint("the stream ended: ", s.lines.Err())
}

func (s *lineWriter) says(all ...string) {
	s.t.Helper()
	for i, want := range all {
		if got := s.next(); got != want {
			s.t.Fatalf("line %d says %q, want %q", i, got, want)
		}
	}
}

// TestAStreamGoesOn checks that a stream starts at the requested event and sends each event once, while the
// submission is judged and afterwards.
func TestAStreamGoesOn(t *testing.T) {
	j := newHarness(t).judging()
	j.tell(0, 3)
	first, second := j.follow("?from=1"), j.follow("?from=3")
	first.says("1", "2")
	j.tell(3, 4)
	first.says("3")
	second.says("3")
	j.tell(0, 5) // the worker started again
	second.says("4")
	j.end()
	first.says("4", "5", "done AC")
	second.says("5", "done AC")
	for from, want := range map[string]string{
		"": "0 1 2 3 4 5 done AC", "?from=4": "4 5 done AC", "?from=6": "done AC", "?from=99": "done AC", "?from=-1": "0 1 2 3 4 5 done AC",
		"?from=x": "0 1 2 3 4 5 done AC",
	} {
		again := j.follow(from)
		for _, word := range strings.Split(strings.Replace(want, " AC", "", 1), " ") {
			if got := strings.TrimSuffix(again.next(), " AC"); got != word {
				t.Errorf("%q says %q, want %q", from, got, word)
			}
		}
		if got := again.next(); got != "the stream ended: <nil>" {
			t.Errorf("%q goes on after its end: %s", from, got)
		}
	}
}

// TestAStreamThatHasNothingToSay checks that an idle stream sends lines that contain only {}, so that proxies keep
// the connection open.
func TestAStreamThatHasNothingToSay(t *testing.T) {
	s := newHarness(t).judging().follow("")
	for range 2 {
		if !s.lines.Scan() || s.lines.Text() != "{}" {
			t.Fatalf("it says %q, %v", s.lines.Text(), s.lines.Err())
		}
	}
}

// TestAStreamEndsWithItsToken checks that a stream stops when its caller loses access. The stream then has no end
// line, so a client cannot mistake this for the end of the judging.
func TestAStreamEndsWithItsToken(t *testing.T) {
	for name, end := range map[string]func(h *harness) error{
		"revoked":     func(h *harness) error { return h.store.RevokeToken(t.Context(), h.ids["submit"]) },
		"its account": func(h *harness) error { return h.disable("submit") },
	} {
		t.Run(name, func(t *testing.T) {
			j := newHarness(t).judging()
			s := j.follow("")
			j.tell(0, 1)
			s.says("0")
			if err := end(j.harness); err != nil {
				t.Fatal(err)
			}
			if got := s.next(); !strings.HasPrefix(got, "the stream ended: ") {
				t.Errorf("it goes on: %s", got)
			}
			if code, said := j.ask("submit", "GET", "/v1/submissions/"+j.id+"/events", nil); code != 401 {
				t.Errorf("asked for again it is answered %d %s", code, said)
			}
		})
	}
}

func (h *harness) disable(login string) error {
	a, err := h.store.AccountByLogin(h.Context(), login)
	if err != nil {
		return err
	}
	return h.store.SetDisabled(h.Context(), a.ID, true)
}

// TestAStreamWithoutReader checks that the server stops watching a judging if the client does not read the
// stream.
func TestAStreamWithoutReader(t *testing.T) {
	j := newHarness(t).judging()
	watched := func(want int) {
		t.Helper()
		for end := time.Now().Add(2 * time.Minute); j.d.Watchers() != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("there are %d watchers, want %d", j.d.Watchers(), want)
			}
		}
	}
	one, two := j.follow(""), j.follow("")
	watched(2)
	one.stop()
	watched(1)
	j.tell(0, 1)
	two.says("0")
	j.end()
	two.says("1", "2", "3", "4", "5", "done AC")
	watched(0)
}

// TestAStreamOfWhatIsJudgedAgain checks the stream of a submission that is judged twice. From the position that
// the stream has reached, it must continue with the events of the judgement that becomes current. It must have a
// single end line.
func TestAStreamOfWhatIsJudgedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		cancelled bool
		want      []string
	}{
		"the second counts":      {false, []string{"2", "other", "done AC"}},
		"the first stands again": {true, []string{"2", "3", "4", "5", "done TLE"}},
	} {
		t.Run(name, func(t *testing.T) {
			j := newHarness(t).judging()
			s := j.follow("")
			j.tell(0, 2)
			s.says("0", "1")
			j.fold(judge.TimeLimit, &store.Doubt{Why: "it took long"})
			specs, err := j.store.NextJobs(t.Context(), job.PracticePriority, "main", 1)
			if err != nil || len(specs) != 1 {
				t.Fatal(specs, err)
			}
			j.spec = specs[0]
			if tt.cancelled {
				if done, err := j.d.Cancel(t.Context(), j.spec.ID); !done || err != nil {
					t.Fatal(done, err)
				}
			} else {
				j.events = append(j.events[:3:3], &judge.Noted{Text: "other"})
				j.d.Listener().Taken("w", j.running())
				j.tell(0, 3)
				j.fold(judge.Accepted, nil)
			}
			s.says(tt.want...)
		})
	}
}

// TestStreamsAreCounted checks that a contestant with the maximum number of open streams cannot open another.
// Administrators can.
func TestStreamsAreCounted(t *testing.T) {
	h := newHarness(t)
	j := h.judging()
	j.end()
	path := "/v1/submissions/" + j.id + "/events"
	for who, want := range map[string]int{"submit": http.StatusTooManyRequests, "admin": http.StatusOK} {
		account, err := h.store.AccountByLogin(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		if code, said := h.ask(who, "GET", path, nil); code != http.StatusOK {
			t.Errorf("%s is answered %d %s", who, code, said)
		}
		for err == nil {
			_, err = h.intake.OpenStream(t.Context(), account, "127.0.0.1:1")
		}
		if code, said := h.ask(who, "GET", path, nil); code != want {
			t.Errorf("%s, with many, is answered %d %s", who, code, said)
		}
	}
}
