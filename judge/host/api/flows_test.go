package api_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestReasonsWithPathsOfAWorker: why a worker failed is shown to administrators only, if it names a
// path of the machine. What is wrong with a problem is shown to whoever asked for the flow.
func TestReasonsWithPathsOfAWorker(t *testing.T) {
	h := newHarness(t)
	file := h.submission("").Files[0]
	owner, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	work := job.Work{Kind: job.Proof, Bundle: file.Digest, Config: file.Digest, Problem: "sum", Program: "sum", Folder: true, Files: []job.File{file}, Options: []byte("{}")}
	for i, tt := range []struct {
		reason string
		blame  judge.Blame
		shown  bool
	}{
		{"run go: the sandbox does not show it: it is /opt/go/bin/go\n    set this in judge.toml", judge.Machine, false},
		{"set visible = [\"/opt/go\"]", judge.Machine, false},
		{"open: \"/srv/x\"", "", false},
		{"the machine is too busy: 3 of 4 runs/s", judge.Machine, true},
		{"checker.py: File \"/box/checker.py\", line 3", judge.Setter, true},
	} {
		id := strings.Repeat("x", 20) + string(rune('a'+i))
		if _, err := h.store.NewFlow(t.Context(), id, string(flow.Verify), []byte("{}"), owner.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.AddJobs(t.Context(), id, store.FlowJob{Key: "k", Work: work, Lane: job.Practice, Class: "main", Cost: time.Second}); err != nil {
			t.Fatal(err)
		}
		next, err := h.store.Next(t.Context(), job.Practice, "main", 1)
		if err != nil || len(next) != 1 {
			t.Fatal(next, err)
		}
		r := &job.Result{Job: next[0].ID, Generation: next[0].Generation, Token: next[0].Token, Worker: "w", State: job.Failed, Blame: tt.blame, Reason: tt.reason}
		if _, err := h.store.Fold(t.Context(), r, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.FinishFlow(t.Context(), id, store.FlowFailed, "solution a.py: "+tt.reason); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]bool{"publish": tt.shown, "admin": true} {
			code, said := h.ask(who, "GET", client.FlowsPath+"/"+id+"/parts", nil)
			word := strings.Fields(tt.reason)[len(strings.Fields(tt.reason))-1]
			word = strings.Trim(word, `"[]`)
			times := map[bool]int{true: 2, false: 0}[want]
			if got := strings.Count(said, word); code != 200 || got != times {
				t.Errorf("%q for %s: %d, shown %d times, want %d:\n%s", tt.reason, who, code, got, times, said)
			}
		}
	}
}
