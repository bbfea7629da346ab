package people

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
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
	OwnLogin string // username of the reader
	Errors   web.FieldErrors
	Message  string
}

type accountLine struct {
	*store.Account
	Selected bool // the check box is selected
	SignOn   bool // the account can log in by single sign-on
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
		"": "-", auth.Contestant: "Contestant", auth.BalloonRunner: "Balloon runner", auth.Judge: "Jury",
		auth.ContestAdmin: "Contest administrator", auth.Admin: "Administrator",
	}[auth.Role(id)]
}

const (
	accountsPath        = "/admin/accounts"
	disabledFilter      = "disabled"
	neverLoggedInFilter = "never"
)

func (s *site) accounts(w http.ResponseWriter, r *web.Request) error {
	return s.accountsPage(w, r, http.StatusOK, accountsView{Message: accountsMessage(r.FormValue("done"))})
}

// accountsMessage returns the message for a completed form.
func accountsMessage(change string) string {
	return map[string]string{"changed": "The accounts were changed.", "deleted": "The account was deleted."}[change]
}

func (s *site) accountsPage(w http.ResponseWriter, r *web.Request, code int, v accountsView) error {
	accounts, err := s.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	accounts = slices.DeleteFunc(accounts, func(a *store.Account) bool { return !a.Erased.IsZero() })
	identified, err := s.Store.AccountsWithIdentity(r.Context())
	if err != nil {
		return err
	}
	query := r.URL.Query()
	if back := r.PostForm.Get("back"); back != "" { // after an error in the form
		if query, err = parseListQuery(back); err != nil {
			return err
		}
	}
	v.List = web.ReadList(accountsPath, query)
	in := func(a *store.Account, filter string) bool {
		return filter == "" || filter == disabledFilter && a.Disabled || filter == neverLoggedInFilter && a.LastLogin.IsZero() &&
			!a.Disabled && (a.Password != "" || identified[a.ID]) || filter == a.Role
	}
	textColumn := func(name string, textOf func(a *store.Account) string) web.Column[*store.Account] {
		return web.Column[*store.Account]{Name: name, Compare: func(a, b *store.Account) int { return web.ByText(textOf(a), textOf(b)) }}
	}
	rows := web.Rows(&v.List, accounts, func(a *store.Account) bool { return in(a, v.List.Filter) },
		func(a *store.Account) string { return strings.Join([]string{a.Login, a.Display, a.Email}, "\n") },
		textColumn("name", func(a *store.Account) string { return a.Display }),
		textColumn("username", func(a *store.Account) string { return a.Login }),
		textColumn("role", func(a *store.Account) string { return roleName(a.Role) }),
		textColumn("state", func(a *store.Account) string { return accountLine{Account: a, SignOn: identified[a.ID]}.State() }),
		web.Column[*store.Account]{Name: "login", Compare: func(a, b *store.Account) int { return b.LastLogin.Compare(a.LastLogin) }},
	)
	for _, a := range rows {
		v.Lines = append(v.Lines, accountLine{a, v.List.Selected && a.ID != r.Me.ID || slices.Contains(r.PostForm["account"],
			a.Login), identified[a.ID]})
	}
	for _, f := range slices.Concat([]filter{{"", "All", 0}}, roleFilters(),
		[]filter{{neverLoggedInFilter, "Never logged in", 0}, {disabledFilter, "Disabled", 0}}) {
		for _, a := range accounts {
			if in(a, f.Value) {
				f.Count++
			}
		}
		if f.Count > 0 || f.Value == v.List.Filter {
			v.Filters = append(v.Filters, f)
		}
	}
	v.Accounts, v.Roles, v.OwnLogin = len(accounts), auth.Roles[1:], r.Me.Login
	return s.RenderPage(w, r, code, "accounts", "People", v)
}

func roleFilters() (filters []filter) {
	for _, role := range auth.Roles[1:] {
		filters = append(filters, filter{string(role), roleName(string(role)), 0})
	}
	return filters
}

// oneAccountView is the page of an account, for administrators.
type oneAccountView struct {
	*store.Account
	Line         accountLine
	Roles        []auth.Role
	IsOwn        bool // the reader's own account
	Errors       web.FieldErrors
	Done         bool
	ContestRoles contestRolesView
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
	if v.ContestRoles, err = s.readContestRoles(r, v.Account, r.URL.Query().Get("contest")); err != nil {
		return err
	}
	if len(v.Errors) > 0 && r.PostForm.Get("do") == "contest-role" {
		v.ContestRoles.keep(r.PostForm)
	}
	v.Line, v.Roles, v.IsOwn = accountLine{Account: v.Account, SignOn: len(identities) > 0}, auth.Roles[1:], v.Account.ID == r.Me.ID
	return s.RenderPage(w, r, code, "oneaccount", v.Display, v)
}

const ownAccountText = "You cannot disable your own account or change its role. Ask another administrator."

// setAccount sets a new password or another role for an account, or disables or enables it.
func (s *site) setAccount(w http.ResponseWriter, r *web.Request) error {
	a, err := s.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if err != nil {
		return err
	}
	change := r.PostFormValue("do")
	if a.ID == r.Me.ID && change != "reset" {
		return s.oneAccountPage(w, r, http.StatusConflict, oneAccountView{Account: a, Errors: web.FieldErrors{{Text: ownAccountText}}})
	}
	if change == "reset" {
		return s.resetAccounts(w, r, []*store.Account{a})
	}
	if change == "contest-role" {
		err = s.setContestRole(r, a, r.PostFormValue("role"))
	} else {
		err = s.changeAccount(r, a, change, r.PostFormValue("role"))
	}
	if refused, isRefusal := errors.AsType[*intake.Refusal](err); isRefusal && change == "contest-role" {
		return s.oneAccountPage(w, r, refused.Code, oneAccountView{Account: a, Errors: web.RefusalErrors(refused, "contest-role")})
	}
	if err != nil {
		return err
	}
	return web.Redirect(w, r, accountsPath+"/"+a.Login+"?done=changed")
}

// changeAccount changes the role of an account, or disables or enables it.
func (s *site) changeAccount(r *web.Request, a *store.Account, do, role string) (err error) {
	switch {
	case do == "disable":
		err = s.DisableAccount(r.Context(), a)
	case do == "unlink":
		err = s.Store.UnlinkIdentities(r.Context(), a.ID)
	case do == "enable":
		err = s.Store.SetDisabled(r.Context(), a.ID, false)
	case do == "role" && auth.IsRole(role):
		err = s.Store.SetRole(r.Context(), a.ID, role, intake.Scopes(auth.Role(role)))
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
func (s *site) resetAccounts(w http.ResponseWriter, r *web.Request, accounts []*store.Account) error {
	var ids []string
	var sheets []loginSheet
	for _, a := range accounts {
		ids = append(ids, a.ID)
		sheets = append(sheets, loginSheet{Credentials: newLoginSheet(a)})
	}
	return s.setPasswords(w, r, ids, sheets, func() error {
		var entries []store.AuditEntry
		for _, a := range accounts {
			e := s.AuditEntry(r, "reset")
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
	var accounts []*store.Account
	for _, login := range r.PostForm["account"] {
		a, err := s.Store.AccountByLogin(r.Context(), login)
		if err != nil {
			return refuse("rows", fmt.Sprintf("There is no account %.40q any more.", login))
		}
		if a.ID == r.Me.ID && do != "reset" {
			return refuse("rows", ownAccountText)
		}
		accounts = append(accounts, a)
	}
	switch {
	case len(accounts) == 0:
		return refuse("rows", "Select one account or more.")
	case do == "reset":
		return s.resetAccounts(w, r, accounts)
	case !slices.Contains([]string{"disable", "enable", "role"}, do) || do == "role" && !auth.IsRole(role):
		return refuse("do", "Choose what to do with the selected accounts.")
	}
	for _, a := range accounts {
		if err := s.changeAccount(r, a, do, role); err != nil {
			return err
		}
	}
	return s.RedirectToList(w, r, accountsPath, "changed")
}
