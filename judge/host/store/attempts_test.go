package store_test

import (
	"testing"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestAttempts checks the submission that represents a team's progress on a problem. This is the first one that
// the team may know to be accepted, or else the newest one. Problems are independent, and ignored submissions do
// not count.
func TestAttempts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		w := newSeason(t, dsn)
		tells := func(when string, tries int, telling *store.StoredSubmission) {
			t.Helper()
			all, err := w.ProgressByProblem(t.Context(), store.SubmissionFilter{Contest: w.contest, Team: w.team.ID, Problem: "nim", Limit: 500})
			w.must(err)
			if telling == nil && len(all) > 0 || telling != nil &&
				(len(all) != 1 || all[0].Attempts != tries || all[0].Best.ID != telling.ID || all[0].Best.Problem != "nim") {
				t.Errorf("%s: %+v", when, all)
			}
		}
		judged := func(team string, v judge.Verdict) *store.StoredSubmission {
			t.Helper()
			a := w.send(team)
			w.judge(job.ContestPriority, v)
			return a
		}
		mark := func(a *store.StoredSubmission, m store.Override) {
			t.Helper()
			m.Why = "x"
			w.must(w.AddOverride(t.Context(), a.ID, w.alice.ID, m, -1))
		}
		judged("", judge.Accepted)
		tells("the jury's does not count", 0, nil)
		wrong := judged(w.team.ID, judge.WrongAnswer)
		tells("wrong", 1, wrong)
		w.must(w.SetVerify(t.Context(), w.contest, "A", store.VerifyBefore))
		withheld := judged(w.team.ID, judge.Accepted)
		later := judged(w.team.ID, judge.WrongAnswer)
		tells("no judge has verified it", 3, later)
		w.verify(withheld, true, nil)
		tells("verified", 3, withheld)
		w.must(w.SetVerify(t.Context(), w.contest, "A", ""))
		again := judged(w.team.ID, judge.Accepted)
		tells("accepted again", 4, withheld)
		mark(withheld, store.Override{Ignored: true})
		tells("the first one is ignored", 3, again)
		open := w.send(w.team.ID)
		tells("one is pending", 4, again)
		mark(again, store.Override{Verdict: judge.WrongAnswer})
		tells("none is accepted", 4, open)
		mark(wrong, store.Override{Verdict: judge.Accepted})
		tells("the jury accepts the first one", 4, wrong)

		c := w.row()
		_, err := w.PutBundle(t.Context(), bundle(w.alice.ID, "sum", "1"))
		w.must(err)
		w.must(w.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "nim"}, {Label: "B", Slug: "sum"}}))
		n := w.submission("")
		n.Contest, n.Team, n.Priority, n.Problem = w.contest, w.team.ID, job.ContestPriority, "sum"
		other, err := w.Submit(t.Context(), n)
		w.must(err)
		tells("another problem", 4, wrong)
		all, err := w.ProgressByProblem(t.Context(), store.SubmissionFilter{Contest: w.contest, Team: w.team.ID})
		w.must(err)
		if len(all) != 2 || all[0].Best.ID != other.ID && all[1].Best.ID != other.ID {
			t.Errorf("of both problems: %+v", all)
		}
	})
}
