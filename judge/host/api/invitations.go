package api

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

func (a *api) newInvitation(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewInvitation
	if err := read(r, &n); err != nil {
		return err
	}
	code, i, err := a.Invite(r.Context(), desk.Invite{Note: n.Note, Contest: n.Contest, Uses: n.Uses, Days: n.Days, By: who.account.ID})
	if err != nil {
		return err
	}
	answer := a.invitation(i)
	answer.Contest, answer.Path = n.Contest, "/invite/"+code
	return a.done(w, r, who, "invite", i.ID, fmt.Sprintf("%d people, until %s", i.Uses, i.Expires.UTC().Format(time.DateTime)), answer)
}

func (a *api) invitation(i *store.Invitation) client.Invitation {
	return client.Invitation{ID: i.ID, Note: i.Note, Uses: int(i.Uses), Used: int(i.Used), Expires: i.Expires, State: i.State(a.Time())}
}

func (a *api) invitations(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rows, err := a.Store.Invitations(r.Context())
	if err != nil {
		return err
	}
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	all := []client.Invitation{}
	for _, row := range rows {
		i := a.invitation(row)
		for _, c := range contests {
			if c.ID == row.Contest {
				i.Contest = c.Slug
			}
		}
		all = append(all, i)
	}
	return ok(w, all)
}

func (a *api) endInvitation(w http.ResponseWriter, r *http.Request, who *caller) error {
	id := r.PathValue("id")
	err := a.Store.EndInvitation(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("there is no invitation %.80q that is good", id), "see: judged admin invite list"}
	}
	if err != nil {
		return err
	}
	return a.done(w, r, who, "take back invitation", id, "", struct{}{})
}
