package intake

import (
	"context"
	"errors"
	"net/http"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// AdminLogin is the username of the first administrator.
const AdminLogin = "admin"

// LocalWorker is the name of the server's own worker. If the name is taken, a number is added.
const LocalWorker = "local"

// Erase erases a person from the server: see store.Erase. It cancels the account's pending jobs and workflows,
// removes the bytes of its programs, and writes an entry to the audit log. It completes even if ctx is done. If a
// call was interrupted, another call does the remaining work.
func (d *Service) Erase(ctx context.Context, a *store.Account, entry store.AuditEntry) error {
	if a.Login == AdminLogin {
		return &Refusal{
			Code: http.StatusConflict, Text: "the server itself uses the account " + AdminLogin,
			Hint: "change its name and password instead",
		}
	}
	ctx = context.WithoutCancel(ctx)
	if !a.Erased.IsZero() {
		left, err := d.Store.PendingBlobRemovals(ctx)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return d.RemoveUnused(ctx, left)
		}
		return &Refusal{Code: http.StatusConflict, Text: "this account was erased already"}
	}
	jobs, workflows, err := d.Store.PendingWork(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, id := range jobs {
		if _, err := d.Dispatch.Cancel(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range workflows {
		if err := d.Dispatch.EndWorkflow(ctx, id, store.WorkflowCancelled, "the account that requested it was erased"); err != nil &&
			!errors.Is(err, store.ErrEnded) {
			return err
		}
	}
	blobs, err := d.Store.Erase(ctx, a.ID)
	if errors.Is(err, store.ErrLastAdministrator) {
		return &Refusal{
			Code: http.StatusConflict, Text: "no other administrator of this server has a password",
			Hint: "give another account the role admin first",
		}
	}
	if err != nil {
		return err
	}
	entry.Action, entry.Object = "erase", a.ID
	if entry.Actor == a.ID {
		entry.Address = ""
	}
	return errors.Join(d.Store.Audit(ctx, entry), d.RemoveUnused(ctx, blobs))
}

// AccountEntries returns the audit log entries for the accounts that an import has created.
func AccountEntries(entry store.AuditEntry, created []auth.Credentials, accounts []*store.Account) (entries []store.AuditEntry) {
	fresh := map[string]bool{}
	for _, slip := range created {
		fresh[slip.Login] = true
	}
	entry.Action = "new account"
	for _, a := range accounts {
		if fresh[a.Login] {
			entry.Object = a.ID
			entries = append(entries, entry)
		}
	}
	return entries
}
