package people_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/signon"
	"assay/judge/host/signon/signontest"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// school is a server whose users log in at a provider.
type school struct {
	*webtest.Harness
	at *signontest.Provider
}

func newSchool(t *testing.T, registration auth.Registration) *school {
	at := signontest.New(t)
	h := webtest.New(t, func(h *webtest.Harness, o *web.Options) {
		at.Now = o.Time
		o.Service.Registration = registration
		o.SignOn = signon.New(signon.Options{
			Issuer: at.URL, Client: signontest.Client, Secret: signontest.Secret,
			Callback: "http://judge.example/login/sso/callback", Now: o.Time,
			Claim: "groups", Roles: map[string]auth.Role{"teachers": auth.Judge, "rulers": auth.Admin},
		})
	})
	return &school{h, at}
}

// visitor stores cookies like a browser, and does not follow redirects.
type visitor struct {
	*school
	cookies map[string]string
}

func (s *school) visitor() *visitor { return &visitor{s, map[string]string{}} }

func (b *visitor) ask(method, path string, form url.Values) webtest.Response {
	b.Helper()
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	if method == "POST" && form == nil {
		form = url.Values{}
	}
	got := b.Fetch(strings.Join(all, "; "), method, path, form)
	for _, c := range (&http.Response{Header: got.Header}).Cookies() {
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return got
}

// signOn logs in at the provider. It returns the response to the callback, and the callback's address.
func (b *visitor) signOn(begin string) (webtest.Response, string) {
	b.Helper()
	got := b.ask("GET", begin, nil)
	if got.Code != http.StatusSeeOther || !strings.HasPrefix(got.Get("Location"), b.at.URL+"/authorize?") {
		b.Fatalf("%s leads to %d %s", begin, got.Code, got.Get("Location"))
	}
	back := "/login/sso/callback?" + b.at.LogIn(got.Get("Location")).Encode()
	return b.ask("GET", back, nil), back
}

// leads checks that a response has the status code, and that it redirects to want or contains want.
func leads(t *testing.T, what string, got webtest.Response, code int, want string) {
	t.Helper()
	_, main, _ := strings.Cut(got.Body, `<main id="main"`)
	if text := got.Get("Location") + main; got.Code != code || !strings.Contains(text, want) {
		t.Errorf("%s: %d with %q, want %d with %q", what, got.Code, text, code, want)
	}
}

// link links ada's account to her identity at the provider.
func (s *school) link() {
	s.Helper()
	b := s.visitor()
	b.signOn("/login/sso")
	leads(s.TB.(*testing.T), "link", b.ask("POST", "/login/sso/link", url.Values{"login": {"ada"},
		"password": {"correct-horse"}}), 303, "/")
}

// me returns the username that the account page shows. It is empty if the visitor is not logged in.
func (b *visitor) me() string {
	b.Helper()
	found := regexp.MustCompile(`Logged in as <b>([^<]*)</b>`).FindStringSubmatch(b.ask("GET", "/account", nil).Body)
	if found == nil {
		return ""
	}
	return found[1]
}

// TestFirstSignOn checks that a user of the provider can create an account, and then always logs in to it.
func TestFirstSignOn(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	page := s.Fetch("", "GET", "/login?next=/holes", nil).Body
	if !strings.Contains(page, `href="/login/sso?next=%2Fholes"`) || !strings.Contains(page, "log in with single sign-on to create one") {
		t.Errorf("the login page is %s", page)
	}
	const link = `href="/login/sso?next=%2F">Log in with single sign-on`
	if page := s.Fetch("", "GET", "/", nil).Body; !strings.Contains(page, link) {
		t.Errorf("the start page has no single sign-on: %s", page)
	}
	if page := s.Fetch(s.Cookie("ada"), "GET", "/", nil).Body; strings.Contains(page, link) {
		t.Errorf("the start page of a person who is logged in is %s", page)
	}
	b := s.visitor()
	got, back := b.signOn("/login/sso?next=/account")
	leads(t, "a new person", got, 303, "/login/sso/new")
	form := b.ask("GET", "/login/sso/new", nil)
	leads(t, "the form", form, 200, `value="Zoe Quinn"`)
	leads(t, "the form", form, 200, `value="zoe"`)
	webtest.CheckHTML(t, "the form", form.Body)
	if b.me() != "" {
		t.Error("the visitor is logged in before the account exists")
	}
	leads(t, "without a name", b.ask("POST", "/login/sso/new", url.Values{"login": {"zoe"}}), 400, "A name is missing")
	leads(t, "a name that is taken", b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"ada"}}), 409, "is taken")
	leads(t, "a good one", b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}}), 303, "/account")
	if b.me() != "zoe" {
		t.Errorf("%q is logged in", b.me())
	}
	leads(t, "the form again", b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe2"}}), 403, "has not begun")
	a := webtest.Must[*store.Account](t)(s.Store.AccountByLogin(t.Context(), "zoe"))
	if a.Password != "" || a.Email != "" || a.Role != string(auth.Contestant) {
		t.Errorf("the account is %+v", a)
	}
	leads(t, "the way back again", b.ask("GET", back, nil), 403, "has not begun")

	// The user logs in from another browser, with a changed name and address at the provider.
	s.at.Claims = map[string]any{"name": "Zoe Smith", "preferred_username": "ada", "email": "admin@school.example"}
	other := s.visitor()
	got, _ = other.signOn("/login/sso?next=/account")
	leads(t, "from then on", got, 303, "/account")
	if other.me() != "zoe" {
		t.Errorf("%q is logged in", other.me())
	}
	// Another user of the provider gets no access to the account, even with the same name.
	s.at.Claims = map[string]any{"sub": "subject-2", "preferred_username": "zoe", "email": "zoe@school.example"}
	third := s.visitor()
	got, _ = third.signOn("/login/sso")
	leads(t, "another person", got, 303, "/login/sso/new")
	// Logging out does not log out at the provider.
	other.ask("POST", "/logout", nil)
	if other.me() != "" || b.me() != "zoe" {
		t.Error("logging out ends another session, or not this one")
	}
	s.at.Claims = nil
	if err := s.Store.SetDisabled(t.Context(), a.ID, true); err != nil {
		t.Fatal(err)
	}
	got, _ = s.visitor().signOn("/login/sso")
	leads(t, "a disabled account", got, 403, "disabled")
}

// TestWhoJoinsBySignOn checks that single sign-on creates an account only if registration is open or is allowed
// for users of the provider.
func TestWhoJoinsBySignOn(t *testing.T) {
	for registration, joins := range map[auth.Registration]bool{auth.Open: true, auth.ByOIDC: true, auth.Invited: false} {
		s := newSchool(t, registration)
		b := s.visitor()
		b.signOn("/login/sso")
		code, want := http.StatusSeeOther, "/"
		if !joins {
			code, want = http.StatusForbidden, "creates no accounts on this server"
		}
		leads(t, string(registration), b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}}), code, want)
	}
}

// TestLinking checks that linking requires the password of the account.
func TestLinking(t *testing.T) {
	s := newSchool(t, auth.Invited)
	b := s.visitor()
	got, _ := b.signOn("/login/sso?next=/account")
	leads(t, "a new person", got, 303, "/login/sso/new")
	page := b.ask("GET", "/login/sso/new", nil)
	if strings.Contains(page.Body, "Create account") || !strings.Contains(page.Body, "ask an administrator for one") {
		t.Errorf("the page is %s", page.Body)
	}
	leads(t, "no accounts", b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}}), 403, "creates no accounts")
	link := func(b *visitor, login, password string) webtest.Response {
		return b.ask("POST", "/login/sso/link", url.Values{"login": {login}, "password": {password}})
	}
	refused := link(b, "ada", "guess")
	leads(t, "a wrong password", refused, 403, "Wrong username or password")
	webtest.RefusedField(t, "a wrong password", refused, "password", `value="ada"`)
	leads(t, "no password", link(b, "ada", ""), 403, "Wrong username or password")
	leads(t, "an unknown username", link(b, "unknown", "correct-horse"), 403, "Wrong username or password")
	// Even a logged-in user must enter the password.
	for name, value := range map[string]string{"assay": strings.TrimPrefix(s.Cookie("bob"), "assay=")} {
		b.cookies[name] = value
	}
	leads(t, "logged in without the password", link(b, "bob", ""), 403, "Wrong username or password")
	leads(t, "with the password", link(b, "ADA", "correct-horse"), 303, "/account")
	if b.me() != "ada" {
		t.Errorf("%q is logged in", b.me())
	}
	leads(t, "the page of the account", b.ask("GET", "/account", nil), 200, "Unlink single sign-on")
	leads(t, "again", link(b, "bob", "correct-horse"), 403, "has not begun")
	other := s.visitor()
	got, _ = other.signOn("/login/sso?next=/account")
	leads(t, "from then on", got, 303, "/account")
	if other.me() != "ada" {
		t.Errorf("%q is logged in", other.me())
	}
	// The same user has begun a single sign-on in two browsers. Only one account gets the identity.
	s.at.Claims = map[string]any{"sub": "subject-2"}
	one, two := s.visitor(), s.visitor()
	one.signOn("/login/sso")
	two.signOn("/login/sso")
	leads(t, "the first", link(one, "judge", "correct-horse"), 303, "/")
	leads(t, "the second", link(two, "bob", "correct-horse"), 403, "has not begun")
	// Wrong passwords are delayed as on the login page.
	for range 10 {
		got = link(two, "admin", "guess")
	}
	leads(t, "many guesses", got, 429, "Too many wrong passwords")
	s.at.Claims = nil
	leads(t, "unlink", other.ask("POST", "/account/sso/unlink", nil), 403, "Confirm your password")
	leads(t, "unlink", other.ask("POST", "/account/sso/unlink", url.Values{"sure-password": {"correct-horse"}}), 303, "unlinked")
	got, _ = s.visitor().signOn("/login/sso")
	leads(t, "after that", got, 303, "/login/sso/new")
}

// TestForeignReturns checks that a callback logs in only the browser that began the login, and that it logs in no
// browser if it arrives too late.
func TestForeignReturns(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	victim, attacker := s.visitor(), s.visitor()
	begin := func(b *visitor) string {
		return "/login/sso/callback?" + s.at.LogIn(b.ask("GET", "/login/sso", nil).Get("Location")).Encode()
	}
	back := begin(attacker)
	leads(t, "a browser that has begun nothing", victim.ask("GET", back, nil), 403, "has not begun")
	begin(victim)
	leads(t, "a browser that has begun another login", victim.ask("GET", back, nil), 403, "has not begun")
	leads(t, "no cookie any more", victim.ask("GET", back, nil), 403, "has not begun")
	if victim.me() != "" {
		t.Errorf("%q is logged in", victim.me())
	}
	// The cookie of a completed login is invalid, even if the provider accepts its code again.
	kept := attacker.cookies["assay-sso"]
	s.at.ReusableCodes = true
	leads(t, "the browser that has begun it", attacker.ask("GET", back, nil), 303, "/")
	attacker.cookies["assay-sso"] = kept
	leads(t, "again", attacker.ask("GET", back, nil), 403, "has not begun")
	for _, cookie := range []string{"", "a", "a.b", "..", "a.login.!", kept + ".x"} {
		b := s.visitor()
		b.cookies["assay-sso"] = cookie
		leads(t, "the cookie "+cookie, b.ask("GET", back, nil), 403, "has not begun")
		leads(t, "the cookie "+cookie, b.ask("GET", "/login/sso/new", nil), 403, "has not begun")
	}
	// A user who takes too long to choose an account must start the login again.
	s.at.Claims = map[string]any{"sub": "subject-2"}
	slow := s.visitor()
	slow.signOn("/login/sso")
	s.Advance(16 * time.Minute)
	leads(t, "after a quarter of an hour", slow.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}}),
		403, "has not begun")
}

// TestSessionsAreNotFixed checks that a login replaces the previous session, which an attacker may know.
func TestSessionsAreNotFixed(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	b := s.visitor()
	b.cookies["assay"] = strings.TrimPrefix(s.Cookie("bob"), "assay=")
	before := b.cookies["assay"]
	b.signOn("/login/sso")
	if after := b.cookies["assay"]; after == before || b.me() != "ada" {
		t.Errorf("the session was %q and is %q, of %q", before, after, b.me())
	}
	old := s.visitor()
	old.cookies["assay"] = before
	if old.me() != "" {
		t.Errorf("the session of before is that of %q", old.me())
	}
	made := s.visitor()
	made.cookies["assay"] = "chosen-by-an-attacker"
	made.signOn("/login/sso")
	if made.cookies["assay"] == "chosen-by-an-attacker" || made.me() != "ada" {
		t.Errorf("the session is %q, of %q", made.cookies["assay"], made.me())
	}
}

// TestSignOnLeadsNowhereElse checks that a login redirects only to pages of this server.
func TestSignOnLeadsNowhereElse(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/\t/evil.example",
		"evil.example", "javascript:alert(1)", "/\n/evil.example", ""} {
		got, _ := s.visitor().signOn("/login/sso?" + url.Values{"next": {next}}.Encode())
		if got.Code != 303 || got.Get("Location") != "/" {
			t.Errorf("%q leads to %d %q", next, got.Code, got.Get("Location"))
		}
	}
	// A changed cookie.
	b := s.visitor()
	to := b.ask("GET", "/login/sso", nil).Get("Location")
	secret, _, _ := strings.Cut(b.cookies["assay-sso"], ".")
	b.cookies["assay-sso"] = secret + ".login.aHR0cHM6Ly9ldmlsLmV4YW1wbGU" // https://evil.example
	if got := b.ask("GET", "/login/sso/callback?"+s.at.LogIn(to).Encode(), nil); got.Code != 303 || got.Get("Location") != "/" {
		t.Errorf("a changed cookie leads to %d %q", got.Code, got.Get("Location"))
	}
	if left, is := b.cookies["assay-sso"]; is || b.me() != "ada" {
		t.Errorf("after the login of %q the browser still has %q", b.me(), left)
	}
}

// TestSignOnRoles checks that single sign-on can raise roles, but never lowers them or makes an account an
// administrator.
func TestSignOnRoles(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	role := func(groups any, want auth.Role) {
		t.Helper()
		s.at.Claims = map[string]any{"groups": groups}
		b := s.visitor()
		b.signOn("/login/sso")
		a := webtest.Must[*store.Account](t)(s.Store.Account(t.Context(), s.Accounts["ada"].ID))
		if intake.ServerRole(a) != want || b.me() != "ada" {
			t.Errorf("with the groups %v %q has the role %s, want %s", groups, b.me(), a.Role, want)
		}
	}
	role("others", auth.Contestant)
	role([]string{"rulers"}, auth.Contestant)
	role([]string{"teachers", "rulers"}, auth.Judge)
	role([]string{}, auth.Judge)
	if err := s.Store.SetRole(t.Context(), s.Accounts["ada"].ID, string(auth.ContestAdmin), nil); err != nil {
		t.Fatal(err)
	}
	role("teachers", auth.ContestAdmin)
	s.at.Claims = map[string]any{"sub": "subject-2", "groups": "teachers"}
	b := s.visitor()
	b.signOn("/login/sso")
	b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}})
	if a := webtest.Must[*store.Account](t)(s.Store.AccountByLogin(t.Context(), "zoe")); a.Role != string(auth.Judge) {
		t.Errorf("a new account has the role %q", a.Role)
	}
}

// TestConfirmingBySignOn checks that the user of an account without a password confirms irreversible actions by
// logging in at the provider again.
func TestConfirmingBySignOn(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	b := s.visitor()
	b.signOn("/login/sso")
	b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}})
	page := b.ask("GET", "/account", nil).Body
	if strings.Contains(page, "Change password") || strings.Contains(page, "Unlink") || !strings.Contains(page, "You can log in at") {
		t.Errorf("the page of the account is %s", page)
	}
	token := func() webtest.Response { return b.ask("POST", "/account/tokens", url.Values{"scope": {"submit"}}) }
	got := token()
	leads(t, "a token", got, 403, "Confirm with single sign-on")
	if strings.Contains(got.Body, `type="password"`) {
		t.Error("a password is asked for")
	}
	leads(t, "a password", b.ask("POST", "/account/tokens", url.Values{"scope": {"submit"}, "sure-password": {""}}), 403,
		"Confirm with single sign-on")
	confirm := "/login/sso?confirm=1&next=/account"
	s.at.Claims = map[string]any{"auth_time": s.at.Now().Add(-time.Hour).Unix()}
	got, _ = b.signOn(confirm)
	leads(t, "the provider does not ask again", got, 403, "has not asked you to log in again")
	s.at.Claims = map[string]any{"sub": "subject-2"}
	to := b.ask("GET", confirm, nil).Get("Location")
	kept := b.cookies["assay-sso"]
	leads(t, "another person", b.ask("GET", "/login/sso/callback?"+s.at.LogIn(to).Encode(), nil), 403, "as another person")
	b.cookies["assay-sso"] = kept
	leads(t, "an account of that person", b.ask("GET", "/login/sso/new", nil), 403, "has not begun")
	leads(t, "still not", token(), 403, "Confirm with single sign-on")
	s.at.Claims = nil
	got, _ = b.signOn(confirm)
	leads(t, "the person", got, 303, "/account")
	leads(t, "a token", token(), 200, "--token assay_")
	leads(t, "unlinking the only way in", b.ask("POST", "/account/sso/unlink", nil), 409, "could not log in any more")
	if b.me() != "zoe" {
		t.Errorf("%q is logged in", b.me())
	}
	other := s.visitor() // confirming requires a session
	got, _ = other.signOn(confirm)
	leads(t, "a login", got, 303, "/account")

	// An account that the provider does not know confirms with its password alone.
	ada := webtest.Must[*store.Account](t)(s.Store.Account(t.Context(), s.Accounts["ada"].ID))
	text, hash := auth.NewSession()
	if err := s.Store.NewSessionWithoutPassword(t.Context(), ada, hash, "agent"); err != nil {
		t.Fatal(err)
	}
	got = s.Fetch("assay="+text, "POST", "/account/tokens", url.Values{"scope": {"submit"}})
	leads(t, "a password", got, 403, `type="password"`)
	if strings.Contains(got.Body, "Confirm with single sign-on") {
		t.Error("an account without single sign-on confirms with it")
	}
}

// TestPasswordsOfStaff checks that, if only staff may log in with passwords, a contestant's password is rejected.
func TestPasswordsOfStaff(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.Intake.StaffPasswords = true
	c := s.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	if err := s.Store.SetContestRole(t.Context(), s.Accounts["chair"].ID, c.ID, string(auth.Judge)); err != nil {
		t.Fatal(err)
	}
	for login, code := range map[string]int{"ada": 403, "runner": 303, "judge": 303, "chair": 303, "admin": 303} {
		got := s.visitor().ask("POST", "/login", url.Values{"login": {login}, "password": {"correct-horse"}})
		if got.Code != code || code == 403 && !strings.Contains(got.Body,
			"Only staff can log in with a password on this server: use single sign-on.") {
			t.Errorf("%s: %d %s", login, got.Code, got.Body)
		}
	}
	leads(t, "a wrong password", s.visitor().ask("POST", "/login", url.Values{"login": {"ada"}, "password": {"guess"}}), 403,
		"Wrong username")
	leads(t, "the login page", s.Fetch("", "GET", "/login", nil), 200, "For staff only")
	s.link()
	b := s.visitor()
	b.signOn("/login/sso")
	if b.me() != "ada" {
		t.Errorf("%q is logged in", b.me())
	}
	// An invitation creates no accounts with passwords.
	if _, err := s.Store.NewInvitation(t.Context(), auth.Hash("code"), store.Invitation{MaxUses: 9, CreatedBy: s.Accounts["admin"].ID,
		Contest: c.ID, Expires: s.Intake.Time().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	page := s.Fetch("", "GET", "/invite/code", nil)
	leads(t, "an invitation", page, 200, "/login?next=")
	leads(t, "an invitation", s.visitor().ask("POST", "/invite/code", url.Values{"name": {"Zoe"}, "login": {"zoe"},
		"password": {"correct-horse"}, "again": {"correct-horse"}}), 401, "You are not logged in")
	leads(t, "an invitation", b.ask("POST", "/invite/code", nil), 303, "/")
}

// TestFormsWaitForSignOn checks that a form sent without a session appears again after a login in another tab.
func TestFormsWaitForSignOn(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	s.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	b := s.visitor()
	page := b.ask("POST", "/c/now/clar", url.Values{"text": {"what I have written"}})
	leads(t, "the form", page, 401, `target="_blank"`)
	kept := regexp.MustCompile(`name="kept" value="([^"]+)"`).FindStringSubmatch(page.Body)
	if kept == nil {
		t.Fatal("the page does not keep the form")
	}
	leads(t, "too early", b.ask("POST", "/login", url.Values{"kept": {kept[1]}}), 403, "Continue with the form")
	b.signOn("/login/sso")
	leads(t, "logged in", b.ask("POST", "/login", url.Values{"kept": {kept[1]}}), 200, "what I have written")
}

// TestProviderAway checks that the page reports a provider that does not respond, and that passwords still work.
func TestProviderAway(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.at.Close()
	leads(t, "the provider is away", s.visitor().ask("GET", "/login/sso", nil), 502, "does not answer")
	b := s.visitor()
	b.ask("POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}})
	if b.me() != "ada" {
		t.Errorf("%q is logged in", b.me())
	}
}

// TestReturnsOfTheProvider checks that errors from the provider are shown, without the provider's text.
func TestReturnsOfTheProvider(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	s.link()
	b := s.visitor()
	back := s.at.LogIn(b.ask("GET", "/login/sso", nil).Get("Location"))
	back.Set("error", "access_denied")
	back.Set("error_description", webtest.HostileMarkup)
	got := b.ask("GET", "/login/sso/callback?"+back.Encode(), nil)
	leads(t, "an error", got, 403, "was ended at")
	webtest.CheckHTML(t, "an error", got.Body)
	s.at.Claims = map[string]any{"nonce": webtest.HostileMarkup, "aud": webtest.HostileMarkup}
	got, _ = s.visitor().signOn("/login/sso")
	leads(t, "a wrong token", got, 403, "was rejected")
	webtest.CheckHTML(t, "a wrong token", got.Body)
	s.at.Claims = map[string]any{"sub": "subject-2", "name": webtest.HostileMarkup, "preferred_username": webtest.HostileMarkup}
	b = s.visitor()
	b.signOn("/login/sso")
	webtest.CheckHTML(t, "a name", b.ask("GET", "/login/sso/new", nil).Body)
}

// TestSignOnElsewhere checks that single sign-on logs in an account that is restricted to IP addresses only from
// these addresses.
func TestSignOnElsewhere(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	c := s.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	expect(t, s.Harness, c, map[string][]string{"ada": {"10.0.0.7"}})
	s.Intake.LockAddress = true
	at := from(t, s.Harness)
	linked := s.visitor()
	linked.signOn("/login/sso")
	form := url.Values{"login": {"ada"}, "password": {"correct-horse"}}
	leads(t, "linking elsewhere", linked.ask("POST", "/login/sso/link", form), 403, "only at the computer of its team")
	at("10.0.0.7:1")
	leads(t, "linking there", linked.ask("POST", "/login/sso/link", form), 303, "/")
	got, _ := s.visitor().signOn("/login/sso")
	leads(t, "there", got, 303, "/")
	at("10.0.0.8:1")
	got, _ = s.visitor().signOn("/login/sso")
	leads(t, "elsewhere", got, 403, "only at the computer of its team")
}

// TestAdministratorsUnlink checks that the page of an account shows that single sign-on is linked, and can unlink
// it.
func TestAdministratorsUnlink(t *testing.T) {
	s := newSchool(t, auth.ByOIDC)
	b := s.visitor()
	b.signOn("/login/sso")
	b.ask("POST", "/login/sso/new", url.Values{"name": {"Zoe"}, "login": {"zoe"}})
	admin := s.Cookie("admin")
	leads(t, "the list", s.Fetch(admin, "GET", "/admin/accounts?q=zoe", nil), 200, ">active<")
	leads(t, "the account", s.Fetch(admin, "GET", "/admin/accounts/zoe", nil), 200, "Unlink single sign-on")
	leads(t, "unlink", s.Fetch(admin, "POST", "/admin/accounts/zoe", url.Values{"do": {"unlink"}}), 303, "done=changed")
	leads(t, "the list", s.Fetch(admin, "GET", "/admin/accounts?q=zoe", nil), 200, ">access tokens only<")
	got, _ := s.visitor().signOn("/login/sso")
	leads(t, "after that", got, 303, "/login/sso/new")
	if page := s.Fetch(admin, "GET", "/admin/accounts/zoe", nil); strings.Contains(page.Body, "Unlink") {
		t.Error("an account without an identity can be unlinked")
	}
}
