package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// An Identity identifies a user at an OpenID Connect provider. Issuer and Subject together identify the account.
type Identity struct {
	Issuer  string
	Subject string
}

// A SignOn is a login that a provider has confirmed. If its identity has an account, the user is logged in at
// once. Otherwise the login is pending until the user creates an account or links an existing one.
type SignOn struct {
	Identity
	Name     string // as reported by the provider; may be empty
	Username string // at the provider; may be empty
	Role     string // role that the account gets
	Next     string // page to show after the login
}

// signOnLives is how long a login is remembered, so that it cannot be used twice. Within this time the user must
// log in at the provider, and create or link an account.
const signOnLives = 15 * time.Minute

// AccountByIdentity reads the account of an identity. It returns ErrNotFound if the identity has none.
func (s *Store) AccountByIdentity(ctx context.Context, i Identity) (*Account, error) {
	row, err := s.read.AccountByIdentity(ctx, i.Issuer, i.Subject)
	return account(row), failed("look for the account of a single sign-on", err)
}

// SpendSignOn records that a login was used. Hash is the hash of the secret that the browser stores for the login.
// SpendSignOn returns ErrUsed if the login was used before. A nil o means that the login's identity has an
// account. Otherwise the login o stays pending until the user creates or links an account.
func (s *Store) SpendSignOn(ctx context.Context, hash string, o *SignOn) error {
	p := query.InsertSignOnParams{Hash: hash, Expires: s.now() + signOnLives.Microseconds()}
	if o != nil {
		p.Issuer, p.Subject, p.Name, p.Username, p.Role, p.Next = o.Issuer, o.Subject, clean(o.Name), clean(o.Username), o.Role, o.Next
	}
	err := s.write.InsertSignOn(ctx, p)
	if unique(err) {
		err = ErrUsed
	}
	return failed("note a single sign-on", err)
}

// PendingSignOn reads a pending login. It returns ErrNotFound if the login does not exist or has expired.
func (s *Store) PendingSignOn(ctx context.Context, hash string) (*SignOn, error) {
	r, err := s.read.PendingSignOn(ctx, hash, s.now())
	return &SignOn{Identity{r.Issuer, r.Subject}, r.Name, r.Username, r.Role, r.Next}, failed("look for a single sign-on", err)
}

// JoinBySignOn creates the account of a pending login. It returns ErrTaken if the username is taken, ErrUsed if
// the identity already has an account, and ErrNotFound if the login is no longer pending.
func (s *Store) JoinBySignOn(ctx context.Context, hash string, n NewAccount) (a *Account, err error) {
	err = s.tx(ctx, "join by single sign-on", func(q *query.Queries) error {
		o, err := s.useSignOn(ctx, q, hash)
		if err != nil {
			return err
		}
		if a, err = s.newAccount(ctx, q, n); err != nil {
			return err
		}
		return s.identify(ctx, q, o, a.ID)
	})
	return a, err
}

// LinkSignOn links the identity of a pending login to an account. It returns the errors of JoinBySignOn.
func (s *Store) LinkSignOn(ctx context.Context, hash, account string) error {
	return s.tx(ctx, "link a single sign-on", func(q *query.Queries) error {
		o, err := s.useSignOn(ctx, q, hash)
		if err != nil {
			return err
		}
		return s.identify(ctx, q, o, account)
	})
}

// useSignOn returns a pending login and ends it.
func (s *Store) useSignOn(ctx context.Context, q *query.Queries, hash string) (*SignOn, error) {
	r, err := q.PendingSignOn(ctx, hash, s.now())
	if err != nil {
		return nil, err
	}
	n, err := q.UseSignOn(ctx, hash, s.now())
	return &SignOn{Identity: Identity{r.Issuer, r.Subject}}, changed(n, err)
}

func (s *Store) identify(ctx context.Context, q *query.Queries, o *SignOn, account string) error {
	err := q.InsertIdentity(ctx, query.InsertIdentityParams{Issuer: o.Issuer, Subject: o.Subject, Account: account, Made: s.now()})
	if unique(err) {
		err = ErrUsed
	}
	return err
}

// Identities reads the identities of an account, oldest first.
func (s *Store) Identities(ctx context.Context, account string) ([]Identity, error) {
	rows, err := s.read.IdentitiesOf(ctx, account)
	return each(rows, err, "read the identities of an account", func(r query.Identity) Identity { return Identity{r.Issuer, r.Subject} })
}

// Identified returns the ids of the accounts that have an identity.
func (s *Store) Identified(ctx context.Context) (map[string]bool, error) {
	ids, err := s.read.AccountsWithIdentity(ctx)
	all := make(map[string]bool, len(ids))
	for _, id := range ids {
		all[id] = true
	}
	return all, failed("read the accounts with an identity", err)
}

// Unlink removes all identities from an account. It returns ErrNotFound if the account has none.
func (s *Store) Unlink(ctx context.Context, account string) error {
	n, err := s.write.DeleteIdentities(ctx, account)
	return failed("unlink a single sign-on", changed(n, err))
}

// IsStaff reports whether an account has a role above that of a contestant, on the server or in a contest.
func (s *Store) IsStaff(ctx context.Context, account string) (bool, error) {
	n, err := s.read.HighRoles(ctx, account)
	return n > 0, failed("count the roles of an account", err)
}
