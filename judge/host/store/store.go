// Package store is the only package that accesses the database of the hosting server. The database is
// authoritative for accounts, problems, submissions and jobs. The queue only carries leases and may be lost.
//
//   - SQLite and PostgreSQL share one schema and one set of queries. sqlc generates package internal/query from
//     them. goose migrates old databases to the current schema.
//   - Each method that writes runs in one transaction. If it returns an error, nothing was written. The exception is
//     an error of the connection or the context during the commit: then the transaction may have been committed. The
//     methods that are safe to call again say so.
//   - The API uses time.Time; the database stores microseconds in UTC. The zero time means no time. Ids are UUIDv7,
//     and sort by creation time.
//   - Several servers may use one PostgreSQL database at once. An SQLite database belongs to one server. All methods
//     are safe for concurrent use.
//
// The package does not know the queue, the workers or the web pages. It does not store the bytes of blobs, and
// sees only hashes of tokens and codes. Its callers check permissions.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"assay/judge/host/store/internal/query"
)

// A Store is an open database.
type Store struct {
	writer, reader *sql.DB // SQLite: one connection for writing, several for reading
	write, read    *query.Queries
	reads          query.DBTX      // runs the queries of the reader
	statements     *statementCache // of the writer; SQLite only
	postgres       bool
	options        Options
	problems       sync.Map // slug to id
	gate           writeGate
	moving         sync.Mutex // held by Move
}

// Errors that callers distinguish with errors.Is.
var (
	ErrNotFound       = errors.New("there is no such thing here")
	ErrTaken          = errors.New("the name is taken")
	ErrTooManyWaiting = errors.New("too many submissions are waiting")
	ErrNotLeader      = errors.New("another server has the lead")
	ErrRevoked        = errors.New("it was revoked")
	ErrExpired        = errors.New("it has expired")
	ErrUsed           = errors.New("it was used already")
	ErrNewerSchema    = errors.New("the database is newer than this program")
	ErrRolledBack     = errors.New("the database is older than what was written here before")
	ErrNotEmpty       = errors.New("the database is not empty")
	ErrOtherServers   = errors.New("other servers use the database")
	ErrMoved          = errors.New("the database is not the current one")
	ErrMoveUnfinished = fmt.Errorf("%w yet", ErrMoved)
	ErrEnded          = errors.New("it has ended")
	ErrDiskFull       = errors.New("the database's disk is full")
	// ErrUnavailable means that the database does not respond. After a write, it may be unknown whether the write was
	// stored.
	ErrUnavailable = errors.New("the database does not respond")
)

// Practice is the contest that always exists. It contains all submissions that belong to no other contest.
const Practice = "practice"

// tx runs do in one transaction. It may call do several times, because PostgreSQL aborts one of two transactions
// that wait for each other.
func (s *Store) tx(ctx context.Context, operation string, do func(q *query.Queries) error) error {
	for retries := 3; ; retries-- {
		err := s.txOnce(ctx, do)
		if err == nil {
			return nil
		}
		if pg, ok := errors.AsType[*pgconn.PgError](err); retries == 0 || !ok || pg.Code != "40P01" && pg.Code != "40001" {
			return wrapError(operation, err)
		}
	}
}

func (s *Store) txOnce(ctx context.Context, run func(q *query.Queries) error) error {
	s.gate.mu.RLock()
	defer s.gate.mu.RUnlock()
	if s.gate.closed != nil {
		return ErrStopped
	}
	if s.statements != nil {
		s.statements.prepareMissed(ctx)
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no effect after a commit
	q := s.write.WithTx(tx)
	if s.statements != nil {
		q = s.statements.queries(tx)
	}
	if err := run(q); err != nil {
		return err
	}
	return tx.Commit()
}

// wrapError wraps an error with the operation that failed, and converts database errors to errors of this package.
func wrapError(operation string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = ErrNotFound
	case isDuplicateKey(err):
		err = ErrTaken
	case isDiskFull(err):
		err = ErrDiskFull
	case isConnectionError(err):
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}

// convertRow converts the row of a query's result.
func convertRow[R, T any](row R, err error, operation string, convert func(R) (*T, error)) (*T, error) {
	if err != nil {
		return nil, wrapError(operation, err)
	}
	return convert(row)
}

// convertRows converts the rows of a query's result.
func convertRows[R, T any](rows []R, err error, operation string, convert func(R) T) ([]T, error) {
	results := make([]T, len(rows))
	for i, r := range rows {
		results[i] = convert(r)
	}
	return results, wrapError(operation, err)
}

// parseRows is like each, for a conversion that can fail.
func parseRows[R, T any](rows []R, err error, operation string, parse func(R) (*T, error)) ([]*T, error) {
	if err != nil {
		return nil, wrapError(operation, err)
	}
	results := make([]*T, len(rows))
	for i, r := range rows {
		if results[i], err = parse(r); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// ifNoRows returns missing if err means that no row was found. Otherwise it returns err.
func ifNoRows(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// isDuplicateKey reports whether err means that a row was rejected because its key already exists.
func isDuplicateKey(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	const uniqueKey, primaryKey = 2067, 1555 // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
	return ok && (lite.Code() == uniqueKey || lite.Code() == primaryKey)
}

// isDiskFull reports whether err means that a row was rejected because the disk is full.
func isDiskFull(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "53100"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	const noRoom = 13 // SQLITE_FULL
	return ok && lite.Code() == noRoom
}

// IsID reports whether text has the form of an id.
func IsID(text string) bool { return uuid.Validate(text) == nil }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Store) now() int64 { return s.options.Now().UnixMicro() }

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// nullMicros returns null for the zero time.
func nullMicros(t time.Time) sql.NullInt64 {
	if t.IsZero() {
		return sql.NullInt64{}
	}
	return nullInt(t.UnixMicro())
}

func nullInt(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: true} }

func nullText(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }

// sanitize makes external text valid for both databases, and cuts it to 4 KiB.
func sanitize(s string) string {
	const most = 4 << 10
	s = truncate(s, most)
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func truncate(s string, limit int) string { return s[:min(len(s), limit)] }
