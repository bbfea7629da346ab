package store

import (
	"context"
	"database/sql"
	"io/fs"

	"assay/judge/host/store/internal/query"
)

// WithSchema makes Open use other migrations.
func WithSchema(o Options, schema fs.FS) Options {
	o.schema = schema
	return o
}

// Embedded are the migrations of this program.
func Embedded() (fs.FS, error) { return fs.Sub(embedded, "migrations") }

// Tables are the tables of a backup.
func Tables() (names []string) {
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// Postgres says which database it is.
func (s *Store) Postgres() bool { return s.postgres }

// Told is how what a database says becomes this package's errors.
var Told = failed

// Unsettled counts the submissions whose verdict is found under another one than counts.
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

// NewStatements has none yet.
func NewStatements(db *sql.DB) *statements { return &statements{db: db} }

// Of are the queries outside of transactions, or in one.
func (s *statements) Of(tx *sql.Tx) query.DBTX {
	if tx == nil {
		return prepared{s.db, nil, s}
	}
	return prepared{tx, tx, s}
}

// CatchUp is what each transaction begins with.
func (s *statements) CatchUp(ctx context.Context) { s.catchUp(ctx) }

// SetDisplay changes what people read of an account.
func (s *Store) SetDisplay(ctx context.Context, id, display, email string) error {
	n, err := s.write.SetAccount(ctx, query.SetAccountParams{ID: id, Display: clean(display), Email: clean(email)})
	return failed("change an account", changed(n, err))
}
