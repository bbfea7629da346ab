package scoreboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// score formats the fields of a place that a rejudging may change. The function byTeam maps the ids of teams to
// their places.
func score(p scoring.RankedRow) string {
	return fmt.Sprint(p.Rank, p.Solved, p.Points, p.Time)
}

func byTeam(places []scoring.RankedRow) map[string]scoring.RankedRow {
	all := map[string]scoring.RankedRow{}
	for _, p := range places {
		all[p.Team.ID] = p
	}
	return all
}

// TestMoves checks that the scoreboard does not change while rejudgings run. After a rejudging is applied, the
// scoreboard in memory must equal a reloaded scoreboard, and exactly the teams that RankChanges predicted must have
// moved.
func TestMoves(t *testing.T) {
	h := newHarness(t)
	rng := rand.New(rand.NewPCG(2, 3))
	verdicts := []judge.Verdict{"AC", "WA", "CE", "TLE"}
	some := func(n int) int { return rng.IntN(n) }
	moved := 0
	for range 25 {
		for range 6 {
			h.submit(rng.IntN(4), []string{"sum", "max"}[rng.IntN(2)])
			h.verdict(some, verdicts[rng.IntN(4)])
		}
		h.agrees()
		before := byTeam(h.truth(true))
		f := store.SubmissionFilter{Contest: h.contest.ID, Verdict: []string{"", "AC", "WA"}[rng.IntN(3)],
			Problem: []string{"", "sum"}[rng.IntN(2)]}
		r, _, err := h.store.Rejudge(t.Context(), store.NewRejudging{Filter: f, Why: "because", Account: h.people[0].ID})
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		h.must(err)
		for range r.Submissions {
			h.verdictOf(job.BackgroundPriority, some, verdicts[rng.IntN(4)])
		}
		if now := byTeam(h.truth(true)); !reflect.DeepEqual(now, before) {
			t.Fatalf("a rejudging that is not applied makes %v of %v", now, before)
		}
		rejudged, err := h.store.RejudgedSubmissions(t.Context(), r.ID)
		h.must(err)
		moves, err := h.hall.RankChanges(t.Context(), h.contest.ID, rejudged)
		h.must(err)
		want := map[string]string{}
		for id, p := range before {
			want[id] = score(p)
		}
		for _, m := range moves {
			moved++
			if score(m.Before) != want[m.Before.Team.ID] || m.Before.Team.ID != m.After.Team.ID {
				t.Errorf("%s is said to have been %s", m.Before.Team.ID, score(m.Before))
			}
			want[m.After.Team.ID] = score(m.After)
		}
		if rng.IntN(4) == 0 {
			_, err := h.store.CancelRejudging(t.Context(), r.ID)
			h.must(err)
			h.agrees()
			if now := byTeam(h.truth(true)); !reflect.DeepEqual(now, before) {
				t.Fatalf("a cancelled rejudging makes %v of %v", now, before)
			}
			continue
		}
		h.must(h.store.ApplyRejudging(t.Context(), r.ID))
		h.agrees()
		for id, p := range byTeam(h.truth(true)) {
			if score(p) != want[id] {
				t.Errorf("%s has %s; before it was applied %s was said", id, score(p), want[id])
			}
		}
	}
	if moved < 20 {
		t.Errorf("only %d teams moved", moved)
	}
}

// TestRankChanges checks which results of a rejudging change the scoreboard, and that a change of a single field is
// reported.
func TestRankChanges(t *testing.T) {
	h := newHarness(t)
	score := func(points float64) *judge.Score { return &judge.Score{Points: points, Of: 100} }
	finished := func(points float64) *judge.Finished {
		return &judge.Finished{Verdict: judge.Accepted, Score: score(points)}
	}
	var ids []string // of the submissions
	begin := func(f store.Format) {
		h.contest = &store.Contest{Slug: string(f), Name: "Autumn", Format: f, Starts: time.Now(), Length: time.Hour,
			Visibility: store.VisibilityPublic}
		h.must(h.store.NewContest(t.Context(), h.contest, []store.NewContestProblem{
			{Label: "A", Slug: "sum", Color: "red", Points: 100}, {Label: "B", Slug: "max", Color: "red", Points: 100},
		}))
		for i, a := range h.people {
			team, err := h.store.Enter(t.Context(), h.contest.ID, a)
			h.must(err)
			h.teams[i] = team
		}
	}
	judged := func(person int, problem string, result *judge.Finished) {
		t.Helper()
		ids = append(ids, h.submit(person, problem))
		waiting, err := h.store.NextJobs(t.Context(), job.ContestPriority, "main", 1)
		h.must(err)
		_, err = h.store.RecordResult(t.Context(), &job.Result{Job: waiting[0].ID, Generation: waiting[0].Generation, Token: waiting[0].Token,
			Worker: "w", State: job.Done, Finished: result}, "")
		h.must(err)
	}
	changes := func(what string, r store.RejudgedSubmission, want string) {
		t.Helper()
		moves, err := h.hall.RankChanges(t.Context(), h.contest.ID, []*store.RejudgedSubmission{&r})
		h.must(err)
		var got []string
		for _, m := range moves {
			field := func(p scoring.RankedRow) string {
				return fmt.Sprint(p.Rank, " ", p.Solved, " ", p.Points, " ", p.Time, " ", p.Cells[0].Pending)
			}
			got = append(got, fmt.Sprint(m.After.Team.Name, ": ", field(m.Before), " > ", field(m.After)))
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	begin(store.ICPC)
	for person, v := range []judge.Verdict{judge.WrongAnswer, judge.WrongAnswer, judge.Accepted, judge.WrongAnswer} {
		judged(person, "sum", &judge.Finished{Verdict: v})
	}
	judged(2, "max", &judge.Finished{Verdict: judge.WrongAnswer})
	judged(2, "max", &judge.Finished{Verdict: judge.Accepted})
	all, err := h.store.ScoredSubmissions(t.Context(), h.contest.ID)
	h.must(err)
	h.must(h.store.AddOverride(t.Context(), ids[0], h.people[0].ID, store.Override{Verdict: judge.WrongAnswer, Why: "because"}, -1))
	h.must(h.store.AddOverride(t.Context(), ids[1], h.people[0].ID, store.Override{Ignored: true, Why: "because"}, -1))
	h.teams[3].Hidden = true
	h.must(h.store.SetTeam(t.Context(), h.teams[3], ""))
	of := func(i int, ended bool, v judge.Verdict) store.RejudgedSubmission {
		return store.RejudgedSubmission{Number: all[i].Number, Ended: ended, Verdict: v}
	}
	changes("a verdict is overridden", of(0, true, judge.Accepted), "")
	changes("a submission is ignored", of(1, true, judge.Accepted), "")
	changes("a run has not ended", of(2, false, ""), "")
	changes("no verdict", of(2, true, ""), "CLEO: 1 2 0 20m0s 0 > 1 1 0 20m0s 0")
	changes("a hidden team", of(3, true, judge.Accepted), "DAN: 0 0 0 0s 0 > 0 1 0 0s 0")
	changes("less penalty time", of(4, true, judge.CompileError), "CLEO: 1 2 0 20m0s 0 > 1 2 0 0s 0")

	begin(store.IOI)
	judged(0, "sum", finished(50))
	judged(1, "sum", finished(60))
	all, err = h.store.ScoredSubmissions(t.Context(), h.contest.ID)
	h.must(err)
	scored := func(i int, text string, f *judge.Finished) store.RejudgedSubmission {
		r := of(i, true, judge.Accepted)
		r.Score, r.Finished = text, f
		return r
	}
	changes("more points", scored(1, "70", finished(70)), "BOB: 1 1 60 0s 0 > 1 1 70 0s 0")
	changes("the same points", scored(1, "60", finished(60)), "")
	changes("a result without a score", scored(1, "", finished(70)), "BOB: 1 1 60 0s 0 > 1 1 100 0s 0")
	changes("a verdict without a score", scored(1, "", nil), "BOB: 1 1 60 0s 0 > 1 1 100 0s 0")
	changes("a higher rank", scored(0, "60", finished(60)), "ANN: 2 1 50 0s 0 > 1 1 60 0s 0")
	changes("another team falls", scored(0, "65", finished(65)), "ANN: 2 1 50 0s 0 > 1 1 65 0s 0; BOB: 1 1 60 0s 0 > 2 1 60 0s 0")
}
