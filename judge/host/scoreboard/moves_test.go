package scoreboard_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

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
