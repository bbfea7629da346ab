package store

import (
	"context"
	"errors"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Session is a login of a browser.
type Session struct {
	Hash            string // of the secret in the browser
	Account         string // id
	Created         time.Time
	LastUsed        time.Time // approximate time of its last use
	Expires         time.Time
	UserAgent       string    // user agent of the browser
	PasswordChecked time.Time // when the password was last entered
}

// sessionLifetime is the time after the last use at which a session ends. sessionSeenInterval is the interval at which the
// time of the last use is stored.
const (
	sessionLifetime     = 14 * 24 * time.Hour
	sessionSeenInterval = time.Hour
)

// NewSession stores the hash of a session for an account. It returns ErrEnded if the account's password or role
// has changed since a was read.
func (s *Store) NewSession(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, s.now())
}

// NewSessionWithoutPassword is like NewSession, for a login without a password check. The user must still confirm the
// password in this session.
func (s *Store) NewSessionWithoutPassword(ctx context.Context, a *Account, hash, agent string) error {
	return s.newSession(ctx, a, hash, agent, 0)
}

func (s *Store) newSession(ctx context.Context, a *Account, hash, agent string, passwordChecked int64) error {
	now := s.now()
	return s.tx(ctx, "keep a session", func(q *query.Queries) error {
		n, err := q.InsertSession(ctx, query.InsertSessionParams{
			Hash: hash, Account: a.ID, Epoch: a.Epoch, Created: now, Expires: now +
				sessionLifetime.Microseconds(), Agent: truncate(sanitize(agent), 200), Sure: passwordChecked,
		})
		if err == nil && n == 0 {
			err = ErrEnded
		}
		if err != nil {
			return err
		}
		return q.SetLastLogin(ctx, a.ID, nullInt(now))
	})
}

// Session returns a session and its account, and extends the session. It returns ErrNotFound if the session does
// not exist or has ended. Sessions expire, and end with a new password or role, or when the account is disabled.
func (s *Store) Session(ctx context.Context, hash string) (*Session, *Account, error) {
	now := s.now()
	row, err := s.read.SessionByHash(ctx, hash, now)
	if err != nil {
		return nil, nil, wrapError("look for a session", err)
	}
	if row.Session.Seen+sessionSeenInterval.Microseconds() <= now {
		row.Session.Seen, row.Session.Expires = now, now+sessionLifetime.Microseconds()
		if err := s.write.SeeSession(ctx, query.SeeSessionParams{Hash: hash, Seen: now, Expires: row.Session.Expires}); err != nil &&
			!errors.Is(err, ErrStopped) {
			return nil, nil, wrapError("note the use of a session", err)
		}
	}
	return session(row.Session), account(row.AccountRole), nil
}

// Sessions reads the open sessions of an account, oldest first.
func (s *Store) Sessions(ctx context.Context, account string) ([]*Session, error) {
	rows, err := s.read.SessionsOf(ctx, account, s.now())
	return convertRows(rows, err, "read the sessions of an account", session)
}

// LastSeen maps the ids of logged-in accounts to the time when each was last seen. An account may have been seen
// again up to an hour after that time.
func (s *Store) LastSeen(ctx context.Context) (map[string]time.Time, error) {
	rows, err := s.read.LastSeen(ctx, s.now())
	all := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		all[r.Account] = fromMicros(r.Seen)
	}
	return all, wrapError("read when accounts were seen", err)
}

// RecordPasswordCheck records that the user has just entered the password in a session.
func (s *Store) RecordPasswordCheck(ctx context.Context, hash string) error {
	return wrapError("note a password", s.write.SureSession(ctx, hash, s.now()))
}

// EndSession ends a session. It does nothing if the session has already ended.
func (s *Store) EndSession(ctx context.Context, hash string) error {
	return wrapError("end a session", s.write.DeleteSession(ctx, hash))
}

// EndSessions ends all sessions of an account.
func (s *Store) EndSessions(ctx context.Context, account string) error {
	n, err := s.write.RaiseEpoch(ctx, account)
	return wrapError("end the sessions of an account", errIfUnchanged(n, err))
}

func session(r query.Session) *Session {
	return &Session{r.Hash, r.Account, fromMicros(r.Created), fromMicros(r.Seen), fromMicros(r.Expires), r.Agent, fromMicros(r.Sure)}
}

// NewSetupCode stores the hash of a code with which the first administrator can log in. The code is valid for an hour.
func (s *Store) NewSetupCode(ctx context.Context, hash, creator string) error {
	now := s.now()
	return wrapError("keep a code for the first admin", s.write.InsertInvite(ctx, query.InsertInviteParams{
		Hash: hash, Makes: adminCode, Made: now, MadeBy: creator, Expires: now + time.Hour.Microseconds(),
	}))
}

// CheckSetupCode checks a code of NewSetupCode. It returns ErrNotFound, ErrUsed or ErrExpired if the code is not valid.
func (s *Store) CheckSetupCode(ctx context.Context, hash string) error {
	_, err := s.workerInvite(ctx, s.read, hash, adminCode)
	return wrapError("look for a code for the first admin", err)
}

// CompleteSetup uses a code of NewSetupCode to set the password and display name of an account. It returns the errors
// of CheckSetupCode.
func (s *Store) CompleteSetup(ctx context.Context, code, account, display, password string) error {
	return s.tx(ctx, "set up the first admin", func(q *query.Queries) error {
		used, err := q.UseInvite(ctx, query.UseInviteParams{Hash: code, Makes: adminCode, Now: s.now()})
		if err != nil {
			return err
		}
		if used == 0 {
			_, err := s.workerInvite(ctx, q, code, adminCode)
			return err
		}
		if n, err := q.SetPassword(ctx, account, password); errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		n, err := q.SetAccount(ctx, query.SetAccountParams{ID: account, Display: sanitize(display)})
		return errIfUnchanged(n, err)
	})
}
