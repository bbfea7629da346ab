package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// given enqueues a job and connects a worker that may take it. It returns the job's id and the worker.
func (h *harness) given() (id string, w *fake) {
	h.folding()
	id = h.submit(job.PracticePriority, class, 1)[0]
	h.give(job.PracticePriority, class, 1)
	return id, h.join("w", class, 1)
}

// TestAJobThatIsSwallowed checks that a job that a worker loses goes to another worker, and that a worker that
// loses several jobs is drained.
func TestAJobThatIsSwallowed(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		ctx := t.Context()
		_, err := h.store.AdmitWorker(ctx, store.NewWorker{Name: "w", Class: class, Key: "key of w"})
		h.must(err)
		w, v := h.join("w", class, 8), h.join("v", class, 1)
		for i := range maxFailures {
			id := h.submit(job.PracticePriority, class, 1)[0]
			h.give(job.PracticePriority, class, 1)
			w.take()
			h.must(h.markAbandoned(ctx, queue.LostJob{Worker: "w", Job: id, Reason: "it swallows"}))
			h.must(h.markAbandoned(ctx, queue.LostJob{Worker: "w", Job: id, Reason: "it swallows"})) // said twice
			if s := h.spec(id); !slices.Equal(s.Exclude, []string{"w"}) || s.Tries != 1 {
				t.Fatalf("it excludes %v after %d tries", s.Exclude, s.Tries)
			}
			h.give(job.PracticePriority, class, 1)
			l := v.take()
			h.must(l.Finish(ctx, says(l.Spec, judge.Accepted)))
			h.until("another has judged it", func() bool { return h.Counts().Counted == int64(i+1) })
		}
		h.must(h.markAbandoned(ctx, queue.LostJob{Worker: "w", Job: "unknown", Reason: "it swallows"}))
		got, err := h.store.Worker(ctx, "w")
		if err != nil || got.State != store.WorkerDrained {
			t.Errorf("the worker is %s (%s), %v", got.State, got.Note, err)
		}
	})
}

// TestALossThatIsToldLate checks that a late report of a lost job does not take the job from its current worker.
func TestALossThatIsToldLate(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		id, w := h.given()
		h.must(w.take().Release(t.Context(), 0))
		v := h.join("v", class, 1)
		w.SetStatus(true, "")
		l := v.take()
		h.must(h.markAbandoned(t.Context(), queue.LostJob{Worker: "w", Job: id, Reason: "it swallows"}))
		if waiting, out := h.states(job.PracticePriority, class); waiting != 0 || out != 1 {
			t.Errorf("%d jobs wait and %d are out", waiting, out)
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it counts against the first that another did it", func() bool {
			h.failures.mu.Lock()
			defer h.failures.mu.Unlock()
			return slices.Equal(h.failures.streaks["w"], []string{id})
		})
	})
}

// TestOneWorkerLosesAJob checks that a job that one worker loses repeatedly goes to other workers, and does not
// end in a judge error.
func TestOneWorkerLosesAJob(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		id, w := h.given()
		for i := range minLosses {
			w.take()
			w.Close()
			h.until("the worker is missed", func() bool { times, _, _ := h.queue.DeliveryHistory(id); return times == i+1 })
			if i+1 < minLosses {
				w = h.join("w", class, 1)
			}
		}
		v := h.join("v", class, 1)
		h.join("w", class, 1)
		l := v.take()
		h.must(l.GiveUp(t.Context(), "it was given to workers 3 times", true))
		h.until("it waits again", func() bool { return h.Counts().Retried == 1 })
		if s := h.spec(id); !slices.Equal(s.Exclude, []string{"w"}) {
			t.Errorf("it excludes %v", s.Exclude)
		}
		h.give(job.PracticePriority, class, 1)
		l = v.take()
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it is judged", func() bool { return h.judgement(id).Verdict == judge.Accepted })
	})
}

// TestGivenBackWithoutEnd checks that a worker that releases a job each time does not get it any more.
func TestGivenBackWithoutEnd(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		id, w := h.given()
		for range 2 {
			h.must(w.take().Release(t.Context(), 0))
		}
		h.until("it is known", func() bool { _, _, gave := h.queue.DeliveryHistory(id); return slices.Equal(gave, []string{"w"}) })
		w.SetStatus(true, "")
		v := h.join("v", class, 1)
		h.must(v.take().GiveUp(t.Context(), "it was given to workers 3 times", true))
		h.until("it waits again", func() bool { return h.Counts().Retried == 1 })
		if s := h.spec(id); !slices.Equal(s.Exclude, []string{"w"}) {
			t.Errorf("it excludes %v", s.Exclude)
		}
	})
}

// TestAJobThatIsHeldForLong checks that a worker that names a job in its heartbeats but makes no progress loses
// the job, once.
func TestAJobThatIsHeldForLong(t *testing.T) {
	for name, tt := range map[string]struct {
		alone bool
		tells bool
		after time.Duration
		lost  bool
	}{
		"a while":                     {after: maxSilence - time.Minute},
		"nothing is told":             {after: maxSilence + time.Minute, lost: true},
		"nothing is to be told":       {alone: true, after: maxSilence + time.Minute},
		"for hours":                   {alone: true, after: job.MaxClaim + time.Minute, lost: true},
		"something is told all along": {tells: true, after: job.MaxClaim + time.Minute, lost: true},
		"something was told lately":   {tells: true, after: job.MaxClaim - time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				a, err := h.store.Submit(t.Context(), store.NewSubmission{Account: h.owner, Problem: "sum", Priority: job.PracticePriority,
					Class: class, Cost: time.Second, Work: job.Work{
						Kind: job.Submission, Bundle: digest, Config: digest, Problem: "sum", Program: "a.py",
						Files: []job.File{{Path: "a.py", Size: 7, Digest: digest}}, Retime: tt.alone,
					}})
				h.must(err)
				id := a.Job
				h.give(job.PracticePriority, class, 1)
				w := h.join("w", class, 1)
				w.take()
				now := time.Now().Add(tt.after)
				if tt.tells {
					h.view.mu.Lock()
					one := h.view.workers["w"].running[id]
					one.lastEvent = now.Add(-time.Minute)
					h.view.workers["w"].running[id] = one
					h.view.mu.Unlock()
				}
				for range 2 {
					h.must(h.checkWorkers(t.Context(), now))
				}
				waiting, _ := h.states(job.PracticePriority, class)
				if lost := waiting == 1; lost != tt.lost {
					t.Fatalf("the job is lost: %v", lost)
				}
				if !tt.lost {
					return
				}
				if s := h.spec(id); !slices.Equal(s.Exclude, []string{"w"}) || s.Tries != 1 {
					t.Errorf("it excludes %v after %d tries", s.Exclude, s.Tries)
				}
				h.recordHeartbeat("w", job.Heartbeat{Slots: 1, Running: []job.Running{{Job: id}}})
				if by := h.view.runningWorker(id); by != "" {
					t.Errorf("the word of %s counts still", by)
				}
				h.until("it is told to stop", func() bool {
					select {
					case o := <-w.Controls():
						return o.Kind == job.Cancel && o.Job == id
					default:
						return false
					}
				})
			})
		})
	}
}

// TestAWorkerThatDoesNotLeave checks that a drained worker is disconnected if it does not stop.
func TestAWorkerThatDoesNotLeave(t *testing.T) {
	for name, tt := range map[string]struct {
		state store.WorkerState
		takes bool
		after time.Duration
		shut  bool
	}{
		"it ends its jobs":     {state: store.WorkerDrained, after: leaveTimeout - time.Minute},
		"it stays":             {state: store.WorkerDrained, after: leaveTimeout + time.Minute, shut: true},
		"it takes more":        {state: store.WorkerDrained, takes: true, after: drainGrace + 2*time.Second, shut: true},
		"it is in service":     {state: store.WorkerActive, takes: true, after: time.Hour},
		"it sends what is odd": {state: store.WorkerActive},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				ctx := t.Context()
				row, err := h.store.AdmitWorker(ctx, store.NewWorker{Name: "w", Class: class, Key: "key of w"})
				h.must(err)
				h.join("w", class, 1)
				if tt.after == 0 {
					h.must(h.drainBroken(ctx, queue.BrokenWorker{Worker: "w", Reason: "it asks for more"}))
					got, err := h.store.Worker(ctx, "w")
					if err != nil || got.State != store.WorkerDrained || !strings.Contains(got.Note, "asks for more") {
						t.Errorf("the worker is %s (%s), %v", got.State, got.Note, err)
					}
					return
				}
				h.must(h.store.SetWorkerState(ctx, row.ID, tt.state, ""))
				now := time.Now()
				h.must(h.checkWorkers(ctx, now))
				if tt.takes {
					h.view.mu.Lock()
					h.view.workers["w"].lastTaken = now.Add(tt.after)
					h.view.mu.Unlock()
				}
				h.must(h.checkWorkers(ctx, now.Add(tt.after)))
				if here := h.WorkerStatus("w").Connected; here == tt.shut {
					t.Errorf("it is here: %v", here)
				}
			})
		})
	}
}

// TestWhatIsOut checks that a job in the queue is reported as pending, even if the database says that it is
// dispatched.
func TestWhatIsOut(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		ids := h.submit(job.PracticePriority, class, 4)
		// ahead checks, for each job, how many jobs are ahead of it and how many of these have higher priority. A
		// - stands for a job that does not wait.
		ahead := func(want string) {
			t.Helper()
			got := ""
			for _, id := range ids {
				s := h.judgement(id).State
				if h.JobState(id, s) != store.JobWaiting {
					got += "- "
					continue
				}
				a, priority, in, err := h.CountAhead(t.Context(), id)
				h.must(err)
				if got += fmt.Sprintf("%d:%d ", a.Jobs, a.HigherPriority); priority != job.PracticePriority || in != class {
					t.Errorf("%s is of the priority %s and the class %s", id, priority, in)
				}
			}
			if got != want {
				t.Errorf("the jobs have %q before them, want %q", got, want)
			}
		}
		count := func(want string) {
			t.Helper()
			rows, err := h.QueueCounts(t.Context())
			h.must(err)
			got := ""
			for _, q := range rows {
				got += fmt.Sprintf("%s %s %d ", q.Priority, q.State, q.Jobs)
			}
			if got != want {
				t.Errorf("the queues are %q, want %q", got, want)
			}
		}
		count("practice waiting 4 ")
		ahead("0:0 1:0 2:0 3:0 ")
		h.give(job.PracticePriority, class, 2) // no worker is connected
		count("practice waiting 4 ")
		ahead("0:0 1:0 2:0 3:0 ")
		w := h.join("w", class, 2)
		l := w.take()
		count("practice dispatched 1 practice waiting 3 ")
		ahead("- 0:0 1:0 2:0 ")
		others := slices.Concat(h.submit(job.ContestPriority, class, 3), h.submit(job.BackgroundPriority, class, 1),
			h.submit(job.ContestPriority, "other", 1))
		ahead("- 3:3 4:3 5:3 ")
		h.must(h.enqueuePriority(t.Context(), h.lead("first"), job.ContestPriority, class, 2))
		h.must(h.enqueuePriority(t.Context(), h.lead("first"), job.BackgroundPriority, class, 1))
		ahead("- 3:3 4:3 5:3 ")
		for _, id := range others {
			if done, err := h.Cancel(t.Context(), id); err != nil || !done {
				t.Errorf("cancel %s: %v, %v", id, done, err)
			}
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it is judged", func() bool { return h.Counts().Counted == 1 })
		count("practice waiting 3 ")
	})
}
