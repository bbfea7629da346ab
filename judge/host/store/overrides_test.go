package store_test

import (
	"errors"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestMarks checks that a verdict override holds until the jury changes it, even if judging ends later or is
// repeated. No override is possible when the results are final.
func TestMarks(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c, err := h.ContestBySlug(t.Context(), "spring")
		if err != nil {
			t.Fatal(err)
		}
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		if err != nil {
			t.Fatal(err)
		}
		n := h.submission("")
		n.Contest, n.Team, n.Priority = c.ID, team.ID, job.ContestPriority
		a, err := h.Submit(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		// is fails the test unless the submission, the filters and the scoreboard agree.
		is := func(when string, verdict judge.Verdict, given, ignored bool) {
			t.Helper()
			sub, err := h.Submission(t.Context(), a.ID)
			if err != nil || sub.Verdict != verdict || sub.Overridden != given || sub.Ignored != ignored {
				t.Errorf("%s: %+v, %v", when, sub, err)
			}
			want := string(verdict)
			if verdict == "" {
				want = store.Unjudged
			}
			for _, filter := range []string{want, "TLE"} {
				found, err := h.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID, Verdict: filter})
				if err != nil || (len(found) == 1) != (filter == want) {
					t.Errorf("%s: with the verdict %s there are %d, %v", when, filter, len(found), err)
				}
			}
			all, err := h.ScoredSubmissions(t.Context(), c.ID)
			if err != nil || len(all) != 1 || all[0].Verdict != verdict || all[0].Overridden != given || all[0].Ignored != ignored {
				t.Errorf("%s: the board has %+v, %v", when, all, err)
			}
		}
		mark := func(m store.Override, want error) {
			t.Helper()
			if err := h.AddOverride(t.Context(), a.ID, h.alice.ID, m, -1); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", m, err, want)
			}
		}
		is("at first", "", false, false)
		mark(store.Override{Verdict: judge.Accepted, Why: "seen by eye\x00"}, nil)
		is("given while it is open", judge.Accepted, true, false)
		spec, err := h.NextJobs(t.Context(), job.ContestPriority, "main", 1)
		if err != nil || len(spec) != 1 {
			t.Fatal(spec, err)
		}
		h.fold(h.result(spec[0], judge.WrongAnswer), store.Counted)
		is("judged then", judge.Accepted, true, false)
		mark(store.Override{Ignored: true, Why: "copied"}, nil)
		is("ignored", judge.WrongAnswer, false, true)
		mark(store.Override{Why: "a mistake"}, nil)
		is("as it was judged", judge.WrongAnswer, false, false)
		marks, err := h.Overrides(t.Context(), a.ID)
		if err != nil || len(marks) != 3 || marks[0].Why != "a mistake" || !marks[1].Ignored || marks[2].Verdict != judge.Accepted ||
			marks[2].Why != "seen by eye\uFFFD" || marks[2].Login != "alice" {
			t.Errorf("the decisions are %+v, %v", marks, err)
		}
		if err := h.AddOverride(t.Context(), "unknown", h.alice.ID, store.Override{}, -1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a submission that is not there: %v", err)
		}
		c, err = h.Contest(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		c.Finalized = time.Now()
		if err := h.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		mark(store.Override{Ignored: true, Why: "too late"}, store.ErrResultsFinal)
		is("final", judge.WrongAnswer, false, false)
	})
}

// TestClaims checks that a clarification request belongs to the first judge who claims it, until it is released.
func TestClaims(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c, err := h.ContestBySlug(t.Context(), "spring")
		if err != nil {
			t.Fatal(err)
		}
		bob := h.account("bob")
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Clarify(t.Context(), store.NewClarification{Contest: c.ID, Account: h.alice.ID, Team: team.ID, Text: "why?"}); err != nil {
			t.Fatal(err)
		}
		for i, tt := range []struct {
			by      string
			done    bool
			claimed string
		}{{h.alice.ID, true, "alice"}, {bob.ID, false, "alice"}, {"", true, ""}, {"", false, ""}, {bob.ID, true, "bob"}} {
			done, err := h.ClaimRequest(t.Context(), c.ID, 1, tt.by)
			if err != nil || done != tt.done {
				t.Errorf("%d: %v, %v", i, done, err)
			}
			all, err := h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, AllTeams: true})
			if err != nil || len(all) != 1 || all[0].Claimed != tt.claimed {
				t.Errorf("%d: %+v, %v", i, all, err)
			}
		}
		if _, err := h.ClaimRequest(t.Context(), c.ID, 2, bob.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a question that is not there: %v", err)
		}
	})
}
