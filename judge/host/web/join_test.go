package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// joining are the fields of a form by which somebody makes an account.
func joining(login string) url.Values {
	return url.Values{"login": {login}, "name": {"The " + login}, "password": {"correct-horse"}, "again": {"correct-horse"}}
}

// TestInvite: staff makes a link, people come by it and take part, as many as it says.
func TestInvite(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Teams, store.Settings{})
	admin := h.cookie("admin")
	for name, form := range map[string]url.Values{
		"no number":     {"uses": {"x"}, "days": {"1"}},
		"nobody":        {"uses": {"0"}, "days": {"1"}},
		"too many":      {"uses": {"2001"}, "days": {"1"}},
		"no time":       {"uses": {"1"}, "days": {"0"}},
		"not a time":    {"uses": {"1"}, "days": {"NaN"}},
		"for ever":      {"uses": {"1"}, "days": {"Inf"}},
		"a long note":   {"uses": {"1"}, "days": {"1"}, "note": {strings.Repeat("x", 101)}},
		"no contest so": {"uses": {"1"}, "days": {"1"}, "contest": {"none"}},
	} {
		if got := h.ask(admin, "POST", "/admin/invitations", form); got.code != 400 && got.code != 404 || strings.Contains(got.body, "/invite/") {
			t.Errorf("%s: %d\n%s", name, got.code, got.body)
		}
	}
	invite := func(uses string) string {
		t.Helper()
		got := h.ask(admin, "POST", "/admin/invitations", url.Values{"uses": {uses}, "days": {"1"}, "contest": {"now"}, "note": {"for 7b" + evil}})
		_, rest, found := strings.Cut(got.body, "http://judge.example/invite/")
		code, _, _ := strings.Cut(rest, "<")
		if got.code != 200 || !found {
			t.Fatalf("no link: %d\n%s", got.code, got.body)
		}
		harmless(t, "invitations", got.body)
		if again := h.ask(admin, "GET", "/admin/invitations", nil); strings.Contains(again.body, code) {
			t.Error("the link is shown again")
		}
		return "/invite/" + code
	}
	link := invite("3")
	page := h.ask("", "GET", link, nil)
	if page.code != 200 || !strings.Contains(page.body, "Take part in <bdi>now") {
		t.Fatalf("the link: %d\n%s", page.code, page.body)
	}
	harmless(t, link, page.body)
	for name, tt := range map[string]struct {
		field, value string
		code         int
		want         string
	}{
		"no name":           {"name", " ", 400, "a name is missing"},
		"controls":          {"name", "a\tb", 400, "nobody can see"},
		"a bad login":       {"login", "a b", 400, "a login has letters"},
		"a short password":  {"password", "x", 400, "not the same"},
		"a taken login":     {"login", "ada", 409, "somebody has the login ada already"},
		"a taken one again": {"login", "ADA", 409, "somebody has the login ada already"},
	} {
		form := joining("eve")
		form.Set(tt.field, tt.value)
		if got := h.ask("", "POST", link, form); got.code != tt.code || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s: %d, want %d and %q in\n%s", name, got.code, tt.code, tt.want, got.body)
		}
	}
	got := h.ask("", "POST", link, joining("Eve"))
	if got.code != 303 {
		t.Fatalf("eve does not get in: %d\n%s", got.code, got.body)
	}
	eve := must[*store.Account](t)(h.store.AccountByLogin(t.Context(), "eve"))
	if eve.Role != string(auth.Contestant) || eve.Display != "The Eve" {
		t.Errorf("she is %+v", eve)
	}
	cookie, _, _ := strings.Cut(got.Get("Set-Cookie"), ";")
	if got := h.ask(cookie, "GET", "/c/now", nil); got.code != 200 {
		t.Errorf("she does not take part: %d", got.code)
	}
	// Who has an account takes part with it, and coming twice uses nothing up.
	for range 2 {
		if got := h.ask(h.cookie("bob"), "POST", link, nil); got.code != 303 {
			t.Errorf("bob: %d\n%s", got.code, got.body)
		}
	}
	must[*store.Team](t)(h.store.TeamOf(t.Context(), c.ID, h.accounts["bob"].ID))
	if got := h.ask("", "POST", link, joining("mallory")); got.code != 303 {
		t.Errorf("the third: %d\n%s", got.code, got.body)
	}
	refused := func(what, link, want string) {
		t.Helper()
		for _, method := range []string{"GET", "POST"} {
			if got := h.ask("", method, link, joining("late")); got.code/100 != 4 || !strings.Contains(got.body, want) {
				t.Errorf("%s: %s %d, want %q in\n%s", what, method, got.code, want, got.body)
			}
		}
	}
	refused("the fourth", link, "as many have come")
	refused("a cut link", link[:len(link)-1], "there is no such invitation")
	second := invite("1")
	list := must[[]*store.Invitation](t)(h.store.Invitations(t.Context()))
	if got := h.ask(admin, "POST", "/admin/invitations/"+list[0].ID+"/end", nil); got.code != 303 {
		t.Errorf("it is not taken back: %d", got.code)
	}
	refused("one taken back", second, "was taken back")
	third := invite("1")
	h.later(25 * time.Hour)
	refused("an old one", third, "has expired")
	h.desk.Registration = auth.Closed
	refused("a closed server", third, "takes nobody in")
	if got := h.ask(admin, "POST", "/admin/invitations", url.Values{"uses": {"1"}, "days": {"1"}}); got.code != 409 {
		t.Errorf("a closed server invites: %d", got.code)
	}
}

// TestRegister: anybody may make an account where the server is open, and nobody elsewhere;
// not too many from one address.
func TestRegister(t *testing.T) {
	h := newHarness(t)
	for _, r := range []auth.Registration{"", auth.Invited, auth.Closed} {
		h.desk.Registration = r
		for _, method := range []string{"GET", "POST"} {
			if got := h.ask("", method, "/register", joining("eve")); got.code != 403 {
				t.Errorf("of a server that is %q: %s %d", r, method, got.code)
			}
		}
	}
	h.desk.Registration = auth.Open
	if got := h.ask("", "GET", "/login", nil); !strings.Contains(got.body, `href="/register"`) {
		t.Errorf("nobody finds the way:\n%s", got.body)
	}
	page := h.ask("", "GET", "/register", nil)
	harmless(t, "/register", page.body)
	if got := h.ask("", "POST", "/register", joining("ada")); got.code != 409 {
		t.Errorf("a taken login: %d", got.code)
	}
	if got := h.ask(h.cookie("ada"), "POST", "/register", joining("eve")); got.code != 409 {
		t.Errorf("who has an account: %d", got.code)
	}
	last := 0
	for i := range tooMany {
		last = h.ask("", "POST", "/register", joining(fmt.Sprintf("eve%d", i))).code
		if last != http.StatusSeeOther {
			t.Logf("%d came", i)
			break
		}
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("after many: %d", last)
	}
	h.later(time.Hour)
	if got := h.ask("", "POST", "/register", joining("later")); got.code != 303 {
		t.Errorf("an hour later: %d\n%s", got.code, got.body)
	}
}

// tooMany is more than may come from one address.
const tooMany = 61
