package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"sync"

	"assay/judge/host/store/internal/query"
)

// ErrStopped means that writes are refused because a Move is copying the last rows or has finished.
var ErrStopped = errors.New("the data of this server is being moved to another database")

// A writeGate refuses writes while they are stopped.
type writeGate struct {
	mu     sync.RWMutex // held for reading during each write
	closed *sql.DB      // fails each query with ErrStopped; nil while writes are accepted
}

// gatedDB runs write queries outside of transactions.
type gatedDB struct {
	query.DBTX
	gate *writeGate
}

func (g gatedDB) enter() (db query.DBTX, leave func()) {
	g.gate.mu.RLock()
	if g.gate.closed != nil {
		return g.gate.closed, g.gate.mu.RUnlock
	}
	return g.DBTX, g.gate.mu.RUnlock
}

func (g gatedDB) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	db, leave := g.enter()
	defer leave()
	return db.ExecContext(ctx, text, args...)
}

func (g gatedDB) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	db, leave := g.enter()
	defer leave()
	return db.QueryContext(ctx, text, args...)
}

func (g gatedDB) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	db, leave := g.enter()
	defer leave()
	return db.QueryRowContext(ctx, text, args...)
}

// stoppedConnector is the database used while a gate is closed.
type stoppedConnector struct{}

func (stoppedConnector) Connect(context.Context) (driver.Conn, error) { return nil, ErrStopped }
func (stoppedConnector) Driver() driver.Driver                        { return nil }

// StopWrites makes all further writes fail with ErrStopped. It waits for writes that have begun.
func (s *Store) StopWrites() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	if s.gate.closed == nil {
		s.gate.closed = sql.OpenDB(stoppedConnector{})
	}
}

func (s *Store) resumeWrites() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	_ = s.gate.closed.Close() // it has no connections
	s.gate.closed = nil
}

func (s *Store) writesStopped() bool {
	s.gate.mu.RLock()
	defer s.gate.mu.RUnlock()
	return s.gate.closed != nil
}

// lockWrites stops writes and returns a transaction that excludes all other writers of the database, including other
// processes.
func (s *Store) lockWrites(ctx context.Context) (*sql.Tx, error) {
	s.StopWrites()
	tx, err := s.writer.BeginTx(ctx, nil) // on SQLite, this locks the database
	if err != nil || !s.postgres {
		return tx, err
	}
	var names []string
	for _, t := range tables {
		names = append(names, t.name)
	}
	if _, err := tx.ExecContext(ctx, "LOCK TABLE "+strings.Join(names, ", ")+" IN SHARE MODE"); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}
