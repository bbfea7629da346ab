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
	reads          query.DBTX  // runs the queries of the reader
	statements     *statements // of the writer; SQLite only
	postgres       bool
	options        Options
	problems       sync.Map // slug to id
	gate           gate
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
	ErrNewer          = errors.New("the database is newer than this program")
	ErrRolledBack     = errors.New("the database is older than what was written here before")
	ErrNotEmpty       = errors.New("the database is not empty")
	ErrOtherServers   = errors.New("other servers use the database")
	ErrMoved          = errors.New("the database is not the current one")
	ErrUnfinished     = fmt.Errorf("%w yet", ErrMoved)
	ErrEnded          = errors.New("it has ended")
	ErrFull           = errors.New("the database's disk is full")
	// ErrAway means that the database does not respond. After a write, it may be unknown whether the write was
	// stored.
	ErrAway = errors.New("the database does not respond")
)

// Practice is the contest that always exists. It contains all submissions that belong to no other contest.
const Practice = "practice"

// tx runs do in one transaction. It may call do several times, because PostgreSQL aborts one of two transactions
// that wait for each other.
func (s *Store) tx(ctx context.Context, what string, do func(q *query.Queries) error) error {
	for left := 3; ; left-- {
		err := s.once(ctx, do)
		if err == nil {
			return nil
		}
		if pg, ok := errors.AsType[*pgconn.PgError](err); left == 0 || !ok || pg.Code != "40P01" && pg.Code != "40001" {
			return failed(what, err)
		}
	}
}

func (s *Store) once(ctx context.Context, do func(q *query.Queries) error) error {
	s.gate.mu.RLock()
	defer s.gate.mu.RUnlock()
	if s.gate.closed != nil {
		return ErrStopped
	}
	if s.statements != nil {
		s.statements.catchUp(ctx)
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
	if err := do(q); err != nil {
		return err
	}
	return tx.Commit()
}

// failed wraps an error with the operation that failed, and converts database errors to errors of this package.
func failed(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = ErrNotFound
	case unique(err):
		err = ErrTaken
	case full(err):
		err = ErrFull
	case broken(err):
		err = fmt.Errorf("%w: %w", ErrAway, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// one converts the row of a query's result.
func one[R, T any](row R, err error, what string, read func(R) (*T, error)) (*T, error) {
	if err != nil {
		return nil, failed(what, err)
	}
	return read(row)
}

// each converts the rows of a query's result.
func each[R, T any](rows []R, err error, what string, of func(R) T) ([]T, error) {
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = of(r)
	}
	return all, failed(what, err)
}

// eachRead is like each, for a conversion that can fail.
func eachRead[R, T any](rows []R, err error, what string, read func(R) (*T, error)) ([]*T, error) {
	if err != nil {
		return nil, failed(what, err)
	}
	all := make([]*T, len(rows))
	for i, r := range rows {
		if all[i], err = read(r); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// none returns missing if err means that no row was found. Otherwise it returns err.
func none(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// unique reports whether err means that a row was rejected because its key already exists.
func unique(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "23505"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	const uniqueKey, primaryKey = 2067, 1555 // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
	return ok && (lite.Code() == uniqueKey || lite.Code() == primaryKey)
}

// full reports whether err means that a row was rejected because the disk is full.
func full(err error) bool {
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

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// micros returns null for the zero time.
func micros(t time.Time) sql.NullInt64 {
	if t.IsZero() {
		return sql.NullInt64{}
	}
	return some(t.UnixMicro())
}

func some(n int64) sql.NullInt64 { return sql.NullInt64{Int64: n, Valid: true} }

func text(s string) sql.NullString { return sql.NullString{String: s, Valid: true} }

// clean makes external text valid for both databases, and cuts it to 4 KiB.
func clean(s string) string {
	const most = 4 << 10
	s = cut(s, most)
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func cut(s string, most int) string { return s[:min(len(s), most)] }
