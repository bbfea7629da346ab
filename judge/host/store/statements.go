package store

import (
	"context"
	"database/sql"
	"sync"

	"assay/judge/host/store/internal/query"
)

// statementCache caches the prepared queries of an SQLite database by text. Preparing a query takes a third of the
// time of a short transaction. For PostgreSQL, pgx does the same. All texts are constants of package query, or
// combinations of the conditions in filter.go, so their number is limited. Statements are closed with the
// connections of db.
type statementCache struct {
	db       *sql.DB
	prepared sync.Map // maps texts to *sql.Stmt
	missed   sync.Map // texts that a transaction ran without a prepared statement
}

// queries returns queries that run in tx. If tx is nil, they run outside of transactions.
func (s *statementCache) queries(tx *sql.Tx) *query.Queries {
	if tx == nil {
		return query.New(preparedDB{s.db, nil, s})
	}
	return query.New(preparedDB{tx, tx, s})
}

// prepareMissed prepares the queries that transactions ran unprepared. Transactions cannot prepare queries themselves:
// db may have only one connection, which the transaction uses.
func (s *statementCache) prepareMissed(ctx context.Context) {
	s.missed.Range(func(text, _ any) bool {
		if _, removed := s.missed.LoadAndDelete(text); removed {
			s.prepare(ctx, text.(string))
		}
		return true
	})
}

// prepare prepares a query. It returns nil if that fails; running the query then returns the error.
func (s *statementCache) prepare(ctx context.Context, text string) *sql.Stmt {
	statement, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	existing, late := s.prepared.LoadOrStore(text, statement)
	if late {
		statement.Close()
	}
	return existing.(*sql.Stmt)
}

// preparedDB implements the interface through which package query runs its queries. It uses the cached statements.
type preparedDB struct {
	query.DBTX         // runs queries without a prepared statement
	tx         *sql.Tx // nil outside of transactions
	cache      *statementCache
}

func (p preparedDB) statement(ctx context.Context, text string) *sql.Stmt {
	cached, found := p.cache.prepared.Load(text)
	switch {
	case found && p.tx != nil:
		return p.tx.StmtContext(ctx, cached.(*sql.Stmt)) // closed with the transaction
	case found:
		return cached.(*sql.Stmt)
	case p.tx != nil:
		p.cache.missed.Store(text, nil)
		return nil
	}
	return p.cache.prepare(ctx, text)
}

func (p preparedDB) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if s := p.statement(ctx, text); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return p.DBTX.ExecContext(ctx, text, args...)
}

func (p preparedDB) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return p.DBTX.QueryContext(ctx, text, args...)
}

func (p preparedDB) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return p.DBTX.QueryRowContext(ctx, text, args...)
}
