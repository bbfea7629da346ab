package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// small is the most bytes of a form without files and lists.
const small = 64 << 10

// setupView is the page on which the first admin comes in.
type setupView struct {
	Code, Login, Name, Wrong string
}

// goodCode says what is wrong with the code of a setup link.
func (s *site) goodCode(r *ask, code string) error {
	err := s.Store.Setup(r.Context(), auth.Hash(code))
	const again = "start the server again, and open the link that it prints; where somebody has set it up already: judged admin account reset admin"
	switch {
	case errors.Is(err, store.ErrUsed):
		return &desk.Refusal{Code: http.StatusForbidden, Text: "this link was used already", Hint: "log in; or, where it was not you: judged admin account reset admin"}
	case errors.Is(err, store.ErrExpired):
		return &desk.Refusal{Code: http.StatusForbidden, Text: "this link is older than an hour", Hint: again}
	case errors.Is(err, store.ErrNotFound):
		return &desk.Refusal{Code: http.StatusForbidden, Text: "this is not the link that the server printed", Hint: "it may be cut: " + again}
	}
	return err
}

func (s *site) setup(w http.ResponseWriter, r *ask) error {
	code := r.FormValue("code")
	if err := s.goodCode(r, code); err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, "setup", "Set up "+s.Name, setupView{Code: code, Login: desk.AdminLogin})
}

// setUp makes the first admin, and logs them in.
func (s *site) setUp(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	v := setupView{Code: r.PostFormValue("code"), Login: desk.AdminLogin, Name: strings.TrimSpace(r.PostFormValue("name"))}
	if err := s.goodCode(r, v.Code); err != nil {
		return err
	}
	if v.Wrong = cmpWrong(auth.BadName(v.Name), badPassword(typed(r, "password"), typed(r, "again"))); v.Wrong != "" {
		return s.page(w, r, http.StatusBadRequest, "setup", "Set up "+s.Name, v)
	}
	hash, err := s.Passwords.Hash(r.Context(), typed(r, "password"))
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
	return go303(w, r, "/")
}

// cmpWrong is the first of some mistakes.
func cmpWrong(all ...string) string {
	for _, one := range all {
		if one != "" {
			return one
		}
	}
	return ""
}

// typed is a password of a form. Blanks at its ends come along when one copies from a slip,
// and are never part of it.
func typed(r *ask, field string) string { return strings.TrimSpace(r.PostFormValue(field)) }

func badPassword(password, again string) string {
	switch {
	case password != again:
		return "the two passwords are not the same"
	case len(password) < auth.LeastPassword:
		return fmt.Sprintf("a password has at least %d letters", auth.LeastPassword)
	case len(password) > auth.MostPassword:
		return fmt.Sprintf("a password has at most %d letters", auth.MostPassword)
	}
	return ""
}

// begin logs an account in.
func (s *site) begin(w http.ResponseWriter, r *ask, a *store.Account) error {
	secret, hash := auth.NewSession()
	if err := s.Store.NewSession(r.Context(), a, hash, r.UserAgent()); err != nil {
		return err
	}
	if r.session != nil { // of before
		if err := s.Store.EndSession(r.Context(), r.session.Hash); err != nil {
			return err
		}
	}
	s.remember(w, secret)
	return s.Store.Audit(r.Context(), store.Entry{Actor: a.ID, Action: "log in", Address: r.RemoteAddr})
}

// loginView is the page on which one logs in.
type loginView struct {
	Login, Next, Wrong string
	Open               bool      // anybody may make an account
	Kept               *keptForm // the form that waits for the login; nil if there is none
	Ended              bool      // the session has ended
}

// local is a path of this server, whatever a link says.
func local(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

func (s *site) login(w http.ResponseWriter, r *ask) error {
	next := local(r.FormValue("next"))
	if r.me != nil {
		return go303(w, r, next)
	}
	return s.loginPage(w, r, http.StatusOK, loginView{Next: next})
}

func (s *site) loginPage(w http.ResponseWriter, r *ask, code int, v loginView) error {
	v.Open = s.Registration == auth.Open
	return s.page(w, r, code, "login", "Log in", v)
}

func (s *site) logIn(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, mostKept); err != nil {
		return err
	}
	v := loginView{Login: strings.TrimSpace(r.PostFormValue("login")), Next: local(r.PostFormValue("next")), Kept: decodeForm(r.PostFormValue(keptField))}
	const wrong = "the login or the password is wrong"
	if !auth.GoodLogin(v.Login) {
		v.Login, v.Wrong = "", wrong
		return s.loginPage(w, r, http.StatusForbidden, v)
	}
	a, err := s.Store.AccountByLogin(r.Context(), v.Login)
	if errors.Is(err, store.ErrNotFound) {
		a, err = s.Store.AccountByLogin(r.Context(), strings.ToLower(v.Login))
	}
	if errors.Is(err, store.ErrNotFound) {
		a, err = &store.Account{}, nil // whose password takes as long to check
	}
	if err != nil {
		return err
	}
	by := strings.ToLower(v.Login) + " from " + desk.Network(r.RemoteAddr).String()
	if s.knows(r, a) {
		by = "known " + a.ID
	}
	if wait := s.tries.begin(by, s.Time()); wait > 0 {
		v.Wrong = "there were too many wrong passwords for this login: wait " + counted(int(wait.Seconds())+1, "second", "seconds")
		return s.loginPage(w, r, http.StatusTooManyRequests, v)
	}
	good, err := s.Passwords.Check(r.Context(), typed(r, "password"), a.Password)
	if err != nil {
		return err
	}
	if !good || a.Disabled {
		v.Wrong = wrong
		return s.loginPage(w, r, http.StatusForbidden, v)
	}
	s.tries.forget(by)
	if err := s.begin(w, r, a); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie() + "-known", Value: known(a), Path: "/", MaxAge: int(cookieLife.Seconds()), HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
	if v.Kept != nil {
		r.me = a
		return s.sendAgain(w, r, v.Kept)
	}
	return go303(w, r, v.Next)
}

func (s *site) logOut(w http.ResponseWriter, r *ask) error {
	if r.session != nil {
		if err := s.Store.EndSession(r.Context(), r.session.Hash); err != nil {
			return err
		}
	}
	s.forget(w)
	return go303(w, r, "/")
}

// known proves to the server that a browser has logged in to an account with its present password:
// only the server knows the hash of that.
func known(a *store.Account) string {
	mac := hmac.New(sha256.New, []byte(a.Password))
	mac.Write([]byte("a browser that logged in as " + a.ID))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// knows says whether the browser has logged in to an account before. Its wrong passwords are
// counted for themselves: nobody else can lock it out.
func (s *site) knows(r *ask, a *store.Account) bool {
	c, err := r.Cookie(s.cookie() + "-known")
	return err == nil && a.ID != "" && hmac.Equal([]byte(c.Value), []byte(known(a)))
}

// tries makes who guesses passwords wait: after some wrong ones, twice as long each time. It
// counts by login and network, for a school may be one address, and whoever floods a login from
// elsewhere must not lock out its owner.
type tries struct {
	mu sync.Mutex
	of map[string]*wrong
}

type wrong struct {
	n     int
	until time.Time
}

const (
	freeTries = 5
	mostPause = 30 * time.Second
	mostTries = 10_000 // that are remembered
)

func newTries() *tries { return &tries{of: map[string]*wrong{}} }

// begin counts a try by somebody, or says how long it has to wait for the next. It is a wrong
// one until forget says that it was not, so that of many at once only some are looked at.
func (t *tries) begin(by string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.of[by]
	if w != nil && now.Before(w.until) {
		return w.until.Sub(now)
	}
	if w == nil {
		if len(t.of) >= mostTries {
			for old, one := range t.of {
				if now.After(one.until) {
					delete(t.of, old)
				}
			}
		}
		if len(t.of) >= mostTries {
			clear(t.of)
		}
		w = &wrong{}
		t.of[by] = w
	}
	if w.n++; w.n >= freeTries {
		w.until = now.Add(min(time.Second<<min(w.n-freeTries, 10), mostPause))
	}
	return 0
}

func (t *tries) forget(by string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, by)
}

// accountView is one's own page.
type accountView struct {
	Login    string
	Tokens   []*store.Token
	Sessions []*store.Session
	This     string // hash of the session in use
	Scopes   []string
	Fresh    string // a token that was just made
	Address  string
	Wrong    string
	Done     string
}

func (s *site) account(w http.ResponseWriter, r *ask) error {
	return s.accountPage(w, r, http.StatusOK, accountView{Done: map[string]string{"password": "Your password is changed. You are logged out everywhere else.", "token": "The token is revoked."}[r.FormValue("done")]})
}

func (s *site) accountPage(w http.ResponseWriter, r *ask, code int, v accountView) (err error) {
	if v.Tokens, err = s.Store.Tokens(r.Context(), r.me.ID); err != nil {
		return err
	}
	if v.Sessions, err = s.Store.Sessions(r.Context(), r.me.ID); err != nil {
		return err
	}
	v.Login, v.This, v.Scopes, v.Address = r.me.Login, r.session.Hash, desk.Scopes(desk.Role(r.me)), s.Address
	return s.page(w, r, code, "account", r.me.Display, v)
}

func (s *site) setPassword(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	by := "session " + r.session.Hash
	if wait := s.tries.begin(by, s.Time()); wait > 0 {
		return s.accountPage(w, r, http.StatusTooManyRequests, accountView{Wrong: "there were too many wrong passwords: wait some seconds"})
	}
	good, err := s.Passwords.Check(r.Context(), typed(r, "old"), r.me.Password)
	if err != nil {
		return err
	}
	if !good {
		return s.accountPage(w, r, http.StatusForbidden, accountView{Wrong: "your present password is another one"})
	}
	s.tries.forget(by)
	if wrong := badPassword(typed(r, "password"), typed(r, "again")); wrong != "" {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Wrong: wrong})
	}
	hash, err := s.Passwords.Hash(r.Context(), typed(r, "password"))
	if err != nil {
		return err
	}
	if err := s.Store.SetPassword(r.Context(), r.me.ID, hash); err != nil {
		return err
	}
	a, err := s.Store.Account(r.Context(), r.me.ID)
	if err != nil {
		return err
	}
	if err := errors.Join(s.begin(w, r, a), s.audit(r.Context(), r, "new password", r.me.ID, "")); err != nil {
		return err
	}
	return go303(w, r, "/account?done=password")
}

func (s *site) newToken(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	label, scope := strings.TrimSpace(r.PostFormValue("label")), r.PostFormValue("scope")
	may := false
	for _, one := range desk.Scopes(desk.Role(r.me)) {
		may = may || one == scope
	}
	if !may || len(label) > 100 || !auth.Legible(label) {
		return s.accountPage(w, r, http.StatusBadRequest, accountView{Wrong: "a token has a label of 100 letters at most that can be seen, and lets its holder do what you may do"})
	}
	text, hash := auth.NewToken()
	if _, err := s.Store.NewToken(r.Context(), r.me.ID, hash, label, []string{scope}, time.Time{}); err != nil {
		return err
	}
	if err := s.audit(r.Context(), r, "new token", r.me.ID, scope); err != nil {
		return err
	}
	return s.accountPage(w, r, http.StatusOK, accountView{Fresh: text})
}

func (s *site) revokeToken(w http.ResponseWriter, r *ask) error {
	tokens, err := s.Store.Tokens(r.Context(), r.me.ID)
	if err != nil {
		return err
	}
	for _, t := range tokens {
		if t.ID != r.PathValue("id") {
			continue
		}
		if err := s.Store.RevokeToken(r.Context(), t.ID); err != nil && !errors.Is(err, store.ErrNotFound) { // it was revoked
			return err
		}
		if err := s.audit(r.Context(), r, "revoke token", t.ID, ""); err != nil {
			return err
		}
		return go303(w, r, "/account?done=token")
	}
	return errNothing
}

// endSessions logs out everywhere.
func (s *site) endSessions(w http.ResponseWriter, r *ask) error {
	if err := errors.Join(s.Store.EndSessions(r.Context(), r.me.ID), s.audit(r.Context(), r, "log out everywhere", r.me.ID, "")); err != nil {
		return err
	}
	s.forget(w)
	return go303(w, r, "/login")
}
