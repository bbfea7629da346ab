package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/contestexport"
	"assay/judge/host/contestpackage"
	"assay/judge/host/desk"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// importContest imports a contest package, or reports what the import would do.
func (a *api) importContest(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.ImportContest
	if err := read(r, &n); err != nil {
		return err
	}
	p, err := contestpackage.Read(n.Files)
	if err != nil {
		return err
	}
	for _, f := range n.Media {
		if err := p.AddMedia(f.Path, f.Digest, f.Size); err != nil {
			return judge.Faults{err}
		}
	}
	slug := n.Contest
	if slug == "" && p.Contest != nil {
		slug = p.Contest.ID
	}
	if !store.GoodSlug(slug) {
		return &status{http.StatusBadRequest, "the package does not say the id of its contest",
			"name the contest with --contest: small letters, digits and -, such as spring-2026"}
	}
	now, err := a.currentContest(r.Context(), slug)
	if err != nil {
		return err
	}
	plan, err := contestpackage.PlanImport(r.Context(), p, slug, now)
	if err != nil {
		return err
	}
	report := client.ImportReport{Contest: slug, Lines: []client.ImportLine{}, Notes: plan.Notes, Made: []client.Slip{}}
	for _, l := range plan.Lines {
		report.Lines = append(report.Lines, client.ImportLine{State: string(l.State), Kind: l.Kind, ID: l.ID, Note: l.Note})
	}
	if n.DryRun || plan.Empty() {
		return ok(w, report)
	}
	var made []auth.Slip
	for i := range plan.Import.Accounts {
		one := &plan.Import.Accounts[i]
		password := plan.Passwords[i]
		if one.Account == nil {
			password = cmp.Or(password, auth.NewPassword())
			made = append(made, auth.Slip{Login: one.New.Login, Name: one.New.Display, Password: password})
		}
		if password == "" {
			continue
		}
		hash, err := a.Passwords.Hash(r.Context(), password)
		if err != nil {
			return err
		}
		if one.Account == nil {
			one.New.Password = hash
		} else {
			one.Password = hash
		}
	}
	accounts, err := a.applyImport(r.Context(), who, plan, now.Media)
	switch {
	case errors.Is(err, store.ErrChanged):
		return &status{http.StatusConflict, "the contest was changed at the same time, and nothing was imported", "import again"}
	case err != nil:
		return err
	}
	by := store.Entry{Actor: who.name(), Detail: "contest " + slug, Address: r.RemoteAddr}
	var created []*store.Account
	for i, one := range plan.Import.Accounts {
		if one.Account == nil {
			created = append(created, accounts[i])
		}
	}
	if err := a.Store.Audit(r.Context(), desk.Made(by, made, created)...); err != nil {
		return err
	}
	for _, s := range made {
		report.Made = append(report.Made, client.Slip(s))
	}
	return a.done(w, r, who, "import contest", slug, "", report)
}

// applyImport stores what an import changes.
func (a *api) applyImport(ctx context.Context, who *caller, plan *contestpackage.Plan, there []media.File) ([]*store.Account, error) {
	if a.Sweeping != nil { // uploaded files stay until the contest has them
		a.Sweeping.RLock()
		defer a.Sweeping.RUnlock()
	}
	if err := a.importMedia(ctx, who.account, plan, there); err != nil {
		return nil, err
	}
	_, accounts, err := a.Store.ImportContest(ctx, &plan.Import)
	return accounts, err
}

// currentContest reads the current state of the contest for the plan of an import.
func (a *api) currentContest(ctx context.Context, slug string) (now *contestpackage.Current, err error) {
	now = &contestpackage.Current{Now: time.Now(), Roles: map[string]string{}, CheckPassword: a.Passwords.Check}
	var err1, err2 error
	now.Accounts, err1 = a.Store.Accounts(ctx)
	now.Published, err2 = a.Store.Problems(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	now.Contest, err = a.Store.ContestBySlug(ctx, slug)
	if errors.Is(err, store.ErrNotFound) {
		now.Contest = nil
		return now, nil
	}
	if err != nil {
		return nil, err
	}
	has, err := contestexport.Current(ctx, a.Store, now.Contest)
	if err != nil {
		return nil, err
	}
	has.Now, has.CheckPassword, has.Accounts, has.Published = now.Now, now.CheckPassword, now.Accounts, now.Published
	return has, nil
}
