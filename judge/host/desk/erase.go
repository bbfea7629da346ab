package desk

import (
	"context"
	"errors"
	"net/http"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// AdminLogin is the username of the first administrator.
const AdminLogin = "admin"

// OwnWorker is the name of the server's own worker. If the name is taken, a number is added.
const OwnWorker = "local"

// Erase erases a person from the server: see store.Erase. It cancels the account's pending jobs and workflows,
// removes the bytes of its programs, and writes an entry to the audit log. It completes even if ctx is done. If a
// call was interrupted, another call does the remaining work.
func (d *Desk) Erase(ctx context.Context, a *store.Account, by store.Entry) error {
	if a.Login == AdminLogin {
		return &Refusal{
			Code: http.StatusConflict, Text: "the server itself uses the account " + AdminLogin,
			Hint: "change its name and password instead",
		}
	}
	ctx = context.WithoutCancel(ctx)
	if !a.Erased.IsZero() {
		left, err := d.Store.EraseLeft(ctx)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return d.Forget(ctx, left)
		}
		return &Refusal{Code: http.StatusConflict, Text: "this account was erased already"}
	}
	jobs, flows, err := d.Store.OpenOf(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, id := range jobs {
		if _, err := d.Dispatch.Cancel(ctx, id); err != nil {
			return err
		}
	}
	for _, id := range flows {
		if err := d.Dispatch.EndFlow(ctx, id, store.FlowCancelled, "the account that requested it was erased"); err != nil &&
			!errors.Is(err, store.ErrEnded) {
			return err
		}
	}
	blobs, err := d.Store.Erase(ctx, a.ID)
	if errors.Is(err, store.ErrLastAdmin) {
		return &Refusal{
			Code: http.StatusConflict, Text: "no other administrator of this server has a password",
			Hint: "give another account the role admin first",
		}
	}
	if err != nil {
		return err
	}
	by.Action, by.Object = "erase", a.ID
	if by.Actor == a.ID {
		by.Address = ""
	}
	return errors.Join(d.Store.Audit(ctx, by), d.Forget(ctx, blobs))
}

// Made returns the audit log entries for the accounts that an import has created.
func Made(by store.Entry, made []auth.Slip, accounts []*store.Account) (all []store.Entry) {
	fresh := map[string]bool{}
	for _, slip := range made {
		fresh[slip.Login] = true
	}
	by.Action = "new account"
	for _, a := range accounts {
		if fresh[a.Login] {
			by.Object = a.ID
			all = append(all, by)
		}
	}
	return all
}
