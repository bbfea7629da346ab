package people

import (
	"net/http"

	"assay/judge/host/store"
	"assay/judge/host/web"
)

// eraseView is the page that asks for the username before an account is deleted.
type eraseView struct {
	Path, Back  string
	Login, Name string
	Mine        bool
	Backups     int // number of nightly backups that are kept
	Errors      web.FieldErrors
}

func (s *site) eraseForm(w http.ResponseWriter, r *web.Request, code int, a *store.Account, message web.FieldErrors) error {
	v := eraseView{
		Path: "/admin/accounts/" + a.Login + "/erase", Back: accountsPath + "/" + a.Login, Login: a.Login, Name: a.Display,
		Mine: a.ID == r.Me.ID, Errors: message,
	}
	if s.Backups != nil && s.Backups().On {
		v.Backups = s.Backups().Keep
	}
	if v.Mine {
		v.Path, v.Back = "/account/erase", "/account"
	}
	return s.RenderPage(w, r, code, "erase", "Delete account", v)
}

// erasableAccount returns the account in the address. If the route has no username, it returns the caller's account.
func (s *site) erasableAccount(r *web.Request) (*store.Account, error) {
	if r.PathValue("login") == "" {
		return r.Me, nil
	}
	return s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
}

func (s *site) confirmErase(w http.ResponseWriter, r *web.Request) error {
	a, err := s.erasableAccount(r)
	if err != nil {
		return err
	}
	return s.eraseForm(w, r, http.StatusOK, a, nil)
}

// erase deletes an account. To confirm, the form must repeat the username.
func (s *site) erase(w http.ResponseWriter, r *web.Request) error {
	a, err := s.erasableAccount(r)
	if err != nil {
		return err
	}
	if r.Field("login") != a.Login {
		return s.eraseForm(
			w, r, http.StatusBadRequest, a,
			web.FieldErrors{{Field: "login", Text: "Type the username " + a.Login + " to confirm."}},
		)
	}
	isOwn := a.ID == r.Me.ID
	if err := s.Erase(r.Context(), a, s.AuditEntry(r, "")); err != nil {
		return err
	}
	if isOwn {
		s.ClearSession(w)
		return web.Redirect(w, r, "/")
	}
	return web.Redirect(w, r, accountsPath+"?done=deleted")
}
