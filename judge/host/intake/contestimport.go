package intake

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/contestpackage"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// CurrentContest returns the stored state of a contest for package contestpackage.
func CurrentContest(ctx context.Context, db *store.Store, c *store.Contest) (*contestpackage.CurrentState, error) {
	now := &contestpackage.CurrentState{Contest: c, Roles: map[string]string{}}
	var errs [7]error
	now.Problems, errs[0] = db.ContestProblems(ctx, c.ID)
	now.Organizations, errs[1] = db.Organizations(ctx, c.ID)
	now.Groups, errs[2] = db.Groups(ctx, c.ID)
	now.Teams, errs[3] = db.Teams(ctx, c.ID)
	now.Persons, errs[4] = db.Persons(ctx, c.ID)
	now.ListedAccounts, errs[5] = db.ContestAccounts(ctx, c.ID)
	now.Media, errs[6] = db.Media(ctx, c.ID)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	now.Media = slices.DeleteFunc(now.Media, func(f media.File) bool { return f.Type == media.Problems }) // packages have none
	for _, one := range now.ListedAccounts {
		var err error
		if now.Roles[one.Account.ID], err = db.GrantedRole(ctx, one.Account.ID, c.ID); err != nil {
			return nil, err
		}
	}
	return now, nil
}

// A ContestImport is a planned import of a contest package.
type ContestImport struct {
	*contestpackage.Plan
	existing []media.File // files that the contest already has
}

// PlanContest returns what the import of a package would do. If slug is empty, the slug is the contest id in the
// package. If the package has no contest id either, PlanContest returns a Refusal. If the package does not fit the
// server, it returns judge.ProblemErrors.
func (d *Service) PlanContest(
	ctx context.Context, p *contestpackage.Package, slug string, passwords *auth.Passwords,
) (*ContestImport, error) {
	if slug == "" && p.Contest != nil {
		slug = p.Contest.ID
	}
	if !store.IsSlug(slug) {
		return nil, &Refusal{
			Code: http.StatusBadRequest, Text: "the package does not say the id of its contest",
			Hint: "name the contest, on the command line with --contest: small letters, digits and -, such as spring-2026",
		}
	}
	now := &contestpackage.CurrentState{Roles: map[string]string{}}
	c, err := d.Store.ContestBySlug(ctx, slug)
	if err == nil {
		now, err = CurrentContest(ctx, d.Store, c)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	var err1, err2 error
	now.Accounts, err1 = d.Store.Accounts(ctx)
	now.Published, err2 = d.Store.Problems(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	now.Now, now.CheckPassword = time.Now(), passwords.Check
	plan, err := contestpackage.PlanImport(ctx, p, slug, now)
	return &ContestImport{plan, now.Media}, err
}

// ImportContest applies an import completely or not at all. It calls read for the bytes of a new picture or
// document, which the account must have uploaded. It calls progress with the number of passwords hashed so far. It
// returns the login sheets of the new accounts.
func (d *Service) ImportContest(
	ctx context.Context, n *ContestImport, account *store.Account, entry store.AuditEntry, passwords *auth.Passwords,
	read func(media.File) ([]byte, error), progress func(done, all int),
) ([]auth.Credentials, error) {
	var credentials []auth.Credentials
	for i := range n.Import.Accounts {
		one, password := &n.Import.Accounts[i], n.Passwords[i]
		if one.Account == nil {
			password = cmp.Or(password, auth.NewPassword())
			credentials = append(credentials, auth.Credentials{Login: one.New.Login, Name: one.New.Display, Password: password})
		}
		if progress(i+1, len(n.Passwords)); password == "" {
			continue
		}
		hash, err := passwords.Hash(ctx, password)
		if err != nil {
			return nil, err
		}
		if one.Account == nil {
			one.New.Password = hash
		} else {
			one.Password = hash
		}
	}
	accounts, err := d.applyImport(ctx, n, account, read)
	switch {
	case errors.Is(err, store.ErrChanged), errors.Is(err, store.ErrTaken):
		return nil, &Refusal{
			Code: http.StatusConflict, Text: "the contest or the accounts were changed at the same time, and nothing was imported",
			Hint: "import again",
		}
	case err != nil:
		return nil, err
	}
	var created []*store.Account
	for i, one := range n.Import.Accounts {
		if one.Account == nil {
			created = append(created, accounts[i])
		}
	}
	entry.Detail = "contest " + n.Slug
	if err := d.Store.Audit(ctx, AccountEntries(entry, credentials, created)...); err != nil {
		return nil, err
	}
	entry.Action, entry.Object, entry.Detail = "import contest", n.Slug, ""
	return credentials, d.Store.Audit(ctx, entry)
}

// applyImport stores the changes of an import.
func (d *Service) applyImport(ctx context.Context, n *ContestImport, account *store.Account,
	read func(media.File) ([]byte, error)) ([]*store.Account, error) {
	if d.CollectLock != nil { // keep the files until the contest refers to them
		d.CollectLock.RLock()
		defer d.CollectLock.RUnlock()
	}
	var faults judge.ProblemErrors
	var added []media.File
	for _, f := range n.Media {
		data, err := read(f)
		if err != nil {
			return nil, err
		}
		one, err := media.New(f.Place, data)
		if err != nil {
			faults = append(faults, &judge.ProblemError{File: f.Path(), Text: err.Error()})
		}
		added = append(added, one)
	}
	err := faults.AsError()
	if err == nil {
		n.Import.Media, err = d.WithScaled(ctx, account, n.existing, added)
	}
	if err != nil {
		return nil, err
	}
	_, accounts, err := d.Store.ImportContest(ctx, &n.Import)
	return accounts, err
}
