package people_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// joining returns the form fields for a new account.
func joining(login string) url.Values {
	return url.Values{"login": {login}, "name": {"The " + login}, "password": {"correct-horse"}, "again": {"correct-horse"}}
}

// TestInvite checks that an administrator can create a link by which users join a contest, up to the number of
// uses.
func TestInvite(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	for name, form := range map[string]url.Values{
		"no number":     {"uses": {"x"}, "days": {"1"}},
		"no uses":       {"uses": {"0"}, "days": {"1"}},
		"too many":      {"uses": {"2001"}, "days": {"1"}},
		"no time":       {"uses": {"1"}, "days": {"0"}},
		"not a time":    {"uses": {"1"}, "days": {"NaN"}},
		"for ever":      {"uses": {"1"}, "days": {"Inf"}},
		"a long note":   {"uses": {"1"}, "days": {"1"}, "note": {strings.Repeat("x", 101)}},
		"no contest so": {"uses": {"1"}, "days": {"1"}, "contest": {"none"}},
	} {
		if got := h.Fetch(admin, "POST", "/admin/invitations", form); got.Code != 400 && got.Code != 404 ||
			strings.Contains(got.Body, "/invite/") {
			t.Errorf("%s: %d\n%s", name, got.Code, got.Body)
		}
	}
	invite := func(uses string) string {
		t.Helper()
		got := h.Fetch(admin, "POST", "/admin/invitations",
			url.Values{"uses": {uses}, "days": {"1"}, "contest": {"now"}, "note": {"for 7b" + webtest.HostileMarkup}})
		_, rest, found := strings.Cut(got.Body, "http://judge.example/invite/")
		code, _, _ := strings.Cut(rest, "<")
		if got.Code != 200 || !found {
			t.Fatalf("no link: %d\n%s", got.Code, got.Body)
		}
		webtest.CheckHTML(t, "invitations", got.Body)
		if again := h.Fetch(admin, "GET", "/admin/invitations", nil); strings.Contains(again.Body, code) {
			t.Error("the link is shown again")
		}
		return "/invite/" + code
	}
	link := invite("3")
	page := h.Fetch("", "GET", link, nil)
	if page.Code != 200 || !strings.Contains(page.Body, "Join <bdi>now") {
		t.Fatalf("the link: %d\n%s", page.Code, page.Body)
	}
	webtest.CheckHTML(t, link, page.Body)
	for name, tt := range map[string]struct {
		field, value string
		code         int
		want         string
	}{
		"no name":           {"name", " ", 400, "A name is missing"},
		"controls":          {"name", "a\tb", 400, "invisible character"},
		"a bad login":       {"login", "a b", 400, "Invalid username"},
		"a short password":  {"password", "x", 400, "do not match"},
		"a taken login":     {"login", "ada", 409, "The username ada is taken"},
		"a taken one again": {"login", "ADA", 409, "The username ada is taken"},
	} {
		form := joining("eve")
		form.Set(tt.field, tt.value)
		if got := h.Fetch("", "POST", link, form); got.Code != tt.code || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%s: %d, want %d and %q in\n%s", name, got.Code, tt.code, tt.want, got.Body)
		}
	}
	got := h.Fetch("", "POST", link, joining("Eve"))
	if got.Code != 303 {
		t.Fatalf("eve does not get in: %d\n%s", got.Code, got.Body)
	}
	eve := webtest.Must[*store.Account](t)(h.Store.AccountByLogin(t.Context(), "eve"))
	if eve.Role != string(auth.Contestant) || eve.Display != "The Eve" {
		t.Errorf("she is %+v", eve)
	}
	cookie, _, _ := strings.Cut(got.Get("Set-Cookie"), ";")
	if got := h.Fetch(cookie, "GET", "/c/now", nil); got.Code != 200 {
		t.Errorf("she does not take part: %d", got.Code)
	}
	// A user with an account joins with the link. Opening the link twice counts as one use.
	for range 2 {
		if got := h.Fetch(h.Cookie("bob"), "POST", link, nil); got.Code != 303 {
			t.Errorf("bob: %d\n%s", got.Code, got.Body)
		}
	}
	webtest.Must[*store.Team](t)(h.Store.TeamOf(t.Context(), c.ID, h.Accounts["bob"].ID))
	if got := h.Fetch("", "POST", link, joining("mallory")); got.Code != 303 {
		t.Errorf("the third: %d\n%s", got.Code, got.Body)
	}
	refused := func(what, link, want string) {
		t.Helper()
		for _, method := range []string{"GET", "POST"} {
			if got := h.Fetch("", method, link, joining("late")); got.Code/100 != 4 || !strings.Contains(got.Body, want) {
				t.Errorf("%s: %s %d, want %q in\n%s", what, method, got.Code, want, got.Body)
			}
		}
	}
	refused("the fourth", link, "has been used up")
	refused("a cut link", link[:len(link)-1], "Invitation not found")
	second := invite("1")
	list := webtest.Must[[]*store.Invitation](t)(h.Store.Invitations(t.Context()))
	if got := h.Fetch(admin, "POST", "/admin/invitations/"+list[0].ID+"/end", nil); got.Code != 303 {
		t.Errorf("it is not taken back: %d", got.Code)
	}
	refused("one taken back", second, "has been revoked")
	third := invite("1")
	h.Advance(25 * time.Hour)
	refused("an old one", third, "has expired")
	h.Intake.Registration = auth.Closed
	refused("a closed server", third, "Invitations are disabled")
	if got := h.Fetch(admin, "POST", "/admin/invitations", url.Values{"uses": {"1"}, "days": {"1"}}); got.Code != 409 {
		t.Errorf("a closed server invites: %d", got.Code)
	}
}

// TestRegister checks that users can create accounts only if registration is open, and not too many from one
// address.
func TestRegister(t *testing.T) {
	h := webtest.New(t)
	for _, r := range []auth.Registration{"", auth.Invited, auth.Closed} {
		h.Intake.Registration = r
		for _, method := range []string{"GET", "POST"} {
			if got := h.Fetch("", method, "/register", joining("eve")); got.Code != 403 {
				t.Errorf("of a server that is %q: %s %d", r, method, got.Code)
			}
		}
	}
	h.Intake.Registration = auth.Open
	if got := h.Fetch("", "GET", "/login", nil); !strings.Contains(got.Body, `href="/register"`) {
		t.Errorf("the page has no link:\n%s", got.Body)
	}
	page := h.Fetch("", "GET", "/register", nil)
	webtest.CheckHTML(t, "/register", page.Body)
	if got := h.Fetch("", "POST", "/register", joining("ada")); got.Code != 409 {
		t.Errorf("a taken login: %d", got.Code)
	}
	if got := h.Fetch(h.Cookie("ada"), "POST", "/register", joining("eve")); got.Code != 409 {
		t.Errorf("who has an account: %d", got.Code)
	}
	last := 0
	for i := range tooMany {
		last = h.Fetch("", "POST", "/register", joining(fmt.Sprintf("eve%d", i))).Code
		if last != http.StatusSeeOther {
			t.Logf("%d came", i)
			break
		}
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("after many: %d", last)
	}
	h.Advance(time.Hour)
	if got := h.Fetch("", "POST", "/register", joining("later")); got.Code != 303 {
		t.Errorf("an hour later: %d\n%s", got.Code, got.Body)
	}
}

// tooMany is more than the number of registrations allowed from one address.
const tooMany = 61
