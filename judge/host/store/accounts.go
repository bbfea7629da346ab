package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/judge/host/store/internal/query"
)

// AccountKind is the purpose of an account.
type AccountKind string

// The kinds of accounts.
const (
	PersonAccount AccountKind = "person"
	TeamAccount   AccountKind = "team"
	ToolAccount   AccountKind = "tool"
)

// An Account represents a user or program that sends requests to the server.
type Account struct {
	ID       string
	Login    string // isDuplicateKey, and case-sensitive
	Display  string
	Email    string // may be empty
	Password string // hash of the password; empty if the account cannot log in with one
	Kind     AccountKind
	Role     string // on the whole server; may be empty
	Epoch    int64  // sessions of earlier epochs are not valid
	Disabled bool   // the account may do nothing
	Created  time.Time
	Erased   time.Time // zero if not
	// LastLogin is the time of the last login. Zero means never. It may be up to a day early if the account uses
	// tokens, and a few minutes early if a program sends the password.
	LastLogin time.Time
}

// NewAccount is an account to create.
type NewAccount struct {
	Login    string
	Display  string
	Email    string
	Password string // its hash
	Kind     AccountKind
	Role     string
}

// The scope of a role on the whole server, the prefix of the scope of a contest, and the separator between a
// contest and the id of a group in the scope of a site.
const (
	serverScope        = "site"
	contestScopePrefix = "contest:"
	siteSeparator      = "/site:"
)

// NewAccount creates an account. The role may be empty. It returns ErrTaken if the username is in use.
func (s *Store) NewAccount(ctx context.Context, login, display string, kind AccountKind, role string) (*Account, error) {
	all, err := s.NewAccounts(ctx, NewAccount{Login: login, Display: display, Kind: kind, Role: role})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// NewAccounts creates all of the accounts or none. It returns ErrTaken if one of the usernames is in use.
func (s *Store) NewAccounts(ctx context.Context, accounts ...NewAccount) (created []*Account, err error) {
	err = s.tx(ctx, "make accounts", func(q *query.Queries) error {
		created = nil
		for _, n := range accounts {
			a, err := s.newAccount(ctx, q, n)
			if err != nil {
				return err
			}
			created = append(created, a)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

func (s *Store) newAccount(ctx context.Context, q *query.Queries, n NewAccount) (*Account, error) {
	a := &Account{
		ID: newID(), Login: n.Login, Display: sanitize(n.Display), Email: sanitize(n.Email), Password: n.Password, Kind: n.Kind,
		Role: n.Role, Created: fromMicros(s.now()),
	}
	err := q.InsertAccount(ctx, query.InsertAccountParams{
		ID: a.ID, Login: a.Login, Display: a.Display, Email: a.Email, Password: a.Password, Kind: string(a.Kind),
		Created: a.Created.UnixMicro(),
	})
	if err == nil && n.Role != "" {
		err = q.InsertRole(ctx, query.InsertRoleParams{Account: a.ID, Scope: serverScope, Role: n.Role})
	}
	if isDuplicateKey(err) {
		err = fmt.Errorf("the login %s: %w", n.Login, ErrTaken)
	}
	return a, err
}

// Account returns the account with the given id.
func (s *Store) Account(ctx context.Context, id string) (*Account, error) {
	m, err := s.read.GetAccount(ctx, id)
	return account(m), wrapError("read the account "+id, err)
}

// AccountByLogin returns the account with the given username.
func (s *Store) AccountByLogin(ctx context.Context, login string) (*Account, error) {
	m, err := s.read.AccountByLogin(ctx, login)
	return account(m), wrapError("read the account "+login, err)
}

// Accounts reads all accounts, oldest first.
func (s *Store) Accounts(ctx context.Context) ([]*Account, error) {
	rows, err := s.read.ListAccounts(ctx)
	return convertRows(rows, err, "read the accounts", account)
}

// RecordLogin records the current time as the last login of an account.
func (s *Store) RecordLogin(ctx context.Context, id string) error {
	return wrapError("record a login", s.write.SetLastLogin(ctx, id, nullInt(s.now())))
}

// CountPasswordAccounts returns the number of accounts that can log in with a password.
func (s *Store) CountPasswordAccounts(ctx context.Context) (int64, error) {
	n, err := s.read.CountPasswords(ctx)
	return n, wrapError("count the passwords", err)
}

// SetPassword stores the hash of a new password and ends all sessions of the account.
func (s *Store) SetPassword(ctx context.Context, id, hash string) error {
	return s.SetPasswords(ctx, map[string]string{id: hash})
}

// SetPasswords stores the hashes of new passwords by account id: all of them or none. It ends all sessions of
// these accounts.
func (s *Store) SetPasswords(ctx context.Context, hashes map[string]string) error {
	return s.tx(ctx, "keep passwords", func(q *query.Queries) error {
		for _, id := range slices.Sorted(maps.Keys(hashes)) {
			if n, err := q.SetPassword(ctx, id, hashes[id]); errIfUnchanged(n, err) != nil {
				return errIfUnchanged(n, err)
			}
		}
		return nil
	})
}

// SetDisabled disables or enables an account and ends all its sessions.
func (s *Store) SetDisabled(ctx context.Context, id string, disabled bool) error {
	n, err := s.write.SetDisabled(ctx, id, disabled)
	return wrapError("shut an account out", errIfUnchanged(n, err))
}

// SetRole replaces the roles of an account on the whole server with the given role. If role is empty, it removes
// them. It ends all sessions of the account, and revokes its tokens that have other scopes than the given ones.
func (s *Store) SetRole(ctx context.Context, id, role string, scopes []string) error {
	return s.changeRole(ctx, id, func(q *query.Queries) error {
		tokens, err := q.TokensOf(ctx, id)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			for _, scope := range strings.Fields(t.Scopes) {
				if slices.Contains(scopes, scope) {
					continue
				}
				if _, err := q.RevokeToken(ctx, t.ID, nullInt(s.now())); err != nil {
					return err
				}
			}
		}
		if err := q.DeleteRoles(ctx, id, serverScope); err != nil || role == "" {
			return err
		}
		return q.InsertRole(ctx, query.InsertRoleParams{Account: id, Scope: serverScope, Role: role})
	})
}

// SetContestRole replaces the roles of an account in a contest with the given role. If role is empty, it removes them.
// Sites lists the ids of groups to whose teams the role is restricted. If there are none, the role is not
// restricted. SetContestRole ends all sessions of the account.
func (s *Store) SetContestRole(ctx context.Context, id, contest, role string, sites ...string) error {
	return s.changeRole(ctx, id, func(q *query.Queries) error { return setContestRole(ctx, q, id, contest, role, sites) })
}

// setContestRole replaces the roles of an account in a contest.
func setContestRole(ctx context.Context, q *query.Queries, id, contest, role string, sites []string) error {
	scope := scopeOf(contest)
	if err := q.DeleteRolesIn(ctx, id, scope); err != nil || role == "" {
		return err
	}
	if len(sites) == 0 {
		return q.InsertRole(ctx, query.InsertRoleParams{Account: id, Scope: scope, Role: role})
	}
	for _, site := range slices.Compact(slices.Sorted(slices.Values(sites))) {
		if err := q.InsertRole(ctx, query.InsertRoleParams{Account: id, Scope: scope + siteSeparator + site, Role: role}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) changeRole(ctx context.Context, id string, update func(q *query.Queries) error) error {
	return s.tx(ctx, "give a role", func(q *query.Queries) error {
		if n, err := q.RaiseEpoch(ctx, id); errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		return update(q)
	})
}

// GrantedRole returns the role that an account was given in a contest. It returns an empty string if there is none. If
// the role may be restricted to sites, use ContestRole, which also returns the sites.
func (s *Store) GrantedRole(ctx context.Context, id, contest string) (string, error) {
	role, err := grantedRole(ctx, s.read, id, contest)
	return role, wrapError("read a role", err)
}

func grantedRole(ctx context.Context, q *query.Queries, id, contest string) (string, error) {
	all, err := grants(ctx, q, id)
	for _, g := range all {
		if g.Contest == contest {
			return g.Role, err
		}
	}
	return "", err
}

// ContestRole returns the role of an account in a contest. It returns an empty string if there is none. If the role is
// restricted to sites, ContestRole also returns the ids of their groups. It omits sites that the contest no longer has.
// If no site remains, there is no role.
func (s *Store) ContestRole(ctx context.Context, id, contest string) (role string, sites []string, err error) {
	rows, err := s.read.RolesIn(ctx, query.RolesInParams{Account: id, Contest: contest, Scope: scopeOf(contest)})
	for _, r := range rows {
		switch {
		case r.Site == "":
			return r.Role, nil, nil
		case role == "" || r.Role == role:
			role, sites = r.Role, append(sites, r.Site)
		}
	}
	return role, sites, wrapError("read a role", err)
}

// A Grant is a role of an account in a contest.
type Grant struct {
	Contest string // id
	Role    string
	Sites   []string // group ids to which the role is restricted; nil if it is not
}

// Grants reads the roles of an account in contests, including those at sites that the contests no longer have.
func (s *Store) Grants(ctx context.Context, id string) ([]Grant, error) {
	all, err := grants(ctx, s.read, id)
	return all, wrapError("read the roles of an account", err)
}

func grants(ctx context.Context, q *query.Queries, id string) (all []Grant, err error) {
	rows, err := q.ScopesOf(ctx, id)
	for _, r := range rows {
		contest, site, atOne := strings.Cut(strings.TrimPrefix(r.Scope, contestScopePrefix), siteSeparator)
		if n := len(all); n == 0 || all[n-1].Contest != contest || all[n-1].Role != r.Role {
			all = append(all, Grant{Contest: contest, Role: r.Role})
		}
		if atOne {
			all[len(all)-1].Sites = append(all[len(all)-1].Sites, site)
		}
	}
	return all, err
}

func scopeOf(contest string) string {
	if contest == "" {
		return serverScope
	}
	return contestScopePrefix + contest
}

func account(m query.AccountRole) *Account {
	return &Account{
		m.ID, m.Login, m.Display, m.Email, m.Password, AccountKind(m.Kind), m.Role, m.SessionEpoch, m.Disabled,
		fromMicros(m.Created), fromMicros(m.Erased.Int64), fromMicros(m.LastLogin.Int64),
	}
}

// A Token lets a program act as an account.
type Token struct {
	ID       string
	Account  string // id
	Label    string // chosen by its owner
	Scopes   []string
	Created  time.Time
	LastUsed time.Time // day of the last use; zero if the token was never used
	Expires  time.Time // zero if the token does not expire
	Revoked  time.Time // zero if not
}

// NewToken stores the hash of a token. Scopes must not contain spaces. If expires is zero, the token does not
// expire.
func (s *Store) NewToken(ctx context.Context, account, hash, label string, scopes []string, expires time.Time) (*Token, error) {
	t := &Token{ID: newID(), Account: account, Label: label, Scopes: scopes, Created: fromMicros(s.now()), Expires: expires}
	err := s.write.InsertToken(ctx, query.InsertTokenParams{
		ID: t.ID, Account: account, Hash: hash, Label: label, Scopes: strings.Join(scopes, " "), Created: t.Created.UnixMicro(),
		Expires: nullMicros(expires),
	})
	if err != nil {
		return nil, wrapError("keep a token", err)
	}
	return t, nil
}

// TokenByHash returns a token and its account, and records the day of use. It returns ErrNotFound if the token
// does not exist, ErrExpired if it has expired, and ErrRevoked if it was revoked or its account is disabled.
func (s *Store) TokenByHash(ctx context.Context, hash string) (*Token, *Account, error) {
	const what = "look for a token"
	row, err := s.read.TokenByHash(ctx, hash)
	if err != nil {
		return nil, nil, wrapError(what, err)
	}
	t, now := token(row.Token), fromMicros(s.now())
	switch {
	case !t.Revoked.IsZero() || row.AccountRole.Disabled:
		return nil, nil, wrapError(what, ErrRevoked)
	case !t.Expires.IsZero() && !now.Before(t.Expires):
		return nil, nil, wrapError(what, ErrExpired)
	}
	if day := now.Truncate(24 * time.Hour); t.LastUsed.Before(day) && !s.writesStopped() {
		if err := s.write.UsedToken(ctx, t.ID, day.UnixMicro()); err != nil {
			return nil, nil, wrapError("note the use of a token", err)
		}
		if err := s.RecordLogin(ctx, t.Account); err != nil {
			return nil, nil, err
		}
		t.LastUsed = day
	}
	return t, account(row.AccountRole), nil
}

// RevokeToken revokes a token. It returns ErrNotFound if the token does not exist or is already revoked.
func (s *Store) RevokeToken(ctx context.Context, id string) error {
	n, err := s.write.RevokeToken(ctx, id, nullInt(s.now()))
	return wrapError("revoke a token", errIfUnchanged(n, err))
}

// Tokens returns all tokens of an account, oldest first, including expired and revoked ones.
func (s *Store) Tokens(ctx context.Context, account string) ([]*Token, error) {
	rows, err := s.read.TokensOf(ctx, account)
	return convertRows(rows, err, "read the tokens of an account", token)
}

func token(r query.Token) *Token {
	return &Token{
		r.ID, r.Account, r.Label, strings.Fields(r.Scopes), fromMicros(r.Created), fromMicros(r.LastDay),
		fromMicros(r.Expires.Int64), fromMicros(r.Revoked.Int64),
	}
}

// errIfUnchanged returns ErrNotFound if no row was changed.
func errIfUnchanged(n int64, err error) error {
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}
