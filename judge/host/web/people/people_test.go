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

// TestLogIn checks login and logout.
func TestLogIn(t *testing.T) {
	h := webtest.New(t)
	for _, tt := range []struct {
		login, password, next string
		code                  int
		to                    string
	}{
		{"ada", "correct-horse", "/c/now", 303, "/c/now"},
		{" ADA", "correct-horse ", "", 303, "/"},
		{"ada", "correct-horse", "//evil.example/x", 303, "/"},
		{"ada", "correct-horse", "https://evil.example/", 303, "/"},
		{"ada", "correct-horse", `/\evil.example`, 303, "/"},
		{"ada", "wrong", "", 403, ""},
		{"absent", "correct-horse", "", 403, ""},
		{"", "", "", 403, ""},
	} {
		got := h.Fetch("", "POST", "/login", url.Values{"login": {tt.login}, "password": {tt.password}, "next": {tt.next}})
		if got.Code != tt.code || got.Get("Location") != tt.to {
			t.Errorf("%+v: %d to %q", tt, got.Code, got.Get("Location"))
		}
		if set := got.Get("Set-Cookie"); (tt.code == 303) != strings.HasPrefix(set, "assay=") ||
			tt.code == 303 && (!strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax")) {
			t.Errorf("%+v: the cookie %q", tt, set)
		}
	}
	if err := h.Store.SetDisabled(t.Context(), h.Accounts["runner"].ID, true); err != nil {
		t.Fatal(err)
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"runner"}, "password": {"correct-horse"}}); got.Code != 403 {
		t.Errorf("a disabled account is answered %d", got.Code)
	}
	// Only the browser that guesses passwords has to wait.
	codes := map[int]int{}
	for range 8 {
		codes[h.Fetch("", "POST", "/login", url.Values{"login": {"bob"}, "password": {"guess"}}).Code]++
	}
	if codes[429] != 3 || codes[403] != 5 {
		t.Errorf("guessing is answered %v", codes)
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"judge"}, "password": {"correct-horse"}}); got.Code != 303 {
		t.Errorf("another account is answered %d", got.Code)
	}
	// Other browsers cannot lock out a browser that has logged in before. Such a browser cannot guess more
	// passwords than others.
	in := h.Fetch("", "POST", "/login", url.Values{"login": {"chair"}, "password": {"correct-horse"}})
	known := ""
	for _, set := range in.Values("Set-Cookie") {
		if cookie, _, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "assay-known=") {
			known = cookie
		}
	}
	clear(codes)
	for range 8 {
		codes[h.Fetch("assay-known=forged", "POST", "/login", url.Values{"login": {"chair"}, "password": {"guess"}}).Code]++
	}
	if codes[429] != 3 {
		t.Errorf("guessing is answered %v", codes)
	}
	if got := h.Fetch(known, "POST", "/login", url.Values{"login": {"chair"}, "password": {"correct-horse"}}); got.Code != 303 {
		t.Errorf("a known browser is answered %d", got.Code)
	}
	if got := h.Fetch(known, "POST", "/login", url.Values{"login": {"bob"}, "password": {"correct-horse"}}); got.Code != 429 {
		t.Errorf("the browser of another one is answered %d", got.Code)
	}
	clear(codes)
	for range 8 {
		codes[h.Fetch(known, "POST", "/login", url.Values{"login": {"chair"}, "password": {"guess"}}).Code]++
	}
	if codes[429] != 3 {
		t.Errorf("guessing in a known browser is answered %v", codes)
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {strings.Repeat("x", 60_000)}, "password": {"guess"}}); got.Code != 403 ||
		len(got.Body) > 50_000 {
		t.Errorf("a username that no account can have is answered %d, with %d bytes", got.Code, len(got.Body))
	}
	// Unknown usernames do not delay each other.
	for i := range 8 {
		if got := h.Fetch("", "POST", "/login", url.Values{"login": {fmt.Sprint("unknown", i)}, "password": {"guess"}}); got.Code != 403 {
			t.Errorf("unknown username %d is answered %d", i, got.Code)
		}
	}
	// A form sent by another site is refused.
	r, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	ada := h.Cookie("ada")
	if got := h.Do(r, ada); got.Code != 403 {
		t.Errorf("a form of another site is answered %d", got.Code)
	}
	if got := h.Fetch(ada, "GET", "/account", nil); got.Code != 200 {
		t.Errorf("and did something: %d", got.Code)
	}
	if got := h.Fetch(ada, "POST", "/logout", url.Values{}); got.Code != 303 {
		t.Errorf("logging out is answered %d", got.Code)
	}
	if got := h.Fetch(ada, "GET", "/account", nil); got.Code != 303 {
		t.Errorf("after logging out: %d", got.Code)
	}
}

// TestWhereALoginLeads checks that a login leads to the only running contest of the team, if its teams can see it.
func TestWhereALoginLeads(t *testing.T) {
	h := webtest.New(t)
	logIn := func() string {
		t.Helper()
		got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}})
		if got.Code != 303 {
			t.Fatalf("logging in: %d\n%s", got.Code, got.Body)
		}
		return got.Get("Location")
	}
	for _, tt := range []struct {
		slug    string
		in      time.Duration
		visible store.Visibility
		enters  bool
		want    string
	}{
		{"others", -time.Minute, store.VisibilityPublic, false, "/"}, {"past", -2 * time.Hour, store.VisibilityPublic, true, "/"},
		{"later", time.Hour, store.VisibilityPublic, true, "/"},
		{"hidden", -time.Minute, store.VisibilityJury, true, "/"}, {"now", -time.Minute, store.VisibilityTeams, true, "/c/now"},
		{"also", -time.Minute, store.VisibilityPublic, true, "/"},
	} {
		c := h.Contest(tt.slug, tt.in, tt.visible, store.Settings{})
		if tt.enters {
			webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["ada"]))
		}
		if got := logIn(); got != tt.want {
			t.Errorf("with the contest %s, a login leads to %s, want %s", tt.slug, got, tt.want)
		}
	}
}

// TestOwnAccount checks that a new password ends all other sessions, and that a token is shown once.
func TestOwnAccount(t *testing.T) {
	h := webtest.New(t)
	first, second := h.Cookie("ada"), h.Cookie("ada")
	password := func(old, fresh, again string) webtest.Response {
		return h.Fetch(first, "POST", "/account/password", url.Values{"old": {old}, "password": {fresh}, "again": {again}})
	}
	long := strings.Repeat("x", auth.MaxPassword+1)
	for _, tt := range []struct {
		old, fresh, again string
		code              int
	}{
		{"wrong", "battery-staple", "battery-staple", 403}, {"correct-horse", "short", "short", 400}, {"correct-horse", long, long, 400},
		{"correct-horse", "battery-staple", "battery", 400}, {"correct-horse", " battery-staple", "battery-staple ", 303},
	} {
		if got := password(tt.old, tt.fresh, tt.again); got.Code != tt.code {
			t.Errorf("%+v: %d", tt, got.Code)
		}
	}
	for _, old := range []string{first, second} {
		if got := h.Fetch(old, "GET", "/account", nil); got.Code != 303 {
			t.Errorf("a session of the old password is answered %d", got.Code)
		} else if !strings.Contains(got.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("a browser keeps what is good for nothing: %v", got.Header)
		}
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"battery-staple  "}}); got.Code != 303 {
		t.Errorf("the new password is answered %d", got.Code)
	}
	ada := h.Cookie("ada")
	made := h.Fetch(ada, "POST", "/account/tokens", url.Values{"label": {webtest.HostileMarkup}, "scope": {"submit"}})
	if made.Code != 200 || strings.Count(made.Body, "assay_") != 1 {
		t.Errorf("a token: %d\n%s", made.Code, made.Body)
	}
	if got := h.Fetch(ada, "POST", "/account/tokens", url.Values{"scope": {"admin"}}); got.Code != 400 {
		t.Errorf("a contestant makes a token of an admin: %d", got.Code)
	}
	tokens := webtest.Must[[]*store.Token](t)(h.Store.Tokens(t.Context(), h.Accounts["ada"].ID))
	if len(tokens) != 1 || strings.Contains(h.Fetch(ada, "GET", "/account", nil).Body, "assay_") {
		t.Errorf("the tokens are %v, or are shown again", tokens)
	}
	if got := h.Fetch(h.Cookie("bob"), "POST", "/account/tokens/"+tokens[0].ID+"/revoke", url.Values{}); got.Code != 404 {
		t.Errorf("another revokes it: %d", got.Code)
	}
	if got := h.Fetch(ada, "POST", "/account/tokens/"+tokens[0].ID+"/revoke", url.Values{}); got.Code != 303 {
		t.Errorf("its owner revokes it: %d", got.Code)
	}
}

// TestSetup checks that the setup link creates the first administrator, once.
func TestSetup(t *testing.T) {
	h := webtest.New(t)
	code, hash := auth.NewCode()
	if err := h.Store.NewSetupCode(t.Context(), hash, h.Accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	fields := func(code, password string) url.Values {
		return url.Values{"code": {code}, "name": {"Ms T"}, "password": {password}, "again": {password}}
	}
	for _, tt := range []struct {
		code, password string
		want           int
	}{{"none", "battery-staple", 403}, {code, "short", 400}, {code, "battery-staple", 303}, {code, "battery-staple", 403}} {
		if got := h.Fetch("", "POST", "/setup", fields(tt.code, tt.password)); got.Code != tt.want {
			t.Errorf("%+v: %d\n%s", tt, got.Code, got.Body)
		}
	}
	if got := h.Fetch("", "GET", "/setup?code="+code, nil); got.Code != 403 || !strings.Contains(got.Body, "setup link has been used") {
		t.Errorf("the link again: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"admin"}, "password": {"battery-staple"}}); got.Code != 303 {
		t.Errorf("the admin logs in: %d", got.Code)
	}
}

// TestAccountsPage checks that accounts created from a list can log in with their login sheets.
func TestAccountsPage(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	got := h.Import(admin, "/admin/import", url.Values{"list": {"Grace Hopper\r\n<b>Zoë</b>"}, "role": {"contestant"}, "contest": {"now"}})
	if got.Code != 200 || strings.Count(got.Body, `class="slip"`) != 2 || strings.Contains(got.Body, "<b>Zoë") {
		t.Fatalf("an import: %d\n%s", got.Code, got.Body)
	}
	_, rest, _ := strings.Cut(got.Body, "<dd><code>grace-hopper</code></dd><dt>Password</dt><dd><code>")
	password, _, _ := strings.Cut(rest, "<")
	in := h.Fetch("", "POST", "/login", url.Values{"login": {"grace-hopper"}, "password": {password}})
	if in.Code != 303 {
		t.Fatalf("the slip %q does not log in: %d", password, in.Code)
	}
	cookie, _, _ := strings.Cut(in.Get("Set-Cookie"), ";")
	if got := h.Fetch(cookie, "GET", "/c/now", nil); got.Code != 200 || !strings.Contains(got.Body, "your team: <b>Grace Hopper") {
		t.Errorf("she does not take part: %d\n%s", got.Code, got.Body)
	}
	for _, tt := range []struct {
		login, do, role string
		want            int
	}{{"grace-hopper", "disable", "", 303}, {"admin", "disable", "", 409}, {"absent", "enable", "", 404},
		{"bob", "role", "king", 400}, {"bob", "role", "judge", 303}, {"bob", "reset", "", 200}} {
		if got := h.Fetch(admin, "POST", "/admin/accounts/"+tt.login, url.Values{"do": {tt.do}, "role": {tt.role}}); got.Code != tt.want {
			t.Errorf("%+v: %d\n%s", tt, got.Code, got.Body)
		}
	}
	if got := h.Fetch(cookie, "GET", "/account", nil); got.Code != 303 {
		t.Errorf("who was shut out is in: %d", got.Code)
	}
}
