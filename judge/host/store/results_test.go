package store_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

func TestAResultIsReadBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		a := h.submit()
		h.clock.add(time.Minute)
		r := h.result(h.next()[0], judge.WrongAnswer)
		score := judge.Score{}
		r.Finished.Score = &score
		f := h.fold(r, store.Counted)
		if f.Submission != a.ID || f.Workflow != "" {
			t.Errorf("got %+v", f)
		}
		j, err := h.Judgement(t.Context(), a.ID)
		if d := cmp.Diff(&store.Judgement{
			ID: a.Job, Submission: a.ID, Bundle: digest("nim1"), Config: digest("config"), Class: "main", Origin: "first", State: store.JobDone,
			Started: a.Received, Ended: h.clock.Now(), Verdict: judge.WrongAnswer, Score: score.String(), Finished: r.Finished, Rows: r.Rows,
			Events: blob.DigestOf(r.Events), Worker: "w1", Version: "v9", Machine: "m", IsolationLevel: "full", Toolchains: r.Toolchains,
			CPU: 7 * time.Microsecond,
		}, j, cmpopts.IgnoreUnexported(judge.Finished{})); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		s, err := h.Submission(t.Context(), a.ID)
		if err != nil || s.Verdict != judge.WrongAnswer || s.State != store.JobDone || !s.Ended.Equal(h.clock.Now()) ||
			!cmp.Equal(s.Finished, r.Finished, cmpopts.IgnoreUnexported(judge.Finished{})) {
			t.Errorf("got %+v with %+v, %v", s, s.Finished, err)
		}
		events, err := h.EventsSince(t.Context(), store.Practice, 1, 10)
		want := []store.Event{{Seq: 2, At: h.clock.Now(), Kind: store.KindJudgement, Object: a.Job, Op: store.OpUpdated}}
		if d := cmp.Diff(want, events); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	})
}

// TestResultsThatComeTwiceOrLate checks repeated and late results, even from workers that report anything.
func TestResultsThatComeTwiceOrLate(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.submit()
		spec := h.next()[0]
		stranger := h.result(spec, judge.Accepted)
		stranger.Token = "guessed"
		h.fold(stranger, store.Dropped)
		unknown := h.result(spec, judge.Accepted)
		unknown.Job = "none"
		h.fold(unknown, store.Dropped)

		h.fold(h.result(spec, judge.Accepted), store.Counted)
		h.fold(h.result(spec, judge.Accepted), store.Duplicate)
		other := h.result(spec, judge.WrongAnswer)
		other.Worker = "liar\x00\xff"
		h.fold(other, store.Disagreement)
		failed := h.result(spec, "")
		failed.State, failed.Finished = job.Failed, nil
		h.fold(failed, store.Dropped)

		entries, err := h.LatestAuditEntries(t.Context(), "", 10)
		if err != nil || len(entries) != 1 || entries[0].Object != spec.ID || !strings.HasPrefix(entries[0].Actor, "liar") {
			t.Errorf("got %+v, %v", entries, err)
		}
		list, err := h.Submissions(t.Context(), store.SubmissionFilter{})
		if err != nil || list[0].Verdict != judge.Accepted {
			t.Errorf("got %+v, %v", list, err)
		}
		checkLog(t, h.Store, 2)
	})
}

func TestALateResultOfAnEarlierGenerationCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.submit()
		spec := h.next()[0]
		h.out(spec)
		if again, err := h.Requeue(t.Context(), job.Running{Job: spec.ID, Generation: 1}); err != nil || !again {
			t.Fatal(again, err)
		}
		failed := h.result(spec, "")
		failed.State, failed.Finished = job.Failed, nil
		h.fold(failed, store.Dropped) // the job was dispatched again
		h.fold(h.result(spec, judge.Accepted), store.Counted)
		if left := h.next(); len(left) != 0 {
			t.Errorf("it waits still: %+v", left[0])
		}
	})
}

// TestTwoFoldsAtOnce checks that only one of several concurrent results of a job counts.
func TestTwoFoldsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for range 10 {
			a := h.submit()
			spec := h.next()[0]
			outcomes := make(chan store.RecordedResult, 6)
			var wg sync.WaitGroup
			for i := range cap(outcomes) {
				wg.Go(func() {
					r := h.result(spec, []judge.Verdict{judge.Accepted, judge.WrongAnswer}[i%2])
					f, err := h.RecordResult(t.Context(), r, blob.DigestOf(r.Events))
					if err != nil {
						t.Error(err)
					}
					outcomes <- f
				})
			}
			wg.Wait()
			close(outcomes)
			got := map[store.Outcome]int{}
			for f := range outcomes {
				got[f.Outcome]++
			}
			if d := cmp.Diff(map[store.Outcome]int{store.Counted: 1, store.Duplicate: 2, store.Disagreement: 3}, got); d != "" {
				t.Error(d)
			}
			if j, err := h.Judgement(t.Context(), a.ID); err != nil || j.State != store.JobDone {
				t.Errorf("got %+v, %v", j, err)
			}
		}
		checkLog(t, h.Store, 20)
	})
}

func TestAJobThatFails(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		a := h.submit()
		fail := func(worker string, state job.State, want store.Outcome) store.RecordedResult {
			spec := h.next()[0]
			h.out(spec)
			r := h.result(spec, "")
			r.State, r.Finished, r.Worker, r.Reason = state, nil, worker, "no disk at "+worker
			r.TooManyDeliveries = state == job.GivenUp
			return h.fold(r, want)
		}
		for _, worker := range []string{"w1", "w2", "w1", "w3"} {
			fail(worker, job.Failed, store.Retried)
		}
		spec := h.next()[0]
		if d := cmp.Diff([]string{"w1", "w2", "w3"}, spec.Exclude); d != "" || spec.Generation != 5 {
			t.Errorf("generation %d\n%s", spec.Generation, d)
		}
		if f := fail("w4", job.Failed, store.GaveUp); f.Submission != a.ID {
			t.Errorf("got %+v", f)
		}
		j, err := h.Judgement(t.Context(), a.ID)
		if err != nil || j.State != store.JobFailed || j.Verdict != judge.JudgeError || j.Reason != "no disk at w4" || j.Ended.IsZero() {
			t.Errorf("got %+v, %v", j, err)
		}
		h.fold(h.result(spec, judge.Accepted), store.Disagreement)

		b := h.submit()
		if f := fail("w1", job.GivenUp, store.GaveUp); f.Submission != b.ID {
			t.Errorf("got %+v", f)
		}

		// The problem or the caller is blamed only if a second worker blames it as well.
		c := h.submit()
		blame := func(whose judge.Blame, state job.State, want store.Outcome) {
			spec := h.next()[0]
			h.out(spec)
			r := h.result(spec, "")
			r.State, r.Finished, r.Worker, r.Blame = state, nil, "w"+string(whose), whose
			h.fold(r, want)
		}
		blame(judge.Setter, job.Failed, store.Retried)
		blame(judge.Caller, job.Failed, store.GaveUp)
		// A result without a verdict does not end the job.
		h.submit()
		blame("", job.Done, store.Retried)
		if j, err := h.Judgement(t.Context(), c.ID); err != nil || j.State != store.JobFailed {
			t.Errorf("got %+v, %v", j, err)
		}
		if entries, err := h.LatestAuditEntries(t.Context(), "", 3); err != nil || len(entries) != 3 || entries[1].Object != b.Job ||
			entries[1].Detail != "no disk at w1" {
			t.Errorf("got %+v, %v", entries, err)
		}
		checkLog(t, h.Store, 7)
	})
}

func TestCancel(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		a := h.submit()
		spec := h.next()[0]
		cancel := func(id string) bool {
			done, err := h.CancelJob(t.Context(), id)
			if err != nil {
				t.Error(err)
			}
			return done
		}
		if !cancel(a.Job) || cancel(a.Job) {
			t.Error("cancelled twice, or not at all")
		}
		h.fold(h.result(spec, judge.Accepted), store.Dropped)
		j, err := h.Judgement(t.Context(), a.ID)
		if err != nil || j.State != store.JobCancelled || j.Verdict != "" || j.Ended.IsZero() {
			t.Errorf("got %+v, %v", j, err)
		}
		h.submit()
		spec = h.next()[0]
		h.fold(h.result(spec, judge.Accepted), store.Counted)
		if cancel(spec.ID) {
			t.Error("what has a verdict was cancelled")
		}
		checkLog(t, h.Store, 4)
	})
}

// TestCancelUntouched checks that only a job that was never dispatched can be canceled, and only if it is not a
// rejudging.
func TestCancelUntouched(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		cancel := func(id string, want bool, wrong error) {
			t.Helper()
			if done, err := h.CancelIfUnassigned(t.Context(), id); done != want || !errors.Is(err, wrong) {
				t.Errorf("got %v, %v, want %v, %v", done, err, want, wrong)
			}
		}
		a := h.submit()
		cancel(a.Job, true, nil)
		cancel(a.Job, false, nil) // it has already ended
		b := h.submit()
		spec := h.next()[0]
		h.out(spec)
		cancel(b.Job, false, store.ErrAssigned)
		if again, err := h.Requeue(t.Context(), job.Running{Job: spec.ID, Generation: spec.Generation}); err != nil || !again {
			t.Fatal(again, err)
		}
		cancel(b.Job, false, store.ErrAssigned) // it is waiting, but was dispatched before
		if done, err := h.CancelJob(t.Context(), b.Job); !done || err != nil {
			t.Errorf("the staff's cancelling: %v, %v", done, err)
		}
	})
}

// TestCancelAndFoldAtOnce checks that, if CancelJob and RecordResult are called concurrently, exactly one of them takes
// effect.
func TestCancelAndFoldAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for range 10 {
			a := h.submit()
			r := h.result(h.next()[0], judge.Accepted)
			var cancelled bool
			var wg sync.WaitGroup
			wg.Go(func() {
				var err error
				if cancelled, err = h.CancelJob(t.Context(), a.Job); err != nil {
					t.Error(err)
				}
			})
			f, err := h.RecordResult(t.Context(), r, blob.DigestOf(r.Events))
			wg.Wait()
			if err != nil || cancelled == (f.Outcome == store.Counted) {
				t.Errorf("cancelled: %v; the result: %s, %v", cancelled, f.Outcome, err)
			}
		}
		checkLog(t, h.Store, 20)
	})
}

// out marks jobs as dispatched, as the server that holds the leader lease does.
func (h *harness) out(specs ...*job.Spec) {
	h.tb.Helper()
	epoch, err := h.AcquireLease(h.tb.Context(), store.EnqueueLease, "me", time.Hour)
	if err != nil {
		h.tb.Fatal(err)
	}
	var jobs []job.Running
	for _, s := range specs {
		jobs = append(jobs, job.Running{Job: s.ID, Generation: s.Generation})
	}
	out, err := h.MarkDispatched(h.tb.Context(), epoch, jobs...)
	if err != nil || len(out) != len(jobs) {
		h.tb.Fatalf("marked %d of %d, %v", len(out), len(jobs), err)
	}
}
