package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/judge/host/store"
)

// counted is an SQLite connection that counts its open statements.
type counted struct {
	of   driver.Driver
	dsn  string
	made atomic.Int64 // all of them
	open atomic.Int64
}

type countedConn struct {
	driver.Conn
	c *counted
}

type countedStmt struct {
	driver.Stmt
	c *counted
}

func (c *counted) Driver() driver.Driver { return c.of }

func (c *counted) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.of.Open(c.dsn)
	return &countedConn{conn, c}, err
}

func (c *countedConn) Prepare(text string) (driver.Stmt, error) {
	s, err := c.Conn.Prepare(text)
	if err != nil {
		return nil, err
	}
	c.c.made.Add(1)
	c.c.open.Add(1)
	return &countedStmt{s, c.c}, nil
}

func (s *countedStmt) Close() error {
	s.c.open.Add(-1)
	return s.Stmt.Close()
}

// oneConnection returns a database with a single connection, like the store's writer.
func oneConnection(t *testing.T) (*sql.DB, *counted) {
	t.Helper()
	plain, err := sql.Open("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	c := &counted{of: plain.Driver(), dsn: "file:" + lite(t)}
	db := sql.OpenDB(c)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db, c
}

func TestStatementsAreMadeOnce(t *testing.T) {
	db, c := oneConnection(t)
	s := store.NewStatements(db)
	const in, out = "SELECT 1 + $1", "SELECT 2 + $1"
	ask := func(tx *sql.Tx, text string) {
		t.Helper()
		for i := range 3 { // as a single row and as rows
			var row, rows int
			if err := s.Of(tx).QueryRowContext(t.Context(), text, i).Scan(&row); err != nil {
				t.Fatal(err)
			}
			all, err := s.Of(tx).QueryContext(t.Context(), text, i)
			if err != nil {
				t.Fatal(err)
			}
			for all.Next() {
				err = all.Scan(&rows)
			}
			if err != nil || all.Close() != nil || rows != row || row < i+1 {
				t.Fatalf("%s of %d is %d, and %d: %v", text, i, row, rows, err)
			}
		}
	}
	within := func() {
		t.Helper()
		s.CatchUp(t.Context())
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		ask(tx, in)
		ask(tx, out)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	ask(nil, out)
	if made := c.made.Load(); made != 1 {
		t.Fatalf("outside of a transaction %d statements were made for one text", made)
	}
	within() // runs new queries unprepared
	if open := c.open.Load(); open != 1 {
		t.Fatalf("%d statements are open after a transaction that missed one; want 1", open)
	}
	within()
	made := c.made.Load()
	within()
	ask(nil, in)
	if c.made.Load() != made || c.open.Load() != 2 {
		t.Errorf("two texts that both have a statement made %d more, and %d are open; want 2", c.made.Load()-made, c.open.Load())
	}
	if err := db.Close(); err != nil || c.open.Load() != 0 {
		t.Errorf("the database is closed (%v), and %d statements are open", err, c.open.Load())
	}
}

func TestStatementsOfConcurrentCallers(t *testing.T) {
	db, c := oneConnection(t)
	s := store.NewStatements(db)
	texts := []string{"SELECT 1 + $1", "SELECT 2 + $1", "SELECT 3 + $1"}
	var all sync.WaitGroup
	for g := range 12 {
		all.Go(func() {
			var tx *sql.Tx
			for n := range 20 {
				if s.CatchUp(t.Context()); g%2 == 0 {
					var err error
					if tx, err = db.Begin(); err != nil {
						t.Error(err)
						return
					}
				}
				for i, text := range texts {
					var got int
					if err := s.Of(tx).QueryRowContext(t.Context(), text, n).Scan(&got); err != nil || got != n+i+1 {
						t.Errorf("%s of %d is %d: %v", text, n, got, err)
					}
				}
				if tx != nil {
					tx.Rollback()
				}
			}
		})
	}
	all.Wait()
	if open := c.open.Load(); open != int64(len(texts)) {
		t.Errorf("%d statements are open for %d texts", open, len(texts))
	}
}

// TestAStatementThatCannotBeMade checks that a query that cannot be prepared returns the error on each call, until
// it can be prepared.
func TestAStatementThatCannotBeMade(t *testing.T) {
	db, c := oneConnection(t)
	s := store.NewStatements(db)
	const text = "INSERT INTO late (n) VALUES ($1)"
	both := func() (outside, inside error) {
		t.Helper()
		s.CatchUp(t.Context())
		_, outside = s.Of(nil).ExecContext(t.Context(), text, 1)
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		_, inside = s.Of(tx).ExecContext(t.Context(), text, 1)
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		return outside, inside
	}
	for range 2 {
		outside, inside := both()
		for _, err := range []error{outside, inside} {
			if err == nil || !strings.Contains(err.Error(), "no such table: late") {
				t.Errorf("without the table: %v", err)
			}
		}
	}
	if err := s.Of(nil).QueryRowContext(t.Context(), "SELECT n FROM late").Scan(new(int)); err == nil ||
		!strings.Contains(err.Error(), "no such table") {
		t.Errorf("a row without the table: %v", err)
	}
	if open := c.open.Load(); open != 0 {
		t.Errorf("%d statements are open, and none could be made", open)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.Of(nil).ExecContext(ended, text, 1); err != context.Canceled {
		t.Errorf("of a caller that is gone: %v", err)
	}
	if _, err := db.Exec("CREATE TABLE late (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if outside, inside := both(); outside != nil || inside != nil {
			t.Errorf("with the table: %v, %v", outside, inside)
		}
	}
	var rows int
	if err := db.QueryRow("SELECT COUNT(*) FROM late").Scan(&rows); err != nil || rows != 4 || c.open.Load() != 1 {
		t.Errorf("%d rows (%v) and %d statements; want 4 and 1", rows, err, c.open.Load())
	}
}

// TestBothDatabasesReadEveryQuery prepares every query on both databases, because the store does not prepare them
// all when it opens a database.
func TestBothDatabasesReadEveryQuery(t *testing.T) {
	var texts []string
	for _, name := range files(t, "internal/query/*.sql.go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && strings.HasPrefix(text, "-- name: ") {
					texts = append(texts, text)
				}
			}
			return true
		})
	}
	if len(texts) < 150 {
		t.Fatalf("only %d queries were found", len(texts))
	}
	onBoth(t, func(t *testing.T, dsn string) {
		driver := "sqlite"
		if open(t, store.Options{DSN: dsn}).Postgres() {
			driver = "pgx"
		}
		db, err := sql.Open(driver, dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, text := range texts {
			s, err := db.Prepare(text)
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				continue
			}
			s.Close()
		}
	})
}
