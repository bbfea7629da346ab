package api_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// TestReasonsWithPathsOfAWorker checks that the reason for a worker failure is shown only to administrators if it
// contains a path on the machine. Problem errors are shown to the account that started the workflow.
func TestReasonsWithPathsOfAWorker(t *testing.T) {
	h := newHarness(t)
	file := h.submission("").Files[0]
	owner, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	work := job.Work{Kind: job.GolfCheck, Bundle: file.Digest, Config: file.Digest, Problem: "sum", Program: "sum", IsDir: true,
		Files: []job.File{file}, Options: []byte("{}")}
	for i, tt := range []struct {
		reason, word string
		blame        judge.Blame
		shown        bool
	}{
		{"run go: the sandbox does not show it: it is /opt/go/bin/go\n    set this in judge.toml", "/opt/go", judge.Machine, false},
		{"set visible = [\"/opt/go\"]", "/opt/go", judge.Machine, false},
		{"open: \"/srv/x\"", "/srv/x", "", false},
		{"the machine is too busy: 3 of 4 runs/s", "too busy", judge.Machine, true},
		{"checker.py: File \"/box/checker.py\", line 3", "/box/checker.py", judge.Setter, true},
	} {
		id := strings.Repeat("x", 20) + string(rune('a'+i))
		if _, err := h.store.NewWorkflow(t.Context(), id, string(workflow.Verify), []byte("{}"), owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.AddWorkflowJobs(t.Context(), id,
			store.WorkflowJob{Key: "k", Work: work, Priority: job.PracticePriority, Class: "main", Cost: time.Second}); err != nil {
			t.Fatal(err)
		}
		for range 10 { // failures of a machine are retried
			next, err := h.store.NextJobs(t.Context(), job.PracticePriority, "main", 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range next {
				r := &job.Result{Job: j.ID, Generation: j.Generation, Token: j.Token, Worker: "w", State: job.Failed, Blame: tt.blame,
					Reason: tt.reason}
				if _, err := h.store.RecordResult(t.Context(), r, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := h.store.FinishWorkflow(t.Context(), id, store.WorkflowFailed, "solution a.py: "+tt.reason); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]bool{"publish": tt.shown, "admin": true} {
			code, said := h.ask(who, "GET", client.WorkflowsPath+"/"+id+"/tasks", nil)
			times := map[bool]int{true: 2, false: 0}[want]
			if got := strings.Count(said, tt.word); code != 200 || got != times {
				t.Errorf("%q for %s: %d, shown %d times, want %d:\n%s", tt.reason, who, code, got, times, said)
			}
		}
	}
}
