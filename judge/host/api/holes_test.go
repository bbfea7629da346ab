package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// TestAHoleTellsNoMoreThanItsPages checks that the tasks of a hole contain nothing that its pages omit. While a
// contest uses the hole's problem, the hole must accept no submissions.
func TestAHoleTellsNoMoreThanItsPages(t *testing.T) {
	h := newHarness(t)
	file := h.submission("").Files[0]
	account, err := h.store.AccountByLogin(t.Context(), "submit")
	if err != nil {
		t.Fatal(err)
	}
	o := &store.Hole{Slug: "small", Name: "Small", ProblemSlug: "sum", Visibility: store.VisibilityPublic}
	if err := h.store.NewHole(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	work := job.Work{Kind: job.GolfCheck, Bundle: file.Digest, Config: file.Digest, Problem: "sum", Program: "sum", IsDir: true,
		Files: []job.File{file}, Options: []byte("{}")}
	spec, err := workflow.NewHoleSpec(work, workflow.GolfCheckOptions{}, "")
	if err != nil {
		t.Fatal(err)
	}
	planned, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.store.NewGolfSubmission(t.Context(),
		store.NewGolfSubmission{Hole: o, Account: account.ID, File: file, Request: []byte("{}"), Spec: planned, Kind: string(workflow.Hole)})
	if err != nil {
		t.Fatal(err)
	}

	// A worker sends the result of a task.
	const secret = "said-of-a-sample"
	if _, err := h.store.AddWorkflowJobs(t.Context(), a.Workflow,
		store.WorkflowJob{Key: workflow.SamplesKey, Work: work, Priority: job.PracticePriority, Class: "main", Cost: time.Second}); err != nil {
		t.Fatal(err)
	}
	next, err := h.store.NextJobs(t.Context(), job.PracticePriority, "main", 1)
	if err != nil || len(next) != 1 {
		t.Fatal(next, err)
	}
	proved := &judge.GolfChecked{Format: judge.EventFormat, Language: "Python", Verdict: judge.GolfCorrect,
		Explain: []judge.GolfCallAttempt{{How: "function", Reason: secret}}}
	line, err := judge.EncodeEvent(proved)
	if err != nil {
		t.Fatal(err)
	}
	r := &job.Result{Job: next[0].ID, Generation: next[0].Generation, Token: next[0].Token, Worker: "box-of-a-worker", State: job.Done,
		Output: []byte(`{"verdict":"right"}`)}
	if r.Events, err = job.PackLines([][]byte{line}); err != nil {
		t.Fatal(err)
	}
	d, _, err := h.blobs.Add(strings.NewReader(string(r.Events)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.RecordResult(t.Context(), r, d); err != nil {
		t.Fatal(err)
	}
	if err := h.store.RecordGolfOutcome(t.Context(),
		store.GolfOutcome{Workflow: a.Workflow, Correct: true, Checked: proved, Language: "py", Events: d, Toolchain: "Python",
			Workers: []string{"w"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.FinishWorkflow(t.Context(), a.Workflow, store.WorkflowDone, ""); err != nil {
		t.Fatal(err)
	}
	for who, worker := range map[string]bool{"submit": false, "admin": true} {
		code, said := h.ask(who, "GET", client.WorkflowsPath+"/"+a.Workflow+"/tasks", nil)
		if code != 200 || !strings.Contains(said, `"golf-proved"`) || strings.Contains(said, secret) ||
			strings.Contains(said, r.Worker) != worker {
			t.Errorf("the parts for %s: %d %s", who, code, said)
		}
	}

	// The server's own rejudging workflows are not visible to the author, even if the author guesses their id.
	if _, err := h.store.NewWorkflow(t.Context(), "audit-of-a-submission", string(workflow.Audit), []byte("{}"), account.ID); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"DELETE", "GET"} {
		path := client.WorkflowsPath + "/audit-of-a-submission" + map[string]string{"GET": "/tasks"}[method]
		if code, said := h.ask("submit", method, path, nil); code != 404 {
			t.Errorf("%s of an audit: %d %s", method, code, said)
		}
	}

	// A contest uses the problem.
	staff, err := h.store.NewAccount(t.Context(), "jury", "Jury", store.PersonAccount, string(auth.Judge))
	if err != nil {
		t.Fatal(err)
	}
	text, hash := auth.NewToken()
	if _, err := h.store.NewToken(t.Context(), staff.ID, hash, "", []string{"submit"}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	h.headers["jury"] = "Bearer " + text
	const busy = "takes no submissions while a contest with its problem runs"
	look := func(when string, open bool) {
		t.Helper()
		for _, who := range []string{"submit", "other", "jury"} {
			_, said := h.ask(who, "POST", client.HolesPath+"/small/answers",
				client.NewGolfSubmission{Name: "a.py", Blob: client.Blob{Digest: file.Digest, Size: file.Size}})
			if strings.Contains(said, busy) == (open || who == "jury") {
				t.Errorf("%s: an answer of %s: %s", when, who, said)
			}
		}
	}
	look("no contest has it", true)
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
		Visibility: store.VisibilityTeams}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	for _, when := range []struct {
		words  string
		starts time.Duration
		open   bool
	}{{"before", time.Hour, true}, {"while it runs", -time.Minute, false}, {"after", -2 * time.Hour, true}} {
		c.Starts = time.Now().Add(when.starts)
		if err := h.store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		look(when.words, when.open)
	}
}
