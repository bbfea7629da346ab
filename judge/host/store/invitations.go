package store

import (
	"context"
	"database/sql"
	"time"

	"assay/judge/host/store/internal/query"
)

// An Invitation lets users create accounts for themselves.
type Invitation struct {
	ID        string
	Note      string // its purpose, for administrators
	Contest   string // id of the contest that the new accounts join; may be empty
	MaxUses   int64  // maximum number of accounts that it may create
	Used      int64  // number of accounts that it has created
	Made      time.Time
	CreatedBy string // id of the account that made it
	Expires   time.Time
	Revoked   time.Time // when it was revoked; zero means never
}

// NewInvitation stores an invitation with the hash of its code, and sets ID, Made and Used.
func (s *Store) NewInvitation(ctx context.Context, hash string, i Invitation) (*Invitation, error) {
	i.ID, i.Made, i.Used, i.Note = newID(), fromMicros(s.now()), 0, sanitize(i.Note)
	err := s.write.InsertInvitation(ctx, query.InsertInvitationParams{
		ID: i.ID, Hash: hash, Note: i.Note, Contest: sql.NullString{String: i.Contest, Valid: i.Contest != ""}, Uses: i.MaxUses,
		Made: i.Made.UnixMicro(), MadeBy: i.CreatedBy, Expires: i.Expires.UnixMicro(),
	})
	return &i, wrapError("keep an invitation", err)
}

// Invitation reads a valid invitation. It returns ErrNotFound if no invitation has the code. If the invitation is
// not valid, it returns ErrUsed, ErrExpired or ErrRevoked.
func (s *Store) Invitation(ctx context.Context, hash string) (*Invitation, error) {
	i, err := s.invitation(ctx, s.read, hash)
	return i, wrapError("look for an invitation", err)
}

func (s *Store) invitation(ctx context.Context, q *query.Queries, hash string) (*Invitation, error) {
	r, err := q.InvitationByHash(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case r.Ended.Valid:
		return nil, ErrRevoked
	case r.Expires <= s.now():
		return nil, ErrExpired
	case r.Used >= r.Uses:
		return nil, ErrUsed
	}
	return invitation(r), nil
}

// InvitationValid is the state of a valid invitation.
const InvitationValid = "good"

// State returns InvitationValid, or a short reason why the invitation is not valid.
func (i *Invitation) State(now time.Time) string {
	switch {
	case !i.Revoked.IsZero():
		return "taken back"
	case i.Used >= i.MaxUses:
		return "used up"
	case !now.Before(i.Expires):
		return "expired"
	}
	return InvitationValid
}

func invitation(r query.Invitation) *Invitation {
	return &Invitation{
		r.ID, r.Note, r.Contest.String, r.Uses, r.Used, fromMicros(r.Made), r.MadeBy, fromMicros(r.Expires),
		fromMicros(r.Ended.Int64),
	}
}

// Invitations reads all invitations, newest first.
func (s *Store) Invitations(ctx context.Context) ([]*Invitation, error) {
	rows, err := s.read.ListInvitations(ctx)
	return convertRows(rows, err, "read the invitations", invitation)
}

// RevokeInvitation revokes an invitation. It returns ErrNotFound if the invitation does not exist or has been revoked
// already.
func (s *Store) RevokeInvitation(ctx context.Context, id string) error {
	n, err := s.write.EndInvitation(ctx, id, nullInt(s.now()))
	return wrapError("take an invitation back", errIfUnchanged(n, err))
}

// JoinByInvitation creates an account with an invitation and adds it to the invitation's contest, in one transaction. It
// returns ErrTaken if the username is taken, and the errors of Invitation.
func (s *Store) JoinByInvitation(ctx context.Context, hash string, n NewAccount) (a *Account, err error) {
	err = s.tx(ctx, "join by an invitation", func(q *query.Queries) error {
		i, err := s.useInvitation(ctx, q, hash)
		if err != nil {
			return err
		}
		if a, err = s.newAccount(ctx, q, n); err != nil || i.Contest == "" {
			return err
		}
		_, err = s.addEntrants(ctx, q, i.Contest, []Entrant{{Account: a}})
		return err
	})
	return a, err
}

// AcceptInvitation adds an existing account to the contest of an invitation. It returns the same errors as Join. It does not
// count as a use of the invitation if the account is already in the contest.
func (s *Store) AcceptInvitation(ctx context.Context, hash string, a *Account) error {
	return s.tx(ctx, "accept an invitation", func(q *query.Queries) error {
		i, err := s.invitation(ctx, q, hash)
		if err != nil || i.Contest == "" {
			return err
		}
		entered, err := s.addEntrants(ctx, q, i.Contest, []Entrant{{Account: a}})
		if err == nil && entered > 0 {
			_, err = s.useInvitation(ctx, q, hash)
		}
		return err
	})
}

// useInvitation counts one use of an invitation.
func (s *Store) useInvitation(ctx context.Context, q *query.Queries, hash string) (*Invitation, error) {
	i, err := s.invitation(ctx, q, hash)
	if err != nil {
		return nil, err
	}
	n, err := q.UseInvitation(ctx, hash, s.now())
	if err == nil && n == 0 { // another request took the last use
		err = ErrUsed
	}
	return i, err
}
