package people

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// setupView is the page on which the first administrator account is created.
type setupView struct {
	Code, Login, Name string
	Errors            web.FieldErrors
}

// goodCode returns a refusal if the code of a setup link is not valid.
func (s *site) goodCode(r *web.Request, code string) error {
	err := s.Store.Setup(r.Context(), auth.Hash(code))
	const reset = "run: judged admin account reset admin"
	const again = "Restart the server and open the link that it prints. If the administrator account exists already, " + reset
	switch {
	case errors.Is(err, store.ErrUsed):
		return &desk.Refusal{
			Code: http.StatusForbidden, Text: "This setup link has been used",
			Hint: "Log in. If you have not used the link, " + reset,
		}
	case errors.Is(err, store.ErrExpired):
		return &desk.Refusal{Code: http.StatusForbidden, Text: "This setup link has expired", Hint: again}
	case errors.Is(err, store.ErrNotFound):
		return &desk.Refusal{Code: http.StatusForbidden, Text: "Invalid setup link", Hint: "Check that the link is complete. " + again}
	}
	return err
}

func (s *site) setup(w http.ResponseWriter, r *web.Request) error {
	code := r.FormValue("code")
	if err := s.goodCode(r, code); err != nil {
		return err
	}
	return s.Page(w, r, http.StatusOK, "setup", "Set up "+s.Name, setupView{Code: code, Login: desk.AdminLogin})
}

// setUp sets up the first administrator account and logs it in.
func (s *site) setUp(w http.ResponseWriter, r *web.Request) error {
	v := setupView{Code: r.PostFormValue("code"), Login: desk.AdminLogin, Name: r.Field("name")}
	if err := s.goodCode(r, v.Code); err != nil {
		return err
	}
	v.Errors.Name(v.Name)
	if badPassword(&v.Errors, r); len(v.Errors) > 0 {
		return s.Page(w, r, http.StatusBadRequest, "setup", "Set up "+s.Name, v)
	}
	hash, err := s.Passwords.Hash(r.Context(), r.Field("password"))
	if err != nil {
		return err
	}
	admin, err := s.Store.AccountByLogin(r.Context(), desk.AdminLogin)
	if err != nil {
		return err
	}
	if err := s.Store.SetUp(r.Context(), auth.Hash(v.Code), admin.ID, v.Name, hash); err != nil {
		return errors.Join(s.goodCode(r, v.Code), err)
	}
	if admin, err = s.Store.Account(r.Context(), admin.ID); err != nil {
		return err
	}
	if err := s.begin(w, r, admin); err != nil {
		return err
	}
	return web.Redirect(w, r, "/")
}

// badPassword checks the new password in a form, which must contain the password twice. It adds errors to e.
func badPassword(e *web.FieldErrors, r *web.Request) {
	switch password, again := r.Field("password"), r.Field("again"); {
	case password != again:
		e.Add("again", "The passwords do not match. Enter the same password twice.")
	case len(password) < auth.LeastPassword:
		e.Add("password", "The password is too short: use at least %d characters.", auth.LeastPassword)
	case len(password) > auth.MostPassword:
		e.Add("password", "The password is too long: use at most %d characters.", auth.MostPassword)
	}
}

// begin logs an account in after its password was checked.
func (s *site) begin(w http.ResponseWriter, r *web.Request, a *store.Account) error {
	return s.beginBy(w, r, a, s.Store.NewSession)
}

// beginBy logs an account in. The function make creates the session in the store.
func (s *site) beginBy(w http.ResponseWriter, r *web.Request, a *store.Account,
	make func(ctx context.Context, a *store.Account, hash, agent string) error) error {
	secret, hash := auth.NewSession()
	if err := make(r.Context(), a, hash, r.UserAgent()); err != nil {
		return err
	}
	if r.Session != nil { // of before
		if err := s.Store.EndSession(r.Context(), r.Session.Hash); err != nil {
			return err
		}
	}
	s.SetSession(w, secret)
	return s.Store.Audit(r.Context(), store.Entry{Actor: a.ID, Action: "log in", Address: r.RemoteAddr})
}

func (s *site) login(w http.ResponseWriter, r *web.Request) error {
	next := web.LocalPath(r.FormValue("next"))
	if r.Me != nil {
		return web.Redirect(w, r, next)
	}
	return s.LoginPage(w, r, http.StatusOK, web.LoginView{Next: next})
}

const wrongPassword = "Wrong username or password."

// byPassword returns the account with the given username if the account is enabled and the form contains its
// password. Otherwise it returns nil, nil. After several wrong passwords, it returns a *desk.Refusal.
func (s *site) byPassword(r *web.Request, login string) (*store.Account, error) {
	if !auth.GoodLogin(login) {
		return nil, nil
	}
	a, err := s.Store.AccountByLogin(r.Context(), login)
	if errors.Is(err, store.ErrNotFound) {
		a, err = s.Store.AccountByLogin(r.Context(), strings.ToLower(login))
	}
	if errors.Is(err, store.ErrNotFound) {
		a, err = &store.Account{}, nil // checking its password takes equally long
	}
	if err != nil {
		return nil, err
	}
	by := desk.LoginFrom(login, r.RemoteAddr)
	if s.knows(r, a) {
		by = "known " + a.ID
	}
	good, err := s.Throttle.Try(by, s.Time(), func() (bool, error) {
		good, err := s.Passwords.Check(r.Context(), r.Field("password"), a.Password)
		return good && !a.Disabled, err
	})
	if err != nil || !good {
		return nil, err
	}
	return a, nil
}

func (s *site) logIn(w http.ResponseWriter, r *web.Request) error {
	v, err := s.ReadLogin(w, r)
	if err != nil {
		return err
	}
	if v.Kept != nil && r.Me != nil { // the user logged in in another tab
		return s.SendAgain(w, r, v.Kept)
	}
	a, err := s.byPassword(r, v.Login)
	if err == nil && a != nil {
		err = s.AcceptsPassword(r.Context(), a)
	}
	if refusal := web.Rejected(err); refusal != nil {
		v.Errors.Add("", "%s.", web.Reason(&desk.Refusal{Text: strings.TrimSuffix(refusal.Sentence(), "."), Hint: refusal.Hint}))
		return s.LoginPage(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if a == nil {
		field := "password"
		if !auth.GoodLogin(v.Login) {
			v.Login, field = "", "login"
		}
		v.Errors.Add(field, wrongPassword)
		return s.LoginPage(w, r, http.StatusForbidden, v)
	}
	if err := s.Elsewhere(r.Context(), a, r.RemoteAddr); err != nil {
		return err
	}
	if err := s.begin(w, r, a); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.Cookie() + "-known", Value: known(a), Path: "/", MaxAge: int(web.CookieLife.Seconds()), HttpOnly: true,
		Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
	if v.Kept != nil {
		r.Me = a
		return s.SendAgain(w, r, v.Kept)
	}
	return s.enter(w, r, a, v.Next)
}

// enter redirects a user to the page next, which was requested before the login. If that is the home page and
// exactly one of the user's contests is running, enter redirects to that contest.
func (s *site) enter(w http.ResponseWriter, r *web.Request, a *store.Account, next string) error {
	if next != "/" {
		return web.Redirect(w, r, next)
	}
	all, err := s.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	var running []string
	for _, c := range all {
		seat, err := s.Seat(r.Context(), c, a)
		if err != nil {
			return err
		}
		if seat.Team != nil && seat.State.Phase == auth.Running && seat.Can(auth.SeeContest) {
			running = append(running, "/c/"+c.Slug)
		}
	}
	if len(running) == 1 {
		next = running[0]
	}
	return web.Redirect(w, r, next)
}

// logInHere logs in the team that is expected at the caller's IP address.
func (s *site) logInHere(w http.ResponseWriter, r *web.Request) error {
	v, err := s.ReadLogin(w, r)
	if err != nil {
		return err
	}
	a, err := s.AtAddress(r.Context(), r.RemoteAddr)
	if err != nil {
		return err
	}
	if a == nil {
		v.Errors.Add("", "No team is expected at the address of this computer. Log in with the username and the password.")
		return s.LoginPage(w, r, http.StatusForbidden, v)
	}
	if err := s.beginBy(w, r, a, s.Store.NewSessionHere); err != nil {
		return err
	}
	if v.Kept != nil {
		r.Me = a
		return s.SendAgain(w, r, v.Kept)
	}
	return s.enter(w, r, a, v.Next)
}

func (s *site) logOut(w http.ResponseWriter, r *web.Request) error {
	if r.Session != nil {
		if err := s.Store.EndSession(r.Context(), r.Session.Hash); err != nil {
			return err
		}
	}
	s.ClearSession(w)
	return web.Redirect(w, r, "/")
}

// known returns a cookie value that proves that a browser has logged in to an account with the account's current
// password. The value depends on the password hash, which only the server knows.
func known(a *store.Account) string {
	mac := hmac.New(sha256.New, []byte(a.Password))
	mac.Write([]byte("a browser that logged in as " + a.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// knows reports whether the browser has logged in to an account before. If so, wrong passwords from this browser
// are counted separately, so that other browsers cannot lock it out.
func (s *site) knows(r *web.Request, a *store.Account) bool {
	c, err := r.Cookie(s.Cookie() + "-known")
	return err == nil && a.ID != "" && hmac.Equal([]byte(c.Value), []byte(known(a)))
}

// accountView is the page of the caller's own account.
type accountView struct {
	Login    string
	Tokens   []*store.Token
	Sessions []*store.Session
	This     string // hash of the current session
	Scopes   []string
	Fresh    string // the text of a new token, shown once
	Address  string
	Password bool   // it has one
	SignOn   string // host of the single sign-on provider; empty if there is none
	Linked   bool   // the account is linked to an identity of the provider
	Errors   web.FieldErrors
	Label    string // of a token that was refused
	Done     string
}

func (s *site) account(w http.ResponseWriter, r *web.Request) error {
	return s.accountPage(w, r, http.StatusOK, accountView{
		Done: map[string]string{"password": "Password changed. All other sessions are logged out.",
			"token": "Access token revoked.", "unlinked": "Single sign-on unlinked."}[r.FormValue("done")],
	})
}

func (s *site) accountPage(w http.ResponseWriter, r *web.Request, code int, v accountView) (err error) {
	if v.Tokens, err = s.Store.Tokens(r.Context(), r.Me.ID); err != nil {
		return err
	}
	if v.Sessions, err = s.Store.Sessions(r.Context(), r.Me.ID); err != nil {
		return err
	}
	if s.SignOn != nil {
		identities, err := s.Store.Identities(r.Context(), r.Me.ID)
		if err != nil {
			return err
		}
		v.SignOn, v.Linked = s.SignOn.Host(), len(identities) > 0
	}
	v.Password = r.Me.Password != ""
	v.Login, v.This, v.Scopes, v.Address = r.Me.Login, r.Session.Hash, desk.Scopes(desk.Role(r.Me)), s.Address
	return s.Page(w, r, code, "account", r.Me.Display, v)
}

func (s *site) setPassword(w http.ResponseWriter, r *web.Request) error {
	good, err := s.TryPassword(r, r.Field("old"))
	if refusal := web.Rejected(err); refusal != nil {
		return s.accountPage(w, r, refusal.Code, accountView{Errors: web.Refused(refusal, "")})
	}
	if err != nil {
		return err
	}
	if !good {
		wrong := web.FieldErrors{{Field: "old", Text: "The current password is wrong."}}
		return s.accountPage(w, r, http.StatusForbidden, accountView{Errors: wrong})
	}
	var wrong web.FieldErrors
	if badPassword(&wrong, r); len(wrong) > 0 {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Errors: wrong})
	}
	hash, err := s.Passwords.Hash(r.Context(), r.Field("password"))
	if err != nil {
		return err
	}
	if err := s.Store.SetPassword(r.Context(), r.Me.ID, hash); err != nil {
		return err
	}
	a, err := s.Store.Account(r.Context(), r.Me.ID)
	if err != nil {
		return err
	}
	if err := errors.Join(s.begin(w, r, a), s.Audit(r, "new password", r.Me.ID, "")); err != nil {
		return err
	}
	return web.Redirect(w, r, "/account?done=password")
}

func (s *site) newToken(w http.ResponseWriter, r *web.Request) error {
	label, scope := r.Field("label"), r.PostFormValue("scope")
	may := false
	for _, one := range desk.Scopes(desk.Role(r.Me)) {
		may = may || one == scope
	}
	var wrong web.FieldErrors
	if len(label) > 100 || !auth.Legible(label) {
		wrong.Add("label", "The token was not created. Enter a label of at most 100 visible characters.")
	}
	if !may {
		wrong.Add("scope", "The token was not created. Choose one of the listed permissions.")
	}
	if len(wrong) > 0 {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Errors: wrong, Label: label})
	}
	text, hash := auth.NewToken()
	if _, err := s.Store.NewToken(r.Context(), r.Me.ID, hash, label, []string{scope}, time.Time{}); err != nil {
		return err
	}
	if err := s.Audit(r, "new token", r.Me.ID, scope); err != nil {
		return err
	}
	return s.accountPage(w, r, http.StatusOK, accountView{Fresh: text})
}

func (s *site) revokeToken(w http.ResponseWriter, r *web.Request) error {
	tokens, err := s.Store.Tokens(r.Context(), r.Me.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if t.ID != r.PathValue("id") {
			continue
		}
		if err := s.Store.RevokeToken(r.Context(), t.ID); err != nil && !errors.Is(err, store.ErrNotFound) { // already revoked
			return err
		}
		return s.Done(w, r, "revoke token", t.ID, "", "/account?done=token")
	}
	return web.ErrNotFound
}

// endSessions logs the caller out everywhere.
func (s *site) endSessions(w http.ResponseWriter, r *web.Request) error {
	if err := errors.Join(s.Store.EndSessions(r.Context(), r.Me.ID), s.Audit(r, "log out everywhere", r.Me.ID, "")); err != nil {
		return err
	}
	s.ClearSession(w)
	return web.Redirect(w, r, "/login")
}
