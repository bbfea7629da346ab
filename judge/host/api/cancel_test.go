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
	"assay/judge/host/workflow"
)

// TestOneWhoFloods checks the limit for a contestant's pending submissions. An administrator can cancel them
// without affecting other accounts.
func TestOneWhoFloods(t *testing.T) {
	h := newHarness(t)
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
	if code, said := send("submit"); code != 429 || !strings.Contains(said, "100 pending submissions") {
		t.Errorf("the next is answered %d %s", code, said)
	}
	if code, said := send("other"); code != 200 {
		t.Errorf("another's is answered %d %s", code, said)
	}
	for query, want := range map[string]int{"": 400, "?login=absent": 404, "?problem=none": 404, "?login=submit&problem=none": 404} {
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
	entries, err := h.store.LatestAuditEntries(t.Context(), "", 10)
	if text := fmt.Sprint(entries); err != nil || !strings.Contains(text, "100 submissions") ||
		strings.Contains(text, "other") { // people have numbers there
		t.Errorf("the audit says %+v, %v", entries, err)
	}
}

// dispatched marks a job as dispatched, without a worker.
func (h *harness) dispatched(id string) {
	h.Helper()
	epoch, err := h.store.AcquireLease(h.Context(), store.EnqueueLease, "test", time.Hour)
	if err != nil {
		h.Fatal(err)
	}
	if given, err := h.store.MarkDispatched(h.Context(), epoch, job.Running{Job: id, Generation: 1}); err != nil || len(given) != 1 {
		h.Fatal(given, err)
	}
}

// TestNoTryForNothing checks when submissions can be cancelled. In a contest, an author can cancel only before a
// worker may have the submission. The jury can cancel any, and so can an author in practice.
func TestNoTryForNothing(t *testing.T) {
	h := newHarness(t)
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
	cancel := func(who string, s *store.Submission, want int, says string) {
		t.Helper()
		if code, said := h.ask(who, "DELETE", client.SubmissionsPath+"/"+s.ID, nil); code != want || !strings.Contains(said, says) {
			t.Errorf("%s is answered %d %s, want %d %s", who, code, said, want, says)
		}
	}
	practised := send()
	h.dispatched(practised.Judgement)
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(-time.Minute), Length: time.Hour,
		Visibility: store.VisibilityAccounts}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	waits, given := send(), send()
	if waits.Contest != c.ID {
		t.Fatalf("it is of the contest %s", waits.Contest)
	}
	h.dispatched(given.Judgement)
	cancel("submit", practised, 200, "")
	cancel("submit", waits, 200, "")
	cancel("submit", given, 409, "is being judged and counts")
	if j, err := h.store.Judgement(t.Context(), given.ID); err != nil || j.State != store.JobDispatched {
		t.Errorf("after that it is %+v, %v", j, err)
	}
	cancel("admin", given, 200, "")
}

// TestStatesOfSubmissions checks the names of a submission's states in each response that has them.
func TestStatesOfSubmissions(t *testing.T) {
	h := newHarness(t)
	_, said := h.ask("submit", "POST", client.SubmissionsPath, h.submission("x"))
	var sent client.Submission
	if err := json.Unmarshal([]byte(said), &sent); err != nil {
		t.Fatal(said, err)
	}
	judgement, err := h.store.Judgement(t.Context(), sent.ID)
	if err != nil {
		t.Fatal(err)
	}
	states := func(state, queue string) {
		t.Helper()
		for path, want := range map[string]string{
			client.SubmissionsPath + "/" + sent.ID: `"state":"` + state + `"`,
			client.SubmissionsPath:                 `"state":"` + state + `"`,
			client.QueuePath:                       queue,
		} {
			if code, said := h.ask("submit", "GET", path, nil); code != 200 || !strings.Contains(said, want) {
				t.Errorf("%s is answered %d %s, want %s", path, code, said, want)
			}
		}
	}
	states("waiting", `"waiting":1,"running":0`)
	h.dispatched(judgement.ID)
	states("waiting", `"waiting":1,"running":0`)
	h.d.Listener().Taken("w", job.Running{Job: judgement.ID, Generation: 1})
	states("running", `"waiting":0,"running":1`)
	if code, said := h.ask("admin", "DELETE", client.SubmissionsPath+"/"+sent.ID, nil); code != 200 {
		t.Fatal(code, said)
	}
	states("cancelled", "[]")
}

// TestWorkflowsHaveBounds checks the limits for the number and the size of workflows. They end if an administrator
// cancels them or disables the account.
func TestWorkflowsHaveBounds(t *testing.T) {
	h := newHarness(t)
	files := h.submission("").Files
	h.give("other", "program")
	n := client.NewWorkflow{Kind: workflow.Golf, Problem: "sum", Files: files,
		Options: []byte(`{"answers":[{"name":"a","file":"a.sh"}],"reading":{},"proof":{"seed":1}}`)}
	ask := func(who string, i int, n client.NewWorkflow) (int, string) {
		t.Helper()
		return h.ask(who, "PUT", fmt.Sprintf("%s/AAAAAAAAAAAAAAAAAAAA%s%d", client.WorkflowsPath, who, i), n)
	}
	for name, c := range map[string]struct {
		options string
		code    int
		says    string
	}{
		"another field": {`{"filler":"x",` + string(n.Options[1:]), 400, `unknown field \"filler\"`},
		"another type":  {`{"answers":7}`, 400, "the options cannot be read"},
		"too large":     {strings.Replace(string(n.Options), `"a"`, `"`+strings.Repeat("a", 1<<20)+`"`, 1), 413, "the most is 1048576"},
	} {
		bad := n
		bad.Options = []byte(c.options)
		if code, said := ask("submit", 100, bad); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s is answered %d %s", name, code, said)
		}
	}
	for i := range 10 {
		if code, said := ask("submit", i, n); code != 200 {
			t.Fatal(i, code, said)
		}
	}
	if code, said := ask("submit", 10, n); code != 429 || !strings.Contains(said, "10 remote runs") {
		t.Errorf("the next is answered %d %s", code, said)
	}
	for who, i := range map[string]int{"submit": 3, "other": 0} {
		if code, said := ask(who, i, n); code != 200 {
			t.Errorf("%d of %s is answered %d %s", i, who, code, said)
		}
	}
	// An account with the scope publish may have more.
	h.give("admin", "program")
	for i := range 11 {
		if code, said := ask("admin", i, n); code != 200 {
			t.Fatal(i, code, said)
		}
	}
	code, said := h.ask("admin", "GET", client.AccountLoadsPath, nil)
	var loads []client.AccountLoad
	if err := json.Unmarshal([]byte(said), &loads); err != nil || code != 200 || len(loads) != 3 || loads[0].Login != "admin" ||
		loads[1].Workflows != 10 || loads[1].IdleWorkflows != 10 {
		t.Errorf("who asks for the most: %d %s", code, said)
	}
	code, said = h.ask("admin", "DELETE", client.SubmissionsPath+"?login=submit", nil)
	var done client.Cancelled
	if err := json.Unmarshal([]byte(said), &done); err != nil || code != 200 || done.Workflows != 10 || done.Submissions != 0 {
		t.Errorf("to cancel is answered %d %s", code, said)
	}
	if code, said := ask("submit", 11, n); code != 200 {
		t.Errorf("after that one is answered %d %s", code, said)
	}
	// Work of a disabled account is cancelled.
	sent := h.submission("one")
	if code, said := h.ask("submit", "POST", client.SubmissionsPath, sent); code != 200 {
		t.Fatal(code, said)
	}
	if code, said := h.ask("admin", "PUT", client.AccountsPath+"/submit", client.AccountUpdate{State: "disabled"}); code != 200 {
		t.Fatal(code, said)
	}
	all, err := h.store.AccountLoads(t.Context())
	if err != nil || len(all) != 2 || all[1].Login != "other" {
		t.Errorf("after that there is %+v, %v", all, err)
	}
}
