package contest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestWhyAContestIsClosed checks that a refused page gives the reason, but reveals nothing about a hidden contest.
func TestWhyAContestIsClosed(t *testing.T) {
	h := webtest.New(t)
	h.Contest("soon", time.Hour, store.VisibilityAccounts, store.Settings{})
	h.Contest("past", -2*time.Hour, store.VisibilityAccounts, store.Settings{})
	h.Contest("hidden", -time.Minute, store.VisibilityJury, store.Settings{})
	ada := h.Cookie("ada")
	for _, tt := range []struct {
		method, path string
		code         int
		want, head   string // head must appear on pages with the head of the contest
	}{
		{"GET", "/c/soon/p/A", 403, "has not begun yet", `href="/c/soon"`},
		{"POST", "/c/past/p/A", 403, "is over and takes no more submissions", `href="/c/past"`},
		{"GET", "/c/past/edit", 403, "this is not for you", `href="/c/past"`},
		{"GET", "/c/hidden/p/A", 404, "page not found", ""},
	} {
		got := h.Fetch(ada, tt.method, tt.path, nil)
		if got.Code != tt.code || !strings.Contains(got.Body, tt.want) || !strings.Contains(got.Body, tt.head) ||
			tt.head == "" && strings.Contains(got.Body, "/c/hidden") {
			t.Errorf("%s %s: %d\n%s", tt.method, tt.path, got.Code, got.Body)
		}
	}
}

// TestAFullDisk checks that an error that the contestant cannot correct does not show the form again.
func TestAFullDisk(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Intake.FreeDisk = func() (int64, error) { return 0, nil }
	got := h.Upload(h.Cookie("ada"), "/c/now/p/A", map[string]string{"text": "print(1)", "language": "py"}, nil)
	if got.Code < 500 || strings.Contains(got.Body, `name="text"`) {
		t.Errorf("%d\n%s", got.Code, got.Body)
	}
}

// TestSolvedInTheFreeze checks that the number of teams that have solved a problem is the same as on the reader's
// scoreboard, also during the freeze. Hidden teams must not count.
func TestSolvedInTheFreeze(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	do := func(what string) {
		t.Helper()
		if got := h.Fetch(h.Cookie("admin"), "POST", "/c/now/scoreboard", url.Values{"do": {what}}); got.Code != 303 {
			t.Fatalf("%s: %d\n%s", what, got.Code, got.Body)
		}
	}
	team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["other"]))
	team.Hidden = true
	if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(c, "other"), webtest.AcceptedEvents()...)
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	shows := func(when, frozen, jury string) {
		t.Helper()
		until(h, h.Cookie("admin"), "/c/now", when, func(page string) bool { return strings.Contains(page, `<td class="num">`+jury+`</td>`) })
		for who, want := range map[string]string{"": frozen, "ada": frozen, "bob": frozen, "other": frozen, "runner": frozen, "judge": jury,
			"admin": jury} {
			until(h, h.Cookie(who), "/c/now", when+", for "+who,
				func(page string) bool { return strings.Contains(page, `<td class="num">`+want+`</td>`) })
			if page := h.Fetch(h.Cookie(who), "GET", "/c/now/p/A", nil).Body; !strings.Contains(page, "solved by "+want) {
				t.Errorf("%s, for %s, the page of the problem has not %q", when, who, want)
			}
		}
	}
	shows("before the freeze", "1 of 1", "1 of 1")
	h.Advance(time.Second) // while the clock stands, each event is 1 µs later than the last one: ada's could be in the freeze
	do("freeze")
	h.Advance(2 * time.Second)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.AcceptedEvents()...)
	shows("in the freeze", "1 of 2", "2 of 2")
	do("unfreeze")
	shows("unfrozen", "2 of 2", "2 of 2")
}
