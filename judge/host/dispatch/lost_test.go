package dispatch

import (
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// empty removes jobs from the queue, as if the directory of the queue had been deleted.
func (h *harness) empty(priority job.Priority, ids ...string) {
	h.Helper()
	for _, id := range ids {
		h.must(h.queue.Delete(h.Context(), priority, class, id))
	}
}

// TestTheQueueLostAll checks that a job that neither a worker nor the queue has is dispatched again, exactly once.
func TestTheQueueLostAll(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		h.behind.Store(int64(time.Hour)) // jobs have been dispatched for a long time
		ids := h.submit(job.PracticePriority, class, 4)
		w := h.join("w", class, 2)
		h.give(job.PracticePriority, class, 4)
		held := w.take()
		h.empty(job.PracticePriority, ids...)

		generations := func(want string) {
			t.Helper()
			for _, id := range ids {
				if id == held.Spec.ID {
					continue
				}
				if s := h.spec(id); s.Generation != 2 {
					t.Errorf("%s: the job %s has generation %d", want, id, s.Generation)
				}
			}
		}
		for range 2 {
			h.must(h.Reconcile(t.Context()))
			if waiting, out := h.states(job.PracticePriority, class); waiting != 3 || out != 1 || h.Counts().Requeued != 3 {
				t.Errorf("%d jobs wait and %d are out, %d wait again; want 3, 1, 3", waiting, out, h.Counts().Requeued)
			}
			generations("after the queue lost all")
		}
		h.give(job.PracticePriority, class, 3)
		h.must(h.Reconcile(t.Context())) // now the queue contains them
		if waiting, out := h.states(job.PracticePriority, class); waiting != 0 || out != 4 || h.Counts().Requeued != 3 {
			t.Errorf("%d jobs wait and %d are out, %d wait again; want 0, 4, 3", waiting, out, h.Counts().Requeued)
		}
		seen := map[string]bool{held.Spec.ID: true}
		h.must(held.Finish(t.Context(), says(held.Spec, judge.Accepted)))
		for range 3 {
			l := w.take()
			if seen[l.Spec.ID] || l.Spec.Generation != 2 {
				t.Errorf("the job %s of generation %d is taken, known: %v", l.Spec.ID, l.Spec.Generation, seen[l.Spec.ID])
			}
			seen[l.Spec.ID] = true
			h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		}
		h.until("all is judged", func() bool { return h.Counts().Counted == 4 })
		h.must(h.Reconcile(t.Context()))
		w.none("all is judged")
		if c := h.Counts(); c.Requeued != 3 || c.Duplicates != 0 || c.Enqueued != 7 {
			t.Errorf("got %+v", c)
		}
	})
}

// TestWhatIsJustOut checks that a job dispatched a moment ago is assumed to be in the queue, because the queue may
// not list it yet.
func TestWhatIsJustOut(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		h.behind.Store(-int64(3 * time.Second)) // independent of how long the following steps take
		ids := h.submit(job.PracticePriority, class, 1)
		h.give(job.PracticePriority, class, 1)
		h.empty(job.PracticePriority, ids...)
		h.must(h.Reconcile(t.Context()))
		if c := h.Counts(); c.Requeued != 0 {
			t.Errorf("a job that was dispatched a moment ago is dispatched again: %+v", c)
		}
	})
}

// TestTheClockIsSetBack checks that a job that was dispatched before the clock was set back, and got lost, is
// enqueued again.
func TestTheClockIsSetBack(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		h.behind.Store(-int64(time.Hour))
		ids := h.submit(job.PracticePriority, class, 1)
		h.give(job.PracticePriority, class, 1)
		h.behind.Store(0)
		h.empty(job.PracticePriority, ids...)
		h.must(h.Reconcile(t.Context()))
		if c := h.Counts(); c.Requeued != 1 {
			t.Errorf("got %+v", c)
		}
	})
}

// TestResultsAreTakenFirst checks that a job whose result is in the queue does not run again.
func TestResultsAreTakenFirst(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.behind.Store(int64(time.Hour))
		id := h.submit(job.PracticePriority, class, 1)[0]
		spec := h.spec(id)
		w := h.join("w", class, 1)
		h.give(job.PracticePriority, class, 1)
		h.must(w.SendResult(t.Context(), says(spec, judge.Accepted)))
		h.empty(job.PracticePriority, id) // as an acknowledgement does
		looked := make(chan error)
		go func() { looked <- h.Reconcile(t.Context()) }()
		select {
		case err := <-looked:
			t.Fatalf("it looked for lost jobs before it had taken the results: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		h.folding()
		h.must(<-looked)
		if c := h.Counts(); c.Requeued != 0 || c.Counted != 1 {
			t.Errorf("got %+v", c)
		}
	})
}

// TestAWorkerThatIsSilent checks that a silent worker's claims to run jobs expire.
func TestAWorkerThatIsSilent(t *testing.T) {
	c := newWorkerView()
	c.admit("w", class, false)
	c.joined("w")
	c.heartbeat("w", job.Heartbeat{Slots: 2, Running: []job.Running{{Job: "a"}, {Job: "b"}}})
	if c.freeSlots(class) != 0 || c.runningWorker("a") != "w" {
		t.Fatalf("%d slots are free, a is done by %q", c.freeSlots(class), c.runningWorker("a"))
	}
	for id, said := range c.workers["w"].running {
		said.lastNamed = said.lastNamed.Add(-claimLifetime - time.Second)
		c.workers["w"].running[id] = said
	}
	if by := c.runningWorker("a"); by != "" {
		t.Errorf("a is thought to be done by %s, which says nothing of it", by)
	}
	c.heartbeat("w", job.Heartbeat{Slots: 2, Running: []job.Running{{Job: "b"}}})
	if c.freeSlots(class) != 1 || c.recordProgress("w", "a") || c.runningWorker("b") != "w" {
		t.Errorf("%d slots are free, a is known: %v, b is done by %q", c.freeSlots(class), c.recordProgress("w", "a"), c.runningWorker("b"))
	}
	c.left("w")
	if c.freeSlots(class) != 0 || c.runningWorker("b") != "" {
		t.Errorf("who left has %d free slots, and does b: %q", c.freeSlots(class), c.runningWorker("b"))
	}
}

// TestCancel cancels a pending job, a queued one, a running one, and a finished one.
func TestCancel(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		w := h.join("w", class, 1)
		cancel := func(id string, want bool) {
			t.Helper()
			if open, err := h.Cancel(t.Context(), id); err != nil || open != want {
				t.Errorf("to cancel says %v, %v; want %v", open, err, want)
			}
		}
		waits := h.submit(job.PracticePriority, class, 1)[0]
		cancel(waits, true)
		h.give(job.PracticePriority, class, 0)
		lies := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		cancel(lies, true)
		w.none("all jobs are cancelled")

		runs := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		watch := h.Watch(runs)
		defer watch.Close()
		cancel(runs, true)
		for told := false; !told; {
			select {
			case o := <-w.Controls():
				told = o.Kind != job.Warm // Warm messages may arrive at any time
				if told && (o.Kind != job.Cancel || o.Job != runs) {
					t.Errorf("the worker is told %+v", o)
				}
			case <-time.After(patience):
				t.Fatal("the worker is not told")
			}
		}
		if _, _, ended := watch.Next(0); !ended {
			t.Error("who watches is not told of the end")
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("its result is dropped", func() bool { return h.Counts().Dropped == 1 })
		for _, id := range []string{waits, lies, runs} {
			if j := h.judgement(id); j.State != store.JobCancelled || j.Verdict != "" || j.Ended.IsZero() {
				t.Errorf("the judgement is %+v", j)
			}
			cancel(id, false)
		}
		h.behind.Store(-int64(time.Hour))
		h.must(h.Reconcile(t.Context()))
		if c := h.Counts(); c.Requeued != 0 || c.Enqueued != 2 {
			t.Errorf("got %+v", c)
		}
	})
}

// TestCancelledWhileItIsGivenOut cancels a job between enqueueing and marking it.
func TestCancelledWhileItIsGivenOut(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		ids := h.submit(job.PracticePriority, class, 2)
		w := h.join("w", class, 1)
		h.step = func(s Step) {
			if s == StepEnqueued {
				_, err := h.store.CancelJob(t.Context(), ids[0]) // by another server
				h.must(err)
			}
		}
		h.give(job.PracticePriority, class, 1)
		if l := w.take(); l.Spec.ID != ids[1] {
			t.Error("a job that was cancelled is taken")
		}
		w.none("the other was cancelled")
	})
}
