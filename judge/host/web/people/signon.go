package people

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/signon"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// signOnMinutes is how long a browser remembers a single sign-on that it has begun.
const signOnMinutes = 10

// startedSignOn is a single sign-on that a browser has begun. It is stored only in a cookie, so the server need not
// remember unfinished logins.
type startedSignOn struct {
	secret   string
	confirm  bool   // confirms the identity of a logged-in user
	returnTo string // page of this server
}

func (s *site) signOnCookie() string { return s.Cookie() + "-sso" }

func (s *site) setSignOnCookie(w http.ResponseWriter, value string, seconds int) {
	http.SetCookie(w, &http.Cookie{
		Name: s.signOnCookie(), Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// readSignOnCookie returns the single sign-on that the browser has begun. It returns the zero value if there is none.
func (s *site) readSignOnCookie(r *web.Request) (b startedSignOn) {
	c, err := r.Cookie(s.signOnCookie())
	if err != nil {
		return b
	}
	parts := strings.Split(c.Value, ".")
	if len(parts) != 3 {
		return b
	}
	returnTo, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return b
	}
	return startedSignOn{parts[0], parts[1] == "confirm", web.LocalPath(string(returnTo))}
}

// beginSignOn redirects the browser to the provider.
func (s *site) beginSignOn(w http.ResponseWriter, r *web.Request) error {
	if s.SignOn == nil {
		return web.ErrNotFound
	}
	secret, _ := auth.NewSession()
	kind, confirm, returnTo := "login", r.Me != nil && r.FormValue("confirm") != "", r.FormValue("next")
	if confirm {
		kind = "confirm"
	}
	var providerURL string
	err := r.Yield(func() (err error) {
		providerURL, err = s.SignOn.AuthURL(r.Context(), secret, confirm)
		return err
	})
	if err != nil {
		return s.signOnFailed(r, err)
	}
	s.setSignOnCookie(w, secret+"."+kind+"."+base64.RawURLEncoding.EncodeToString([]byte(returnTo)), signOnMinutes*60)
	return web.Redirect(w, r, providerURL)
}

// signOnFailed returns the error to show after a failed single sign-on. If the user cannot correct it,
// signOnFailed logs the cause.
func (s *site) signOnFailed(r *web.Request, err error) error {
	rejected, isRejected := errors.AsType[*signon.LoginError](err)
	switch {
	case r.Context().Err() != nil:
		return err
	case isRejected:
		s.Log.Warn("a single sign-on was rejected", "error", err, "address", r.RemoteAddr)
		return &intake.Refusal{Code: http.StatusForbidden, Text: "The single sign-on was rejected: " + rejected.Error(),
			Hint: "Log in again. If this happens again, tell the server administrator."}
	case errors.Is(err, signon.ErrCanceled):
		s.Log.Warn("a single sign-on was ended by the provider", "error", err, "address", r.RemoteAddr)
		return &intake.Refusal{Code: http.StatusForbidden, Text: "The single sign-on was ended at " + s.SignOn.Host(),
			Hint: "Log in again, or ask an administrator whether you may log in there."}
	}
	s.Log.Warn("single sign-on failed", "error", err)
	return &intake.Refusal{Code: http.StatusBadGateway,
		Text: "Single sign-on is unavailable: " + s.SignOn.Host() + " does not answer as expected",
		Hint: "Try again in a minute. The server's log says what is wrong."}
}

var errSignOnNotStarted = &intake.Refusal{
	Code: http.StatusForbidden, Text: "This browser has not begun this login, or the login has expired",
	Hint: "Log in again. Your browser must accept cookies.",
}

// finishSignOn handles the redirect from the provider and logs the user in. A user without a linked account
// creates or links one.
func (s *site) finishSignOn(w http.ResponseWriter, r *web.Request) error {
	if s.SignOn == nil {
		return web.ErrNotFound
	}
	b := s.readSignOnCookie(r)
	if b.secret == "" {
		return errSignOnNotStarted
	}
	s.setSignOnCookie(w, "", -1)
	var p *signon.Person
	err := r.Yield(func() (err error) {
		p, err = s.SignOn.CompleteLogin(r.Context(), b.secret, r.URL.Query())
		return err
	})
	if err != nil {
		return s.signOnFailed(r, err)
	}
	identity := store.Identity{Issuer: p.Issuer, Subject: p.Subject}
	a, err := s.Store.AccountByIdentity(r.Context(), identity)
	notFound := errors.Is(err, store.ErrNotFound)
	if err != nil && !notFound {
		return err
	}
	var pending *store.SignOn
	if notFound && !b.confirm {
		pending = &store.SignOn{Identity: identity, Name: p.Name, Username: p.Username, Role: string(p.Role), ReturnTo: b.returnTo}
	}
	if err := s.Store.RecordSignOn(r.Context(), auth.Hash(b.secret), pending); errors.Is(err, store.ErrUsed) {
		return errSignOnNotStarted
	} else if err != nil {
		return err
	}
	switch {
	case b.confirm:
		return s.confirmBySignOn(w, r, a, p, b.returnTo)
	case notFound:
		c, _ := r.Cookie(s.signOnCookie())
		s.setSignOnCookie(w, c.Value, signOnMinutes*60)
		return web.Redirect(w, r, web.SignOnPath+"/new")
	}
	if a, err = s.raiseRole(r, a, p.Role); err != nil {
		return err
	}
	return s.logInAndRedirect(w, r, a, b.returnTo, s.Store.NewSessionWithoutPassword)
}

// confirmBySignOn handles a single sign-on by which a logged-in user confirms their identity. If the login is recent and
// belongs to the user's account, confirmed records the confirmation in the session.
func (s *site) confirmBySignOn(w http.ResponseWriter, r *web.Request, a *store.Account, p *signon.Person, returnTo string) error {
	switch {
	case r.Me == nil:
		return web.ErrLoginRequired
	case a.ID != r.Me.ID:
		return &intake.Refusal{Code: http.StatusForbidden,
			Text: "You have logged in at " + s.SignOn.Host() + " as another person than that of your account here",
			Hint: "Log out there, and confirm again."}
	case !p.Fresh:
		return &intake.Refusal{Code: http.StatusForbidden, Text: s.SignOn.Host() + " has not asked you to log in again",
			Hint: "Ask an administrator to create a password for your account."}
	}
	if err := s.Store.RecordPasswordCheck(r.Context(), r.Session.Hash); err != nil {
		return err
	}
	return web.Redirect(w, r, returnTo)
}

// raiseRole raises the role of an account to the role given by the provider. It never lowers a role, and never
// makes an account an administrator.
func (s *site) raiseRole(r *web.Request, a *store.Account, role auth.Role) (*store.Account, error) {
	higher := auth.Higher(intake.ServerRole(a), role)
	if a.Disabled || higher == intake.ServerRole(a) || higher == auth.Admin {
		return a, nil
	}
	if err := s.Store.SetRole(r.Context(), a.ID, string(higher), intake.Scopes(higher)); err != nil {
		return nil, err
	}
	entry := store.AuditEntry{Actor: a.ID, Action: "change account", Object: a.ID,
		Detail: "role " + string(higher) + " by single sign-on", Address: r.RemoteAddr}
	if err := s.Store.Audit(r.Context(), entry); err != nil {
		return nil, err
	}
	return s.Store.Account(r.Context(), a.ID)
}

// logInAndRedirect logs an account in and redirects to next.
func (s *site) logInAndRedirect(w http.ResponseWriter, r *web.Request, a *store.Account, returnTo string,
	newSession func(ctx context.Context, a *store.Account, hash, agent string) error) error {
	if a.Disabled {
		return &intake.Refusal{Code: http.StatusForbidden, Text: "Your account is disabled", Hint: "Ask the server administrator."}
	}
	if err := s.CheckAddress(r.Context(), a, r.RemoteAddr); err != nil {
		return err
	}
	if err := s.startSessionWith(w, r, a, newSession); err != nil {
		return err
	}
	return s.redirectAfterLogin(w, r, a, returnTo)
}

// signOnView is the page for a user of the provider who has no linked account yet.
type signOnView struct {
	Host        string
	CanJoin     bool // users can create accounts by single sign-on
	Login, Name string
	Mine        string          // username of the account to link
	Errors      web.FieldErrors // of the new account
	Unlinked    web.FieldErrors // of the account to link
}

// pendingSignOn returns the single sign-on of this browser that waits until the user creates or links an account.
func (s *site) pendingSignOn(r *web.Request) (o *store.SignOn, hash string, err error) {
	b := s.readSignOnCookie(r)
	if s.SignOn == nil || b.secret == "" {
		return nil, "", errSignOnNotStarted
	}
	hash = auth.Hash(b.secret)
	if o, err = s.Store.PendingSignOn(r.Context(), hash); errors.Is(err, store.ErrNotFound) {
		err = errSignOnNotStarted
	}
	return o, hash, err
}

func (s *site) signOnPage(w http.ResponseWriter, r *web.Request, code int, v signOnView) error {
	v.Host, v.CanJoin = s.SignOn.Host(), s.SignOnJoins()
	if r.Me != nil {
		v.Mine = cmp.Or(v.Mine, r.Me.Login)
	}
	return s.RenderPage(w, r, code, "signon", "Your account", v)
}

func (s *site) newBySignOn(w http.ResponseWriter, r *web.Request) error {
	o, _, err := s.pendingSignOn(r)
	if err != nil {
		return err
	}
	login, _, _ := strings.Cut(o.Username, "@")
	return s.signOnPage(w, r, http.StatusOK, signOnView{Name: o.Name, Login: auth.UsernameFor(cmp.Or(login, o.Name))})
}

// joinBySignOn creates an account for a user of the provider.
func (s *site) joinBySignOn(w http.ResponseWriter, r *web.Request) error {
	o, hash, err := s.pendingSignOn(r)
	switch {
	case err != nil:
		return err
	case !s.SignOnJoins():
		return &intake.Refusal{Code: http.StatusForbidden, Text: "Single sign-on creates no accounts on this server",
			Hint: "Ask the server administrator for an account."}
	}
	v := signOnView{Login: strings.ToLower(r.Field("login")), Name: r.Field("name")}
	refuse := func(code int) error { return s.signOnPage(w, r, code, v) }
	v.Errors.CheckName(v.Name)
	if checkUsername(&v.Errors, "new-login", v.Login); len(v.Errors) > 0 {
		return refuse(http.StatusBadRequest)
	}
	role := auth.Higher(auth.Contestant, auth.Role(o.Role))
	a, err := s.Store.JoinBySignOn(r.Context(), hash, store.NewAccount{Login: v.Login, Display: v.Name, Kind: store.PersonAccount,
		Role: string(role)})
	switch {
	case errors.Is(err, store.ErrTaken):
		v.Errors.Add("new-login", "The username %s is taken. Choose another, or link your account below.", v.Login)
		return refuse(http.StatusConflict)
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUsed):
		return errSignOnNotStarted
	case err != nil:
		return err
	}
	s.setSignOnCookie(w, "", -1)
	entry := store.AuditEntry{Actor: a.ID, Action: "join", Detail: "by single sign-on", Address: r.RemoteAddr}
	if err := s.Store.Audit(r.Context(), entry); err != nil {
		return err
	}
	return s.logInAndRedirect(w, r, a, o.ReturnTo, s.Store.NewSessionWithoutPassword)
}

// linkSignOn links a user of the provider to an existing account, if the form contains the account's password.
func (s *site) linkSignOn(w http.ResponseWriter, r *web.Request) error {
	o, hash, err := s.pendingSignOn(r)
	if err != nil {
		return err
	}
	v := signOnView{Name: o.Name, Login: auth.UsernameFor(cmp.Or(o.Username, o.Name)), Mine: r.Field("login")}
	refuse := func(code int, field, text string) error {
		v.Unlinked.Add(field, "%s", text)
		return s.signOnPage(w, r, code, v)
	}
	a, err := s.accountByPassword(r, v.Mine)
	if refusal := web.AsRefusal(err); refusal != nil {
		return refuse(refusal.Code, "", refusal.Sentence())
	}
	if err != nil {
		return err
	}
	if a == nil {
		return refuse(http.StatusForbidden, "password", wrongPasswordText)
	}
	if err := s.CheckAddress(r.Context(), a, r.RemoteAddr); err != nil {
		return err
	}
	err = s.Store.LinkSignOn(r.Context(), hash, a.ID)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUsed) {
		return errSignOnNotStarted
	}
	if err != nil {
		return err
	}
	s.setSignOnCookie(w, "", -1)
	if err := s.Store.Audit(r.Context(), store.AuditEntry{Actor: a.ID, Action: "link single sign-on", Object: a.ID,
		Address: r.RemoteAddr}); err != nil {
		return err
	}
	if a, err = s.raiseRole(r, a, auth.Role(o.Role)); err != nil {
		return err
	}
	return s.logInAndRedirect(w, r, a, o.ReturnTo, s.Store.NewSession)
}

// unlinkSignOn removes all provider identities from the caller's account.
func (s *site) unlinkSignOn(w http.ResponseWriter, r *web.Request) error {
	if r.Me.Password == "" {
		return s.accountPage(w, r, http.StatusConflict,
			accountView{Errors: web.FieldErrors{{Text: "You could not log in any more. Ask an administrator to create a password " +
				"for your account first."}}})
	}
	if err := s.Store.UnlinkIdentities(r.Context(), r.Me.ID); err != nil && !errors.Is(err, store.ErrNotFound) { // already unlinked
		return err
	}
	return s.AuditAndRedirect(w, r, "unlink single sign-on", r.Me.ID, "", "/account?done=unlinked")
}
