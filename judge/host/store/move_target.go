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
	one, err := m.to.writer.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", m.to.name(), err)
	}
	var locked bool
	if err := one.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", moveLock).Scan(&locked); err != nil || !locked {
		one.Close()
		if err == nil {
			err = &judge.Misuse{Err: errors.New("another server moves its data there")}
		}
		return nil, fmt.Errorf("lock %s: %w", m.to.name(), err)
	}
	return func() { one.Close() }, nil // the lock ends with the connections, when the store is closed
}

// check returns an error unless the new database can take the data. If the database has no tables, check creates
// them.
func (m *move) check(ctx context.Context) error {
	steps, err := m.to.migrations()
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	has, wants, err := steps.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("look at the schema of %s: %w", m.to.name(), err)
	}
	if has > 0 {
		if err := m.replaceable(ctx, has, wants); err != nil {
			return &judge.Misuse{Err: err}
		}
	}
	if has < wants && !m.DryRun {
		if _, err := steps.Up(ctx); err != nil {
			return fmt.Errorf("make the tables of %s: %w", m.to.name(), err)
		}
	}
	return nil
}

// replaceable returns an error if the new database contains data that the move must not overwrite. Every server
// creates an account on its first start, so a database without accounts is empty.
func (m *move) replaceable(ctx context.Context, has, wants int64) error {
	nonce := newID()
	if err := m.from.SetSetting(ctx, "move", nonce); err != nil {
		return err
	}
	same, err1 := m.to.optional(ctx, "move")
	moved, err2 := m.to.optional(ctx, movedKey)
	state, err3 := m.to.optional(ctx, movingKey)
	var accounts int
	err4 := m.to.reader.QueryRowContext(ctx, "SELECT COUNT(*) FROM account").Scan(&accounts)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return fmt.Errorf("look into %s: %w", m.to.name(), err)
	}
	switch {
	case same == nonce:
		return fmt.Errorf("%s is the database of this server: specify another one", m.to.name())
	case has != wants && (accounts > 0 || state != ""), has > wants:
		return fmt.Errorf("%s has schema %d, and this version needs schema %d: specify an empty database", m.to.name(), has, wants)
	case accounts == 0 || state != "" || moved != "" && m.Replace:
		return nil
	case moved != "":
		return fmt.Errorf("%s has the data from before it was moved to %s\n    specify an empty database, or replace that data: --replace",
			m.to.name(), moved)
	}
	return fmt.Errorf("move to %s: %w\n    specify an empty database", m.to.name(), ErrNotEmpty)
}

// optional reads a setting. It returns an empty string if the setting does not exist.
func (s *Store) optional(ctx context.Context, key string) (string, error) {
	value, err := s.Setting(ctx, key)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return value, err
}

// Current returns ErrMoved if the data of the database was moved elsewhere.
func (s *Store) Current(ctx context.Context) error {
	moved, err := s.optional(ctx, movedKey)
	if err == nil && moved != "" {
		err = fmt.Errorf("%w: the data of %s was moved to %s", ErrMoved, s.name(), moved)
	}
	return err
}

// inUse returns ErrMoved if the data of the database was moved to another database, and ErrUnfinished if a move
// into this database has not finished.
func (s *Store) inUse(ctx context.Context) error {
	state, err := s.optional(ctx, movingKey)
	if err == nil && state == unfinished {
		err = fmt.Errorf("%w: a move into %s has not finished", ErrUnfinished, s.name())
	}
	if err != nil {
		return err
	}
	if err := s.Current(ctx); err != nil && !(errors.Is(err, ErrMoved) && s.options.AcceptStale) || err == nil && state == "" {
		return err
	}
	_, err = s.writer.ExecContext(ctx, "DELETE FROM setting WHERE key IN ($1, $2)", movedKey, movingKey)
	return failed("note that the database is in use", err)
}
