package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// listAccounts lists the accounts.
func (a *api) listAccounts(w http.ResponseWriter, r *http.Request, _ *caller) error {
	accounts, err := a.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	people := []client.AccountInfo{}
	for _, account := range accounts {
		if !account.Erased.IsZero() {
			continue
		}
		people = append(people, client.AccountInfo{
			Login: account.Login, Name: account.Display, Role: account.Role, Password: account.Password != "", Disabled: account.Disabled,
		})
	}
	return writeOK(w, people)
}

// newPeople creates the accounts of a list.
func (a *api) newPeople(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewAccounts
	if err := readJSON(r, &n); err != nil {
		return err
	}
	if err := checkRole(n.Role); err != nil {
		return err
	}
	list, err := roster.Read(n.List)
	if err != nil {
		return err
	}
	contest := ""
	if n.Contest != "" {
		c, err := a.findContest(r, n.Contest)
		if err != nil {
			return err
		}
		contest = c.ID
	}
	plan, err := auth.PlanImport(r.Context(), a.Store, list, auth.Role(n.Role), contest)
	if err != nil {
		return err
	}
	answer := client.CreatedAccounts{Created: []client.Credentials{}, Existing: []client.Credentials{}, Preview: plan.Preview}
	switch {
	case n.DryRun:
		return writeOK(w, answer)
	case n.PreviewDigest != "" && n.PreviewDigest != plan.Digest:
		return &status{
			http.StatusConflict, "the list, the accounts or the teams have changed since the preview, and nothing was created",
			"check the list again",
		}
	case plan.Wrong > 0 && !n.SkipErrors:
		return plan.Errors()
	}
	sheets, existing, accounts, err := a.Passwords.Import(r.Context(), a.Store, plan)
	if err != nil {
		return err
	}
	for _, s := range sheets {
		answer.Created = append(answer.Created, client.Credentials(s))
	}
	for _, s := range existing {
		answer.Existing = append(answer.Existing, client.Credentials(s))
	}
	entry := store.AuditEntry{Actor: caller.name(), Detail: n.Role, Address: r.RemoteAddr}
	if err := a.Store.Audit(r.Context(), intake.AccountEntries(entry, sheets, accounts)...); err != nil {
		return err
	}
	return writeOK(w, answer)
}

func checkRole(word string) error {
	if !auth.IsRole(word) {
		var roles []string
		for _, role := range auth.Roles[1:] {
			roles = append(roles, string(role))
		}
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("%.40q is not a role of an account: they are %s", word, strings.Join(roles, ", ")), "",
		}
	}
	return nil
}

// findContest returns the contest that a request names.
func (a *api) findContest(r *http.Request, slug string) (*store.Contest, error) {
	c, err := a.Store.ContestBySlug(r.Context(), slug)
	if errors.Is(err, store.ErrNotFound) {
		return nil, noContest(slug)
	}
	return c, err
}

func noContest(slug string) error {
	return &status{http.StatusNotFound, fmt.Sprintf("there is no contest %.80q", slug), ""}
}

// setPerson sets the password of an account, disables or enables it, or sets its role.
func (a *api) setPerson(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var p client.AccountUpdate
	if err := readJSON(r, &p); err != nil {
		return err
	}
	account, err := a.findAccount(r)
	if err != nil {
		return err
	}
	credentials := client.Credentials{Login: account.Login, Name: account.Display}
	var changes []string
	switch p.State {
	case "":
	case "enabled", "disabled":
		if p.State == "disabled" && account.ID == caller.account.ID {
			return &status{http.StatusConflict, "you cannot disable your own account", ""}
		}
		if p.State == "disabled" {
			err = a.DisableAccount(r.Context(), account)
		} else {
			err = a.Store.SetDisabled(r.Context(), account.ID, false)
		}
		if err != nil {
			return err
		}
		changes = append(changes, p.State)
	default:
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a state of an account: use enabled or disabled", p.State), ""}
	}
	if p.Role != "" {
		if err := a.setRole(r, account, &p); err != nil {
			return err
		}
		changes = append(changes, strings.TrimSpace(p.Role+" "+p.Contest+" "+strings.Join(p.Sites, " ")))
	}
	if p.ResetPassword {
		credentials.Password = auth.NewPassword()
		hash, err := a.Passwords.Hash(r.Context(), credentials.Password)
		if err == nil {
			err = a.Store.SetPassword(r.Context(), account.ID, hash)
		}
		if err != nil {
			return err
		}
		changes = append(changes, "new password")
	}
	return a.auditAndRespond(w, r, caller, "change account", account.ID, strings.Join(changes, ", "), credentials)
}

func (a *api) setRole(r *http.Request, account *store.Account, p *client.AccountUpdate) error {
	role := p.Role
	if role == "none" {
		role = ""
	} else if err := checkRole(role); err != nil {
		return err
	}
	if p.Contest != "" {
		c, err := a.findContest(r, p.Contest)
		if err != nil {
			return err
		}
		return a.SetContestRole(r.Context(), account, c, auth.Role(role), p.Sites)
	}
	if len(p.Sites) > 0 {
		return &status{http.StatusBadRequest, "sites are those of a contest, and the request names none", "name the contest, too"}
	}
	return a.Store.SetRole(r.Context(), account.ID, role, intake.Scopes(auth.Role(role)))
}

// findAccount returns the account that a path names.
func (a *api) findAccount(r *http.Request) (*store.Account, error) {
	account, err := a.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, &status{
			http.StatusNotFound, fmt.Sprintf("there is no account %.80q", r.PathValue("login")),
			"see: judged admin account list",
		}
	}
	return account, err
}

// erasePerson erases a person from the server.
func (a *api) erasePerson(w http.ResponseWriter, r *http.Request, caller *caller) error {
	account, err := a.findAccount(r)
	if err != nil {
		return err
	}
	if account.ID == caller.account.ID {
		return &status{http.StatusConflict, "you cannot delete your own account", ""}
	}
	if err := a.Erase(r.Context(), account, store.AuditEntry{Actor: caller.name(), Address: r.RemoteAddr}); err != nil {
		return err
	}
	return writeOK(w, struct{}{})
}
