package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// answering makes each worker in verdicts finish its jobs until the test ends. The verdict of each job is the one
// to which verdicts maps the worker.
func (h *harness) answering(verdicts map[*fake]judge.Verdict) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	h.Cleanup(func() { cancel(); all.Wait() })
	for w, v := range verdicts {
		all.Go(func() {
			for {
				l, err := w.Take(ctx)
				if err == nil {
					err = l.Finish(ctx, says(l.Spec, v))
				}
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					h.Error(err)
				}
			}
		})
	}
}

// TestAudit checks that another worker rejudges a submission and that the first verdict remains in effect. It also
// checks which workers repeat the judging if the two verdicts contradict each other.
func TestAudit(t *testing.T) {
	for name, tt := range map[string]struct {
		second judge.Verdict
		differ int // accounts with a finding against each of the two workers
	}{
		"the same":  {judge.Accepted, 0},
		"otherwise": {judge.WrongAnswer, 1},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				h.o.Audit, h.o.Class = 1, class
				h.folding()
				one := h.enrolled("one", false)
				h.enrolled("guest", true)
				// Without another trusted worker, there is no audit.
				h.submit(job.PracticePriority, class, 1)
				h.give(job.PracticePriority, class, 1)
				l := one.take()
				h.finish(l, says(l.Spec, judge.Accepted))
				if workflows, err := h.store.RunningWorkflows(t.Context()); err != nil || len(workflows) != 0 {
					t.Fatalf("%d workflows, %v", len(workflows), err)
				}

				two := h.enrolled("two", false)
				id := h.submit(job.PracticePriority, class, 1)[0]
				h.give(job.PracticePriority, class, 1)
				l = one.take()
				h.finish(l, says(l.Spec, judge.Accepted))
				audit := store.WorkflowJobID("audit", id)
				h.must(h.plan(t.Context(), audit, time.Now()))
				if not := h.spec(store.WorkflowJobID(audit, "again")).Exclude; !slices.Equal(not, []string{"one", "guest"}) {
					t.Errorf("%v must not be asked", not)
				}
				h.give(job.BackgroundPriority, class, 1)
				one.none("it judged the submission")
				l = two.take()
				h.finish(l, says(l.Spec, tt.second))
				h.must(h.plan(t.Context(), audit, time.Now()))
				if tt.differ > 0 {
					for key, want := range map[string][]string{"first/2": {"guest", "two"}, "second/3": {"guest", "one"}} {
						not := slices.Compact(slices.Sorted(slices.Values(h.spec(store.WorkflowJobID(audit, key)).Exclude)))
						if !slices.Equal(not, want) {
							t.Errorf("%v must not be asked for %s, want %v", not, key, want)
						}
					}
					h.answering(map[*fake]judge.Verdict{one: judge.Accepted, two: tt.second})
					h.until("each has judged it three times", func() bool {
						h.must(h.enqueueAll(t.Context(), h.lead("first")))
						parts, err := h.store.TaskResults(t.Context(), audit)
						return err == nil && len(parts) == 5
					})
					h.must(h.plan(t.Context(), audit, time.Now()))
				}
				f, err := h.store.Workflow(t.Context(), audit)
				if want := map[int]string{0: "", 1: "one says AC, AC, AC; two says WA, WA, WA"}[tt.differ]; err != nil || f.Owner != h.owner ||
					f.Reason != want {
					t.Errorf("the audit is %+v, %v", f, err)
				}
				for _, w := range []string{"one", "two"} {
					if kept, err := h.store.Worker(t.Context(), w); err != nil || kept.State != store.WorkerActive ||
						h.WorkerStatus(w).Disagreements != tt.differ {
						t.Errorf("%s is %+v, others disagree about %d, %v", w, kept, h.WorkerStatus(w).Disagreements, err)
					}
				}
				if j := h.judgement(id); j.Verdict != judge.Accepted {
					t.Errorf("the verdict is %s", j.Verdict)
				}
				entries, err := h.store.LatestAuditEntries(t.Context(), "", 10)
				h.must(err)
				said := len(entries) == 1 && entries[0].Action == "workers disagree" && entries[0].Detail == f.Reason
				if said != (tt.differ > 0) || len(entries) > 0 != (tt.differ > 0) {
					t.Errorf("the staff is told %+v", entries)
				}
			})
		})
	}
}

// TestWorkersThatDiffer checks which workers are drained. No worker is drained because of the submissions of only
// a few contestants, or because of programs that behave randomly. If there are only two workers, both are drained.
func TestWorkersThatDiffer(t *testing.T) {
	differ := workflow.TaskResult{Key: "again", State: job.Done, Worker: "two", Verdict: judge.WrongAnswer}
	said := func(key, worker string, v judge.Verdict) workflow.TaskResult {
		return workflow.TaskResult{Key: key, State: job.Done, Worker: worker, Verdict: v}
	}
	for name, tt := range map[string]struct {
		accounts, submissions int
		parts                 []workflow.TaskResult // in addition to the verdicts AC of one worker and WA of worker two
		drained               []string
	}{
		"one contestant":          {1, 9, nil, nil},
		"two contestants":         {2, 9, nil, nil},
		"programs that vary":      {9, 9, []workflow.TaskResult{said("first/2", "one", "WA"), said("second/2", "two", "AC")}, nil},
		"three contestants":       {3, 3, nil, []string{"one", "two"}},
		"and the second is wrong": {3, 3, []workflow.TaskResult{said("third", "three", "AC")}, []string{"two"}},
		"and the first is wrong":  {3, 3, []workflow.TaskResult{said("third", "three", "WA")}, []string{"one"}},
		"and one always says so":  {3, 3, []workflow.TaskResult{said("first/2", "one", "AC"), said("second/2", "two", "AC")}, []string{"two"}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				var workers []*fake
				for _, w := range []string{"one", "two", "three"} {
					workers = append(workers, h.enrolled(w, false))
				}
				var accounts []string
				for i := range tt.accounts {
					a, err := h.store.NewAccount(t.Context(), fmt.Sprint("person", i), "", store.PersonAccount, "")
					h.must(err)
					accounts = append(accounts, a.ID)
				}
				for i := range tt.submissions {
					spec, err := workflow.NewAuditSpec(&job.Work{Problem: "sum"},
						workflow.AuditOptions{Submission: "7", Worker: "one", Verdict: judge.Accepted})
					h.must(err)
					data, err := json.Marshal(spec)
					h.must(err)
					f, err := h.store.NewWorkflow(t.Context(), fmt.Sprint("audit", i), string(workflow.Audit), data, accounts[i%len(accounts)])
					h.must(err)
					step, err := workflow.Next(spec, append([]workflow.TaskResult{differ}, tt.parts...))
					h.must(err)
					h.must(h.finishAudit(t.Context(), f, step.Audit))
				}
				var drained []string
				for _, w := range workers {
					kept, err := h.store.Worker(t.Context(), w.name)
					h.must(err)
					if kept.State != store.WorkerDrained {
						continue
					}
					drained = append(drained, w.name)
					if want := "on submissions of 3 accounts: see /admin/audit; to list what it judged: judged admin judgements --worker " +
						w.name; !strings.HasSuffix(kept.Note, want) {
						t.Errorf("the note of %s is %q", w.name, kept.Note)
					}
					h.until("it is told to take no more jobs", func() bool {
						select {
						case o := <-w.Controls():
							return o.Kind == job.Drain
						default:
							return false
						}
					})
				}
				if !slices.Equal(drained, tt.drained) {
					t.Errorf("drained are %v, want %v", drained, tt.drained)
				}
			})
		})
	}
}

// TestAnAuditWaitsForNoWorkerThatIsGone checks that an audit ends with the verdicts that it already has if the
// workers for its missing jobs disconnect.
func TestAnAuditWaitsForNoWorkerThatIsGone(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.o.Audit, h.o.Class = 1, class
		h.folding()
		one, two := h.enrolled("one", false), h.enrolled("two", false)
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := one.take()
		h.finish(l, says(l.Spec, judge.Accepted))
		audit := store.WorkflowJobID("audit", id)
		h.must(h.plan(t.Context(), audit, time.Now()))
		if not := h.spec(store.WorkflowJobID(audit, "again")).Exclude; !slices.Equal(not, []string{"one"}) {
			t.Errorf("%v must not be asked", not)
		}
		two.Close()
		h.until("the other is gone", func() bool { return !h.WorkerStatus("two").Connected })
		now := time.Now()
		for _, later := range []time.Duration{0, maxAlone - time.Second} { // workers may reconnect, as they do after a server restart
			h.must(h.plan(t.Context(), audit, now.Add(later)))
			if f, err := h.store.Workflow(t.Context(), audit); err != nil || f.State != store.WorkflowRunning {
				t.Fatalf("after %v the audit is %+v, %v", later, f, err)
			}
		}
		h.must(h.plan(t.Context(), audit, now.Add(maxAlone)))
		if f, err := h.store.Workflow(t.Context(), audit); err != nil || f.State != store.WorkflowDone ||
			h.WorkerStatus("one").Disagreements != 0 {
			t.Errorf("the audit is %+v, %v", f, err)
		}
	})
}

// TestTrust checks that disagreements with a worker are forgotten after other workers have agreed with it often
// enough. Until then, more of this worker's judgements are audited.
func TestTrust(t *testing.T) {
	var k trustLog
	asks := func() (n int) {
		for n < 1000 && k.needsAudit("w") {
			n++
		}
		return n
	}
	if asks() != 0 || k.disagreements("w") != 0 {
		t.Error("a worker of which nothing is known is not believed")
	}
	for round := range 5 {
		for _, account := range []string{"a", "b", "a"} {
			if k.record("w", account, true) {
				t.Fatal("two accounts are enough")
			}
		}
		if n := asks(); n != maxFindings || k.disagreements("w") != 2 {
			t.Errorf("%d are judged again, %d accounts speak against it", n, k.disagreements("w"))
		}
		for range maxFindings {
			if k.record("w", "a", false) {
				t.Fatal("others agree, and it is drained")
			}
		}
		if k.disagreements("w") != 0 || len(k.records["w"].findings) != maxFindings {
			t.Errorf("in round %d kept is %+v", round, k.records["w"])
		}
	}
	k.record("w", "a", true)
	k.record("w", "b", true)
	if !k.record("w", "c", true) || k.disagreements("w") != 0 || k.disagreements("v") != 0 {
		t.Errorf("three accounts are not enough, or not forgotten: %+v", k.records)
	}
}

// TestTheFirstThatSolvesIsJudgedTwice checks that, for any audit share, the first accepted submission to a problem
// is audited. No other submission is audited until workers disagree with its worker.
func TestTheFirstThatSolvesIsJudgedTwice(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.o.Audit, h.o.Class = 1e-15, class
		h.folding()
		for _, worker := range []string{"one", "two"} {
			_, err := h.store.AdmitWorker(t.Context(),
				store.NewWorker{Name: worker, Class: class, Key: "key of " + worker, Capabilities: job.Capabilities{}})
			h.must(err)
		}
		one := h.join("one", class, 1)
		h.join("two", class, 1)
		var audited []bool
		verdicts := []judge.Verdict{judge.WrongAnswer, judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.Accepted}
		for i, v := range verdicts {
			if i == 3 {
				h.trust.record("one", "other", true)
			}
			id := h.submit(job.PracticePriority, class, 1)[0]
			h.give(job.PracticePriority, class, 1)
			l := one.take()
			h.finish(l, says(l.Spec, v))
			_, err := h.store.Workflow(t.Context(), store.WorkflowJobID("audit", id))
			audited = append(audited, err == nil)
		}
		if want := []bool{false, true, false, true, true}; !slices.Equal(audited, want) {
			t.Errorf("judged again are %v, want %v of %v", audited, want, verdicts)
		}
	})
}
