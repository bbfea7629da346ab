package store

import (
	"context"
	"database/sql"
	"sync"

	"assay/judge/host/store/internal/query"
)

// statements caches the prepared queries of an SQLite database by text. Preparing a query takes a third of the
// time of a short transaction. For PostgreSQL, pgx does the same. All texts are constants of package query, or
// combinations of the conditions in filter.go, so their number is limited. Statements are closed with the
// connections of db.
type statements struct {
	db     *sql.DB
	kept   sync.Map // maps texts to *sql.Stmt
	missed sync.Map // texts that a transaction ran without a prepared statement
}

// queries returns queries that run in tx. If tx is nil, they run outside of transactions.
func (s *statements) queries(tx *sql.Tx) *query.Queries {
	if tx == nil {
		return query.New(prepared{s.db, nil, s})
	}
	return query.New(prepared{tx, tx, s})
}

// catchUp prepares the queries that transactions ran unprepared. Transactions cannot prepare queries themselves:
// db may have only one connection, which the transaction uses.
func (s *statements) catchUp(ctx context.Context) {
	s.missed.Range(func(text, _ any) bool {
		if _, mine := s.missed.LoadAndDelete(text); mine {
			s.prepare(ctx, text.(string))
		}
		return true
	})
}

// prepare prepares a query. It returns nil if that fails; running the query then returns the error.
func (s *statements) prepare(ctx context.Context, text string) *sql.Stmt {
	made, err := s.db.PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	first, late := s.kept.LoadOrStore(text, made)
	if late {
		made.Close()
	}
	return first.(*sql.Stmt)
}

// prepared implements the interface through which package query runs its queries. It uses the cached statements.
type prepared struct {
	query.DBTX         // runs queries without a prepared statement
	tx         *sql.Tx // nil outside of transactions
	all        *statements
}

func (p prepared) statement(ctx context.Context, text string) *sql.Stmt {
	kept, there := p.all.kept.Load(text)
	switch {
	case there && p.tx != nil:
		return p.tx.StmtContext(ctx, kept.(*sql.Stmt)) // closed with the transaction
	case there:
		return kept.(*sql.Stmt)
	case p.tx != nil:
		p.all.missed.Store(text, nil)
		return nil
	}
	return p.all.prepare(ctx, text)
}

func (p prepared) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	if s := p.statement(ctx, text); s != nil {
		return s.ExecContext(ctx, args...)
	}
	return p.DBTX.ExecContext(ctx, text, args...)
}

func (p prepared) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return p.DBTX.QueryContext(ctx, text, args...)
}

func (p prepared) QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row {
	if s := p.statement(ctx, text); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return p.DBTX.QueryRowContext(ctx, text, args...)
}
