package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// TestLogIn: the ways in and out.
func TestLogIn(t *testing.T) {
	h := newHarness(t)
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
		{"nobody", "correct-horse", "", 403, ""},
		{"", "", "", 403, ""},
	} {
		got := h.ask("", "POST", "/login", url.Values{"login": {tt.login}, "password": {tt.password}, "next": {tt.next}})
		if got.code != tt.code || got.Get("Location") != tt.to {
			t.Errorf("%+v: %d to %q", tt, got.code, got.Get("Location"))
		}
		if set := got.Get("Set-Cookie"); (tt.code == 303) != strings.HasPrefix(set, "assay=") || tt.code == 303 && (!strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Lax")) {
			t.Errorf("%+v: the cookie %q", tt, set)
		}
	}
	if err := h.store.Disable(t.Context(), h.accounts["runner"].ID, true); err != nil {
		t.Fatal(err)
	}
	if got := h.ask("", "POST", "/login", url.Values{"login": {"runner"}, "password": {"correct-horse"}}); got.code != 403 {
		t.Errorf("who is shut out is answered %d", got.code)
	}
	// Who guesses has to wait, and nobody else.
	codes := map[int]int{}
	for range 8 {
		codes[h.ask("", "POST", "/login", url.Values{"login": {"bob"}, "password": {"guess"}}).code]++
	}
	if codes[429] != 3 || codes[403] != 5 {
		t.Errorf("guessing is answered %v", codes)
	}
	if got := h.ask("", "POST", "/login", url.Values{"login": {"judge"}, "password": {"correct-horse"}}); got.code != 303 {
		t.Errorf("somebody else is answered %d", got.code)
	}
	// A browser that has logged in before is not locked out by others, and guesses no more than they.
	in := h.ask("", "POST", "/login", url.Values{"login": {"chair"}, "password": {"correct-horse"}})
	known := ""
	for _, set := range in.Values("Set-Cookie") {
		if cookie, _, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "assay-known=") {
			known = cookie
		}
	}
	clear(codes)
	for range 8 {
		codes[h.ask("assay-known=forged", "POST", "/login", url.Values{"login": {"chair"}, "password": {"guess"}}).code]++
	}
	if codes[429] != 3 {
		t.Errorf("guessing is answered %v", codes)
	}
	if got := h.ask(known, "POST", "/login", url.Values{"login": {"chair"}, "password": {"correct-horse"}}); got.code != 303 {
		t.Errorf("a known browser is answered %d", got.code)
	}
	if got := h.ask(known, "POST", "/login", url.Values{"login": {"bob"}, "password": {"correct-horse"}}); got.code != 429 {
		t.Errorf("the browser of another one is answered %d", got.code)
	}
	clear(codes)
	for range 8 {
		codes[h.ask(known, "POST", "/login", url.Values{"login": {"chair"}, "password": {"guess"}}).code]++
	}
	if codes[429] != 3 {
		t.Errorf("guessing in a known browser is answered %v", codes)
	}
	if got := h.ask("", "POST", "/login", url.Values{"login": {strings.Repeat("x", 60_000)}, "password": {"guess"}}); got.code != 403 || len(got.body) > 50_000 {
		t.Errorf("a login that nobody can have is answered %d, with %d bytes", got.code, len(got.body))
	}
	// A form of another site is refused.
	r, err := http.NewRequestWithContext(t.Context(), "POST", h.URL+"/logout", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	ada := h.cookie("ada")
	if got := h.do(r, ada); got.code != 403 {
		t.Errorf("a form of another site is answered %d", got.code)
	}
	if got := h.ask(ada, "GET", "/account", nil); got.code != 200 {
		t.Errorf("and did something: %d", got.code)
	}
	if got := h.ask(ada, "POST", "/logout", url.Values{}); got.code != 303 {
		t.Errorf("logging out is answered %d", got.code)
	}
	if got := h.ask(ada, "GET", "/account", nil); got.code != 303 {
		t.Errorf("after logging out: %d", got.code)
	}
}

// TestOwnAccount: a new password ends what was open, a token is shown once.
func TestOwnAccount(t *testing.T) {
	h := newHarness(t)
	first, second := h.cookie("ada"), h.cookie("ada")
	password := func(old, fresh, again string) answer {
		return h.ask(first, "POST", "/account/password", url.Values{"old": {old}, "password": {fresh}, "again": {again}})
	}
	for _, tt := range []struct {
		old, fresh, again string
		code              int
	}{{"wrong", "battery-staple", "battery-staple", 403}, {"correct-horse", "short", "short", 400}, {"correct-horse", "battery-staple", "battery", 400}, {"correct-horse", " battery-staple", "battery-staple ", 303}} {
		if got := password(tt.old, tt.fresh, tt.again); got.code != tt.code {
			t.Errorf("%+v: %d", tt, got.code)
		}
	}
	for _, old := range []string{first, second} {
		if got := h.ask(old, "GET", "/account", nil); got.code != 303 {
			t.Errorf("a session of the old password is answered %d", got.code)
		} else if !strings.Contains(got.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("a browser keeps what is good for nothing: %v", got.Header)
		}
	}
	if got := h.ask("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"battery-staple  "}}); got.code != 303 {
		t.Errorf("the new password is answered %d", got.code)
	}
	ada := h.cookie("ada")
	made := h.ask(ada, "POST", "/account/tokens", url.Values{"label": {evil}, "scope": {"submit"}})
	if made.code != 200 || strings.Count(made.body, "assay_") != 1 {
		t.Errorf("a token: %d\n%s", made.code, made.body)
	}
	if got := h.ask(ada, "POST", "/account/tokens", url.Values{"scope": {"admin"}}); got.code != 400 {
		t.Errorf("a contestant makes a token of an admin: %d", got.code)
	}
	tokens := must[[]*store.Token](t)(h.store.Tokens(t.Context(), h.accounts["ada"].ID))
	if len(tokens) != 1 || strings.Contains(h.ask(ada, "GET", "/account", nil).body, "assay_") {
		t.Errorf("the tokens are %v, or are shown again", tokens)
	}
	if got := h.ask(h.cookie("bob"), "POST", "/account/tokens/"+tokens[0].ID+"/revoke", url.Values{}); got.code != 404 {
		t.Errorf("another revokes it: %d", got.code)
	}
	if got := h.ask(ada, "POST", "/account/tokens/"+tokens[0].ID+"/revoke", url.Values{}); got.code != 303 {
		t.Errorf("its owner revokes it: %d", got.code)
	}
}

// TestSetup: the first admin comes in by a link, once.
func TestSetup(t *testing.T) {
	h := newHarness(t)
	code, hash := auth.NewCode()
	if err := h.store.NewSetup(t.Context(), hash, h.accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	fields := func(code, password string) url.Values {
		return url.Values{"code": {code}, "name": {"Ms T"}, "password": {password}, "again": {password}}
	}
	for _, tt := range []struct {
		code, password string
		want           int
	}{{"none", "battery-staple", 403}, {code, "short", 400}, {code, "battery-staple", 303}, {code, "battery-staple", 403}} {
		if got := h.ask("", "POST", "/setup", fields(tt.code, tt.password)); got.code != tt.want {
			t.Errorf("%+v: %d\n%s", tt, got.code, got.body)
		}
	}
	if got := h.ask("", "GET", "/setup?code="+code, nil); got.code != 403 || !strings.Contains(got.body, "used already") {
		t.Errorf("the link again: %d\n%s", got.code, got.body)
	}
	if got := h.ask("", "POST", "/login", url.Values{"login": {"admin"}, "password": {"battery-staple"}}); got.code != 303 {
		t.Errorf("the admin logs in: %d", got.code)
	}
}

// TestAccountsPage: a list becomes accounts, whose slips log in.
func TestAccountsPage(t *testing.T) {
	h := newHarness(t)
	h.contest("now", -time.Minute, store.Teams, store.Settings{})
	admin := h.cookie("admin")
	got := h.imported(admin, "/admin/import", url.Values{"list": {"Grace Hopper\r\n<b>Zoë</b>"}, "role": {"contestant"}, "contest": {"now"}})
	if got.code != 200 || strings.Count(got.body, `class="slip"`) != 2 || strings.Contains(got.body, "<b>Zoë") {
		t.Fatalf("an import: %d\n%s", got.code, got.body)
	}
	_, rest, _ := strings.Cut(got.body, "<dt>Password</dt><dd><code>")
	password, _, _ := strings.Cut(rest, "<")
	in := h.ask("", "POST", "/login", url.Values{"login": {"grace-hopper"}, "password": {password}})
	if in.code != 303 {
		t.Fatalf("the slip %q does not log in: %d", password, in.code)
	}
	cookie, _, _ := strings.Cut(in.Get("Set-Cookie"), ";")
	if got := h.ask(cookie, "GET", "/c/now", nil); got.code != 200 || !strings.Contains(got.body, "You take part as <strong>Grace Hopper") {
		t.Errorf("she does not take part: %d\n%s", got.code, got.body)
	}
	for _, tt := range []struct {
		login, do, role string
		want            int
	}{{"grace-hopper", "out", "", 303}, {"admin", "out", "", 409}, {"nobody", "in", "", 404}, {"bob", "role", "king", 400}, {"bob", "role", "judge", 303}, {"bob", "reset", "", 200}} {
		if got := h.ask(admin, "POST", "/admin/accounts/"+tt.login, url.Values{"do": {tt.do}, "role": {tt.role}}); got.code != tt.want {
			t.Errorf("%+v: %d\n%s", tt, got.code, got.body)
		}
	}
	if got := h.ask(cookie, "GET", "/account", nil); got.code != 303 {
		t.Errorf("who was shut out is in: %d", got.code)
	}
}
