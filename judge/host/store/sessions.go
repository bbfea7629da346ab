package store

import (
	"context"
	"errors"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Session is a login of a browser.
type Session struct {
	Hash    string // of the secret in the browser
	Account string // id
	Created time.Time
	Seen    time.Time // approximate time of its last use
	Expires time.Time
	Agent   string    // user agent of the browser
	Sure    time.Time // when the password was last entered
}

// sessionLives is the time after the last use at which a session ends. sessionSeen is the interval at which the
// time of the last use is stored.
const (
	sessionLives = 14 * 24 * time.Hour
	sessionSeen  = time.Hour
)

// NewSession stores the hash of a session for an account. It returns ErrEnded if the account's password or role
// has changed since a was read.
func (s *Store) NewSession(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, s.now())
}

// NewSessionHere is like NewSession, for a login without a password check. The user must still confirm the
// password in this session.
func (s *Store) NewSessionHere(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, 0)
}

func (s *Store) newSession(ctx context.Context, a *Account, hash, agent string, sure int64) error {
	now := s.now()
	return s.tx(ctx, "keep a session", func(q *query.Queries) error {
		n, err := q.InsertSession(ctx, query.InsertSessionParams{
			Hash: hash, Account: a.ID, Epoch: a.Epoch, Created: now, Expires: now +
				sessionLives.Microseconds(), Agent: cut(clean(agent), 200), Sure: sure,
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

// Session returns a session and its account, and extends the session. It returns ErrNotFound if the session does
// not exist or has ended. Sessions expire, and end with a new password or role, or when the account is disabled.
func (s *Store) Session(ctx context.Context, hash string) (*Session, *Account, error) {
	now := s.now()
	row, err := s.read.SessionByHash(ctx, hash, now)
	if err != nil {
		return nil, nil, failed("look for a session", err)
	}
	if row.Session.Seen+sessionSeen.Microseconds() <= now {
		row.Session.Seen, row.Session.Expires = now, now+sessionLives.Microseconds()
		if err := s.write.SeeSession(ctx, query.SeeSessionParams{Hash: hash, Seen: now, Expires: row.Session.Expires}); err != nil && !errors.Is(err, ErrStopped) {
			return nil, nil, failed("note the use of a session", err)
		}
	}
	return session(row.Session), account(row.AccountRole), nil
}

// Sessions reads the open sessions of an account, oldest first.
func (s *Store) Sessions(ctx context.Context, account string) ([]*Session, error) {
	rows, err := s.read.SessionsOf(ctx, account, s.now())
	return each(rows, err, "read the sessions of an account", session)
}

// LastSeen maps the ids of logged-in accounts to the time when each was last seen. An account may have been seen
// again up to an hour after that time.
func (s *Store) LastSeen(ctx context.Context) (map[string]time.Time, error) {
	rows, err := s.read.LastSeen(ctx, s.now())
	all := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		all[r.Account] = instant(r.Seen)
	}
	return all, failed("read when accounts were seen", err)
}

// Sure records that the user has just entered the password in a session.
func (s *Store) Sure(ctx context.Context, hash string) error {
	return failed("note a password", s.write.SureSession(ctx, hash, s.now()))
}

// EndSession ends a session. It does nothing if the session has already ended.
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

// NewSetup stores the hash of a code with which the first administrator can log in. The code is valid for an hour.
func (s *Store) NewSetup(ctx context.Context, hash, by string) error {
	now := s.now()
	return failed("keep a code for the first admin", s.write.InsertInvite(ctx, query.InsertInviteParams{
		Hash: hash, Makes: forAdmin, Made: now, MadeBy: by, Expires: now + time.Hour.Microseconds(),
	}))
}

// Setup checks a code of NewSetup. It returns ErrNotFound, ErrUsed or ErrExpired if the code is not valid.
func (s *Store) Setup(ctx context.Context, hash string) error {
	_, err := s.invite(ctx, s.read, hash, forAdmin)
	return failed("look for a code for the first admin", err)
}

// SetUp uses a code of NewSetup to set the password and display name of an account. It returns the errors of Setup.
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
