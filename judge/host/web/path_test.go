package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// TestTheFirstVerdict checks that a teacher without a manual gets from the setup link to a student's first verdict
// with at most 12 clicks on visible links and buttons. Users enter no addresses except the setup link and the
// address on the login sheet.
func TestTheFirstVerdict(t *testing.T) {
	webtest.RunInBrowsers(t, firstVerdict)
}

func firstVerdict(t *testing.T, width int, scripts bool) {
	h := webtest.New(t)
	code, hash := auth.NewCode()
	if err := h.Store.NewSetupCode(t.Context(), hash, h.Accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, h.URL+"/")
	b.SetWidth(width)
	b.AllowScripts(scripts)
	clicks := 0
	follow := func(selector string) {
		t.Helper()
		clicks++
		b.Follow(selector)
	}

	b.Navigate(h.URL + "/setup?code=" + code)
	b.Fill("input[name=name]", "Ms Teacher")
	b.Fill("input[name=password]", "battery-staple")
	b.Fill("input[name=again]", "battery-staple")
	follow("form.stack button")
	follow(".three .main")
	b.Fill("input[name=name]", "Class 9")
	b.Eval(`document.querySelector('input[name=problem][value=sum]').click()`)
	clicks++
	follow("button[value=now]")
	b.ExpectContains("the new contest", webtest.StatusScript, "No teams yet")
	follow("main aside a.btn")
	b.Fill("textarea[name=list]", "Ada Lovelace\nAlan Turing")
	follow("form button.main")
	follow(".save button.main")
	clicks++ // the click that prints the login sheets
	slip := "[...document.querySelectorAll('.slip')].find(s => s.innerText.includes('Ada'))"
	password := b.Eval(slip + ".querySelectorAll('code')[1].textContent")
	b.ExpectContains("the login sheet", slip+".innerText", "http://judge.example", "ada-lovelace")

	// The student opens the address on the login sheet.
	b.Call(nil, "Network.clearBrowserCookies", nil)
	b.Navigate(h.URL + "/")
	b.Fill("main input[name=login]", "ada-lovelace")
	b.Fill("main input[name=password]", password)
	follow("main form button")
	b.ExpectValue("after the login", webtest.AddressScript, "/c/class-9")
	follow("main th a")
	b.Fill("textarea[name=text]", "print(sum(map(int, input().split())))")
	b.Fill("select[name=language]", "py")
	clicks++ // the click that selects the language
	follow("form[data-submit] button")
	b.ExpectValue("the submission", webtest.AddressScript, "/c/class-9/s/1")

	c, err := h.Store.ContestBySlug(t.Context(), "class-9")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := h.Store.SubmissionByNumber(t.Context(), c.ID, 1)
	if err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(&store.StoredSubmission{Job: sub.Judgement}, webtest.AcceptedEvents()...)
	if !scripts {
		b.Navigate(h.URL + "/c/class-9/s/1") // the page reloads itself, but not while a test controls Chromium
	}
	b.ExpectContains("the verdict", webtest.StatusScript, "accepted")
	if clicks > 12 {
		t.Errorf("the path takes %d clicks, and may take 12", clicks)
	}
	for _, wrong := range b.Errors {
		t.Errorf("the browser complains: %s", wrong)
	}
}

// TestWhereALoginLeads checks that a login from the home page leads to the user's contest, if exactly one is
// running.
func TestWhereALoginLeads(t *testing.T) {
	h := webtest.New(t)
	login := func(login, next, want string) {
		t.Helper()
		got := h.Fetch("", "POST", "/login", url.Values{"login": {login}, "password": {"correct-horse"}, "next": {next}})
		if got.Code != 303 || got.Get("Location") != want {
			t.Errorf("%s from %q: %d to %q, want %q", login, next, got.Code, got.Get("Location"), want)
		}
	}
	enter := func(c *store.Contest, login string) {
		t.Helper()
		if _, err := h.Store.Enter(t.Context(), c.ID, h.Accounts[login]); err != nil {
			t.Fatal(err)
		}
	}
	now := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	later := h.Contest("later", time.Hour, store.VisibilityTeams, store.Settings{})
	for _, c := range []*store.Contest{now, later} {
		enter(c, "ada")
	}
	enter(later, "bob")
	login("ada", "", "/c/now")
	login("ada", "/", "/c/now")
	login("ada", "/account", "/account")
	login("bob", "", "/")
	login("admin", "", "/")
	enter(h.Contest("too", -time.Minute, store.VisibilityPublic, store.Settings{}), "ada")
	login("ada", "", "/")
}

// TestReachable checks that a server that other computers cannot reach says so before login sheets are printed.
func TestReachable(t *testing.T) {
	h := webtest.New(t)
	const here = "Only this computer reaches the server"
	home := h.Fetch(h.Cookie("admin"), "GET", "/", nil).Body
	if strings.Contains(home, here) || !strings.Contains(home, "Others reach the server at http://judge.example") {
		t.Errorf("the first page of a server that others reach:\n%s", home)
	}
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	if page := h.Fetch(h.Cookie("admin"), "GET", "/c/now", nil).Body; !strings.Contains(page, "No teams yet") ||
		!strings.Contains(page, `href="/c/now/import"`) {
		t.Errorf("the page of a contest without teams:\n%s", page)
	}
	if page := h.Fetch(h.Cookie("ada"), "GET", "/c/now", nil).Body; strings.Contains(page, "No teams yet") {
		t.Errorf("a contestant reads how to import teams:\n%s", page)
	}
}
