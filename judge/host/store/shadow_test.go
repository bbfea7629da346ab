package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestSource checks that the token of a primary's feed is stored with the objects, and deleted when the address
// changes.
func TestSource(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring").ID
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		fresh := func() (all string) {
			t.Helper()
			objects, err := h.ExternalObjects(t.Context(), c, "")
			check(err)
			for _, o := range objects {
				all += fmt.Sprintf("%s %s %s %v;", o.Type, o.ID, o.Data, o.Uncopied)
			}
			return all
		}
		is := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		if _, err := h.ExternalSource(t.Context(), c); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("without a primary: %v", err)
		}
		a, b := store.ExternalObject{Type: "teams", ID: "a", Data: "1"}, store.ExternalObject{Type: "teams", ID: "b", Data: "2"}
		if err := h.PutExternalObjects(t.Context(), c, "x", []store.ExternalObject{a}); err == nil || fresh() != "" {
			t.Errorf("objects of no primary are kept: %v", err)
		}
		source := store.ExternalSource{Contest: c, URL: "https://a.example", Account: h.alice.ID}
		check(h.SetExternalSource(t.Context(), source))
		check(h.PutExternalObjects(t.Context(), c, "1", []store.ExternalObject{a, b}))
		check(h.MarkCopied(t.Context(), c, []store.ExternalObject{a, {Type: "teams", ID: "b", Data: "older"}}))
		is("one is settled", fresh(), "teams a 1 false;teams b 2 true;")
		check(h.PutExternalObjects(t.Context(), c, "2", []store.ExternalObject{a}))
		is("the same again", fresh(), "teams a 1 false;teams b 2 true;")
		a.Data = ""
		check(h.PutExternalObjects(t.Context(), c, "3", []store.ExternalObject{a}))
		is("deleted", fresh(), "teams a  true;teams b 2 true;")
		source.UseOwnVerdicts, source.Login = true, "x"
		check(h.SetExternalSource(t.Context(), source))
		check(h.RecordFailure(t.Context(), c, "away"))
		check(h.RecordReceived(t.Context(), c))
		check(h.SetExternalScoreboard(t.Context(), c, "{}"))
		all, err := h.ExternalSources(t.Context())
		check(err)
		if s := all[0]; len(all) != 1 || s.Token != "3" || !s.UseOwnVerdicts || s.Login != "x" || s.Failure != "away" ||
			s.LastReceived.IsZero() || s.Scoreboard != "{}" {
			t.Errorf("the source is %+v", *s)
		}
		source.URL = "https://b.example"
		check(h.SetExternalSource(t.Context(), source))
		if s, err := h.ExternalSource(t.Context(), c); err != nil || s.Token != "" || s.URL != source.URL {
			t.Errorf("at another address: %+v %v", s, err)
		}
		check(h.RecordExternalProblem(t.Context(), c, "teams", "b", "no name"))
		check(h.RecordExternalProblem(t.Context(), c, "teams", "a", "no name"))
		check(h.RecordExternalProblem(t.Context(), c, "teams", "a", ""))
		if wrong, err := h.ExternalProblems(t.Context(), c); err != nil || len(wrong) != 1 || wrong[0].ID != "b" || wrong[0].Text != "no name" {
			t.Errorf("problems: %+v %v", wrong, err)
		}
		row, err := h.Contest(t.Context(), c)
		check(err)
		check(h.RemoveContest(t.Context(), row)) // also removes its primary
		if all, err := h.ExternalSources(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("sources after the contest was removed: %v %v", all, err)
		}
	})
}

// TestUnjudged checks that a submission that no worker judges is pending until another system sets a verdict.
func TestUnjudged(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := h.NewPlaceholder(t.Context(), "nim", "Nim", h.alice.ID); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a placeholder for a problem with a package: %v", err)
		}
		check(h.NewPlaceholder(t.Context(), "later", "Later", h.alice.ID))
		check(h.NewPlaceholder(t.Context(), "later", "Later on", h.alice.ID))
		p, err := h.Problem(t.Context(), "later")
		check(err)
		if p.Title != "Later on" || p.Bundle != "" {
			t.Errorf("the placeholder is %+v", p)
		}
		c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: h.clock.Now(), Length: time.Hour,
			Visibility: store.VisibilityTeams}
		check(h.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "later"}}))
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		check(err)
		n := store.NewSubmission{Contest: c.ID, Team: team.ID, Account: h.alice.ID, Problem: "later", Class: "main", ExtID: "x1",
			At: h.clock.Now().Add(time.Minute), Unjudged: true,
			Work: job.Work{Kind: job.Submission, Problem: "later", Program: "no files"}}
		a, err := h.Submit(t.Context(), n)
		check(err)
		if _, err := h.Submit(t.Context(), n); !errors.Is(err, store.ErrTaken) {
			t.Errorf("it is doubled: %v", err)
		}
		if left := h.next(); len(left) != 0 {
			t.Errorf("workers get %v", left)
		}
		is := func(verdict judge.Verdict, given bool) {
			t.Helper()
			sub, err1 := h.Submission(t.Context(), a.ID)
			scored, err2 := h.ScoredSubmissions(t.Context(), c.ID)
			check(errors.Join(err1, err2))
			if sub.Verdict != verdict || sub.Overridden != given || !given && (sub.State != store.JobWaiting || !sub.Ended.IsZero()) {
				t.Errorf("the submission is %+v", sub)
			}
			if s := scored[0]; s.Verdict != verdict || s.Cancelled || s.Ignored {
				t.Errorf("for a board it is %+v", s)
			}
			want := store.Unjudged
			if verdict != "" {
				want = string(verdict)
			}
			if all, err := h.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID, Verdict: want}); err != nil || len(all) != 1 {
				t.Errorf("the list of %s: %v %v", want, all, err)
			}
		}
		is("", false)
		all, err := h.ShadowSubmissions(t.Context(), c.ID)
		check(err)
		if s := all[0]; len(all) != 1 || s.ExtID != "x1" || s.Override != store.Unjudged || !s.Ended || s.Verdict != "" {
			t.Errorf("shadowed: %+v", all)
		}
		before, err := h.Contest(t.Context(), c.ID)
		check(err)
		all[0].Override = judge.WrongAnswer
		check(h.SetShadowSubmissions(t.Context(), c.ID, all))
		is(judge.WrongAnswer, true)
		if after, err := h.Contest(t.Context(), c.ID); err != nil || after.LastSeq != before.LastSeq+1 {
			t.Errorf("the log has %d events more", after.LastSeq-before.LastSeq)
		}
		if _, left, err := h.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: c.ID}, Why: "x",
			Account: h.alice.ID}); left != 1 || !errors.Is(err, store.ErrNotFound) {
			t.Errorf("without a package it is rejudged: %d %v", left, err)
		}
	})
}

// TestFinalizeAsCompared checks that results cannot become final if the contest or the primary's data has changed
// since the comparison, or if a difference is not acknowledged. If the contest gets a new primary, no differences
// are acknowledged.
func TestFinalizeAsCompared(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring").ID
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		source := store.ExternalSource{Contest: c, URL: "https://a.example", Account: h.alice.ID}
		check(h.SetExternalSource(t.Context(), source))
		compare := func(differences ...string) *store.Comparison {
			t.Helper()
			row, err := h.Contest(t.Context(), c)
			check(err)
			is, err := h.ExternalSource(t.Context(), c)
			check(err)
			return &store.Comparison{Source: is, Seq: row.LastSeq, Differences: differences}
		}
		finalize := func(compared *store.Comparison, want error) *store.FinalizeBlockers {
			t.Helper()
			row, err := h.Contest(t.Context(), c)
			check(err)
			err = h.Finalize(t.Context(), row, compared)
			if !errors.Is(err, want) {
				t.Errorf("finalize: %v, want %v", err, want)
			}
			u, _ := errors.AsType[*store.FinalizeBlockers](err)
			return u
		}
		finalize(nil, store.ErrChanged)
		for _, change := range []func() error{
			func() error { return h.PutExternalObjects(t.Context(), c, "2", nil) },
			func() error { return h.SetExternalScoreboard(t.Context(), c, "{}") },
			func() error { return h.RecordPhase(t.Context(), c, "x") },
			func() error {
				source.URL = "https://b.example"
				err := h.SetExternalSource(t.Context(), source)
				return errors.Join(err, h.PutExternalObjects(t.Context(), c, "2", nil)) // as before
			},
		} {
			old := compare()
			check(change())
			finalize(old, store.ErrChanged)
		}
		if u := finalize(compare("a", "b"), store.ErrNotReady); u == nil || len(u.Differences) != 2 {
			t.Errorf("in the way are %+v", u)
		}
		check(h.Acknowledge(t.Context(), c, []string{"a", "b"}))
		if u := finalize(compare("b", "c"), store.ErrNotReady); u == nil || fmt.Sprint(u.Differences) != "[c]" {
			t.Errorf("in the way are %+v", u)
		}
		source.URL = "https://c.example"
		check(h.SetExternalSource(t.Context(), source))
		if s := compare().Source; len(s.Acknowledged) != 0 {
			t.Errorf("of another primary %v is acknowledged", s.Acknowledged)
		}
		check(h.Acknowledge(t.Context(), c, []string{"a"}))
		source.Login = "x"
		check(h.SetExternalSource(t.Context(), source)) // the same
		row, err := h.Contest(t.Context(), c)
		check(err)
		h.clock.add(row.Length + time.Hour)
		finalize(compare("a"), nil)
		if err := h.Acknowledge(t.Context(), c, nil); !errors.Is(err, store.ErrResultsFinal) {
			t.Errorf("final results have more acknowledged: %v", err)
		}
		if err := h.Acknowledge(t.Context(), store.Practice, nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a contest without a primary: %v", err)
		}
	})
}
