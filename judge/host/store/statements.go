package store

import (
	"context"
	"database/sql"
	"sync"

	"assay/judge/host/store/internal/query"
)

// statements keeps the queries of an SQLite database prepared, by their text. Preparing a query takes a third of a
// short transaction. pgx does the same for PostgreSQL. All texts are constants of package query, or combinations of
// the conditions in filter.go, so their number is limited. A statement ends with the connections of db.
type statements struct {
	db     *sql.DB
	kept   sync.Map // text to *sql.Stmt
	missed sync.Map // texts that a transaction ran without a prepared statement
}

// queries runs queries in tx. If tx is nil, it runs them outside of transactions.
func (s *statements) queries(tx *sql.Tx) *query.Queries {
	if tx == nil {
		return query.New(prepared{s.db, nil, s})
	}
	return query.New(prepared{tx, tx, s})
}

// catchUp prepares what transactions missed. They cannot do so themselves: db may have only one connection, and the
// transaction uses it.
func (s *statements) catchUp(ctx context.Context) {
	s.missed.Range(func(text, _ any) bool {
		if _, mine := s.missed.LoadAndDelete(text); mine {
			s.prepare(ctx, text.(string))
		}
		return true
	})
}

// prepare returns nil if a text cannot be prepared. Running it then returns the error.
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

// prepared is the interface through which package query runs its queries.
type prepared struct {
	query.DBTX         // runs queries without a prepared statement
	tx         *sql.Tx // nil outside of transactions
	all        *statements
}

func (p prepared) statement(ctx context.Context, text string) *sql.Stmt {
	kept, there := p.all.kept.Load(text)
	switch {
	case there && p.tx != nil:
		return p.tx.StmtContext(ctx, kept.(*sql.Stmt)) // ends with the transaction
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
