package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// people lists the accounts.
func (a *api) people(w http.ResponseWriter, r *http.Request, _ *caller) error {
	accounts, err := a.Store.Accounts(r.Context())
	if err != nil {
		return err
	}
	all := []client.Person{}
	for _, one := range accounts {
		if !one.Erased.IsZero() {
			continue
		}
		all = append(all, client.Person{
			Login: one.Login, Name: one.Display, Role: one.Role, Password: one.Password != "", Disabled: one.Disabled,
		})
	}
	return ok(w, all)
}

// newPeople creates the accounts of a list.
func (a *api) newPeople(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewPeople
	if err := read(r, &n); err != nil {
		return err
	}
	if err := knownRole(n.Role); err != nil {
		return err
	}
	list, err := roster.Read(n.List)
	if err != nil {
		return err
	}
	contest := ""
	if n.Contest != "" {
		c, err := a.contest(r, n.Contest)
		if err != nil {
			return err
		}
		contest = c.ID
	}
	plan, err := auth.PlanImport(r.Context(), a.Store, list, auth.Role(n.Role), contest)
	if err != nil {
		return err
	}
	answer := client.Slips{Made: []client.Slip{}, There: []client.Slip{}, Preview: plan.Preview}
	switch {
	case n.DryRun:
		return ok(w, answer)
	case n.Seen != "" && n.Seen != plan.Digest:
		return &status{
			http.StatusConflict, "the list, the accounts or the teams have changed since the preview, and nothing was created",
			"check the list again",
		}
	case plan.Wrong > 0 && !n.SkipErrors:
		return plan.Errors()
	}
	made, there, accounts, err := a.Passwords.Import(r.Context(), a.Store, plan)
	if err != nil {
		return err
	}
	for _, s := range made {
		answer.Made = append(answer.Made, client.Slip(s))
	}
	for _, s := range there {
		answer.There = append(answer.There, client.Slip(s))
	}
	by := store.Entry{Actor: who.name(), Detail: n.Role, Address: r.RemoteAddr}
	if err := a.Store.Audit(r.Context(), desk.Made(by, made, accounts)...); err != nil {
		return err
	}
	return ok(w, answer)
}

func knownRole(word string) error {
	if !auth.Known(word) {
		var all []string
		for _, role := range auth.Roles[1:] {
			all = append(all, string(role))
		}
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a role of an account: they are %s", word, strings.Join(all, ", ")), ""}
	}
	return nil
}

// contest returns the contest that a request names.
func (a *api) contest(r *http.Request, slug string) (*store.Contest, error) {
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
func (a *api) setPerson(w http.ResponseWriter, r *http.Request, who *caller) error {
	var p client.SetPerson
	if err := read(r, &p); err != nil {
		return err
	}
	account, err := a.person(r)
	if err != nil {
		return err
	}
	slip := client.Slip{Login: account.Login, Name: account.Display}
	var did []string
	switch p.State {
	case "":
	case "in", "out":
		if p.State == "out" && account.ID == who.account.ID {
			return &status{http.StatusConflict, "you cannot disable your own account", ""}
		}
		if p.State == "out" {
			err = a.ShutOut(r.Context(), account)
		} else {
			err = a.Store.Disable(r.Context(), account.ID, false)
		}
		if err != nil {
			return err
		}
		did = append(did, p.State)
	default:
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is not a state of an account: use in or out", p.State), ""}
	}
	if p.Role != "" {
		if err := a.setRole(r, account, &p); err != nil {
			return err
		}
		did = append(did, strings.TrimSpace(p.Role+" "+p.Contest+" "+strings.Join(p.Sites, " ")))
	}
	if p.Reset {
		slip.Password = auth.NewPassword()
		hash, err := a.Passwords.Hash(r.Context(), slip.Password)
		if err == nil {
			err = a.Store.SetPassword(r.Context(), account.ID, hash)
		}
		if err != nil {
			return err
		}
		did = append(did, "new password")
	}
	return a.done(w, r, who, "change account", account.ID, strings.Join(did, ", "), slip)
}

func (a *api) setRole(r *http.Request, account *store.Account, p *client.SetPerson) error {
	role := p.Role
	if role == "none" {
		role = ""
	} else if err := knownRole(role); err != nil {
		return err
	}
	if p.Contest != "" {
		c, err := a.contest(r, p.Contest)
		if err != nil {
			return err
		}
		return a.SetRoleIn(r.Context(), account, c, auth.Role(role), p.Sites)
	}
	if len(p.Sites) > 0 {
		return &status{http.StatusBadRequest, "sites are those of a contest, and the request names none", "name the contest, too"}
	}
	return a.Store.SetRole(r.Context(), account.ID, role, desk.Scopes(auth.Role(role)))
}

// person returns the account that a path names.
func (a *api) person(r *http.Request) (*store.Account, error) {
	account, err := a.Store.AccountByLogin(r.Context(), r.PathValue("login"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, &status{http.StatusNotFound, fmt.Sprintf("there is no account %.80q", r.PathValue("login")), "see: judged admin account list"}
	}
	return account, err
}

// erasePerson erases a person from the server.
func (a *api) erasePerson(w http.ResponseWriter, r *http.Request, who *caller) error {
	account, err := a.person(r)
	if err != nil {
		return err
	}
	if account.ID == who.account.ID {
		return &status{http.StatusConflict, "you cannot delete your own account", ""}
	}
	if err := a.Erase(r.Context(), account, store.Entry{Actor: who.name(), Address: r.RemoteAddr}); err != nil {
		return err
	}
	return ok(w, struct{}{})
}
