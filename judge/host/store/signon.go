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
	ReturnTo string // page to show after the login
}

// signOnLifetime is how long a login is remembered, so that it cannot be used twice. Within this time the user must
// log in at the provider, and create or link an account.
const signOnLifetime = 15 * time.Minute

// AccountByIdentity reads the account of an identity. It returns ErrNotFound if the identity has none.
func (s *Store) AccountByIdentity(ctx context.Context, i Identity) (*Account, error) {
	row, err := s.read.AccountByIdentity(ctx, i.Issuer, i.Subject)
	return account(row), wrapError("look for the account of a single sign-on", err)
}

// RecordSignOn records that a login was used. Hash is the hash of the secret that the browser stores for the login.
// RecordSignOn returns ErrUsed if the login was used before. A nil o means that the login's identity has an
// account. Otherwise the login o stays pending until the user creates or links an account.
func (s *Store) RecordSignOn(ctx context.Context, hash string, o *SignOn) error {
	p := query.InsertSignOnParams{Hash: hash, Expires: s.now() + signOnLifetime.Microseconds()}
	if o != nil {
		p.Issuer, p.Subject, p.Name, p.Username, p.Role, p.Next = o.Issuer, o.Subject, sanitize(
			o.Name,
		), sanitize(
			o.Username,
		), o.Role, o.ReturnTo
	}
	err := s.write.InsertSignOn(ctx, p)
	if isDuplicateKey(err) {
		err = ErrUsed
	}
	return wrapError("note a single sign-on", err)
}

// PendingSignOn reads a pending login. It returns ErrNotFound if the login does not exist or has expired.
func (s *Store) PendingSignOn(ctx context.Context, hash string) (*SignOn, error) {
	r, err := s.read.PendingSignOn(ctx, hash, s.now())
	return &SignOn{Identity{r.Issuer, r.Subject}, r.Name, r.Username, r.Role, r.Next}, wrapError("look for a single sign-on", err)
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
		return s.addIdentity(ctx, q, o, a.ID)
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
		return s.addIdentity(ctx, q, o, account)
	})
}

// useSignOn returns a pending login and ends it.
func (s *Store) useSignOn(ctx context.Context, q *query.Queries, hash string) (*SignOn, error) {
	r, err := q.PendingSignOn(ctx, hash, s.now())
	if err != nil {
		return nil, err
	}
	n, err := q.UseSignOn(ctx, hash, s.now())
	return &SignOn{Identity: Identity{r.Issuer, r.Subject}}, errIfUnchanged(n, err)
}

func (s *Store) addIdentity(ctx context.Context, q *query.Queries, o *SignOn, account string) error {
	err := q.InsertIdentity(ctx, query.InsertIdentityParams{Issuer: o.Issuer, Subject: o.Subject, Account: account, Made: s.now()})
	if isDuplicateKey(err) {
		err = ErrUsed
	}
	return err
}

// Identities reads the identities of an account, oldest first.
func (s *Store) Identities(ctx context.Context, account string) ([]Identity, error) {
	rows, err := s.read.IdentitiesOf(ctx, account)
	return convertRows(
		rows, err, "read the identities of an account",
		func(r query.Identity) Identity { return Identity{r.Issuer, r.Subject} },
	)
}

// AccountsWithIdentity returns the ids of the accounts that have an identity.
func (s *Store) AccountsWithIdentity(ctx context.Context) (map[string]bool, error) {
	ids, err := s.read.AccountsWithIdentity(ctx)
	accounts := make(map[string]bool, len(ids))
	for _, id := range ids {
		accounts[id] = true
	}
	return accounts, wrapError("read the accounts with an identity", err)
}

// UnlinkIdentities removes all identities from an account. It returns ErrNotFound if the account has none.
func (s *Store) UnlinkIdentities(ctx context.Context, account string) error {
	n, err := s.write.DeleteIdentities(ctx, account)
	return wrapError("unlink a single sign-on", errIfUnchanged(n, err))
}

// HasElevatedRole reports whether an account has a role above that of a contestant, on the server or in a contest.
func (s *Store) HasElevatedRole(ctx context.Context, account string) (bool, error) {
	n, err := s.read.HighRoles(ctx, account)
	return n > 0, wrapError("count the roles of an account", err)
}
