package web

import (
	"net/http"

	"assay/judge/host/store"
)

// eraseView asks whether somebody is to be erased.
type eraseView struct {
	Path, Back  string
	Login, Name string
	Mine        bool
	Backups     int // how many nightly ones stay
	Wrong       string
}

func (s *site) eraseForm(w http.ResponseWriter, r *ask, code int, a *store.Account, wrong string) error {
	v := eraseView{Path: "/admin/accounts/" + a.Login + "/erase", Back: "/admin/accounts", Login: a.Login, Name: a.Display, Mine: a.ID == r.me.ID, Wrong: wrong}
	if s.Backups != nil && s.Backups().On {
		v.Backups = s.Backups().Keep
	}
	if v.Mine {
		v.Path, v.Back = "/account/erase", "/account"
	}
	return s.page(w, r, code, "erase", "Erase "+a.Display, v)
}

// erasable is the account that is asked for: of a route without a login, one's own.
func (s *site) erasable(r *ask) (*store.Account, error) {
	if r.PathValue("login") == "" {
		return r.me, nil
	}
	return s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
}

func (s *site) askErase(w http.ResponseWriter, r *ask) error {
	a, err := s.erasable(r)
	if err != nil {
		return err
	}
	return s.eraseForm(w, r, http.StatusOK, a, "")
}

// erase takes a person out of the server, who must be named once more.
func (s *site) erase(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	a, err := s.erasable(r)
	if err != nil {
		return err
	}
	if typed(r, "login") != a.Login {
		return s.eraseForm(w, r, http.StatusBadRequest, a, "type the login "+a.Login+", to be sure that it is the right one")
	}
	mine := a.ID == r.me.ID
	if err := s.Erase(r.Context(), a, s.entry(r, "")); err != nil {
		return err
	}
	if mine {
		s.forget(w)
		return go303(w, r, "/")
	}
	return go303(w, r, "/admin/accounts")
}
