package store

import (
	"context"
	"database/sql"
	"io/fs"

	"assay/judge/host/store/internal/query"
)

// WithSchema returns options that make Open use other migrations.
func WithSchema(o Options, schema fs.FS) Options {
	o.schema = schema
	return o
}

// Embedded returns the migrations of this program.
func Embedded() (fs.FS, error) { return fs.Sub(embedded, "migrations") }

// Tables returns the names of the tables in a backup.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// Postgres reports whether the database is PostgreSQL.
func (s *Store) Postgres() bool { return s.postgres }

// Told converts a database error to an error of this package.
var Told = wrapError

// Unsettled returns the number of submissions whose entry in the table standing has another contest, number or
// verdict than the submission.
func (s *Store) Unsettled(ctx context.Context) (n int, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM standing
		JOIN judgement ON judgement.id = standing.judgement
		JOIN submission ON submission.id = standing.submission
		WHERE standing.contest <> submission.contest OR standing.number <> submission.number OR standing.verdict <> CASE
			WHEN standing.given <> '' THEN standing.given
			WHEN judgement.ended IS NULL THEN 'open'
			ELSE COALESCE(judgement.verdict, '') END`).Scan(&n)
	return n, err
}

// NewStatements returns an empty cache of prepared statements.
func NewStatements(db *sql.DB) *statementCache { return &statementCache{db: db} }

// Of returns the queries for a transaction, or for use outside of transactions if tx is nil.
func (s *statementCache) Of(tx *sql.Tx) query.DBTX {
	if tx == nil {
		return preparedDB{s.db, nil, s}
	}
	return preparedDB{tx, tx, s}
}

// CatchUp does what each transaction does first.
func (s *statementCache) CatchUp(ctx context.Context) { s.prepareMissed(ctx) }

// SetDisplay changes the display name and e-mail address of an account.
func (s *Store) SetDisplay(ctx context.Context, id, display, email string) error {
	n, err := s.write.SetAccount(ctx, query.SetAccountParams{ID: id, Display: sanitize(display), Email: sanitize(email)})
	return wrapError("change an account", errIfUnchanged(n, err))
}
