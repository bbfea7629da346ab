package store

import (
	"context"
	"strings"
	"time"

	"assay/judge/host/store/internal/query"
)

// AccountKind says what stands behind an account.
type AccountKind string

// The kinds of accounts.
const (
	Person AccountKind = "person"
	Team   AccountKind = "team"
	Tool   AccountKind = "tool"
)

// Account is somebody who may ask something of the server.
type Account struct {
	ID      string
	Login   string // unique; its letters are compared as they are
	Display string
	Kind    AccountKind
	Role    string // on the whole site; "" for none
	Created time.Time
}

// site is the scope of a role that holds everywhere.
const site = "site"

// NewAccount makes an account; ErrTaken says that there is one with this login. Role "" is
// none.
func (s *Store) NewAccount(ctx context.Context, login, display string, kind AccountKind, role string) (*Account, error) {
	a := &Account{ID: newID(), Login: login, Display: display, Kind: kind, Role: role, Created: instant(s.now())}
	err := s.tx(ctx, "make the account "+login, func(q *query.Queries) error {
		err := q.InsertAccount(ctx, query.InsertAccountParams{ID: a.ID, Login: login, Display: display, Kind: string(kind), Created: a.Created.UnixMicro()})
		if err == nil && role != "" {
			err = q.InsertRole(ctx, query.InsertRoleParams{Account: a.ID, Scope: site, Role: role})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Account reads an account by its id.
func (s *Store) Account(ctx context.Context, id string) (*Account, error) {
	m, err := s.read.GetAccount(ctx, id)
	return account(m), failed("read the account "+id, err)
}

// AccountByLogin reads an account by its login.
func (s *Store) AccountByLogin(ctx context.Context, login string) (*Account, error) {
	m, err := s.read.AccountByLogin(ctx, login)
	return account(m), failed("read the account "+login, err)
}

// Accounts reads all accounts in the order of their making.
func (s *Store) Accounts(ctx context.Context) ([]*Account, error) {
	rows, err := s.read.ListAccounts(ctx)
	accounts := make([]*Account, 0, len(rows))
	for _, m := range rows {
		accounts = append(accounts, account(m))
	}
	return accounts, failed("read the accounts", err)
}

func account(m query.Member) *Account {
	return &Account{m.ID, m.Login, m.Display, AccountKind(m.Kind), m.Role, instant(m.Created)}
}

// Token is what lets a program act for an account.
type Token struct {
	ID      string
	Account string // id
	Label   string // what its owner calls it
	Scopes  []string
	Created time.Time
	LastDay time.Time // the day on which it was used last; zero for never
	Expires time.Time // zero for never
	Revoked time.Time // zero for not
}

// NewToken keeps the hash of a token. Scopes are words without spaces; expires zero is
// never.
func (s *Store) NewToken(ctx context.Context, account, hash, label string, scopes []string, expires time.Time) (*Token, error) {
	t := &Token{ID: newID(), Account: account, Label: label, Scopes: scopes, Created: instant(s.now()), Expires: expires}
	err := s.write.InsertToken(ctx, query.InsertTokenParams{
		ID: t.ID, Account: account, Hash: hash, Label: label, Scopes: strings.Join(scopes, " "), Created: t.Created.UnixMicro(), Expires: micros(expires),
	})
	if err != nil {
		return nil, failed("keep a token", err)
	}
	return t, nil
}

// TokenByHash finds a token and whose it is, and notes the day. ErrNotFound is a token that
// never was, ErrRevoked and ErrExpired one that was.
func (s *Store) TokenByHash(ctx context.Context, hash string) (*Token, *Account, error) {
	const what = "look for a token"
	row, err := s.read.TokenByHash(ctx, hash)
	if err != nil {
		return nil, nil, failed(what, err)
	}
	t, now := token(row.Token), instant(s.now())
	switch {
	case !t.Revoked.IsZero():
		return nil, nil, failed(what, ErrRevoked)
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return nil, nil, failed(what, ErrExpired)
	}
	if day := now.Truncate(24 * time.Hour); t.LastDay.Before(day) {
		if err := s.write.UsedToken(ctx, t.ID, day.UnixMicro()); err != nil {
			return nil, nil, failed("note the use of a token", err)
		}
		t.LastDay = day
	}
	return t, account(row.Member), nil
}

// RevokeToken ends a token; ErrNotFound says that there is none, or that it was revoked
// before.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	n, err := s.write.RevokeToken(ctx, id, some(s.now()))
	return failed("revoke a token", changed(n, err))
}

// Tokens reads the tokens of an account in the order of their making, ended ones too.
func (s *Store) Tokens(ctx context.Context, account string) ([]*Token, error) {
	rows, err := s.read.TokensOf(ctx, account)
	tokens := make([]*Token, 0, len(rows))
	for _, r := range rows {
		tokens = append(tokens, token(r))
	}
	return tokens, failed("read the tokens of an account", err)
}

func token(r query.Token) *Token {
	return &Token{r.ID, r.Account, r.Label, strings.Fields(r.Scopes), instant(r.Created), instant(r.LastDay), instant(r.Expires.Int64), instant(r.Revoked.Int64)}
}

// changed is ErrNotFound where no row changed.
func changed(n int64, err error) error {
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}
