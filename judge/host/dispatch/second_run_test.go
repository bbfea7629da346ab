package dispatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// late returns the result of a program that took 1.1 s with a time limit of 1 s.
func (h *harness) late(s *job.Spec) *job.Result {
	h.Helper()
	r := says(s, judge.TimeLimit)
	r.Finished.First = "secret/1"
	packed, rows, err := job.Pack([]judge.Event{
		&judge.Started{Format: judge.EventFormat, TimeMS: 1000},
		&judge.CaseJudged{Group: "secret", Case: "1", Verdict: judge.TimeLimit, Exec: judge.Exec{CPU: 1100 * time.Millisecond}},
		r.Finished,
	})
	h.must(err)
	r.Events, r.Rows = packed, rows
	return r
}

// enrolled connects a worker that is registered in the database.
func (h *harness) enrolled(name string, guest bool) *fake {
	h.Helper()
	w, err := h.store.AdmitWorker(h.Context(), store.NewWorker{Name: name, Class: class, Key: "key of " + name, Untrusted: guest})
	h.must(err)
	return h.joins(w.Name, w.Class, w.Untrusted, 1)
}

// finish reports a result and waits until it is recorded.
func (h *harness) finish(l *lease, r *job.Result) {
	h.Helper()
	before := h.Counts().Counted
	h.must(l.Finish(h.Context(), r))
	h.until("the result is kept", func() bool { return h.Counts().Counted == before+1 })
}

// submission returns the submission of a job.
func (h *harness) submission(id string) *store.Submission {
	h.Helper()
	all, err := h.store.JuryJudgements(h.Context(), store.JudgementFilter{Limit: 1000})
	h.must(err)
	for _, j := range all {
		if j.ID == id {
			s, err := h.store.Submission(h.Context(), j.Submission)
			h.must(err)
			return s
		}
	}
	h.Fatalf("there is no judging %s", id)
	return nil
}

// TestBarelyTooLate checks that a second and a third worker rejudge a submission that is barely over the time
// limit. If one of them measures a time within the limit, the submission is in time. Until both have judged it,
// the submission is pending.
func TestBarelyTooLate(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		one := h.enrolled("one", false)
		id := h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l := one.take()
		h.finish(l, h.late(l.Spec))
		if s := h.submission(id); s.Verdict != judge.TimeLimit || s.Judgement != id {
			t.Errorf("there is no other worker, and the submission is %+v", s)
		}

		guest, two, three := h.enrolled("guest", true), h.enrolled("two", false), h.enrolled("three", false)
		id = h.submit(job.PracticePriority, class, 1)[0]
		h.give(job.PracticePriority, class, 1)
		l = one.take()
		h.finish(l, h.late(l.Spec))
		for _, w := range []*fake{two, three} {
			if s := h.submission(id); s.Verdict != "" || s.State != store.JobWaiting {
				t.Errorf("before %s has judged the submission is %+v", w.name, s)
			}
			h.give(job.PracticePriority, class, 1)
			one.none("it judged the submission")
			guest.none("guests are not asked")
			l = w.take()
			if !l.Spec.Retime {
				t.Errorf("%s is given %+v", w.name, l.Spec.Work)
			}
			r := says(l.Spec, judge.Accepted)
			if w == two {
				r = h.late(l.Spec)
			}
			h.finish(l, r)
		}
		if s := h.submission(id); s.Verdict != judge.Accepted || s.State != store.JobDone {
			t.Errorf("in the end the submission is %+v", s)
		}
		runs, err := h.store.JuryJudgements(t.Context(), store.JudgementFilter{Origin: store.OriginNearLimit})
		h.must(err)
		if len(runs) != 3 || runs[0].Why != "secret/1 took 1.1s, the limit is 1s on two" || runs[0].Worker != "three" || !runs[0].Current {
			t.Errorf("the staff is shown %+v", runs)
		}

		// After three workers, no other worker judges it.
		id = h.submit(job.PracticePriority, class, 1)[0]
		h.enrolled("four", false)
		for i, w := range []*fake{one, two, three} {
			h.give(job.PracticePriority, class, 1)
			for _, before := range []*fake{one, two, three}[:i] {
				before.none("it judged the submission")
			}
			l = w.take()
			h.finish(l, h.late(l.Spec))
		}
		if s := h.submission(id); s.Verdict != judge.TimeLimit || s.Judgement != id {
			t.Errorf("after three runs the submission is %+v", s)
		}
	})
}

// TestNoOtherWorkerIsLeft checks a submission that no remaining worker can rejudge, because the other workers have
// disconnected. A submission that was barely over the time limit must not wait forever. A submission that only
// untrusted workers have judged must wait.
func TestNoOtherWorkerIsLeft(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		one, guest := h.enrolled("one", false), h.enrolled("guest", true)
		two := h.enrolled("two", false)
		barely, guests := h.submit(job.PracticePriority, class, 1)[0], ""
		h.give(job.PracticePriority, class, 1)
		l := one.take()
		h.finish(l, h.late(l.Spec))
		h.give(job.PracticePriority, class, 1)
		l = two.take()
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("its machine failed", func() bool { return h.Counts().Retried == 1 })
		two.Close()
		h.until("the other is gone", func() bool { return !h.WorkerStatus("two").Connected })
		h.must(h.enqueueAll(t.Context(), h.lead("first")))
		one.none("it judged the submission, whichever worker failed")
		guests = h.submit(job.PracticePriority, class, 1)[0]
		h.must(h.enqueueAll(t.Context(), h.lead("first")))
		for l = guest.take(); l.Spec.ID != guests; l = guest.take() {
		}
		h.finish(l, says(l.Spec, judge.Accepted))
		one.Close()
		h.until("the first is gone", func() bool { return !h.WorkerStatus("one").Connected })
		now := time.Now()
		for _, later := range []time.Duration{0, maxAlone / 2, maxAlone - time.Second} {
			h.must(h.handleStranded(t.Context(), now.Add(later)))
			if s := h.submission(barely); s.Verdict != "" {
				t.Fatalf("after %s the submission is %+v", later, s)
			}
		}
		h.must(h.handleStranded(t.Context(), now.Add(maxAlone)))
		if s := h.submission(barely); s.Verdict != judge.TimeLimit || s.Judgement != barely {
			t.Errorf("no other worker is online, and the submission is %+v", s)
		}
		h.must(h.handleStranded(t.Context(), now.Add(time.Hour)))
		if s := h.submission(guests); s.Verdict != "" || s.State == store.JobCancelled {
			t.Errorf("only a guest has judged it, and the submission is %+v", s)
		}
		if left, err := h.Stranded(t.Context()); err != nil || len(left) != 1 || left[0].Origin != store.OriginUntrusted {
			t.Errorf("the staff is told of %+v, %v", left, err)
		}
		h.must(h.enqueueAll(t.Context(), h.lead("first")))
		guest.none("only others may judge it now")
		three := h.enrolled("three", false)
		h.must(h.enqueueAll(t.Context(), h.lead("first")))
		l = three.take()
		h.finish(l, says(l.Spec, judge.Accepted))
		if s := h.submission(guests); s.Verdict != judge.Accepted {
			t.Errorf("in the end the submission is %+v", s)
		}
	})
}

// TestGuests checks that a verdict of an untrusted worker becomes current when a trusted worker confirms it. A
// contradiction must be counted against the untrusted worker and reported.
func TestGuests(t *testing.T) {
	for name, tt := range map[string]struct {
		said   judge.Verdict
		found  int // findings recorded about the untrusted worker
		differ int
	}{
		"the same":            {judge.WrongAnswer, 1, 0},
		"otherwise":           {judge.Accepted, 1, 1},
		"time may differ":     {judge.TimeLimit, 0, 0},
		"its machine may err": {judge.JudgeError, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				h.folding()
				guest := h.enrolled("guest", true)
				id := h.submit(job.PracticePriority, class, 1)[0]
				h.give(job.PracticePriority, class, 1)
				l := guest.take()
				watch := h.Watch(id)
				defer watch.Close()
				l.Progress(0, []byte(`{}`))
				h.Listener().Progress("guest", job.Progress{Running: job.Running{Job: id, Generation: 1}, Events: [][]byte{[]byte(`{}`)}})
				if events, _, _ := watch.Next(0); len(events) != 0 {
					t.Error("what a guest finds is told before another has found it")
				}
				h.finish(l, says(l.Spec, tt.said))
				if s := h.submission(id); s.Verdict != "" {
					t.Errorf("a guest's verdict counts: %+v", s)
				}
				other := h.enrolled("other", false)
				h.give(job.PracticePriority, class, 1)
				guest.none("it judged the submission")
				l = other.take()
				if l.Spec.Retime {
					t.Error("it is judged alone")
				}
				h.must(l.Finish(t.Context(), says(l.Spec, "")))
				h.until("its machine failed", func() bool { return h.Counts().Retried == 1 })
				if left, err := h.Stranded(t.Context()); err != nil || len(left) != 0 {
					t.Errorf("a worker that may judge it is online, and the jury is warned of %+v, %v", left, err)
				}
				h.give(job.PracticePriority, class, 1)
				guest.none("an untrusted worker must not rejudge it, whichever worker failed")
				l = other.take()
				h.finish(l, says(l.Spec, judge.WrongAnswer))
				if s := h.submission(id); s.Verdict != judge.WrongAnswer {
					t.Errorf("the submission is %+v", s)
				}
				found := 0
				if r := h.trust.records["guest"]; r != nil { // the record is final after finish
					found = len(r.findings)
				}
				if now := h.WorkerStatus("guest").Disagreements; now != tt.differ || found != tt.found {
					t.Errorf("%d speak against the guest, of %d", now, found)
				}
				entries, err := h.store.LatestAuditEntries(t.Context(), "", 10)
				h.must(err)
				if told := len(entries) == 1 && entries[0].Detail == "the untrusted worker guest says AC; other says WA"; told != (tt.differ > 0) ||
					len(entries) > tt.differ {
					t.Errorf("the staff is told %+v", entries)
				}
			})
		})
	}
}

// TestAGuestThatLies checks that an untrusted worker is drained after false verdicts on submissions of several
// accounts.
func TestAGuestThatLies(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		guest, other := h.enrolled("guest", true), h.enrolled("other", false)
		for i, account := range []string{"ben", "ben", "cleo", "dan"} {
			if i != 1 {
				a, err := h.store.NewAccount(t.Context(), account, "", store.PersonAccount, "")
				h.must(err)
				h.owner = a.ID
			}
			if w, err := h.store.Worker(t.Context(), "guest"); err != nil || w.State != store.WorkerActive {
				t.Fatalf("after %d lies it is %+v, %v", i, w, err)
			}
			h.submit(job.PracticePriority, class, 1)
			h.give(job.PracticePriority, class, 1)
			l := guest.take()
			h.finish(l, says(l.Spec, judge.Accepted))
			h.give(job.PracticePriority, class, 1)
			l = other.take()
			h.finish(l, says(l.Spec, judge.WrongAnswer))
		}
		if w, err := h.store.Worker(t.Context(), "guest"); err != nil || w.State != store.WorkerDrained ||
			!strings.HasSuffix(w.Note, "judged admin judgements --worker guest") {
			t.Errorf("it is %+v, %v", w, err)
		}
		if w, err := h.store.Worker(t.Context(), "other"); err != nil || w.State != store.WorkerActive {
			t.Errorf("the other is %+v, %v", w, err)
		}
	})
}

// TestGuestsHaveNothingOfContests checks that an untrusted worker gets no job with a problem of a contest that has
// not ended, and no message to prepare that problem.
func TestGuestsHaveNothingOfContests(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		one, guest := h.enrolled("one", false), h.enrolled("guest", true)
		published := func(problem string) {
			h.WarmAll(job.Bundle{Problem: problem, Manifest: digest, Config: digest})
		}
		told := func(f *fake, last string) (problems []string) {
			t.Helper()
			for {
				select {
				case o := <-f.Controls():
					for _, b := range o.Bundles {
						if b.Problem == last {
							return problems
						}
						problems = append(problems, b.Problem)
					}
				case <-time.After(patience):
					t.Fatalf("%s is told nothing of %s", f.name, last)
				}
			}
		}
		published("first")
		told(one, "first")
		told(guest, "first") // and what it received before
		c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
			Visibility: store.VisibilityJury}
		h.must(h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}))

		published("sum")
		h.warmWorker("one")
		h.warmWorker("guest")
		published("last")
		if all := told(one, "last"); !slices.Equal(all, []string{"sum", "sum"}) {
			t.Errorf("a worker is to make ready %v", all)
		}
		if all := told(guest, "last"); len(all) > 0 {
			t.Errorf("a guest is to make ready %v", all)
		}

		for _, priority := range []job.Priority{job.PracticePriority, job.BackgroundPriority} {
			id := h.submit(priority, class, 1)[0]
			h.give(priority, class, 1)
			guest.none("a contest has the problem")
			l := one.take()
			if l.Spec.ID != id {
				t.Fatalf("the job %s is given instead of %s", l.Spec.ID, id)
			}
			h.finish(l, says(l.Spec, judge.Accepted))
		}
	})
}

// TestWhatFailedIsNoGuests checks a job of a running contest that failed on the only trusted worker. That worker
// must get the job again. The job must not wait for an untrusted worker, which may not run it.
func TestWhatFailedIsNoGuests(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		h.folding()
		one := h.enrolled("one", false)
		h.enrolled("guest", true)
		id := h.submit(job.ContestPriority, class, 1)[0]
		h.give(job.ContestPriority, class, 1)
		l := one.take()
		h.must(l.Finish(t.Context(), says(l.Spec, "")))
		h.until("its machine failed", func() bool { return h.Counts().Retried == 1 })
		h.give(job.ContestPriority, class, 1)
		l = one.take()
		h.finish(l, says(l.Spec, judge.Accepted))
		if s := h.submission(id); s.Verdict != judge.Accepted {
			t.Errorf("the submission is %+v", s)
		}
	})
}
