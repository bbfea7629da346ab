package store_test

import (
	"errors"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestContestAPI checks submissions as the Contest API shows them: with ids and times from other systems, and with
// the judgements that were current until a rejudging was applied.
func TestContestAPI(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		h.newContest("spring")
		c, err := h.ContestBySlug(t.Context(), "spring")
		must(err)
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		must(err)
		send := func(id string, at time.Time) (*store.StoredSubmission, error) {
			n := h.submission("")
			n.Contest, n.Team, n.Priority, n.ExtID, n.At = c.ID, team.ID, job.ContestPriority, id, at
			return h.Submit(t.Context(), n)
		}
		early := time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC)
		first, err := send("2", early)
		must(err)
		second, err := send("", time.Time{})
		must(err)
		if first.ExtID != "2" || second.ExtID != "n2" {
			t.Errorf("the ids are %s and %s", first.ExtID, second.ExtID)
		}
		if _, err := send("2", early); !errors.Is(err, store.ErrTaken) {
			t.Errorf("an id is given twice: %v", err)
		}
		judged := func(priority job.Priority, v judge.Verdict) {
			t.Helper()
			specs, err := h.NextJobs(t.Context(), priority, "main", 1)
			must(err)
			h.fold(h.result(specs[0], v), store.Counted)
		}
		judged(job.ContestPriority, judge.WrongAnswer)
		r, _, err := h.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: c.ID}, Why: "x", Account: h.alice.ID})
		must(err)
		judged(job.BackgroundPriority, judge.Accepted)
		all, err := h.APIJudgements(t.Context(), c.ID, "")
		must(err)
		if len(all) != 2 || all[0].Verdict != judge.WrongAnswer || !all[0].Current || !all[1].Ended.IsZero() {
			t.Errorf("before a rejudging is applied there are %+v", all)
		}
		must(h.ApplyRejudging(t.Context(), r.ID))
		all, err = h.APIJudgements(t.Context(), c.ID, first.ID)
		must(err)
		if len(all) != 2 || all[0].Current || all[0].Verdict != judge.WrongAnswer || !all[1].Current || all[1].Verdict != judge.Accepted {
			t.Errorf("then there are %+v", all)
		}
		submissions, err := h.APISubmissions(t.Context(), c.ID, "")
		must(err)
		if len(submissions) != 2 || !submissions[0].At.Equal(early) || submissions[0].Team != team.ID || submissions[1].Login != "alice" {
			t.Errorf("the submissions are %+v", submissions)
		}
		scored, err := h.ScoredSubmissions(t.Context(), c.ID)
		must(err)
		if len(scored) != 2 || !scored[0].Received.Equal(early) {
			t.Errorf("the scoreboard knows %+v", scored)
		}
		said := store.NewClarification{Contest: c.ID, Account: h.alice.ID, Jury: true, Text: "a", ExtID: "x", At: early}
		_, err = h.Clarify(t.Context(), said)
		must(err)
		said.Text = "b"
		if _, err := h.Clarify(t.Context(), said); !errors.Is(err, store.ErrTaken) {
			t.Errorf("an id is given twice: %v", err)
		}
		told, err := h.APIClarifications(t.Context(), c.ID)
		must(err)
		if len(told) != 1 || told[0].ExtID != "x" || !told[0].At.Equal(early) {
			t.Errorf("the clarifications are %+v", told)
		}
		if typ, err := h.ContestAccountType(t.Context(), c.ID, h.alice.ID); typ != "" || err != nil {
			t.Errorf("the account is %q, %v", typ, err)
		}
	})
}

// TestPhases checks that each phase is logged once when its time has come.
func TestPhases(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		for _, tt := range []struct {
			phase string
			rises int64
		}{{"started", 1}, {"started", 0}, {"frozen started", 1}, {"started", 1}} {
			before, err := h.Contest(t.Context(), c.ID)
			if err == nil {
				err = h.RecordPhase(t.Context(), c.ID, tt.phase)
			}
			if err != nil {
				t.Fatal(err)
			}
			now, err := h.Contest(t.Context(), c.ID)
			if err != nil || now.LastSeq-before.LastSeq != tt.rises || now.Phase != tt.phase {
				t.Errorf("after %q: %d events, %q, %v", tt.phase, now.LastSeq-before.LastSeq, now.Phase, err)
			}
		}
	})
}

// TestEpoch checks that the epoch increases exactly when something public becomes hidden.
func TestEpoch(t *testing.T) {
	h := newHarness(t, lite(t))
	c := h.newContest("spring")
	set := func(what string, rises int64, change func(c *store.Contest)) {
		t.Helper()
		before, err := h.Contest(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		after := *before
		change(&after)
		if err := h.SetContest(t.Context(), &after, nil); err != nil {
			t.Fatal(err)
		}
		if after.Epoch-before.Epoch != rises {
			t.Errorf("%s: the epoch rises by %d, want %d", what, after.Epoch-before.Epoch, rises)
		}
	}
	clock := h.clock.Now
	set("public, before the start", 0, func(c *store.Contest) {
		c.Visibility, c.Starts, c.Length, c.Freeze = store.VisibilityPublic, clock().Add(time.Hour), 5*time.Hour, 4*time.Hour
	})
	set("a later start", 0, func(c *store.Contest) { c.Starts = c.Starts.Add(time.Hour) })
	h.clock.add(3 * time.Hour)
	set("another name", 0, func(c *store.Contest) { c.Name = "S" })
	set("frozen now", 0, func(c *store.Contest) { c.Freeze = clock().Sub(c.Starts) })
	set("frozen earlier", 1, func(c *store.Contest) { c.Freeze -= 30 * time.Minute })
	set("frozen later", 0, func(c *store.Contest) { c.Freeze = 2 * time.Hour })
	set("blind", 1, func(c *store.Contest) { c.Settings.Blind = true })
	set("begun later", 1, func(c *store.Contest) { c.Starts = c.Starts.Add(3 * time.Hour) })
	set("begun earlier", 0, func(c *store.Contest) { c.Starts, c.Settings.Blind = c.Starts.Add(-3*time.Hour), false })
	h.clock.add(5 * time.Hour)
	set("unfrozen", 0, func(c *store.Contest) { c.Thaw = clock() })
	set("frozen again", 1, func(c *store.Contest) { c.Thaw = time.Time{} })
	set("for teams alone", 1, func(c *store.Contest) { c.Visibility = store.VisibilityTeams })
	set("for all again", 0, func(c *store.Contest) { c.Visibility = store.VisibilityPublic })
	team, err := h.Enter(t.Context(), c.ID, h.alice)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		hidden bool
		rises  int64
	}{{false, 0}, {true, 1}, {true, 0}, {false, 0}} {
		before, err1 := h.Contest(t.Context(), c.ID)
		team.Hidden = tt.hidden
		err2 := h.SetTeam(t.Context(), team, "")
		after, err3 := h.Contest(t.Context(), c.ID)
		if err := errors.Join(err1, err2, err3); err != nil || after.Epoch-before.Epoch != tt.rises {
			t.Errorf("hidden %v: the epoch rises by %d, %v", tt.hidden, after.Epoch-before.Epoch, err)
		}
	}
}
