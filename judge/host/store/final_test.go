package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// season is a running contest with a team.
type season struct {
	*harness
	*testing.T
	contest string // id
	team    *store.Team
}

func newSeason(t *testing.T, dsn string) *season {
	h := newHarness(t, dsn)
	w := &season{harness: h, T: t}
	w.contest = h.newContest("spring").ID
	team, err := h.Enter(t.Context(), w.contest, h.alice)
	w.must(err)
	w.team = team
	h.clock.add(61 * time.Minute)
	return w
}

func (w *season) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *season) row() *store.Contest {
	w.Helper()
	c, err := w.Contest(w.Context(), w.contest)
	w.must(err)
	return c
}

// send stores a submission of the team. If team is empty, the jury submits it.
func (w *season) send(team string) *store.StoredSubmission {
	w.Helper()
	n := w.submission("")
	n.Contest, n.Team, n.Priority = w.contest, team, job.ContestPriority
	a, err := w.Submit(w.Context(), n)
	w.must(err)
	return a
}

// judge gives the waiting submissions of a priority a verdict.
func (w *season) judge(priority job.Priority, v judge.Verdict) (n int) {
	w.Helper()
	specs, err := w.NextJobs(w.Context(), priority, "main", 100)
	w.must(err)
	for _, s := range specs {
		w.fold(w.result(s, v), store.Counted)
	}
	return len(specs)
}

// is fails the test unless the verification state of a submission is want.
func (w *season) is(a *store.StoredSubmission, want store.VerifyState) {
	w.Helper()
	s, err := w.Submission(w.Context(), a.ID)
	w.must(err)
	if s.Verify != want {
		w.Errorf("submission %d is %q, want %q", s.Number, s.Verify, want)
	}
	j, err := w.Judgement(w.Context(), a.ID)
	w.must(err)
	if j.Withheld() != (want == store.Unverified) {
		w.Errorf("submission %d is withheld: %v", s.Number, j.Withheld())
	}
	found := func(filter string) bool {
		all, err := w.Submissions(w.Context(), store.SubmissionFilter{Contest: w.contest, Verify: filter})
		w.must(err)
		return slices.ContainsFunc(all, func(one *store.Submission) bool { return one.ID == a.ID })
	}
	if found(store.VerifyPending) != want.Pending() || found(store.VerifyDone) != (want == store.Verified) {
		w.Errorf("submission %d is not found where it belongs", s.Number)
	}
}

// ignored marks a submission as ignored, fails the test if the filter with the given Verify value still finds it,
// and removes the mark.
func (w *season) ignored(a *store.StoredSubmission, verify string) {
	w.Helper()
	w.must(w.AddOverride(w.Context(), a.ID, w.alice.ID, store.Override{Ignored: true, Why: "x"}, -1))
	all, err := w.Submissions(w.Context(), store.SubmissionFilter{Contest: w.contest, Verify: verify})
	w.must(err)
	if slices.ContainsFunc(all, func(one *store.Submission) bool { return one.ID == a.ID }) {
		w.Errorf("a filter finds submission %d, which is ignored", a.Number)
	}
	w.must(w.AddOverride(w.Context(), a.ID, w.alice.ID, store.Override{Why: "x"}, -1))
}

func (w *season) verify(a *store.StoredSubmission, ok bool, want error) {
	w.Helper()
	j, err := w.Judgement(w.Context(), a.ID)
	w.must(err)
	if err := w.Verify(w.Context(), a.ID, w.alice.ID, store.Verification{OK: ok, Note: "seen", Judgement: j.ID}); !errors.Is(err, want) {
		w.Errorf("verify: %v, want %v", err, want)
	}
}

// TestVerify checks that the verification mode of a problem applies to judgements that begin later, and that
// verdict overrides of the jury need no verification.
func TestVerify(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		mode := func(m store.VerifyMode) {
			t.Helper()
			w.must(w.SetVerify(t.Context(), w.contest, "A", m))
			problems, err := w.ContestProblems(t.Context(), w.contest)
			w.must(err)
			if problems[0].Verify != m {
				t.Errorf("the mode is %q, want %q", problems[0].Verify, m)
			}
		}
		before := w.send(w.team.ID) // submitted before the mode is set
		mode(store.VerifyBefore)
		c := w.row()
		w.must(w.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "nim", Points: 100}})) // keeps the mode
		w.judge(job.ContestPriority, judge.Accepted)
		w.is(before, "")
		for _, tt := range []struct {
			mode    store.VerifyMode
			verdict judge.Verdict
			want    store.VerifyState
		}{
			{store.VerifyBefore, judge.Accepted, store.Unverified}, {store.VerifyBefore, judge.WrongAnswer, store.Unverified},
			{store.VerifyBefore, judge.JudgeError, ""}, {store.VerifyBeforeRejected, judge.Accepted, ""},
			{store.VerifyBeforeRejected, judge.WrongAnswer, store.Unverified}, {store.VerifyAfter, judge.Accepted, store.UnverifiedPublic},
			{store.VerifyAfterRejected, judge.Accepted, ""}, {store.VerifyAfterRejected, judge.WrongAnswer, store.UnverifiedPublic},
			{"", judge.Accepted, ""},
		} {
			mode(tt.mode)
			sub, jury := w.send(w.team.ID), w.send("")
			j, err := w.Judgement(t.Context(), sub.ID)
			w.must(err)
			if before := tt.mode == store.VerifyBefore || tt.mode == store.VerifyBeforeRejected; j.Withheld() != before {
				t.Errorf("%q: a judgement that runs is withheld: %v", tt.mode, j.Withheld())
			}
			w.judge(job.ContestPriority, tt.verdict)
			if tt.verdict == judge.JudgeError { // contestants never see it
				if s, err := w.Submission(t.Context(), sub.ID); err != nil || s.Verify != "" {
					t.Errorf("a judge error is %+v, %v", s, err)
				}
				w.verify(sub, true, store.ErrNotReady)
				continue
			}
			w.is(sub, tt.want)
			w.is(jury, "")
			if tt.want != "" {
				w.ignored(sub, store.VerifyPending)
				w.verify(sub, true, nil)
				w.is(sub, store.Verified)
				w.ignored(sub, store.VerifyDone)
				if tt.want == store.Unverified {
					w.verify(sub, false, store.ErrVerdictPublic)
					w.is(sub, store.Verified)
					continue
				}
				w.verify(sub, false, nil)
			} else {
				w.verify(sub, true, store.ErrNotReady)
			}
			w.is(sub, tt.want)
		}
		if err := w.SetVerify(t.Context(), w.contest, "A", "never"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a mode that does not exist: %v", err)
		}
		if err := w.SetVerify(t.Context(), w.contest, "Z", store.VerifyAfter); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a problem that does not exist: %v", err)
		}
	})
}

// TestVerifyRejudged checks that a judgement stays verified if a rejudging has the same verdict, and must be
// verified again if the verdict differs.
func TestVerifyRejudged(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		w.must(w.SetVerify(t.Context(), w.contest, "A", store.VerifyBefore))
		sub := w.send(w.team.ID)
		w.judge(job.ContestPriority, judge.WrongAnswer)
		rejudge := func(v judge.Verdict) {
			t.Helper()
			r, _, err := w.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: w.contest}, Why: "x",
				Account: w.alice.ID})
			w.must(err)
			w.judge(job.BackgroundPriority, v)
			w.must(w.ApplyRejudging(t.Context(), r.ID))
		}
		rejudge(judge.WrongAnswer)
		w.is(sub, store.Unverified) // no judge had verified it
		old, err := w.Judgement(t.Context(), sub.ID)
		w.must(err)
		w.verify(sub, true, nil)
		rejudge(judge.WrongAnswer)
		w.is(sub, store.Verified)
		if err := w.Verify(t.Context(), sub.ID, w.alice.ID, store.Verification{OK: true, Judgement: old.ID}); !errors.Is(err, store.ErrChanged) {
			t.Errorf("verify an old judgement: %v", err)
		}
		rejudge(judge.Accepted)
		w.is(sub, store.Unverified)
		done, all, err := w.CountVerified(t.Context(), w.contest)
		if err != nil || done != 0 || all != 1 {
			t.Errorf("verified are %d of %d, %v", done, all, err)
		}
		w.must(w.AddOverride(t.Context(), sub.ID, w.alice.ID, store.Override{Verdict: judge.WrongAnswer, Why: "x"}, -1))
		if s, err := w.Submission(t.Context(), sub.ID); err != nil || s.Verify != "" {
			t.Errorf("what the jury decided is %+v, %v", s, err)
		}
		w.must(w.AddOverride(t.Context(), sub.ID, w.alice.ID, store.Override{Why: "as it was judged"}, -1))
		w.is(sub, store.Verified) // the override was reviewed by a judge
		said, err := w.Verifications(t.Context(), sub.ID)
		if err != nil || len(said) != 1 || said[0].Login != "alice" || !said[0].OK || said[0].Note != "seen" ||
			said[0].Verdict != judge.WrongAnswer {
			t.Errorf("judges said %+v, %v", said, err)
		}
		w.must(w.SetVerify(t.Context(), w.contest, "A", store.VerifyBefore))
		w.clock.add(3 * time.Hour) // after the end of the contest
		late := w.send(w.team.ID)
		w.judge(job.ContestPriority, judge.Accepted)
		w.is(late, "")
	})
}

// TestPause checks that jobs of a paused problem wait while jobs of other problems are judged, and that the
// waiting jobs are judged after the pause.
func TestPause(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		_, err := w.PutBundle(t.Context(), bundle(w.alice.ID, "sum", "1"))
		w.must(err)
		w.must(w.SetContest(t.Context(), w.row(), []store.NewContestProblem{{Label: "A", Slug: "nim"}, {Label: "B", Slug: "sum"}}))
		first := w.send(w.team.ID)
		w.must(w.SetPaused(t.Context(), w.contest, "A", true))
		w.must(w.SetContest(t.Context(), w.row(), []store.NewContestProblem{{Label: "A", Slug: "nim"},
			{Label: "B", Slug: "sum"}})) // which keeps it
		second := w.send(w.team.ID)
		n := w.submission("")
		n.Contest, n.Team, n.Priority, n.Problem, n.Work.Problem = w.contest, w.team.ID, job.ContestPriority, "sum", "sum"
		_, err = w.Submit(t.Context(), n)
		w.must(err)
		if queues, err := w.QueueCounts(t.Context()); err != nil || len(queues) != 1 || queues[0].Jobs != 1 {
			t.Errorf("the queues are %+v, %v", queues, err)
		}
		if judged := w.judge(job.ContestPriority, judge.Accepted); judged != 1 {
			t.Errorf("%d submissions are judged, want that of the other problem", judged)
		}
		for _, a := range []*store.StoredSubmission{first, second} {
			s, err := w.Submission(t.Context(), a.ID)
			w.must(err)
			if !s.Paused || s.State != store.JobWaiting || s.Verdict != "" {
				t.Errorf("submission %d is %+v", s.Number, s)
			}
		}
		u, err := w.FinalizeBlockers(t.Context(), w.row(), nil)
		if err != nil || !slices.Equal(u.Pending, []int64{second.Number, first.Number}) {
			t.Errorf("without a verdict are %+v, %v", u, err)
		}
		w.must(w.SetPaused(t.Context(), w.contest, "A", false))
		if judged := w.judge(job.ContestPriority, judge.Accepted); judged != 2 {
			t.Errorf("%d submissions are judged, want both", judged)
		}
		third := w.send(w.team.ID)
		specs, err := w.NextJobs(t.Context(), job.ContestPriority, "main", 10)
		w.must(err)
		w.out(specs...)
		w.must(w.SetPaused(t.Context(), w.contest, "A", true))
		if again, err := w.Requeue(t.Context(), job.Running{Job: third.Job, Generation: 1}); err != nil || !again {
			t.Errorf("the job does not come back: %v", err)
		}
		if judged := w.judge(job.ContestPriority, judge.Accepted); judged != 0 {
			t.Error("a job that came back is judged during the pause")
		}
		if _, err := w.AheadOf(t.Context(), third.Job); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a paused job has a place in the queue: %v", err)
		}
		if err := w.SetPaused(t.Context(), w.contest, "Z", true); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a problem that does not exist: %v", err)
		}
	})
}

// TestFinalizeStore checks that results become final only if the contest has ended and nothing is pending. After
// the results are public, nothing that the Contest API shows may change.
func TestFinalizeStore(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		w.must(w.SetVerify(t.Context(), w.contest, "A", store.VerifyAfter))
		w.team.ExtraTime = 10 * time.Minute
		w.must(w.SetTeam(t.Context(), w.team, ""))
		open, broken, good := w.send(w.team.ID), w.send(w.team.ID), w.send(w.team.ID)
		result := map[string]judge.Verdict{broken.Job: judge.JudgeError, good.Job: judge.Accepted}
		give := func() {
			t.Helper()
			specs, err := w.NextJobs(t.Context(), job.ContestPriority, "main", 100)
			w.must(err)
			for _, s := range specs {
				if v, is := result[s.ID]; is {
					w.fold(w.result(s, v), store.Counted)
				}
			}
		}
		give()
		question, err := w.Clarify(t.Context(), store.NewClarification{Contest: w.contest, Account: w.alice.ID, Team: w.team.ID, Text: "may I?"})
		w.must(err)
		rejudging, _, err := w.Rejudge(t.Context(), store.NewRejudging{
			Filter: store.SubmissionFilter{Contest: w.contest, Verdict: "AC"}, Why: "x", Account: w.alice.ID,
		})
		w.must(err)
		blocked := func(want string) {
			t.Helper()
			c := w.row()
			c.FinalBy = "chief"
			err := w.Finalize(t.Context(), c, nil)
			u, is := errors.AsType[*store.FinalizeBlockers](err)
			if !is {
				t.Fatalf("finalize: %v, want %s", err, want)
			}
			got := fmt.Sprint(u.Ended, " ", len(u.Pending), " ", len(u.JudgeErrors), " ", u.Verified, "/", u.All, " ", u.Rejudgings, " ",
				u.OpenQuestions)
			if got != want || !errors.Is(err, store.ErrNotReady) || !w.row().Finalized.IsZero() {
				t.Errorf("in the way are %s, want %s", got, want)
			}
		}
		blocked("false 1 1 0/1 1 1")
		w.clock.add(2*time.Hour + time.Minute) // after the end, except for the team with extra time
		blocked("false 1 1 0/1 1 1")
		w.clock.add(10 * time.Minute)
		blocked("true 1 1 0/1 1 1")
		late := w.send(w.team.ID) // too late to count
		w.must(w.AddOverride(t.Context(), broken.ID, w.alice.ID, store.Override{Ignored: true, Why: "x"}, -1))
		result[open.Job] = judge.WrongAnswer
		give()
		blocked("true 0 0 0/2 1 1")
		_, err = w.Clarify(t.Context(), store.NewClarification{Contest: w.contest, Account: w.alice.ID, Jury: true, Text: "no",
			ReplyTo: question})
		w.must(err)
		blocked("true 0 0 0/2 1 0")
		_, err = w.CancelRejudging(t.Context(), rejudging.ID)
		w.must(err)
		w.verify(good, true, nil)
		blocked("true 0 0 1/2 0 0")
		w.verify(good, false, nil)
		blocked("true 0 0 0/2 0 0")
		w.verify(good, true, nil)
		w.verify(open, true, nil)

		c := w.row()
		c.FinalB, c.FinalBy = 2, "chief"
		stale := *c
		w.must(w.Finalize(t.Context(), c, nil))
		if err := w.Finalize(t.Context(), &stale, nil); !errors.Is(err, store.ErrChanged) {
			t.Errorf("finalize what another account has changed: %v", err)
		}
		if now := w.row(); now.FinalB != 2 || now.FinalBy != "chief" || now.Finalized.IsZero() || !now.UpdatesEnd.IsZero() {
			t.Errorf("the contest is %+v", now)
		}
		w.verify(good, false, store.ErrResultsFinal)
		c.Finalized = time.Time{} // open again
		w.must(w.SetContest(t.Context(), c, nil))
		if now := w.row(); now.FinalB != 0 || now.FinalBy != "" {
			t.Errorf("open again, the contest is %+v", now)
		}
		c = w.row()
		w.must(w.Finalize(t.Context(), c, nil))
		c.Thaw = w.clock.Now()
		w.must(w.SetContest(t.Context(), c, nil))
		if !w.row().UpdatesEnd.Equal(c.Thaw) {
			t.Errorf("the last change is at %v, want %v", w.row().UpdatesEnd, c.Thaw)
		}
		w.over(late)
	})
}

// over fails the test unless the store rejects every write that would change what the Contest API shows.
func (w *season) over(late *store.StoredSubmission) {
	w.Helper()
	ctx, bob := w.Context(), w.account("bob")
	c := w.row()
	n := w.submission("")
	n.Contest, n.Team, n.Priority, n.At = w.contest, w.team.ID, job.ContestPriority, c.Starts.Add(time.Minute)
	_, submitted := w.Submit(ctx, n)
	_, asked := w.Clarify(ctx, store.NewClarification{Contest: w.contest, Account: w.alice.ID, Jury: true, Text: "late"})
	_, entered := w.AddEntrants(ctx, w.contest, []store.Entrant{{Account: bob}})
	_, _, imported := w.ImportContest(ctx, &store.ContestImport{ID: w.contest, Groups: []store.Group{{ID: "g", Name: "G"}}})
	reopened := *c
	reopened.Finalized = time.Time{}
	for what, err := range map[string]error{
		"submit": submitted, "clarify": asked, "enter": entered, "import": imported, "settings": w.SetContest(ctx, c, nil),
		"reopen": w.SetContest(ctx, &reopened, nil), "team": w.SetTeam(ctx, w.team, ""),
		"remove": w.RemoveTeams(ctx, w.contest, []string{w.team.ID}),
		"verify": w.SetVerify(ctx, w.contest, "A", ""),
	} {
		if !errors.Is(err, store.ErrResultsPublic) {
			w.Errorf("%s: %v, want %v", what, err, store.ErrResultsPublic)
		}
	}
	if err := w.AddOverride(ctx, late.ID, w.alice.ID, store.Override{Ignored: true, Why: "x"}, -1); !errors.Is(err, store.ErrResultsFinal) {
		w.Errorf("mark: %v", err)
	}
	w.send(w.team.ID) // practice is still possible
}

// TestUpdatesEndByClock checks that the updates of the Contest API end when the scoreboard is unfrozen
// automatically at its set time.
func TestUpdatesEndByClock(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		w.clock.add(3 * time.Hour)
		c := w.row()
		c.Thaw = w.clock.Now().Add(time.Hour)
		w.must(w.SetContest(t.Context(), c, nil))
		c = w.row()
		w.must(w.Finalize(t.Context(), c, nil))
		if c := w.row(); c.UpdatesEnded(w.clock.Now()) || !c.UpdatesEnd.IsZero() {
			t.Errorf("before the thaw the contest is %+v", c)
		}
		w.clock.add(2 * time.Hour)
		if c := w.row(); !c.UpdatesEnded(w.clock.Now()) || !errors.Is(w.SetContest(t.Context(), c, nil), store.ErrResultsPublic) {
			t.Errorf("after the thaw the contest is %+v", c)
		}
		w.must(w.RecordPhase(t.Context(), w.contest, "all"))
		if now := w.row(); !now.UpdatesEnd.Equal(c.Thaw) {
			t.Errorf("the last change is at %v, want %v", now.UpdatesEnd, c.Thaw)
		}
	})
}
