package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// Session is a browser that is logged in.
type Session struct {
	Hash    string // of what the browser knows
	Account string // id
	Created time.Time
	Seen    time.Time // about when it was used last
	Expires time.Time
	Agent   string    // what the browser calls itself
	Sure    time.Time // when its password was typed last
}

// The life of a session: for so long after its last use, which is noted so often.
const (
	sessionLives = 14 * 24 * time.Hour
	sessionSeen  = time.Hour
)

// NewSession keeps the hash of a session of an account as it was read: ErrEnded says that
// its password or its role has changed since.
func (s *Store) NewSession(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, s.now())
}

// NewSessionHere is NewSession without the password of the account, which the session does not confirm.
func (s *Store) NewSessionHere(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, 0)
}

func (s *Store) newSession(ctx context.Context, a *Account, hash, agent string, sure int64) error {
	now := s.now()
	return s.tx(ctx, "keep a session", func(q *query.Queries) error {
		n, err := q.InsertSession(ctx, query.InsertSessionParams{
			Hash: hash, Account: a.ID, Epoch: a.Epoch, Created: now, Expires: now + sessionLives.Microseconds(), Agent: cut(clean(agent), 200), Sure: sure,
		})
		if err == nil && n == 0 {
			err = ErrEnded
		}
		if err != nil {
			return err
		}
		return q.SetLastLogin(ctx, a.ID, some(now))
	})
}

// Session finds a session and whose it is; ErrNotFound says that it never was or has ended:
// by itself, with a new password or role, or because the account was shut out. Its use makes
// it live longer.
func (s *Store) Session(ctx context.Context, hash string) (*Session, *Account, error) {
	now := s.now()
	row, err := s.read.SessionByHash(ctx, hash, now)
	if err != nil {
		return nil, nil, failed("look for a session", err)
	}
	if row.Session.Seen+sessionSeen.Microseconds() <= now {
		row.Session.Seen, row.Session.Expires = now, now+sessionLives.Microseconds()
		if err := s.write.SeeSession(ctx, query.SeeSessionParams{Hash: hash, Seen: now, Expires: row.Session.Expires}); err != nil {
			return nil, nil, failed("note the use of a session", err)
		}
	}
	return session(row.Session), account(row.AccountRole), nil
}

// Sessions reads the open sessions of an account, the oldest first.
func (s *Store) Sessions(ctx context.Context, account string) ([]*Session, error) {
	rows, err := s.read.SessionsOf(ctx, account, s.now())
	return each(rows, err, "read the sessions of an account", session)
}

// LastSeen returns when the accounts that are logged in were last seen, by the id of the account. Times are
// up to an hour late.
func (s *Store) LastSeen(ctx context.Context) (map[string]time.Time, error) {
	rows, err := s.read.LastSeen(ctx, s.now())
	all := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		all[r.Account] = instant(r.Seen)
	}
	return all, failed("read when accounts were seen", err)
}

// Sure notes that the password of a session was typed now.
func (s *Store) Sure(ctx context.Context, hash string) error {
	return failed("note a password", s.write.SureSession(ctx, hash, s.now()))
}

// EndSession ends a session; one that has ended stays so.
func (s *Store) EndSession(ctx context.Context, hash string) error {
	return failed("end a session", s.write.DeleteSession(ctx, hash))
}

// EndSessions ends all sessions of an account.
func (s *Store) EndSessions(ctx context.Context, account string) error {
	n, err := s.write.RaiseEpoch(ctx, account)
	return failed("end the sessions of an account", changed(n, err))
}

func session(r query.Session) *Session {
	return &Session{r.Hash, r.Account, instant(r.Created), instant(r.Seen), instant(r.Expires), r.Agent, instant(r.Sure)}
}

// NewSetup keeps the hash of a code by which the first admin may come in, within an hour.
func (s *Store) NewSetup(ctx context.Context, hash, by string) error {
	now := s.now()
	return failed("keep a code for the first admin", s.write.InsertInvite(ctx, query.InsertInviteParams{
		Hash: hash, Makes: forAdmin, Made: now, MadeBy: by, Expires: now + time.Hour.Microseconds(),
	}))
}

// Setup says whether a code of NewSetup is good: ErrNotFound, ErrUsed and ErrExpired are
// one that is not.
func (s *Store) Setup(ctx context.Context, hash string) error {
	_, err := s.invite(ctx, s.read, hash, forAdmin)
	return failed("look for a code for the first admin", err)
}

// SetUp uses up a code of NewSetup: an account gets a password, and a name for people.
// Errors are those of Setup.
func (s *Store) SetUp(ctx context.Context, code, account, display, password string) error {
	return s.tx(ctx, "set up the first admin", func(q *query.Queries) error {
		used, err := q.UseInvite(ctx, query.UseInviteParams{Hash: code, Makes: forAdmin, Now: s.now()})
		if err != nil {
			return err
		}
		if used == 0 {
			_, err := s.invite(ctx, q, code, forAdmin)
			return err
		}
		if n, err := q.SetPassword(ctx, account, password); changed(n, err) != nil {
			return changed(n, err)
		}
		n, err := q.SetAccount(ctx, query.SetAccountParams{ID: account, Display: clean(display)})
		return changed(n, err)
	})
}
