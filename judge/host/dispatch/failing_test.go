package dispatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestAJobThatFailedEverywhereWaits checks that a job that failed on the only worker waits, and does not block the
// jobs behind it. A worker on which the job has not failed gets it immediately.
func TestAJobThatFailedEverywhereWaits(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.retry = []time.Duration{time.Hour}
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		w := h.join("w", class, 1)
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("the failure is known", func() bool { return h.Counts().Retried == 1 })
		behind := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		if l = w.take(); l.Spec.ID != behind {
			t.Fatalf("%s is taken, want %s", l.Spec.ID, behind)
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("the other is judged", func() bool { return h.Counts().Counted == 1 })
		h.give(job.PracticePriority, class, 0)
		h.must(h.Reconcile(t.Context()))
		if n := h.Counts().RetriedErrors; n != 0 {
			t.Error("a job that is left alone is taken for trouble of the queue")
		}
		v := h.join("v", class, 1)
		h.give(job.PracticePriority, class, 1)
		if l = v.take(); l.Spec.ID != id {
			t.Fatalf("%s is taken, want %s", l.Spec.ID, id)
		}
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("the second failure is known", func() bool { return h.Counts().Retried == 2 })
		h.give(job.PracticePriority, class, 0)
		h.retry = []time.Duration{0, 0} // no more waiting
		v.Close()
		h.until("the second is gone", func() bool { return !h.WorkerStatus("v").Connected })
		h.give(job.PracticePriority, class, 1)
		if l = w.take(); l.Spec.ID != id {
			t.Errorf("%s is taken, want %s", l.Spec.ID, id)
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it is judged", func() bool { return h.judgement(id).Verdict == judge.Accepted })
	})
}

// TestABrokenWorkerIsDrained checks that a worker is drained if it fails at several consecutive jobs that others
// then complete. It is not drained if the jobs fail everywhere, or if it completes a job in between.
func TestABrokenWorkerIsDrained(t *testing.T) {
	for name, tt := range map[string]struct {
		does  string // per job: + worker completes it, - another does, x both fail
		state store.WorkerState
	}{
		"three in a row":        {"---", store.WorkerDrained},
		"two":                   {"--", store.WorkerActive},
		"one done between":      {"--+--", store.WorkerActive},
		"the jobs are to blame": {"xxxx", store.WorkerActive},
		"mixed":                 {"+x--x-", store.WorkerDrained},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				ctx := t.Context()
				_, err := h.store.AdmitWorker(ctx, store.NewWorker{Name: "w", Class: class, Key: "key of w"})
				h.must(err)
				w := h.join("w", class, 1)
				for i, do := range tt.does {
					r := &job.Result{Job: string(rune('a' + i)), Worker: "w", State: job.Failed}
					if do == '+' {
						r.State = job.Done
						h.recordOutcome(ctx, r, store.RecordedResult{Outcome: store.Counted})
						continue
					}
					h.recordOutcome(ctx, r, store.RecordedResult{Outcome: store.Retried})
					if r.Worker = "v"; do == 'x' {
						h.recordOutcome(ctx, r, store.RecordedResult{Outcome: store.GaveUp})
						continue
					}
					r.State = job.Done
					h.recordOutcome(ctx, r, store.RecordedResult{Outcome: store.Counted})
				}
				got, err := h.store.Worker(ctx, "w")
				if err != nil || got.State != tt.state || (got.Note != "") != (tt.state == store.WorkerDrained) {
					t.Errorf("the worker is %s (%s), %v", got.State, got.Note, err)
				}
				if len(h.failures.jobs) > 0 {
					t.Errorf("remembered is %v", h.failures.jobs)
				}
				if tt.state != store.WorkerDrained {
					return
				}
				entries, err := h.store.LatestAuditEntries(ctx, "", 10)
				if err != nil || !slices.ContainsFunc(entries, func(e store.AuditEntry) bool {
					return e.Object == "w" && strings.Contains(e.Detail, "it failed at 3 consecutive jobs")
				}) {
					t.Errorf("the audit says %+v, %v", entries, err)
				}
				h.until("it is told to take no more jobs", func() bool {
					select {
					case o := <-w.Controls():
						return o.Kind == job.Drain
					default:
						return false
					}
				})
			})
		})
	}
}

// TestRetriesComeLater checks that a job waits longer each time it has failed everywhere.
func TestRetriesComeLater(t *testing.T) {
	var f failureLog
	if f.mustWait("a", 1, retryAfter) {
		t.Error("a job that did not fail rests")
	}
	f.record("a", "w")
	for tries := 1; tries <= 6; tries++ {
		f.jobs["a"].last = time.Now().Add(-retryAfter[min(tries, len(retryAfter))-1] + time.Minute/10)
		if !f.mustWait("a", tries, retryAfter) {
			t.Errorf("after %d tries it does not rest", tries)
		}
		f.jobs["a"].last = time.Now().Add(-retryAfter[min(tries, len(retryAfter))-1])
		if f.mustWait("a", tries, retryAfter) {
			t.Errorf("after %d tries it rests longer than %v", tries, retryAfter)
		}
	}
	f.jobs["a"].last = time.Now().Add(-2 * failureLifetime)
	if f.record("b", "w"); len(f.jobs) != 1 {
		t.Errorf("remembered are %d jobs", len(f.jobs))
	}
}

// TestAWorkerThatSaysAnything checks that unknown verdicts are rejected, and that messages about jobs that were
// never dispatched leave no trace.
func TestAWorkerThatSaysAnything(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		w, v := h.join("w", class, 1), h.join("v", class, 1)
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		packed := func(v judge.Verdict) []byte {
			data, _, err := job.Pack([]judge.Event{&judge.Finished{Verdict: v}})
			h.must(err)
			return data
		}
		for _, forge := range []func(*job.Result){
			func(r *job.Result) { r.Token = "guessed" },
			func(r *job.Result) { r.Job = "none" },
		} {
			r := says(l.Spec, judge.Accepted)
			r.Events = packed(judge.Accepted)
			forge(r)
			dropped := h.Counts().Dropped
			h.must(w.SendResult(t.Context(), r))
			h.until("it is dropped", func() bool { return h.Counts().Dropped == dropped+1 })
			if _, err := h.o.Blobs.Read(blob.DigestOf(r.Events), 1<<20); err == nil {
				t.Error("a result without a delivery is kept")
			}
		}
		bad := says(l.Spec, "\x1b[31mPWN<script>")
		h.must(l.Finish(t.Context(), bad))
		h.until("a verdict that is none is a failure", func() bool { return h.Counts().Retried == 1 })
		h.give(job.PracticePriority, class, 1)
		l = v.take()
		bad = says(l.Spec, judge.Accepted)
		bad.Events = packed("PWN")
		h.must(l.Finish(t.Context(), bad))
		h.until("one in its events, too", func() bool { return h.Counts().Retried == 2 })
		u := h.join("u", class, 1)
		h.give(job.PracticePriority, class, 1)
		l = u.take()
		good := says(l.Spec, judge.WrongAnswer)
		good.Events = packed(judge.WrongAnswer)
		h.must(l.Finish(t.Context(), good))
		h.until("it is judged", func() bool { return h.judgement(id).Verdict == judge.WrongAnswer })
		if data, err := h.o.Blobs.Read(blob.DigestOf(good.Events), 1<<20); err != nil || !slices.Equal(data, good.Events) {
			t.Errorf("what it brought is not kept: %v", err)
		}
	})
}
