package contest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestContestForm: what a contest may be, and two who change one at once.
func TestContestForm(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	good := func(changes ...string) url.Values {
		v := url.Values{"name": {"Spring"}, "slug": {"spring"}, "format": {"icpc"}, "visibility": {"public"}, "show": {"samples"}, "length": {"2h30m"}, "label-sum": {"A"}, "points-sum": {"7"}}
		for i := 0; i < len(changes); i += 2 {
			v.Set(changes[i], changes[i+1])
		}
		return v
	}
	for want, v := range map[string]url.Values{
		"a name is missing":                good("name", " "),
		"has a letter that nobody can see": good("name", "a\x00"),
		"has 200 letters at most":          good("name", strings.Repeat("é", 201)),
		"the address of a contest is":      good("slug", "Spring!"),
		"the address practice is taken":    good("slug", "practice"),
		"the form is not whole":            good("format", "king"),
		"is not a length of time":          good("length", "-5m"),
		"are not the points of a problem":  good("points-sum", "x"),
		"is not a label of a problem":      good("label-sum", "A B"),
		"is not when a contest begins":     good("starts", "tomorrow"),
		"the board stands still before":    good("freeze", "3h"),
		"how many submissions are taken":   good("per_minute", "0"),
		"how many minutes a rejected":      good("penalty", "-1"),
	} {
		if got := h.Ask(admin, "POST", "/admin/contests/new", v); got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%d, want 400 with %q:\n%s", got.Code, want, got.Body)
		}
	}
	if got := h.Ask(admin, "POST", "/admin/contests/new", good("starts", "2026-03-01T10:00", "freeze", "1h29m50s", "penalty", "7", "compile_errors", "on", "groups", "on", "blind", "on")); got.Code != 303 || got.Get("Location") != "/c/spring" {
		t.Fatalf("a good one: %d\n%s", got.Code, got.Body)
	}
	if got := h.Ask(admin, "POST", "/admin/contests/new", good()); got.Code != 400 || !strings.Contains(got.Body, "this address already") {
		t.Errorf("the same again: %d\n%s", got.Code, got.Body)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	if c.Length != 150*time.Minute || c.Freeze != 90*time.Minute-10*time.Second || c.Settings.Penalty != 7 || !c.Settings.CompileErrors || !c.Settings.Groups || !c.Settings.Blind || c.Starts.Local().Format("15:04") != "10:00" || c.Settings.Show != judge.ShowSamples {
		t.Errorf("got %+v", c)
	}
	page := h.Ask(admin, "GET", "/c/spring/edit", nil)
	for _, want := range []string{`value="2026-03-01T10:00"`, `value="2h30m"`, `value="1h29m50s"`, `name="penalty" value="7"`, `name="groups" checked`, `name="blind" checked`, `name="compile_errors" checked`, `name="label-sum" value="A"`, `name="points-sum" value="7"`, `name="revision" value="1"`} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the form has no %s:\n%s", want, page.Body)
		}
	}
	if got := h.Ask(admin, "POST", "/c/spring/edit", good("revision", "1", "label-sum", "", "start", "now")); got.Code != 303 {
		t.Errorf("a change: %d\n%s", got.Code, got.Body)
	}
	if got := h.Ask(admin, "POST", "/c/spring/edit", good("revision", "1")); got.Code != 409 || !strings.Contains(got.Body, "somebody else has changed this") {
		t.Errorf("a change of what is old: %d\n%s", got.Code, got.Body)
	}
	// What nobody may have meant is asked first.
	now := h.Contest("now", -30*time.Minute, store.Accounts, store.Settings{})
	h.Send(now, "ada")
	for want, v := range map[string]url.Values{
		"the contest would be over at once":   good("slug", "now", "revision", "1", "starts", now.Starts.Local().Format("2006-01-02T15:04:05"), "length", "5m"),
		"problem A would leave the contest, ": good("slug", "now", "revision", "1", "starts", now.Starts.Local().Format("2006-01-02T15:04:05"), "label-sum", ""),
	} {
		if got := h.Ask(admin, "POST", "/c/now/edit", v); got.Code != 409 || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, `name="sure" required`) {
			t.Errorf("%s: %d\n%s", want, got.Code, got.Body)
		}
	}
	if got := h.Ask(admin, "POST", "/c/now/edit", good("slug", "now", "revision", "1", "starts", now.Starts.Local().Format("2006-01-02T15:04:05"), "label-sum", "", "sure", "on")); got.Code != 303 {
		t.Errorf("who is sure: %d\n%s", got.Code, got.Body)
	}
	c = webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	if problems := webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), c.ID)); len(problems) != 0 || time.Since(c.Starts) > time.Hour {
		t.Errorf("got %+v with %v", c, problems)
	}
}

// TestWhyAContestIsClosed: a page that the caller may not have says why, but nothing of a hidden contest.
func TestWhyAContestIsClosed(t *testing.T) {
	h := webtest.New(t)
	h.Contest("soon", time.Hour, store.Accounts, store.Settings{})
	h.Contest("past", -2*time.Hour, store.Accounts, store.Settings{})
	h.Contest("hidden", -time.Minute, store.Staff, store.Settings{})
	ada := h.Cookie("ada")
	for _, tt := range []struct {
		method, path string
		code         int
		want, head   string // head is in a page with the head of the contest
	}{
		{"GET", "/c/soon/p/A", 403, "has not begun yet", `href="/c/soon"`},
		{"POST", "/c/past/p/A", 403, "is over and takes no more submissions", `href="/c/past"`},
		{"GET", "/c/past/edit", 403, "this is not for you", `href="/c/past"`},
		{"GET", "/c/hidden/p/A", 404, "there is nothing here", ""},
	} {
		got := h.Ask(ada, tt.method, tt.path, nil)
		if got.Code != tt.code || !strings.Contains(got.Body, tt.want) || !strings.Contains(got.Body, tt.head) || tt.head == "" && strings.Contains(got.Body, "/c/hidden") {
			t.Errorf("%s %s: %d\n%s", tt.method, tt.path, got.Code, got.Body)
		}
	}
}

// TestAFullDisk: what the contestant cannot correct is not told on the page of the form.
func TestAFullDisk(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.Accounts, store.Settings{})
	h.Desk.FreeDisk = func() (int64, error) { return 0, nil }
	got := h.Upload(h.Cookie("ada"), "/c/now/p/A", map[string]string{"text": "print(1)", "language": "py"}, nil)
	if got.Code < 500 || strings.Contains(got.Body, `name="text"`) {
		t.Errorf("%d\n%s", got.Code, got.Body)
	}
}
