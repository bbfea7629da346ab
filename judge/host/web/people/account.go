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
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// setupView is the page on which the first administrator account is created.
type setupView struct {
	Code, Login, Name string
	Errors            web.FieldErrors
}

// checkSetupCode returns a refusal if the code of a setup link is not valid.
func (s *site) checkSetupCode(r *web.Request, code string) error {
	err := s.Store.CheckSetupCode(r.Context(), auth.Hash(code))
	const reset = "run: judged admin account reset admin"
	const again = "Restart the server and open the link that it prints. If the administrator account exists already, " + reset
	switch {
	case errors.Is(err, store.ErrUsed):
		return &intake.Refusal{
			Code: http.StatusForbidden, Text: "This setup link has been used",
			Hint: "Log in. If you have not used the link, " + reset,
		}
	case errors.Is(err, store.ErrExpired):
		return &intake.Refusal{Code: http.StatusForbidden, Text: "This setup link has expired", Hint: again}
	case errors.Is(err, store.ErrNotFound):
		return &intake.Refusal{Code: http.StatusForbidden, Text: "Invalid setup link", Hint: "Check that the link is complete. " + again}
	}
	return err
}

func (s *site) setup(w http.ResponseWriter, r *web.Request) error {
	code := r.FormValue("code")
	if err := s.checkSetupCode(r, code); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "setup", "Set up "+s.Name, setupView{Code: code, Login: intake.AdminLogin})
}

// completeSetup sets up the first administrator account and logs it in.
func (s *site) completeSetup(w http.ResponseWriter, r *web.Request) error {
	v := setupView{Code: r.PostFormValue("code"), Login: intake.AdminLogin, Name: r.Field("name")}
	if err := s.checkSetupCode(r, v.Code); err != nil {
		return err
	}
	v.Errors.CheckName(v.Name)
	if checkNewPassword(&v.Errors, r); len(v.Errors) > 0 {
		return s.RenderPage(w, r, http.StatusBadRequest, "setup", "Set up "+s.Name, v)
	}
	hash, err := s.Passwords.Hash(r.Context(), r.Field("password"))
	if err != nil {
		return err
	}
	admin, err := s.Store.AccountByLogin(r.Context(), intake.AdminLogin)
	if err != nil {
		return err
	}
	if err := s.Store.CompleteSetup(r.Context(), auth.Hash(v.Code), admin.ID, v.Name, hash); err != nil {
		return errors.Join(s.checkSetupCode(r, v.Code), err)
	}
	if admin, err = s.Store.Account(r.Context(), admin.ID); err != nil {
		return err
	}
	if err := s.startSession(w, r, admin); err != nil {
		return err
	}
	return web.Redirect(w, r, "/")
}

// checkNewPassword checks the new password in a form, which must contain the password twice. It adds errors to e.
func checkNewPassword(e *web.FieldErrors, r *web.Request) {
	switch password, repeated := r.Field("password"), r.Field("again"); {
	case password != repeated:
		e.Add("again", "The passwords do not match. Enter the same password twice.")
	case len(password) < auth.MinPassword:
		e.Add("password", "The password is too short: use at least %d characters.", auth.MinPassword)
	case len(password) > auth.MaxPassword:
		e.Add("password", "The password is too long: use at most %d characters.", auth.MaxPassword)
	}
}

// startSession logs an account in after its password was checked.
func (s *site) startSession(w http.ResponseWriter, r *web.Request, a *store.Account) error {
	return s.startSessionWith(w, r, a, s.Store.NewSession)
}

// startSessionWith logs an account in. The function make creates the session in the store.
func (s *site) startSessionWith(w http.ResponseWriter, r *web.Request, a *store.Account,
	newSession func(ctx context.Context, a *store.Account, hash, agent string) error) error {
	secret, hash := auth.NewSession()
	if err := newSession(r.Context(), a, hash, r.UserAgent()); err != nil {
		return err
	}
	if r.Session != nil { // of before
		if err := s.Store.EndSession(r.Context(), r.Session.Hash); err != nil {
			return err
		}
	}
	s.SetSession(w, secret)
	return s.Store.Audit(r.Context(), store.AuditEntry{Actor: a.ID, Action: "log in", Address: r.RemoteAddr})
}

func (s *site) loginForm(w http.ResponseWriter, r *web.Request) error {
	returnTo := web.LocalPath(r.FormValue("next"))
	if r.Me != nil {
		return web.Redirect(w, r, returnTo)
	}
	return s.RenderLogin(w, r, http.StatusOK, web.LoginView{ReturnTo: returnTo})
}

const wrongPasswordText = "Wrong username or password."

// accountByPassword returns the account with the given username if the account is enabled and the form contains its
// password. Otherwise it returns nil, nil. After several wrong passwords, it returns a *intake.Refusal.
func (s *site) accountByPassword(r *web.Request, login string) (*store.Account, error) {
	if !auth.ValidUsername(login) {
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
	attempt := intake.ThrottleKey(login, r.RemoteAddr)
	if s.isKnownBrowser(r, a) {
		attempt = "known " + a.ID
	}
	good, err := s.Throttle.Try(attempt, s.Time(), func() (bool, error) {
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
		return s.ShowKeptForm(w, r, v.Kept)
	}
	a, err := s.accountByPassword(r, v.Login)
	if err == nil && a != nil {
		err = s.CheckPasswordLogin(r.Context(), a)
	}
	if refusal := web.AsRefusal(err); refusal != nil {
		v.Errors.Add("", "%s.", web.RefusalText(&intake.Refusal{Text: strings.TrimSuffix(refusal.Sentence(), "."), Hint: refusal.Hint}))
		return s.RenderLogin(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if a == nil {
		field := "password"
		if !auth.ValidUsername(v.Login) {
			v.Login, field = "", "login"
		}
		v.Errors.Add(field, wrongPasswordText)
		return s.RenderLogin(w, r, http.StatusForbidden, v)
	}
	if err := s.CheckAddress(r.Context(), a, r.RemoteAddr); err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.Cookie() + "-known", Value: knownBrowserValue(a), Path: "/", MaxAge: int(web.CookieLifetime.Seconds()), HttpOnly: true,
		Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
	if v.Kept != nil {
		r.Me = a
		return s.ShowKeptForm(w, r, v.Kept)
	}
	return s.redirectAfterLogin(w, r, a, v.ReturnTo)
}

// redirectAfterLogin redirects a user to the page next, which was requested before the login. If that is the home page and
// exactly one of the user's contests is running, enter redirects to that contest.
func (s *site) redirectAfterLogin(w http.ResponseWriter, r *web.Request, a *store.Account, returnTo string) error {
	if returnTo != "/" {
		return web.Redirect(w, r, returnTo)
	}
	contests, err := s.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	var running []string
	for _, c := range contests {
		contestAccess, err := s.ContestAccess(r.Context(), c, a)
		if err != nil {
			return err
		}
		if contestAccess.Team != nil && contestAccess.State.Phase == auth.Running && contestAccess.Can(auth.SeeContest) {
			running = append(running, "/c/"+c.Slug)
		}
	}
	if len(running) == 1 {
		returnTo = running[0]
	}
	return web.Redirect(w, r, returnTo)
}

// logInByAddress logs in the team that is expected at the caller's IP address.
func (s *site) logInByAddress(w http.ResponseWriter, r *web.Request) error {
	v, err := s.ReadLogin(w, r)
	if err != nil {
		return err
	}
	a, err := s.AccountAtAddress(r.Context(), r.RemoteAddr)
	if err != nil {
		return err
	}
	if a == nil {
		v.Errors.Add("", "No team is expected at the address of this computer. Log in with the username and the password.")
		return s.RenderLogin(w, r, http.StatusForbidden, v)
	}
	if err := s.startSessionWith(w, r, a, s.Store.NewSessionWithoutPassword); err != nil {
		return err
	}
	if v.Kept != nil {
		r.Me = a
		return s.ShowKeptForm(w, r, v.Kept)
	}
	return s.redirectAfterLogin(w, r, a, v.ReturnTo)
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

// knownBrowserValue returns a cookie value that proves that a browser has logged in to an account with the account's current
// password. The value depends on the password hash, which only the server knows.
func knownBrowserValue(a *store.Account) string {
	mac := hmac.New(sha256.New, []byte(a.Password))
	mac.Write([]byte("a browser that logged in as " + a.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isKnownBrowser reports whether the browser has logged in to an account before. If so, wrong passwords from this browser
// are counted separately, so that other browsers cannot lock it out.
func (s *site) isKnownBrowser(r *web.Request, a *store.Account) bool {
	c, err := r.Cookie(s.Cookie() + "-known")
	return err == nil && a.ID != "" && hmac.Equal([]byte(c.Value), []byte(knownBrowserValue(a)))
}

// accountView is the page of the caller's own account.
type accountView struct {
	Login          string
	Tokens         []*store.Token
	Sessions       []*store.Session
	CurrentSession string // hash of the current session
	Scopes         []string
	NewToken       string // the text of a new token, shown once
	Address        string
	Password       bool   // it has one
	SignOn         string // host of the single sign-on provider; empty if there is none
	Linked         bool   // the account is linked to an identity of the provider
	Errors         web.FieldErrors
	Label          string // of a token that was rejected
	Message        string
}

func (s *site) account(w http.ResponseWriter, r *web.Request) error {
	return s.accountPage(w, r, http.StatusOK, accountView{
		Message: map[string]string{"password": "Password changed. All other sessions are logged out.",
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
	v.Login, v.CurrentSession, v.Scopes, v.Address = r.Me.Login, r.Session.Hash, intake.Scopes(intake.ServerRole(r.Me)), s.Address
	return s.RenderPage(w, r, code, "account", r.Me.Display, v)
}

func (s *site) setPassword(w http.ResponseWriter, r *web.Request) error {
	good, err := s.CheckPassword(r, r.Field("old"))
	if refusal := web.AsRefusal(err); refusal != nil {
		return s.accountPage(w, r, refusal.Code, accountView{Errors: web.RefusalErrors(refusal, "")})
	}
	if err != nil {
		return err
	}
	if !good {
		fieldErrors := web.FieldErrors{{Field: "old", Text: "The current password is wrong."}}
		return s.accountPage(w, r, http.StatusForbidden, accountView{Errors: fieldErrors})
	}
	var fieldErrors web.FieldErrors
	if checkNewPassword(&fieldErrors, r); len(fieldErrors) > 0 {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Errors: fieldErrors})
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
	if err := errors.Join(s.startSession(w, r, a), s.Audit(r, "new password", r.Me.ID, "")); err != nil {
		return err
	}
	return web.Redirect(w, r, "/account?done=password")
}

func (s *site) newToken(w http.ResponseWriter, r *web.Request) error {
	label, scope := r.Field("label"), r.PostFormValue("scope")
	may := false
	for _, allowed := range intake.Scopes(intake.ServerRole(r.Me)) {
		may = may || allowed == scope
	}
	var fieldErrors web.FieldErrors
	if len(label) > 100 || !auth.IsPrintable(label) {
		fieldErrors.Add("label", "The token was not created. Enter a label of at most 100 visible characters.")
	}
	if !may {
		fieldErrors.Add("scope", "The token was not created. Choose one of the listed permissions.")
	}
	if len(fieldErrors) > 0 {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Errors: fieldErrors, Label: label})
	}
	text, hash := auth.NewToken()
	if _, err := s.Store.NewToken(r.Context(), r.Me.ID, hash, label, []string{scope}, time.Time{}); err != nil {
		return err
	}
	if err := s.Audit(r, "new token", r.Me.ID, scope); err != nil {
		return err
	}
	return s.accountPage(w, r, http.StatusOK, accountView{NewToken: text})
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
		return s.AuditAndRedirect(w, r, "revoke token", t.ID, "", "/account?done=token")
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
