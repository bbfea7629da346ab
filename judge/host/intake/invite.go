package intake

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// InvitationRequest specifies an invitation.
type InvitationRequest struct {
	Note    string // its purpose
	Contest string // slug of a contest to which the accounts are added; may be empty
	Uses    int    // maximum number of accounts that it can create
	Days    float64
	By      string // id of the account that creates it
}

// The limits of an invitation.
const (
	maxUses = 2000
	maxDays = 365
)

// CreateInvitation creates an invitation and returns its code. The code cannot be retrieved later. It returns a *Refusal if
// the invitation is not allowed.
func (d *Service) CreateInvitation(ctx context.Context, n InvitationRequest) (code string, i *store.Invitation, err error) {
	n.Note = strings.TrimSpace(n.Note)
	refuse := func(code int, field, text, hint string) (string, *store.Invitation, error) {
		return "", nil, &Refusal{Code: code, Text: text, Hint: hint, Field: field}
	}
	switch {
	case d.Registration == auth.Closed:
		return refuse(http.StatusConflict, "", "this server accepts no invitations",
			`registration = "invite" in the table [server] of judge.toml changes that`)
	case n.Uses < 1 || n.Uses > maxUses:
		return refuse(http.StatusBadRequest, "uses", fmt.Sprintf("an invitation is for 1 to %d people, not for %d", maxUses, n.Uses), "")
	case math.IsNaN(n.Days) || n.Days <= 0 || n.Days > maxDays:
		return refuse(http.StatusBadRequest, "days", fmt.Sprintf("an invitation is good for up to %d days, not for %v", maxDays, n.Days),
			"0.5 is 12 hours")
	case utf8.RuneCountInString(n.Note) > 100 || strings.ContainsFunc(n.Note, unicode.IsControl):
		return refuse(http.StatusBadRequest, "note", "the note must be one line of at most 100 letters", "")
	}
	kept := store.Invitation{
		Note: n.Note, MaxUses: int64(n.Uses), CreatedBy: n.By,
		Expires: d.Time().Add(time.Duration(n.Days * float64(24*time.Hour))),
	}
	if n.Contest != "" {
		c, err := d.Store.ContestBySlug(ctx, n.Contest)
		if errors.Is(err, store.ErrNotFound) {
			return refuse(http.StatusNotFound, "contest", fmt.Sprintf("there is no contest %.80q", n.Contest), "")
		}
		if err != nil {
			return "", nil, err
		}
		kept.Contest = c.ID
	}
	code, hash := auth.NewCode()
	i, err = d.Store.NewInvitation(ctx, hash, kept)
	return code, i, err
}
