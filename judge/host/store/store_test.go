package store_test

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

var update = flag.Bool("update", false, "note of what internal/query was made")

// postgres is the server of all tests. If it cannot start, startErr says why. The first test that needs it starts
// it, and TestMain stops it.
var (
	postgres *storetest.Postgres
	startErr error
	start    = sync.OnceFunc(func() { postgres, startErr = storetest.StartPostgres() })

	databases atomic.Int64
	empty     sync.Once // creates the database that the others are copied from
	emptyName string
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(childDSN); dsn != "" {
		fmt.Fprintln(os.Stderr, write(dsn))
		os.Exit(1)
	}
	flag.Parse()
	code := m.Run()
	if postgres != nil {
		if err := postgres.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// onBoth runs a test on an empty database of each kind with the current schema.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, lite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, pg(t)) })
}

// onNew is like onBoth, but the databases have no schema yet.
func onNew(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "assay.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgCopy(t, "template1")) })
}

func lite(tb testing.TB) string { return filepath.Join(storetest.Dir(tb), "assay.db") }

// pg creates a database with the current schema on the server.
func pg(tb testing.TB) string {
	tb.Helper()
	empty.Do(func() {
		emptyName = create(tb, "template1")
		s, err := store.Open(tb.Context(), store.Options{DSN: postgres.DSN(emptyName), Version: "v1.2.3"})
		if err != nil {
			tb.Fatal(err)
		}
		if err := s.Close(); err != nil { // a template must not be in use
			tb.Fatal(err)
		}
	})
	return pgCopy(tb, emptyName)
}

func pgCopy(tb testing.TB, like string) string {
	name := create(tb, like)
	return postgres.DSN(name)
}

// create creates a database on the server, and returns its name. The new database is a copy of the database named
// like, which must not be in use.
func create(tb testing.TB, like string) string {
	tb.Helper()
	start()
	if errors.Is(startErr, storetest.ErrNotInstalled) {
		tb.Skip(startErr)
	}
	if startErr != nil {
		tb.Fatal(startErr)
	}
	db, err := sql.Open("pgx", postgres.DSN("postgres"))
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("test%d", databases.Add(1))
	if _, err := db.Exec("CREATE DATABASE " + name + " TEMPLATE " + like); err != nil {
		tb.Fatal(err)
	}
	return name
}

// clock is a clock that tests set.
type clock struct{ now atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.now.Store(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) Now() time.Time      { return time.UnixMicro(c.now.Load()).UTC() }
func (c *clock) add(d time.Duration) { c.now.Add(d.Microseconds()) }
func digest(text string) blob.Digest { return blob.DigestOf([]byte(text)) }

// open opens a store that is closed when the test ends.
func open(tb testing.TB, o store.Options) *store.Store {
	tb.Helper()
	o.Version = cmp.Or(o.Version, "v1.2.3")
	s, err := store.Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// harness is a store with an account and a problem.
type harness struct {
	*store.Store
	tb    testing.TB
	clock *clock
	alice *store.Account
}

func newHarness(tb testing.TB, dsn string) *harness {
	tb.Helper()
	h := &harness{tb: tb, clock: newClock()}
	h.Store = open(tb, store.Options{DSN: dsn, Now: h.clock.Now})
	settled := h.Store
	tb.Cleanup(func() { // the stored filter columns must match the current verdicts
		if n, err := settled.Unsettled(context.Background()); err != nil || n != 0 {
			tb.Errorf("%d verdicts that count are not those that are found: %v", n, err)
		}
	})
	h.alice = h.account("alice")
	if _, err := h.PutBundle(tb.Context(), bundle(h.alice.ID, "nim", "1")); err != nil {
		tb.Fatal(err)
	}
	return h
}

func (h *harness) account(login string) *store.Account {
	h.tb.Helper()
	a, err := h.NewAccount(h.tb.Context(), login, strings.ToUpper(login), store.PersonAccount, "")
	if err != nil {
		h.tb.Fatal(err)
	}
	return a
}

func bundle(owner, slug, version string) store.NewBundle {
	return store.NewBundle{
		Problem: slug, Title: "The " + slug, Owner: owner, ID: digest(slug + version), Manifest: digest(slug + version),
		Config: digest("config"), MadeBy: owner,
	}
}

func work() job.Work {
	return job.Work{
		Kind: job.Submission, Bundle: digest("nim1"), Config: digest("config"), Problem: "nim", Program: "a.py",
		Files: []job.File{{Path: "a.py", Size: 7, Digest: digest("print()")}},
	}
}

func (h *harness) submission(key string) store.NewSubmission {
	return store.NewSubmission{Key: key, Account: h.alice.ID, Problem: "nim", Work: work(), Priority: job.PracticePriority, Class: "main",
		Cost: time.Second}
}

// submit stores a submission.
func (h *harness) submit() *store.StoredSubmission {
	h.tb.Helper()
	a, err := h.Submit(h.tb.Context(), h.submission(""))
	if err != nil {
		h.tb.Fatal(err)
	}
	return a
}

// TestNoRoom checks that SQLite's error for a full disk is recognized.
func TestNoRoom(t *testing.T) {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "full.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA max_page_count = 2; CREATE TABLE t (a)"); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("INSERT INTO t VALUES (zeroblob(1000000))")
	if got := store.Told("keep it", err); !errors.Is(got, store.ErrDiskFull) || got.Error() != "keep it: the database's disk is full" {
		t.Errorf("%v is told as %v", err, got)
	}
}

// TestNoDatabase checks that an error is converted to ErrUnavailable if the database is unreachable, stopping or
// starting. An error that is caused by a canceled request, among others, must not be converted.
func TestNoDatabase(t *testing.T) {
	for _, err := range []error{
		&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, &net.OpError{Op: "write", Err: syscall.EPIPE}, &pgconn.PgError{Code: "57P01"},
		&pgconn.PgError{Code: "57P03"}, io.ErrUnexpectedEOF, io.EOF, driver.ErrBadConn, pgconn.ErrConnClosed,
	} {
		got := store.Told("keep it", fmt.Errorf("write: %w", err))
		if !errors.Is(got, store.ErrUnavailable) || !errors.Is(got, err) || !store.IsUnavailable(got) ||
			!strings.HasPrefix(got.Error(), "keep it: the database does not respond: write: ") {
			t.Errorf("%v is told as %v", err, got)
		}
		if again := store.Told("do it", got); strings.Count(again.Error(), "does not respond") != 1 {
			t.Errorf("told twice: %v", again)
		}
	}
	for _, err := range []error{
		&pgconn.PgError{Code: "22P02"}, errors.New("x"), sql.ErrNoRows, &net.OpError{Op: "read", Err: context.Canceled},
	} {
		if got := store.Told("keep it", err); errors.Is(got, store.ErrUnavailable) {
			t.Errorf("%v is told as %v", err, got)
		}
	}
}
