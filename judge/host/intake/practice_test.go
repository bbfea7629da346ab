package intake_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// TestPractice checks what an account sees of its submission to a problem that no contest has. This depends on the
// account's role, the problem's setting, and the server's setting.
func TestPractice(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "v1"})
	check(err)
	defer db.Close()
	accounts := map[auth.Role]*store.Account{}
	for _, role := range []auth.Role{"", auth.Contestant, auth.Judge} {
		a, err := db.NewAccount(t.Context(), "account"+string(role), "Name", store.PersonAccount, string(role))
		check(err)
		accounts[role] = a
	}
	publish := func(practice *store.PracticeLevel) *store.Problem {
		t.Helper()
		d := blob.DigestOf([]byte("bundle"))
		p, err := db.PutBundle(t.Context(), store.NewBundle{Problem: "sum", Title: "Sum", Owner: accounts[""].ID, ID: d, Manifest: d,
			Config: d, MadeBy: accounts[""].ID, Practice: practice})
		check(err)
		return p
	}
	row := func(d *intake.Service, role auth.Role) string {
		t.Helper()
		a := accounts[role]
		sees, err := d.CanSeeProblem(t.Context(), a, "sum")
		check(err)
		show, err := d.Shows(t.Context(), a, &store.Submission{Contest: store.Practice, Problem: "sum"})
		check(err)
		return fmt.Sprintf("%t %s", sees, show)
	}
	level := func(l store.PracticeLevel) *store.PracticeLevel { return &l }
	for _, tt := range []struct {
		server  store.PracticeLevel
		problem *store.PracticeLevel
		want    string // for an account without a role
	}{
		{"", nil, "true samples"},
		{store.PracticeOff, nil, "false verdict"},
		{store.PracticeVerdict, nil, "true verdict"},
		{store.PracticeSamples, nil, "true samples"},
		{store.PracticeAll, nil, "true all"},
		{store.PracticeOff, level(store.PracticeAll), "true all"},
		{store.PracticeOff, nil, "true all"}, // a new version keeps the setting
		{store.PracticeAll, level(store.PracticeVerdict), "true verdict"},
		{store.PracticeAll, level(store.PracticeOff), "false verdict"},
		{store.PracticeAll, level(""), "true all"},
	} {
		publish(tt.problem)
		d := &intake.Service{Store: db, Practice: tt.server}
		if got := row(d, ""); got != tt.want {
			t.Errorf("server %q, problem %v: an account without a role: %s, want %s", tt.server, tt.problem, got, tt.want)
		}
		if got := row(d, auth.Contestant); got != "false verdict" {
			t.Errorf("server %q, problem %v: a contestant: %s", tt.server, tt.problem, got)
		}
		if got := row(d, auth.Judge); got != "true all" {
			t.Errorf("server %q, problem %v: a judge: %s", tt.server, tt.problem, got)
		}
	}
	// A contest with the problem ends practice: the contest's settings apply.
	check(db.NewContest(t.Context(), &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour),
		Visibility: store.VisibilityPublic}, []store.NewContestProblem{{Label: "A", Slug: "sum"}}))
	d := &intake.Service{Store: db, Practice: store.PracticeAll}
	if got := row(d, ""); got != "false samples" {
		t.Errorf("in a contest that has not begun: %s", got)
	}
	if _, err := d.Shows(t.Context(), accounts[""], &store.Submission{Contest: store.Practice, Problem: "none"}); !errors.Is(err,
		store.ErrNotFound) {
		t.Errorf("a problem that is not there: %v", err)
	}
	if show, _ := d.Shows(t.Context(), accounts[auth.Judge],
		&store.Submission{Contest: store.Practice, Problem: "none"}); show != judge.ShowAll {
		t.Errorf("a judge sees %q", show)
	}
}

func TestShowsTimes(t *testing.T) {
	for _, show := range append(judge.VisibilityLevels, "") {
		a := intake.ContestAccess{Contest: &store.Contest{Settings: store.Settings{Show: show}}}
		if got, want := a.ShowsTimes(), show != judge.ShowVerdict && show != judge.ShowFirst && show != ""; got != want {
			t.Errorf("a contest that shows %q: %v, want %v", show, got, want)
		}
	}
}
