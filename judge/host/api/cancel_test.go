package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestOneWhoFloods: a contestant has only so many submissions that wait; an administrator cancels
// them, and those of nobody else.
func TestOneWhoFloods(t *testing.T) {
	h := newHouse(t)
	n := h.submission("")
	h.give("other", "program")
	send := func(who string) (int, string) {
		t.Helper()
		n.Key += "x"
		return h.ask(who, "POST", client.SubmissionsPath, n)
	}
	for i := range 100 {
		if code, said := send("submit"); code != 200 {
			t.Fatal(i, code, said)
		}
	}
	if code, said := send("submit"); code != 429 || !strings.Contains(said, "100 of your submissions are not judged yet") {
		t.Errorf("the next is answered %d %s", code, said)
	}
	if code, said := send("other"); code != 200 {
		t.Errorf("another's is answered %d %s", code, said)
	}
	for query, want := range map[string]int{"": 400, "?login=nobody": 404, "?problem=none": 404, "?login=submit&problem=none": 404} {
		if code, said := h.ask("admin", "DELETE", client.SubmissionsPath+query, nil); code != want {
			t.Errorf("%q is answered %d %s, want %d", query, code, said, want)
		}
	}
	for query, want := range map[string]int{"?login=submit": 100, "?login=other&problem=sum": 1} {
		code, said := h.ask("admin", "DELETE", client.SubmissionsPath+query, nil)
		var done client.Cancelled
		if err := json.Unmarshal([]byte(said), &done); err != nil || code != 200 || done.Submissions != want {
			t.Errorf("%q is answered %d %s, want %d", query, code, said, want)
		}
	}
	if code, said := send("submit"); code != 200 {
		t.Errorf("after that one is answered %d %s", code, said)
	}
	entries, err := h.store.Audited(t.Context(), "", 10)
	if err != nil || !strings.Contains(fmt.Sprint(entries), "100 submissions") {
		t.Errorf("the audit says %+v, %v", entries, err)
	}
}

// TestNoTryForNothing: in a contest an author cancels a submission only before a worker may have
// it; the staff cancels any, and so does an author in practice.
func TestNoTryForNothing(t *testing.T) {
	h := newHouse(t)
	n := h.submission("")
	send := func() *store.Submission {
		t.Helper()
		n.Key += "x"
		code, said := h.ask("submit", "POST", client.SubmissionsPath, n)
		var sent client.Submission
		if err := json.Unmarshal([]byte(said), &sent); err != nil || code != 200 {
			t.Fatal(code, said)
		}
		kept, err := h.store.Submission(t.Context(), sent.ID)
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	out := func(s *store.Submission) {
		t.Helper()
		epoch, err := h.store.Lead(t.Context(), store.FeedLead, "test", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if given, err := h.store.MarkOut(t.Context(), epoch, job.Running{Job: s.Judgement, Generation: 1}); err != nil || len(given) != 1 {
			t.Fatal(given, err)
		}
	}
	cancel := func(who string, s *store.Submission, want int, says string) {
		t.Helper()
		if code, said := h.ask(who, "DELETE", client.SubmissionsPath+"/"+s.ID, nil); code != want || !strings.Contains(said, says) {
			t.Errorf("%s is answered %d %s, want %d %s", who, code, said, want, says)
		}
	}
	practised := send()
	out(practised)
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(-time.Minute), Length: time.Hour, Visibility: store.Accounts}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	waits, given := send(), send()
	if waits.Contest != c.ID {
		t.Fatalf("it is of the contest %s", waits.Contest)
	}
	out(given)
	cancel("submit", practised, 200, "")
	cancel("submit", waits, 200, "")
	cancel("submit", given, 409, "is being judged and counts")
	if j, err := h.store.Judgement(t.Context(), given.ID); err != nil || j.State != store.Out {
		t.Errorf("after that it is %+v, %v", j, err)
	}
	cancel("admin", given, 200, "")
}
