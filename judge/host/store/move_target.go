package store

import (
	"context"
	"errors"
	"fmt"

	"assay/judge"
)

// lockTarget excludes other moves into the same PostgreSQL database. SQLite needs no lock, because the data
// directory is locked.
func (m *move) lockTarget(ctx context.Context) (release func(), err error) {
	if !m.to.postgres {
		return func() {}, nil
	}
	conn, err := m.to.writer.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", m.to.displayName(), err)
	}
	var locked bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", moveLock).Scan(&locked); err != nil || !locked {
		conn.Close()
		if err == nil {
			err = &judge.UsageError{Err: errors.New("another server moves its data there")}
		}
		return nil, fmt.Errorf("lock %s: %w", m.to.displayName(), err)
	}
	return func() {
		// The lock would also end with the connection, but only when PostgreSQL notices, which may be after the next move
		// has begun.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", moveLock)
		conn.Close()
	}, nil
}

// checkTarget returns an error unless the new database can take the data. If the database has no tables, check creates
// them.
func (m *move) checkTarget(ctx context.Context) error {
	steps, err := m.to.migrations()
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	current, wanted, err := steps.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("look at the schema of %s: %w", m.to.displayName(), err)
	}
	if current > 0 {
		if err := m.checkReplaceable(ctx, current, wanted); err != nil {
			return &judge.UsageError{Err: err}
		}
	}
	if current < wanted && !m.DryRun {
		if _, err := steps.Up(ctx); err != nil {
			return fmt.Errorf("make the tables of %s: %w", m.to.displayName(), err)
		}
	}
	return nil
}

// checkReplaceable returns an error if the new database contains data that the move must not overwrite. Every server
// creates an account on its first start, so a database without accounts is empty.
func (m *move) checkReplaceable(ctx context.Context, current, wanted int64) error {
	nonce := newID()
	if err := m.from.SetSetting(ctx, "move", nonce); err != nil {
		return err
	}
	same, err1 := m.to.optionalSetting(ctx, "move")
	moved, err2 := m.to.optionalSetting(ctx, movedKey)
	state, err3 := m.to.optionalSetting(ctx, movingKey)
	var accounts int
	err4 := m.to.reader.QueryRowContext(ctx, "SELECT COUNT(*) FROM account").Scan(&accounts)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return fmt.Errorf("look into %s: %w", m.to.displayName(), err)
	}
	switch {
	case same == nonce:
		return fmt.Errorf("%s is the database of this server: specify another one", m.to.displayName())
	case current != wanted && (accounts > 0 || state != ""), current > wanted:
		return fmt.Errorf(
			"%s has schema %d, and this version needs schema %d: specify an empty database", m.to.displayName(),
			current, wanted,
		)
	case accounts == 0 || state != "" || moved != "" && m.Replace:
		return nil
	case moved != "":
		return fmt.Errorf("%s has the data from before it was moved to %s\n    specify an empty database, or replace that data: --replace",
			m.to.displayName(), moved)
	}
	return fmt.Errorf("move to %s: %w\n    specify an empty database", m.to.displayName(), ErrNotEmpty)
}

// optionalSetting reads a setting. It returns an empty string if the setting does not exist.
func (s *Store) optionalSetting(ctx context.Context, key string) (string, error) {
	value, err := s.Setting(ctx, key)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return value, err
}

// CheckNotMoved returns ErrMoved if the data of the database was moved elsewhere.
func (s *Store) CheckNotMoved(ctx context.Context) error {
	moved, err := s.optionalSetting(ctx, movedKey)
	if err == nil && moved != "" {
		err = fmt.Errorf("%w: the data of %s was moved to %s", ErrMoved, s.displayName(), moved)
	}
	return err
}

// checkInUse returns ErrMoved if the data of the database was moved to another database, and ErrMoveUnfinished if a move
// into this database has not finished.
func (s *Store) checkInUse(ctx context.Context) error {
	state, err := s.optionalSetting(ctx, movingKey)
	if err == nil && state == unfinished {
		err = fmt.Errorf("%w: a move into %s has not finished", ErrMoveUnfinished, s.displayName())
	}
	if err != nil {
		return err
	}
	if err := s.CheckNotMoved(ctx); err != nil && !(errors.Is(err, ErrMoved) && s.options.AcceptStale) || err == nil && state == "" {
		return err
	}
	_, err = s.writer.ExecContext(ctx, "DELETE FROM setting WHERE key IN ($1, $2)", movedKey, movingKey)
	return wrapError("note that the database is in use", err)
}
