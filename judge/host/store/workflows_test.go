package store_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

func workflowJob(key string) store.WorkflowJob {
	return store.WorkflowJob{Key: key, Work: work(), Priority: job.BackgroundPriority, Class: "main", Cost: time.Second}
}

func (h *harness) workflow() *store.Workflow {
	h.tb.Helper()
	f, err := h.NewWorkflow(h.tb.Context(), rand.Text(), "verify", []byte(`{"problem":"nim"}`), h.alice.ID)
	if err != nil {
		h.tb.Fatal(err)
	}
	return f
}

func (h *harness) background() []*job.Spec {
	h.tb.Helper()
	specs, err := h.NextJobs(h.tb.Context(), job.BackgroundPriority, "main", 1000)
	if err != nil {
		h.tb.Fatal(err)
	}
	return specs
}

func TestAWorkflowFromItsStartToItsEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		f := h.workflow()
		for want, jobs := range [][]store.WorkflowJob{{}, {workflowJob("a")},
			{workflowJob("a"), workflowJob("b"), workflowJob("c"), workflowJob("b")}} {
			if added, err := h.AddWorkflowJobs(t.Context(), f.ID, jobs...); err != nil || added != want {
				t.Errorf("%d jobs were new, %v; want %d", added, err, want)
			}
		}
		specs := h.background()
		if len(specs) != 3 || specs[0].ID != store.WorkflowJobID(f.ID, "a") {
			t.Fatalf("got %+v", specs)
		}
		r := h.result(specs[0], judge.Accepted)
		if folded := h.fold(r, store.Counted); folded.Workflow != f.ID || folded.Submission != "" {
			t.Errorf("got %+v", folded)
		}
		h.fold(r, store.Duplicate)
		h.fold(h.result(specs[0], judge.WrongAnswer), store.Disagreement)
		gaveUp := h.result(specs[1], "")
		gaveUp.State, gaveUp.TooManyDeliveries, gaveUp.Finished, gaveUp.Reason = job.GivenUp, true, nil, "it kills me"
		h.fold(gaveUp, store.GaveUp)
		parts, err := h.TaskResults(t.Context(), f.ID)
		short := *r
		short.Events, short.Token = nil, ""
		want := []*store.TaskResult{
			{Key: "a", Job: specs[0].ID, Result: &short, Events: blob.DigestOf(r.Events)}, {Key: "b", Job: specs[1].ID},
		}
		if len(parts) != 2 || parts[1].Result.State != job.GivenUp || parts[1].Result.Reason != "it kills me" {
			t.Fatalf("got %+v, %v", parts, err)
		}
		parts[1].Result = nil
		if d := cmp.Diff(want, parts, cmpopts.IgnoreFields(store.TaskResult{}, "At"),
			cmpopts.IgnoreUnexported(judge.Finished{})); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if open, err := h.RunningWorkflows(t.Context()); err != nil || len(open) != 1 || string(open[0].Spec) != string(f.Spec) {
			t.Errorf("got %+v, %v", open, err)
		}
		h.clock.add(time.Minute)
		cancelled, err := h.FinishWorkflow(t.Context(), f.ID, store.WorkflowDone, "")
		if d := cmp.Diff([]string{specs[2].ID}, cancelled); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		h.fold(h.result(specs[2], judge.Accepted), store.Dropped)
		f.State, f.Ended = store.WorkflowDone, h.clock.Now()
		got, err := h.Workflow(t.Context(), f.ID)
		if d := cmp.Diff(f, got); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if open, err := h.RunningWorkflows(t.Context()); err != nil || len(open) != 0 {
			t.Errorf("got %+v, %v", open, err)
		}
	})
}

func TestWhatAWorkflowRefuses(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		f := h.workflow()
		bad := workflowJob("b")
		bad.Work.Files = nil
		if _, err := h.AddWorkflowJobs(t.Context(), f.ID, workflowJob("a"), bad); err == nil || len(h.background()) != 0 {
			t.Errorf("half of it was kept: %v", err)
		}
		if _, err := h.FinishWorkflow(t.Context(), f.ID, store.WorkflowCancelled, "not wanted"); err != nil {
			t.Fatal(err)
		}
		for what, err := range map[string]error{
			"jobs for one that has ended": func() error { _, err := h.AddWorkflowJobs(t.Context(), f.ID, workflowJob("a")); return err }(),
			"jobs for none":               func() error { _, err := h.AddWorkflowJobs(t.Context(), "none", workflowJob("a")); return err }(),
			"to end it again":             func() error { _, err := h.FinishWorkflow(t.Context(), f.ID, store.WorkflowDone, ""); return err }(),
		} {
			if !errors.Is(err, store.ErrEnded) {
				t.Errorf("%s: %v", what, err)
			}
		}
		again, err := h.NewWorkflow(t.Context(), f.ID, f.Kind, []byte("{}"), h.alice.ID)
		if err != nil || string(again.Spec) != string(f.Spec) {
			t.Errorf("the same workflow again: %+v, %v", again, err)
		}
		if _, err := h.NewWorkflow(t.Context(), f.ID, "arena", []byte("{}"), h.alice.ID); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a workflow of another kind has the same id: %v", err)
		}
		if _, err := h.Workflow(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no workflow: %v", err)
		}
	})
}

// TestManyPlanAtOnce checks that servers that plan the same workflow at once add every job only once. When the workflow
// ends, each job must either have a result or be canceled.
func TestManyPlanAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		f := h.workflow()
		var jobs []store.WorkflowJob
		for i := range 40 {
			jobs = append(jobs, workflowJob(fmt.Sprint(i)))
		}
		var added atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				n, err := h.AddWorkflowJobs(t.Context(), f.ID, jobs...)
				if err != nil {
					t.Error(err)
				}
				added.Add(int64(n))
			})
		}
		wg.Wait()
		specs := h.background()
		if added.Load() != 40 || len(specs) != 40 {
			t.Fatalf("%d jobs were added, %d wait", added.Load(), len(specs))
		}
		var counted, cancelled atomic.Int64
		wg.Go(func() { h.out(specs[:20]...) })
		for _, s := range specs[20:] {
			wg.Go(func() {
				r := h.result(s, judge.Accepted)
				f, err := h.RecordResult(t.Context(), r, blob.DigestOf(r.Events))
				if err != nil {
					t.Error(err)
				}
				if f.Outcome == store.Counted {
					counted.Add(1)
				}
			})
		}
		wg.Wait()
		ended, err := h.FinishWorkflow(t.Context(), f.ID, store.WorkflowCancelled, "")
		if err != nil {
			t.Fatal(err)
		}
		cancelled.Add(int64(len(ended)))
		parts, err := h.TaskResults(t.Context(), f.ID)
		if err != nil || int64(len(parts)) != counted.Load() || counted.Load()+cancelled.Load() != 40 {
			t.Errorf("%d counted, %d cancelled, %d parts, %v", counted.Load(), cancelled.Load(), len(parts), err)
		}
	})
}

// TestOldWorkflowsAreDeleted checks that a workflow and its blobs are deleted 30 days after the workflow ended. A running
// workflow stays.
func TestOldWorkflowsAreDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		ended, runs := h.workflow(), h.workflow()
		for _, f := range []*store.Workflow{ended, runs} {
			if _, err := h.AddWorkflowJobs(t.Context(), f.ID, workflowJob("a")); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range h.background() {
			r := h.result(s, judge.Accepted)
			r.Events = []byte("events of " + s.ID)
			h.fold(r, store.Counted)
		}
		if _, err := h.FinishWorkflow(t.Context(), ended.ID, store.WorkflowDone, ""); err != nil {
			t.Fatal(err)
		}
		forget := func(after time.Duration) {
			h.clock.add(after)
			if _, err := sweep(t, h.Store, nothing); err != nil {
				t.Fatal(err)
			}
		}
		forget(30 * 24 * time.Hour)
		if _, err := h.Workflow(t.Context(), ended.ID); err != nil {
			t.Errorf("too early: %v", err)
		}
		forget(time.Second)
		if _, err := h.Workflow(t.Context(), ended.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the workflow that ended: %v", err)
		}
		for f, want := range map[*store.Workflow]int{ended: 0, runs: 1} {
			parts, err := h.TaskResults(t.Context(), f.ID)
			_, _, gone := h.PriorityAndClass(t.Context(), store.WorkflowJobID(f.ID, "a"))
			if err != nil || len(parts) != want || (gone == nil) != (want == 1) {
				t.Errorf("%d parts, %v, its job: %v; want %d", len(parts), err, gone, want)
			}
		}
		gone, err := sweep(t, h.Store, nothing)
		lost := blob.DigestOf([]byte("events of " + store.WorkflowJobID(ended.ID, "a")))
		if err != nil || len(gone) != 1 || gone[0] != lost {
			t.Errorf("gone are %v, %v; want %s", gone, err, lost)
		}
	})
}

// TestWorkflowsAreBounded checks the limits on workflows of an account. Other accounts, ended workflows, and workflows that the
// server started do not count.
func TestWorkflowsAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		bob := h.account("bob")
		most := store.WorkflowLimits{Kinds: []string{"golf", "arena"}, MaxRunning: 3, PerMinute: 5}
		ask := func(id, owner string, wrong error) {
			t.Helper()
			if _, err := h.RequestWorkflow(t.Context(), id, "golf", []byte("{}"), owner, most); !errors.Is(err, wrong) {
				t.Errorf("%s: got %v, want %v", id, err, wrong)
			}
		}
		for _, id := range []string{"own 1", "own 2", "own 3"} {
			if _, err := h.NewWorkflow(t.Context(), id, "audit", []byte("{}"), h.alice.ID); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		var kept atomic.Int64
		for i := range 6 { // at once
			wg.Go(func() {
				_, err := h.RequestWorkflow(t.Context(), fmt.Sprint("a", i), "golf", []byte("{}"), h.alice.ID, most)
				if err == nil {
					kept.Add(1)
				} else if !errors.Is(err, store.ErrTooManyPending) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		open, err := h.RunningWorkflowIDs(t.Context(), h.alice.ID, most.Kinds)
		if err != nil || len(open) != 3 || kept.Load() != 3 {
			t.Fatalf("%d are kept: %v, %v", kept.Load(), open, err)
		}
		ask(open[0], h.alice.ID, nil) // the same request again
		ask("other", bob.ID, nil)
		ask(open[0], bob.ID, store.ErrTaken)
		for i, id := range open {
			if _, err := h.FinishWorkflow(t.Context(), id, store.WorkflowDone, ""); err != nil {
				t.Fatal(err)
			}
			wrong := error(nil)
			if i == 2 {
				wrong = store.ErrRateLimit
			}
			ask(fmt.Sprint("b", i), h.alice.ID, wrong)
		}
		loads, err := h.AccountLoads(t.Context())
		if err != nil || len(loads) != 2 || loads[0].Login != h.alice.Login || loads[0].Workflows != 5 || loads[0].IdleWorkflows != 5 ||
			loads[1].Workflows != 1 {
			t.Errorf("got %+v, %v", loads, err)
		}
		if err := h.SetDisabled(t.Context(), bob.ID, true); err != nil {
			t.Fatal(err)
		}
		ask("late", bob.ID, store.ErrRevoked)
	})
}
