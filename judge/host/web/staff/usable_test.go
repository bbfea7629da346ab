package staff_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// publish publishes a golf problem with the contents of the harness's problem.
func publish(h *webtest.Harness, slug, owner string) {
	h.Helper()
	p := h.Problem
	webtest.Must[*store.Problem](h)(h.Store.PutBundle(h.Context(), store.NewBundle{
		Problem: slug, Title: "Title of " + slug, Owner: h.Accounts[owner].ID, ID: p.Bundle, Manifest: p.Bundle, Config: p.Config,
		ProblemInfo: p.ProblemInfo, MadeBy: h.Accounts[owner].ID,
	}))
}

// TestProblemsOfAnotherContest checks that a jury can add its own problems to its contest and keep the problems
// that are already there. It must not see or add problems of other owners.
func TestProblemsOfAnotherContest(t *testing.T) {
	h := webtest.New(t)
	chief := webtest.Must[[]*store.Account](t)(h.Store.NewAccounts(t.Context(),
		store.NewAccount{Login: "chief", Display: "chief", Kind: store.PersonAccount, Role: string(auth.ContestAdmin)}))
	h.Accounts["chief"] = chief[0]
	publish(h, "foreign", "admin")
	publish(h, "own", "chair")
	mine, theirs := h.Contest("mine", time.Hour, store.VisibilityAccounts, store.Settings{}), h.Contest("theirs", time.Hour,
		store.VisibilityJury, store.Settings{})
	for login, c := range map[string]*store.Contest{"chair": mine, "other": theirs} {
		if err := h.Store.SetContestRole(t.Context(), h.Accounts[login].ID, c.ID, string(auth.ContestAdmin)); err != nil {
			t.Fatal(err)
		}
	}
	form := func(problem string) url.Values {
		v := settings("name", "Mine", "slug", "mine", "visibility", "accounts", "confirm", "yes", "label-"+problem, "B")
		v["problem"] = []string{"sum", problem}
		return v
	}
	for _, tt := range []struct {
		who, path, problem string
		code               int
		sees, hidden       string // names in the form
	}{
		{"chair", "/c/mine/edit", "foreign", 400, "label-own", "label-foreign"},
		{"chair", "/c/mine/edit", "none", 400, "label-sum", "label-none"},
		{"chair", "/c/mine/edit", "own", 303, "label-own", "label-foreign"},
		{"other", "/c/mine/edit", "foreign", 403, "", "label-foreign"},
		{"chief", "/c/mine/edit", "foreign", 303, "label-own", "label-none"},
		{"admin", "/c/mine/edit", "foreign", 303, "label-foreign", "label-none"},
		{"chair", "/admin/contests/new", "own", 403, "", "label-own"},
	} {
		cookie := h.Cookie(tt.who)
		v := form(tt.problem)
		revision := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), mine.ID)).Revision
		v.Set("revision", fmt.Sprint(revision))
		before := len(webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), mine.ID)))
		page, got := h.Fetch(cookie, "GET", tt.path, nil), h.Fetch(cookie, "POST", tt.path, v)
		if !strings.Contains(page.Body, tt.sees) || strings.Contains(page.Body, tt.hidden) {
			t.Errorf("%s: the form %s shows %q, or not %q:\n%s", tt.who, tt.path, tt.hidden, tt.sees, page.Body)
		}
		if got.Code != tt.code || got.Code == 400 && !strings.Contains(got.Body, "You cannot add the problem &#34;"+tt.problem+"&#34;") {
			t.Errorf("%s adds %s at %s: %d, want %d:\n%s", tt.who, tt.problem, tt.path, got.Code, tt.code, got.Body)
		}
		after := webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), mine.ID))
		if tt.code == 303 && (len(after) != 2 || after[1].Slug != tt.problem) || tt.code != 303 && len(after) != before {
			t.Errorf("%s adds %s: the contest has %d problems", tt.who, tt.problem, len(after))
		}
	}
	// A problem that an administrator added stays in the contest, and the jury can keep it.
	v := form("foreign")
	v.Set("revision", fmt.Sprint(webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), mine.ID)).Revision))
	v.Set("label-foreign", "C")
	if got := h.Fetch(h.Cookie("chair"), "POST", "/c/mine/edit", v); got.Code != 303 {
		t.Errorf("the jury changes the label of a problem of its contest: %d\n%s", got.Code, got.Body)
	}
}

// TestProblemsThatAreNotUsable checks that a hole, a ladder and a tournament accept only problems that their forms
// offer.
func TestProblemsThatAreNotUsable(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	for path, fields := range map[string]url.Values{
		"/admin/holes/new":   {"name": {"H"}, "slug": {"h"}, "visibility": {"public"}, "problem": {"none"}},
		"/admin/ladders/new": {"name": {"L"}, "slug": {"l"}, "visibility": {"public"}, "problem": {"none"}},
		"/tournaments":       {"problem": {"none"}},
	} {
		for _, who := range []string{admin, h.Cookie("chair"), h.Cookie("judge")} {
			want := 403
			if who == admin {
				want = 400
			}
			if got := h.Fetch(who, "POST", path, fields); got.Code != want {
				t.Errorf("%s: %d, want %d\n%s", path, got.Code, want, got.Body)
			}
		}
	}
}
