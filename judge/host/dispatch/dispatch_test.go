package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestFeedIsNoMoreThanIsWanted checks that the queue contains one job per free slot and two more.
func TestFeedIsNoMoreThanIsWanted(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		h.submit(job.PracticePriority, class, 12)
		h.submit(job.PracticePriority, "arm", 5)
		want := func(waiting, out int, after string) {
			t.Helper()
			if w, o := h.states(job.PracticePriority, class); w != waiting || o != out {
				t.Errorf("after %s %d jobs wait and %d are out, want %d and %d", after, w, o, waiting, out)
			}
		}
		h.give(job.PracticePriority, class, 2)
		want(10, 2, "feeding without workers")
		w := h.join("w", class, 2)
		h.give(job.PracticePriority, class, 4)
		want(8, 4, "a worker of two slots came")
		h.give(job.PracticePriority, class, 4)
		want(8, 4, "feeding again")
		one := w.take()
		h.give(job.PracticePriority, class, 3)
		want(8, 4, "it took one") // three queued jobs are enough for one free slot
		w.take()
		h.give(job.PracticePriority, class, 2)
		want(8, 4, "it took two")
		h.must(one.Finish(t.Context(), says(one.Spec, judge.Accepted)))
		h.until("a slot is free", func() bool { return h.WorkerStatus("w").Running == 1 })
		h.give(job.PracticePriority, class, 3)
		want(7, 4, "it ended one")
		for _, c := range []struct {
			draining bool
			note     string
		}{{true, ""}, {false, "no disk"}} {
			w.SetStatus(c.draining, c.note)
			h.until("it is known to rest", func() bool { p := h.WorkerStatus("w"); return p.Draining == c.draining && p.Note == c.note })
			if n := h.view.freeSlots(class); n != 0 {
				t.Errorf("a worker that rests (draining %v, %q) has %d free slots", c.draining, c.note, n)
			}
		}
		if waiting, out := h.states(job.PracticePriority, "arm"); waiting != 3 || out != 2 {
			t.Errorf("of a class without workers %d jobs wait and %d are out, want 3 and 2", waiting, out)
		}
	})
}

// TestPrioritiesInOrder checks that waiting jobs are dispatched in the order of their priorities, highest priority first.
func TestPrioritiesInOrder(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.step = func(Step) { time.Sleep(time.Millisecond) } // otherwise all jobs are dispatched at the same time
		for _, priority := range []job.Priority{job.BackgroundPriority, job.PracticePriority, job.ContestPriority} {
			h.submit(priority, class, 3)
		}
		w := h.join("w", class, 9)
		h.give(job.BackgroundPriority, class, 3)
		out, err := h.store.DispatchedBefore(t.Context(), time.Now().Add(time.Hour))
		h.must(err)
		if len(out) != 9 || !slices.IsSortedFunc(out, func(a, b store.DispatchedJob) int { return int(a.Priority - b.Priority) }) {
			t.Errorf("were given out in this order: %+v", out)
		}
		for i := range 9 {
			if l := w.take(); l.Spec.Priority != []job.Priority{job.ContestPriority, job.PracticePriority, job.BackgroundPriority}[i/3] {
				t.Errorf("the job taken as number %d is of priority %s", i+1, l.Spec.Priority)
			}
		}
	})
}

// TestOutcomes checks the effect of each kind of result on the database, the queue and the counts.
func TestOutcomes(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		w, v := h.join("w", class, 1), h.join("v", class, 1)
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		watch := h.Watch(id)
		defer watch.Close()

		var want Counts
		want.Enqueued = 1
		count := func(after string, n *int64) {
			t.Helper()
			*n++
			h.until("a result is taken: "+after, func() bool { return h.Counts() == want })
		}
		forged := says(l.Spec, judge.Accepted)
		forged.Token = "guessed"
		h.must(v.SendResult(t.Context(), forged))
		count("one of a worker that was not given the job", &want.Dropped)
		if h.view.runningWorker(id) != "w" {
			t.Error("who does the job is not known any more")
		}
		h.must(w.SendResult(t.Context(), says(l.Spec, judge.WrongAnswer)))
		count("the first", &want.Counted)
		if alive, err := h.queue.HasJob(t.Context(), job.PracticePriority, class, id); err != nil || alive {
			t.Errorf("the job has ended, and is in the queue, for its acknowledgement is lost: %v", err)
		}
		if h.view.runningWorker(id) != "" {
			t.Error("the job has ended, and a worker is thought to do it")
		}
		if _, _, ended := watch.Next(0); !ended {
			t.Error("who watches is not told of the end")
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.WrongAnswer)))
		count("the same verdict", &want.Duplicates)
		h.must(v.SendResult(t.Context(), says(l.Spec, judge.Accepted)))
		count("another verdict", &want.Disagreements)
		h.must(v.SendResult(t.Context(), says(l.Spec, "")))
		count("a failure that is too late", &want.Dropped)
		if j := h.judgement(id); j.Verdict != judge.WrongAnswer || j.Worker != "w" {
			t.Errorf("what stands is %s of %s", j.Verdict, j.Worker)
		}
		audit, err := h.store.LatestAuditEntries(t.Context(), "", 10)
		if err != nil || len(audit) != 1 || audit[0].Action != "one job, two verdicts" || audit[0].Actor != "v" {
			t.Errorf("the audit says %+v, %v", audit, err)
		}
		w.none("the job has ended")
	})
}

// TestAJobThatFails checks that a failed job immediately goes to another worker, and to each worker once. After
// five failures the job is given up. The submission is not blamed, and the administrators are notified.
func TestAJobThatFails(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		watch := h.Watch(id)
		defer watch.Close()
		var workers []*fake
		for _, name := range []string{"w1", "w2", "w3", "w4", "w5"} {
			workers = append(workers, h.join(name, class, 1))
		}
		for i, w := range workers {
			h.give(job.PracticePriority, class, 1)
			for _, before := range workers[:i] {
				if i == 1 { // there are many others, and each releases a job that it must not run
					before.none("it failed at the job")
				}
			}
			l := w.take()
			if l.Spec.Generation != i+1 || len(l.Spec.Exclude) != i {
				t.Errorf("worker %d is given generation %d, which excludes %v", i+1, l.Spec.Generation, l.Spec.Exclude)
			}
			h.must(l.Finish(t.Context(), says(l.Spec, "")))
			h.until("the failure is known", func() bool { c := h.Counts(); return c.Retried+c.Failed == int64(i+1) })
			if _, _, ended := watch.Next(0); ended && i < 4 {
				t.Error("who watches is told of an end, and the job is only tried again")
			}
		}
		if c := h.Counts(); c.Retried != 4 || c.Failed != 1 || c.Requeued != 0 {
			t.Errorf("got %+v", c)
		}
		if j := h.judgement(id); j.Verdict != judge.JudgeError || j.State != store.JobFailed || j.Reason != "no disk" {
			t.Errorf("the judgement is %+v", j)
		}
		if _, _, ended := watch.Next(0); !ended {
			t.Error("who watches is not told of the end")
		}
		audit, err := h.store.LatestAuditEntries(t.Context(), "", 10)
		if err != nil || len(audit) != 1 || audit[0].Action != "a job failed" {
			t.Errorf("the audit says %+v, %v", audit, err)
		}
	})
}

// TestTheOnlyWorkerFails checks that the only worker gets a failed job again, and that its last message becomes
// the reason.
func TestTheOnlyWorkerFails(t *testing.T) {
	for name, tt := range map[string]struct {
		blame judge.Blame
		tries int
	}{"a machine's fault": {"", 5}, "a setter's fault": {judge.Setter, 2}} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				h.folding()
				id := h.submit(job.PracticePriority, class, 1)[0]
				w := h.join("w", class, 1)
				for i := range tt.tries {
					h.give(job.PracticePriority, class, 1)
					l := w.take()
					if len(l.Spec.Exclude) > 0 {
						t.Errorf("the job excludes %v", l.Spec.Exclude)
					}
					r := says(l.Spec, "")
					r.Blame = tt.blame
					h.must(l.Finish(t.Context(), r))
					h.until("the failure is known", func() bool { c := h.Counts(); return c.Retried+c.Failed == int64(i+1) })
				}
				if j := h.judgement(id); j.State != store.JobFailed || j.Reason != "no disk" || h.Counts().Failed != 1 {
					t.Errorf("the judgement is %+v", j)
				}
			})
		})
	}
}

// TestTheOthersAreBusy checks that a job that failed on one worker is enqueued only when another worker can take
// it. In the meantime, the jobs behind it are enqueued.
func TestTheOthersAreBusy(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		w, v := h.join("w", class, 1), h.join("v", class, 1)
		h.submit(job.PracticePriority, class, 1)
		h.give(job.PracticePriority, class, 1)
		busy := v.take()
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("the failure is known", func() bool { return h.Counts().Retried == 1 })
		h.give(job.PracticePriority, class, 0)
		behind := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		if l = w.take(); l.Spec.ID != behind {
			t.Errorf("the job %s is taken, want %s", l.Spec.ID, behind)
		}
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.must(busy.Finish(t.Context(), says(busy.Spec, judge.Accepted)))
		h.until("both are free", func() bool { return h.WorkerStatus("w").Running+h.WorkerStatus("v").Running == 0 })
		h.give(job.PracticePriority, class, 1)
		if l = v.take(); l.Spec.ID != id || len(l.Spec.Exclude) != 1 {
			t.Errorf("%+v is taken, want %s", l.Spec, id)
		}
	})
}

// TestRefusals checks that a job does not count as failed if workers reject it because they must not run it.
func TestRefusals(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		w, v := h.join("w", class, 1), h.join("v", class, 1)
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("the failure is known", func() bool { return h.Counts().Retried == 1 })
		h.give(job.PracticePriority, class, 1)
		l = v.take()
		h.must(l.GiveUp(t.Context(), "it was given to workers 12 times", true))
		h.until("it is given up", func() bool { return h.Counts().Retried == 2 })
		if s := h.spec(id); !slices.Equal(s.Exclude, []string{"w"}) {
			t.Errorf("it excludes %v", s.Exclude)
		}
	})
}

// TestUnseenDeliveries checks that a job that was delivered often is assumed to crash workers only if
// workers were seen to crash.
func TestUnseenDeliveries(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		w := h.join("w", class, 1)
		l := w.take()
		h.must(l.GiveUp(t.Context(), "it was given to workers 3 times", true))
		h.until("it waits again", func() bool { return h.Counts().Retried == 1 })
		if s := h.spec(id); len(s.Exclude) > 0 {
			t.Errorf("it excludes %v", s.Exclude)
		}
		h.give(job.PracticePriority, class, 1)
		l = w.take()
		for i := range minLosses {
			w.Close()
			h.until("the worker is missed", func() bool { times, _, _ := h.queue.DeliveryHistory(id); return times == i+1 })
			w = h.join("w", class, 1)
			l = w.take()
		}
		h.must(l.GiveUp(t.Context(), "it was given to workers 3 times", true))
		h.until("it is given up", func() bool { return h.Counts().Failed == 1 })
	})
}

// TestAQueueThatHoldsJobsBack checks that a queue that delivers no jobs to waiting workers is noticed. There is no
// error if no worker waits or no job is queued.
func TestAQueueThatHoldsJobsBack(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		h.behind.Store(int64(time.Hour)) // jobs have been dispatched for a long time
		noticed := func(want int64, why string) {
			t.Helper()
			h.must(h.Reconcile(t.Context()))
			if n := h.Counts().RetriedErrors; n != want {
				t.Errorf("%s: noticed %d times, want %d", why, n, want)
			}
		}
		h.idleTimeout = 0
		noticed(0, "no jobs, no workers")
		h.submit(job.PracticePriority, class, 1)
		noticed(0, "no workers")
		w := h.join("w", class, 1)
		noticed(1, "one waits, the job is not in the queue")
		h.give(job.PracticePriority, class, 1)
		noticed(2, "one waits, the job is in the queue")
		h.idleTimeout = time.Hour
		noticed(2, "one waits for some moments only") // dropped jobs wait again
		h.give(job.PracticePriority, class, 1)
		h.idleTimeout = 0
		l := w.take()
		noticed(2, "the worker is busy")
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it is judged", func() bool { return h.Counts().Counted == 1 && h.WorkerStatus("w").Running == 0 })
		h.until("the queue has nothing", func() bool { s, err := h.queue.Stats(t.Context()); return err == nil && s.Jobs == 0 })
		noticed(2, "all is done")
		_, err := h.queue.Publish(t.Context(), &job.Spec{Work: l.Spec.Work, ID: "ended", Generation: 1, Priority: job.PracticePriority,
			Class: class, Token: "t"})
		h.must(err)
		noticed(3, "the queue holds a job that is not open")
		if alive, err := h.queue.HasJob(t.Context(), job.PracticePriority, class, "ended"); alive || err != nil {
			t.Errorf("it holds it still: %v, %v", alive, err)
		}
	})
}

// TestAJobThatComesToThoseWhoWaited checks that a job that has just arrived does not cause a queue error, however
// long workers have been idle. The job itself must also have been in the queue for a long time.
func TestAJobThatComesToThoseWhoWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, false)
		h.folding()
		w := h.join("w", class, 1)
		after := func(wait time.Duration, jobs int, want int64) {
			t.Helper()
			time.Sleep(wait)
			h.submit(job.PracticePriority, class, jobs)
			h.must(h.Reconcile(t.Context()))
			if n := h.Counts().RetriedErrors; n != want {
				t.Errorf("after %v with %d jobs more: created again %d times, want %d", wait, jobs, n, want)
			}
		}
		after(2*h.idleTimeout, 0, 0)
		after(0, 1, 0)
		after(h.idleTimeout-time.Second, 0, 0)
		after(2*time.Second, 0, 1)
		after(reconcileEvery, 0, 1)
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("it is judged", func() bool { return h.Counts().Counted == 1 && h.WorkerStatus("w").Running == 0 })
		after(reconcileEvery, 0, 1)
		after(2*h.idleTimeout, 1, 1)
	})
}

// TestAFailureBeforeItsReceipt checks that a failed job is dispatched again even if the worker on which it failed
// has not yet acknowledged it. The acknowledgement of a distant worker may arrive late.
func TestAFailureBeforeItsReceipt(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		w, v := h.join("w", class, 1), h.join("v", class, 1)
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		h.must(w.SendResult(t.Context(), says(l.Spec, "")))
		h.until("the failure is known", func() bool { return h.Counts().Retried == 1 })
		h.must(h.enqueueAll(t.Context(), h.lead("first")))
		h.must(l.Finish(t.Context(), says(l.Spec, ""))) // acknowledge the job
		if got := v.take().Spec; got.ID != id || got.Generation != 2 {
			t.Errorf("the other worker is given %s of generation %d, want %s of 2", got.ID, got.Generation, id)
		}
	})
}

// TestAResultThatCannotBeKept checks that a result is delivered again until it can be stored.
func TestAResultThatCannotBeKept(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		id := h.submit(job.PracticePriority, class, 1)[0]
		w := h.join("w", class, 1)
		h.give(job.PracticePriority, class, 1)
		l := w.take()
		packed, _, err := job.Pack([]judge.Event{&judge.Noted{Text: "slept"}})
		h.must(err)
		// Replace the blob directory by a file.
		dir := filepath.Join(h.dir, "blobs")
		h.must(os.RemoveAll(dir))
		h.must(os.WriteFile(dir, nil, 0o600))
		h.folding()
		r := says(l.Spec, judge.Accepted)
		r.Events = packed
		h.must(l.Finish(t.Context(), r))
		h.until("a client is told", func() bool { return h.Counts().RetriedErrors > 0 })
		if j := h.judgement(id); !j.Ended.IsZero() || h.Counts().Counted != 0 {
			t.Errorf("a result counts whose events are lost: %+v", j)
		}
		h.must(os.Remove(dir))
		_ = h.dispatcher("") // creates the directory again
		h.until("the result counts", func() bool { return h.Counts().Counted == 1 })
		if j := h.judgement(id); j.Verdict != judge.Accepted || !has(h.T, h.o.Blobs, j.Events, int64(len(packed))) {
			t.Errorf("the judgement is %+v", j)
		}
	})
}

// TestWhatCannotBeRead checks that an unreadable result counts as a failure of its worker, and that another worker
// gets the job.
func TestWhatCannotBeRead(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		id := h.submit(job.PracticePriority, class, 1)[0]
		lies, tells := h.join("lies", class, 1), h.join("tells", class, 1)
		h.give(job.PracticePriority, class, 1)
		l := lies.take()
		r := says(l.Spec, judge.WrongAnswer)
		r.Events = []byte("what was never packed")
		h.must(l.Finish(t.Context(), r))
		h.until("the failure is known", func() bool { return h.Counts().Retried == 1 })
		h.give(job.PracticePriority, class, 1)
		l = tells.take()
		h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
		h.until("the other result counts", func() bool { return h.Counts().Counted == 1 })
		if j := h.judgement(id); j.Verdict != judge.Accepted || j.Worker != "tells" {
			t.Errorf("the judgement is %+v", j)
		}
	})
}

// TestProgress checks that progress of a job is shown only if it comes from the worker that was given the job.
func TestProgress(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		ids := h.submit(job.PracticePriority, class, 2)
		w := h.join("w", class, 2)
		h.give(job.PracticePriority, class, 2)
		l := w.take()
		watch := h.Watch(l.Spec.ID)
		defer watch.Close()
		l.Progress(0, []byte(`{}`))
		h.until("who watches sees it", func() bool { events, _, _ := watch.Next(0); return len(events) == 1 })
		other := ids[0]
		if other == l.Spec.ID {
			other = ids[1]
		}
		foreign := h.Watch(other)
		defer foreign.Close()
		h.Listener().Progress("w", job.Progress{Running: job.Running{Job: other, Generation: 1}, Events: [][]byte{[]byte(`{}`)}})
		if events, _, _ := foreign.Next(0); len(events) != 0 {
			t.Error("a worker tells of a job that it was not given, and is believed")
		}
	})
}

// TestOneOfTwoLeads checks that only one of two servers with the same database dispatches jobs. When that server
// stops, the other server continues immediately.
func TestOneOfTwoLeads(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		second := h.dispatcher("second")
		second.SetQueue(h.queue)
		second.view = h.view // both receive the workers' messages
		w := h.join("w", class, 1)
		run := func(d *Dispatcher) (stop func()) {
			ctx, cancel := context.WithCancel(context.Background())
			var done sync.WaitGroup
			done.Go(func() { d.Run(ctx) })
			stop = sync.OnceFunc(func() { cancel(); done.Wait() })
			t.Cleanup(stop)
			return stop
		}
		judgeAll := func(n int) {
			h.submit(job.PracticePriority, class, n)
			h.Wake()
			second.Wake()
			for range n {
				l := w.take()
				h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
			}
			h.until("all is judged", func() bool { waiting, out := h.states(job.PracticePriority, class); return waiting+out == 0 })
		}
		stop := run(h.Dispatcher)
		h.until("the first leads", func() bool {
			l, err := h.store.LeaseHolder(t.Context(), store.EnqueueLease)
			return err == nil && l.Holder == "first"
		})
		run(second)
		judgeAll(8)
		// Enqueued does not count a job that is done before it is marked as dispatched, so its value may be too low.
		if first, other := h.Counts().Enqueued, second.Counts().Enqueued; first == 0 || other != 0 {
			t.Errorf("the one that leads gave out %d jobs, the other %d", first, other)
		}
		stop()
		if l, err := h.store.LeaseHolder(t.Context(), store.EnqueueLease); err != nil || l.Holder == "first" && l.Until.After(time.Now()) {
			t.Errorf("the first has ended, and keeps the lead: %+v, %v", l, err)
		}
		if judgeAll(8); second.Counts().Enqueued == 0 {
			t.Error("the second gave out no jobs")
		}
		// The first server may have stopped between storing a result and counting it.
		h.until("15 or 16 results count", func() bool { n := h.Counts().Counted + second.Counts().Counted; return n == 15 || n == 16 })
	})
}

// TestWhoLostTheLead checks that a former leader may still enqueue the jobs that it has read, but cannot mark them
// as dispatched. The new leader marks them, and each job runs once.
func TestWhoLostTheLead(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		id := h.submit(job.PracticePriority, class, 1)[0]
		w := h.join("w", class, 1)
		second := h.dispatcher("second")
		second.SetQueue(h.queue)
		old := h.lead("first")
		if _, err := h.store.AcquireLease(t.Context(), store.EnqueueLease, "second", store.LeaseTerm); !errors.Is(err, store.ErrNotLeader) {
			t.Fatalf("within the term another takes the lead: %v", err)
		}
		h.behind.Store(-int64(store.LeaseTerm + time.Second)) // the first server slept longer than its lease
		now := h.lead("second")
		if err := h.enqueueAll(t.Context(), old); !errors.Is(err, store.ErrNotLeader) {
			t.Errorf("who lost the lead feeds: %v", err)
		}
		if waiting, out := h.states(job.PracticePriority, class); waiting != 1 || out != 0 {
			t.Errorf("%d jobs wait, %d are out", waiting, out)
		}
		h.must(second.enqueueAll(t.Context(), now))
		if waiting, out := h.states(job.PracticePriority, class); waiting != 0 || out != 1 {
			t.Errorf("%d jobs wait, %d are out", waiting, out)
		}
		if l := w.take(); l.Spec.ID != id || l.Spec.Generation != 1 {
			t.Errorf("got %+v", l.Spec)
		}
		w.none("there was one job")
	})
}

// has reports whether a blob exists.
func has(t testing.TB, f *blob.Dir, d blob.Digest, size int64) bool {
	t.Helper()
	there, err := f.Has(d, size)
	if err != nil {
		t.Fatal(err)
	}
	return there
}
