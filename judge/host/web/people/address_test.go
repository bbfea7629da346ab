package people_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// from returns a function that sets the IP address from which the next requests seem to come.
func from(t *testing.T, h *webtest.Harness) func(address string) {
	handler := h.Config.Handler
	address := "127.0.0.1:1"
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = address
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Server.Close)
	return func(next string) { address = next }
}

// expect sets the addresses at which the accounts of teams are expected.
func expect(t *testing.T, h *webtest.Harness, c *store.Contest, addresses map[string][]string) {
	t.Helper()
	n := &store.ContestImport{ID: c.ID}
	for login, all := range addresses {
		id := "team-" + login
		n.Teams = append(n.Teams, store.Team{ExtID: id, Name: id})
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: id, Type: "team", Team: id, Account: h.Accounts[login], Addresses: all})
	}
	if _, _, err := h.Store.ImportContest(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

// TestLogInByAddress checks that a button logs in the team that is expected at the computer's IP address. The
// button must stop working when the contest is over.
func TestLogInByAddress(t *testing.T) {
	for _, tt := range []struct {
		name, address string
		off           bool
		starts        time.Duration
		expect        map[string][]string
		who           string // account that can log in; empty if none
	}{
		{"an address", "10.0.0.7:1234", false, -time.Minute, map[string][]string{"ada": {"10.0.0.7"}, "bob": {"10.0.0.8"}}, "ada"},
		{"an address of version 6 of it", "[::ffff:10.0.0.7]:1", false, -time.Minute, map[string][]string{"ada": {"10.0.0.7"}}, "ada"},
		{"a network", "10.0.1.99:1234", false, -time.Minute, map[string][]string{"ada": {"10.0.0.7", "10.0.1.0/24"}}, "ada"},
		{"version 6", "[fe80::7%eth0]:1", false, -time.Minute, map[string][]string{"ada": {"fe80::7"}}, "ada"},
		{"a contest that comes", "10.0.0.7:1234", false, time.Hour, map[string][]string{"ada": {"10.0.0.7"}}, "ada"},
		{"off", "10.0.0.7:1234", true, -time.Minute, map[string][]string{"ada": {"10.0.0.7"}}, ""},
		{"another address", "10.0.0.70:1234", false, -time.Minute, map[string][]string{"ada": {"10.0.0.7"}}, ""},
		{"several teams", "10.0.0.7:1234", false, -time.Minute, map[string][]string{"ada": {"10.0.0.7"}, "bob": {"10.0.0.0/24"}}, ""},
		{"a contest that is over", "10.0.0.7:1234", false, -2 * time.Hour, map[string][]string{"ada": {"10.0.0.7"}}, ""},
		{"a judge", "10.0.0.7:1234", false, -time.Minute, map[string][]string{"judge": {"10.0.0.7"}}, ""},
		{"an administrator", "10.0.0.7:1234", false, -time.Minute, map[string][]string{"admin": {"10.0.0.7"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := webtest.New(t)
			h.Intake.AutoLogin = !tt.off
			expect(t, h, h.Contest("now", tt.starts, store.VisibilityTeams, store.Settings{}), tt.expect)
			from(t, h)(tt.address)
			page := h.Fetch("", "GET", "/login?next=/c/now", nil)
			webtest.CheckHTML(t, "the login page", page.Body)
			if strings.Contains(page.Body, `action="/login/address"`) != (tt.who != "") || page.Get("Set-Cookie") != "" {
				t.Errorf("the login page, with the cookie %q:\n%s", page.Get("Set-Cookie"), page.Body)
			}
			got := h.Fetch("", "POST", "/login/address", url.Values{"next": {"/c/now"}})
			if tt.who == "" {
				if got.Code != 403 || got.Get("Set-Cookie") != "" || !strings.Contains(got.Body, "No team is expected") {
					t.Errorf("it logs in: %d %s", got.Code, got.Body)
				}
				return
			}
			cookie, _, _ := strings.Cut(got.Get("Set-Cookie"), ";")
			if got.Code != http.StatusSeeOther || got.Get("Location") != "/c/now" || cookie == "" {
				t.Fatalf("it does not log in: %d %s", got.Code, got.Body)
			}
			if page := h.Fetch(cookie, "GET", "/account", nil).Body; !strings.Contains(page, "ada"+"&#34;") {
				t.Errorf("it is logged in as another one:\n%s", page)
			}
			// The password was not entered in this session.
			if got := h.Fetch(cookie, "POST", "/account/tokens", url.Values{"label": {"x"}, "scope": {"submit"}}); !strings.Contains(got.Body,
				"sure-password") {
				t.Errorf("a token is made without the password: %d\n%s", got.Code, got.Body)
			}
		})
	}
}

// TestLockAddress checks that a team that is expected at an IP address can log in only from that address, and that
// its sessions work only there.
func TestLockAddress(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	expect(t, h, c, map[string][]string{"ada": {"10.0.0.7"}, "bob": nil, "judge": {"10.0.0.7"}})
	cookie, bobs, judges := h.Cookie("ada"), h.Cookie("bob"), h.Cookie("judge")
	enter := func(login string) int {
		t.Helper()
		return h.Fetch("", "POST", "/login", url.Values{"login": {login}, "password": {"correct-horse"}}).Code
	}
	is := func(what string, code, password int) {
		t.Helper()
		if got := h.Fetch(cookie, "GET", "/account", nil).Code; got != code {
			t.Errorf("%s, the session gets %d", what, got)
		}
		if got := enter("ada"); got != password {
			t.Errorf("%s, the password gets %d", what, got)
		}
		for login, session := range map[string]string{"bob": bobs, "judge": judges} { // bob has no address, judge is not a team
			if got := h.Fetch(session, "GET", "/account", nil).Code; got != 200 {
				t.Errorf("%s, the session of %s gets %d", what, login, got)
			}
			if got := enter(login); got != http.StatusSeeOther {
				t.Errorf("%s, %s logs in with %d", what, login, got)
			}
		}
	}
	at := from(t, h)
	is("without the lock", 200, 303)
	h.Intake.LockAddress = true
	is("elsewhere", 303, 403)
	at("10.0.0.7:99")
	is("at its place", 200, 303)
	at("10.0.0.9:99")
	is("beside it", 303, 403)
	h.Advance(2 * time.Hour)
	is("after the contest", 200, 303)

	// The jury sees accounts that logged in from several addresses. Here that is ada, because of the logins above.
	page := h.Fetch(h.Cookie("admin"), "GET", "/c/now/teams?filter=addresses", nil).Body
	if !strings.Contains(page, "Several addresses") ||
		!strings.Contains(page, "logged in from <code>10.0.0.7</code>, <code>10.0.0.9</code>, <code>127.0.0.1</code>") {
		t.Errorf("the teams with several addresses:\n%s", page)
	}
}
