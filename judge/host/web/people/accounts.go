package people

import (
	"net/http"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// accountsView is the page of all accounts.
type accountsView struct {
	Accounts []*store.Account
	Roles    []auth.Role
	Slips    []auth.Slip
	There    []auth.Slip
	Address  string
	Mine     string // login of the reader
	Wrong    string
}

// RoleName returns the words for the id of a role. If id is empty, it returns "-".
func (accountsView) RoleName(id string) string { return roleName(id) }

// roleName returns the words for the id of a role, with an upper-case letter first.
func roleName(id string) string {
	return map[auth.Role]string{
		"": "-", auth.Contestant: "Contestant", auth.Runner: "Balloon runner", auth.Judge: "Jury", auth.ContestAdmin: "Contest administrator", auth.Admin: "Administrator",
	}[auth.Role(id)]
}

func (s *site) accounts(w http.ResponseWriter, r *web.Request) error {
	return s.accountsPage(w, r, http.StatusOK, accountsView{})
}

func (s *site) accountsPage(w http.ResponseWriter, r *web.Request, code int, v accountsView) (err error) {
	if v.Accounts, err = s.Store.Accounts(r.Context()); err != nil {
		return err
	}
	v.Accounts = slices.DeleteFunc(v.Accounts, func(a *store.Account) bool { return !a.Erased.IsZero() })
	v.Roles, v.Address, v.Mine = auth.Roles[1:], s.URL, r.Me.Login
	return s.Page(w, r, code, "accounts", "People", v)
}

// setAccount gives an account a new password or another role, or disables or enables it.
func (s *site) setAccount(w http.ResponseWriter, r *web.Request) error {
	a, err := s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if err != nil {
		return err
	}
	v, did := accountsView{}, r.PostFormValue("do")
	mine := a.ID == r.Me.ID
	switch {
	case mine && did != "reset":
		v.Wrong = "You cannot disable your own account or change its role. Ask another administrator."
		return s.accountsPage(w, r, http.StatusConflict, v)
	case did == "reset":
		slip := auth.Slip{Login: a.Login, Name: a.Display, Password: auth.NewPassword()}
		hash, herr := s.Passwords.Hash(r.Context(), slip.Password)
		if herr != nil {
			return herr
		}
		err, v.Slips = s.Store.SetPassword(r.Context(), a.ID, hash), []auth.Slip{slip}
	case did == "out":
		err = s.ShutOut(r.Context(), a)
	case did == "in":
		err = s.Store.Disable(r.Context(), a.ID, false)
	case did == "role" && auth.Known(r.PostFormValue("role")):
		role := r.PostFormValue("role")
		err = s.Store.SetRole(r.Context(), a.ID, role, desk.Scopes(auth.Role(role)))
		did += " " + role
	default:
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "change account", a.ID, did); err != nil {
		return err
	}
	if v.Slips == nil {
		return web.Redirect(w, r, "/admin/accounts")
	}
	return s.accountsPage(w, r, http.StatusOK, v)
}
