package api

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

func (a *api) newInvitation(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewInvitation
	if err := readJSON(r, &n); err != nil {
		return err
	}
	code, i, err := a.CreateInvitation(
		r.Context(),
		intake.InvitationRequest{Note: n.Note, Contest: n.Contest, Uses: n.Uses, Days: n.Days, By: caller.account.ID},
	)
	if err != nil {
		return err
	}
	answer := a.invitation(i)
	answer.Contest, answer.Path = n.Contest, "/invite/"+code
	return a.auditAndRespond(
		w, r, caller, "invite", i.ID,
		fmt.Sprintf("%d people, until %s", i.MaxUses, i.Expires.UTC().Format(time.DateTime)), answer,
	)
}

func (a *api) invitation(i *store.Invitation) client.Invitation {
	return client.Invitation{ID: i.ID, Note: i.Note, Uses: int(i.MaxUses), Used: int(i.Used), Expires: i.Expires, State: i.State(a.Time())}
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
	invitations := []client.Invitation{}
	for _, row := range rows {
		i := a.invitation(row)
		for _, c := range contests {
			if c.ID == row.Contest {
				i.Contest = c.Slug
			}
		}
		invitations = append(invitations, i)
	}
	return writeOK(w, invitations)
}

func (a *api) revokeInvitation(w http.ResponseWriter, r *http.Request, caller *caller) error {
	id := r.PathValue("id")
	err := a.Store.RevokeInvitation(r.Context(), id)
	if errors.Is(err, store.ErrNotFound) {
		return &status{http.StatusNotFound, fmt.Sprintf("there is no invitation %.80q that is good", id), "see: judged admin invite list"}
	}
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "take back invitation", id, "", struct{}{})
}
