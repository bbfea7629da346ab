package people

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// accountsView is the page of all accounts.
type accountsView struct {
	List     web.List
	Lines    []accountLine // of the page
	Accounts int           // number of accounts on the server
	Filters  []filter
	Roles    []auth.Role
	Mine     string // username of the reader
	Errors   web.FieldErrors
	Done     string
}

type accountLine struct {
	*store.Account
	Chosen bool // the check box is selected
	SignOn bool // the account can log in by single sign-on
}

// State describes the state of an account.
func (a accountLine) State() string {
	switch {
	case a.Disabled:
		return "disabled"
	case a.Password == "" && !a.SignOn:
		return "access tokens only"
	case a.LastLogin.IsZero():
		return "never logged in"
	}
	return "active"
}

// RoleName returns the name of a role. It returns "-" if id is empty.
func (accountsView) RoleName(id string) string { return roleName(id) }

// roleName returns the name of a role, with a capital first letter.
func roleName(id string) string {
	return map[auth.Role]string{
		"": "-", auth.Contestant: "Contestant", auth.Runner: "Balloon runner", auth.Judge: "Jury",
		auth.ContestAdmin: "Contest administrator", auth.Admin: "Administrator",
	}[auth.Role(id)]
}

const (
	accountsPath     = "/admin/accounts"
	disabledAccounts = "disabled"
	neverLoggedIn    = "never"
)

func (s *site) accounts(w http.ResponseWriter, r *web.Request) error {
	return s.accountsPage(w, r, http.StatusOK, accountsView{Done: accountsDone(r.FormValue("done"))})
}

// accountsDone returns the message for a completed form.
func accountsDone(what string) string {
	return map[string]string{"changed": "The accounts were changed.", "deleted": "The account was deleted."}[what]
}

func (s *site) accountsPage(w http.ResponseWriter, r *web.Request, code int, v accountsView) error {
	accounts, err := s.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	accounts = slices.DeleteFunc(accounts, func(a *store.Account) bool { return !a.Erased.IsZero() })
	identified, err := s.Store.Identified(r.Context())
	if err != nil {
		return err
	}
	from := r.URL.Query()
	if back := r.PostForm.Get("back"); back != "" { // after an error in the form
		if from, err = parseBack(back); err != nil {
			return err
		}
	}
	v.List = web.ReadList(accountsPath, from)
	in := func(a *store.Account, filter string) bool {
		return filter == "" || filter == disabledAccounts && a.Disabled || filter == neverLoggedIn && a.LastLogin.IsZero() &&
			!a.Disabled && (a.Password != "" || identified[a.ID]) || filter == a.Role
	}
	by := func(name string, of func(a *store.Account) string) web.Column[*store.Account] {
		return web.Column[*store.Account]{Name: name, Compare: func(a, b *store.Account) int { return web.ByText(of(a), of(b)) }}
	}
	rows := web.Rows(&v.List, accounts, func(a *store.Account) bool { return in(a, v.List.Filter) },
		func(a *store.Account) string { return strings.Join([]string{a.Login, a.Display, a.Email}, "\n") },
		by("name", func(a *store.Account) string { return a.Display }),
		by("username", func(a *store.Account) string { return a.Login }),
		by("role", func(a *store.Account) string { return roleName(a.Role) }),
		by("state", func(a *store.Account) string { return accountLine{Account: a, SignOn: identified[a.ID]}.State() }),
		web.Column[*store.Account]{Name: "login", Compare: func(a, b *store.Account) int { return b.LastLogin.Compare(a.LastLogin) }},
	)
	for _, a := range rows {
		v.Lines = append(v.Lines, accountLine{a, v.List.Selected && a.ID != r.Me.ID || slices.Contains(r.PostForm["account"],
			a.Login), identified[a.ID]})
	}
	for _, f := range slices.Concat([]filter{{"", "All", 0}}, roleFilters(),
		[]filter{{neverLoggedIn, "Never logged in", 0}, {disabledAccounts, "Disabled", 0}}) {
		for _, a := range accounts {
			if in(a, f.Value) {
				f.Count++
			}
		}
		if f.Count > 0 || f.Value == v.List.Filter {
			v.Filters = append(v.Filters, f)
		}
	}
	v.Accounts, v.Roles, v.Mine = len(accounts), auth.Roles[1:], r.Me.Login
	return s.Page(w, r, code, "accounts", "People", v)
}

func roleFilters() (all []filter) {
	for _, role := range auth.Roles[1:] {
		all = append(all, filter{string(role), roleName(string(role)), 0})
	}
	return all
}

// oneAccountView is the page of an account, for administrators.
type oneAccountView struct {
	*store.Account
	Line   accountLine
	Roles  []auth.Role
	Mine   bool // the reader's own account
	Errors web.FieldErrors
	Done   bool
	In     contestRolesView
}

// RoleName returns the name of a role.
func (oneAccountView) RoleName(id string) string { return roleName(id) }

func (s *site) oneAccount(w http.ResponseWriter, r *web.Request) error {
	a, err := s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if err != nil {
		return err
	}
	return s.oneAccountPage(w, r, http.StatusOK, oneAccountView{Account: a, Done: r.FormValue("done") != ""})
}

func (s *site) oneAccountPage(w http.ResponseWriter, r *web.Request, code int, v oneAccountView) error {
	if !v.Erased.IsZero() {
		return store.ErrNotFound
	}
	identities, err := s.Store.Identities(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if v.In, err = s.contestRoles(r, v.Account, r.URL.Query().Get("contest")); err != nil {
		return err
	}
	if len(v.Errors) > 0 && r.PostForm.Get("do") == "contest-role" {
		v.In.keep(r.PostForm)
	}
	v.Line, v.Roles, v.Mine = accountLine{Account: v.Account, SignOn: len(identities) > 0}, auth.Roles[1:], v.Account.ID == r.Me.ID
	return s.Page(w, r, code, "oneaccount", v.Display, v)
}

const ownAccount = "You cannot disable your own account or change its role. Ask another administrator."

// setAccount sets a new password or another role for an account, or disables or enables it.
func (s *site) setAccount(w http.ResponseWriter, r *web.Request) error {
	a, err := s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if err != nil {
		return err
	}
	did := r.PostFormValue("do")
	if a.ID == r.Me.ID && did != "reset" {
		return s.oneAccountPage(w, r, http.StatusConflict, oneAccountView{Account: a, Errors: web.FieldErrors{{Text: ownAccount}}})
	}
	if did == "reset" {
		return s.resetAccounts(w, r, []*store.Account{a})
	}
	if did == "contest-role" {
		err = s.setContestRole(r, a, r.PostFormValue("role"))
	} else {
		err = s.changeAccount(r, a, did, r.PostFormValue("role"))
	}
	if refused, is := errors.AsType[*desk.Refusal](err); is && did == "contest-role" {
		return s.oneAccountPage(w, r, refused.Code, oneAccountView{Account: a, Errors: web.Refused(refused, "contest-role")})
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, accountsPath+"/"+a.Login+"?done=changed")
}

// changeAccount changes the role of an account, or disables or enables it.
func (s *site) changeAccount(r *web.Request, a *store.Account, do, role string) (err error) {
	switch {
	case do == "out":
		err = s.ShutOut(r.Context(), a)
	case do == "unlink":
		err = s.Store.Unlink(r.Context(), a.ID)
	case do == "in":
		err = s.Store.Disable(r.Context(), a.ID, false)
	case do == "role" && auth.Known(role):
		err = s.Store.SetRole(r.Context(), a.ID, role, desk.Scopes(auth.Role(role)))
		do += " " + role
	default:
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err != nil {
		return err
	}
	return s.Audit(r, "change account", a.ID, do)
}

// resetAccounts sets new passwords for all of the given accounts or, if that fails, for none. It shows the login
// sheets once.
func (s *site) resetAccounts(w http.ResponseWriter, r *web.Request, all []*store.Account) error {
	var ids []string
	var slips []sheet
	for _, a := range all {
		ids = append(ids, a.ID)
		slips = append(slips, sheet{Slip: newSlip(a)})
	}
	return s.setPasswords(w, r, ids, slips, func() error {
		var entries []store.Entry
		for _, a := range all {
			e := s.Entry(r, "reset")
			e.Action, e.Object = "change account", a.ID
			entries = append(entries, e)
		}
		return s.Store.Audit(r.Context(), entries...)
	})
}

// changeAccounts applies the same change to all selected accounts.
func (s *site) changeAccounts(w http.ResponseWriter, r *web.Request) error {
	refuse := func(field, text string) error {
		return s.accountsPage(w, r, http.StatusBadRequest, accountsView{Errors: web.FieldErrors{{Field: field, Text: text}}})
	}
	do, role, isRole := r.PostFormValue("do"), "", false
	if role, isRole = strings.CutPrefix(do, "role:"); isRole {
		do = "role"
	}
	var all []*store.Account
	for _, login := range r.PostForm["account"] {
		a, err := s.Store.AccountByLogin(r.Context(), login)
		if err != nil {
			return refuse("rows", fmt.Sprintf("There is no account %.40q any more.", login))
		}
		if a.ID == r.Me.ID && do != "reset" {
			return refuse("rows", ownAccount)
		}
		all = append(all, a)
	}
	switch {
	case len(all) == 0:
		return refuse("rows", "Select one account or more.")
	case do == "reset":
		return s.resetAccounts(w, r, all)
	case !slices.Contains([]string{"out", "in", "role"}, do) || do == "role" && !auth.Known(role):
		return refuse("do", "Choose what to do with the selected accounts.")
	}
	for _, a := range all {
		if err := s.changeAccount(r, a, do, role); err != nil {
			return err
		}
	}
	return s.BackTo(w, r, accountsPath, "changed")
}
