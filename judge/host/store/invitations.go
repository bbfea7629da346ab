package store

import (
	"context"
	"database/sql"
	"time"

	"assay/judge/host/store/internal/query"
)

// Invitation lets people make an account for themselves.
type Invitation struct {
	ID      string
	Note    string // what it is for, for those who made it
	Contest string // id of the one in which they take part; "" for none
	Uses    int64  // how many may come
	Used    int64  // how many came
	Made    time.Time
	By      string // id of an account
	Expires time.Time
	Ended   time.Time // when somebody took it back; zero for not
}

// NewInvitation keeps the hash of the code of an invitation; ID, Made and Used are made up.
func (s *Store) NewInvitation(ctx context.Context, hash string, i Invitation) (*Invitation, error) {
	i.ID, i.Made, i.Used, i.Note = newID(), instant(s.now()), 0, clean(i.Note)
	err := s.write.InsertInvitation(ctx, query.InsertInvitationParams{
		ID: i.ID, Hash: hash, Note: i.Note, Contest: sql.NullString{String: i.Contest, Valid: i.Contest != ""}, Uses: i.Uses, Made: i.Made.UnixMicro(), MadeBy: i.By, Expires: i.Expires.UnixMicro(),
	})
	return &i, failed("keep an invitation", err)
}

// Invitation reads an invitation that is good. ErrNotFound is a code that never was; ErrUsed,
// ErrExpired and ErrRevoked are one that was.
func (s *Store) Invitation(ctx context.Context, hash string) (*Invitation, error) {
	i, err := s.invitation(ctx, s.read, hash)
	return i, failed("look for an invitation", err)
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

// Good is the state of an invitation by which somebody may come.
const Good = "good"

// State says in a word whether an invitation is good, or why not.
func (i *Invitation) State(now time.Time) string {
	switch {
	case !i.Ended.IsZero():
		return "taken back"
	case i.Used >= i.Uses:
		return "used up"
	case !now.Before(i.Expires):
		return "expired"
	}
	return Good
}

func invitation(r query.Invitation) *Invitation {
	return &Invitation{r.ID, r.Note, r.Contest.String, r.Uses, r.Used, instant(r.Made), r.MadeBy, instant(r.Expires), instant(r.Ended.Int64)}
}

// Invitations reads all invitations, the latest first.
func (s *Store) Invitations(ctx context.Context) ([]*Invitation, error) {
	rows, err := s.read.ListInvitations(ctx)
	return each(rows, err, "read the invitations", invitation)
}

// EndInvitation takes an invitation back; ErrNotFound says that there is none, or that
// somebody did before.
func (s *Store) EndInvitation(ctx context.Context, id string) error {
	n, err := s.write.EndInvitation(ctx, id, some(s.now()))
	return failed("take an invitation back", changed(n, err))
}

// Join makes the account of somebody who comes by an invitation, and makes it take part in its
// contest. ErrTaken says that there is one with this login; the errors of Invitation, that it
// is good no more. Then nothing has happened.
func (s *Store) Join(ctx context.Context, hash string, n NewAccount) (a *Account, err error) {
	err = s.tx(ctx, "join by an invitation", func(q *query.Queries) error {
		i, err := s.use(ctx, q, hash)
		if err != nil {
			return err
		}
		if a, err = s.newAccount(ctx, q, n); err != nil || i.Contest == "" {
			return err
		}
		_, err = s.enter(ctx, q, i.Contest, []Entrant{{Account: a}})
		return err
	})
	return a, err
}

// Accept makes who has an account take part in the contest of an invitation, with the errors
// of Join. Who takes part already uses nothing up.
func (s *Store) Accept(ctx context.Context, hash string, a *Account) error {
	return s.tx(ctx, "accept an invitation", func(q *query.Queries) error {
		i, err := s.invitation(ctx, q, hash)
		if err != nil || i.Contest == "" {
			return err
		}
		entered, err := s.enter(ctx, q, i.Contest, []Entrant{{Account: a}})
		if err == nil && entered > 0 {
			_, err = s.use(ctx, q, hash)
		}
		return err
	})
}

// use counts one who comes by an invitation.
func (s *Store) use(ctx context.Context, q *query.Queries, hash string) (*Invitation, error) {
	i, err := s.invitation(ctx, q, hash)
	if err != nil {
		return nil, err
	}
	n, err := q.UseInvitation(ctx, hash, s.now())
	if err == nil && n == 0 { // another one came first
		err = ErrUsed
	}
	return i, err
}
