package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"assay/judge/host/store"
)

// later returns the migrations of a program whose schema is newer than the current one.
func later(t *testing.T) fs.FS {
	t.Helper()
	all := migrationsBefore(t, "00099")
	all["00099_more.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE more (id TEXT NOT NULL PRIMARY KEY);\n")}
	return all
}

func TestANewerSchemaIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.submit()
		newer := open(t, store.WithSchema(store.Options{DSN: dsn, Version: "v2.0.0"}, later(t)))
		if _, err := newer.Problem(t.Context(), "nim"); err != nil {
			t.Errorf("after the migration: %v", err)
		}
		copies, err := filepath.Glob(dsn + ".schema-*")
		if want := map[bool]int{true: 0, false: 1}[h.Postgres()]; err != nil || len(copies) != want {
			t.Errorf("copies from before: %q, %v; want %d", copies, err, want)
		}
		for _, path := range copies { // a copy is for the previous version
			if _, err := open(t, store.Options{DSN: path}).Problem(t.Context(), "nim"); err != nil {
				t.Errorf("the copy from before: %v", err)
			}
		}
		_, err = store.Open(t.Context(), store.Options{DSN: dsn, Version: "v1.2.3"})
		if !errors.Is(err, store.ErrNewerSchema) || !strings.Contains(err.Error(), "written by v2.0.0; this is v1.2.3") {
			t.Errorf("got %v", err)
		}
	})
}

// TestASchemaInUse checks that Open migrates a schema that other servers use only if Migrate is set. An SQLite
// database has only one server.
func TestASchemaInUse(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		now := store.Server{ID: "a", Instance: "a 1", Version: "v1.2.3"}
		if err := h.Announce(t.Context(), now, ""); err != nil {
			t.Fatal(err)
		}
		o := store.WithSchema(store.Options{DSN: dsn, Version: "v2.0.0", Now: h.clock.Now, ID: "b"}, later(t))
		if !h.Postgres() {
			open(t, o)
			return
		}
		_, err := store.Open(t.Context(), o)
		if !errors.Is(err, store.ErrOtherServers) ||
			!strings.Contains(err.Error(), "v2.0.0 would bring it to schema 99 under the servers a (v1.2.3)") {
			t.Fatalf("got %v", err)
		}
		open(t, store.Options{DSN: dsn, Now: h.clock.Now, ID: "b"}) // its own schema version
		o.Migrate = true
		open(t, o)
		if _, err := store.Open(t.Context(), store.Options{DSN: dsn, Now: h.clock.Now, ID: "b"}); !errors.Is(err, store.ErrNewerSchema) {
			t.Errorf("the version before: %v", err)
		}
		if err := h.Announce(t.Context(), now, ""); err != nil {
			t.Errorf("a server that runs: %v", err)
		}
	})
}

// TestASchemaOutOfUse checks that Open migrates a schema if the other server has crashed or stopped, or if the
// only server that uses the schema is this one.
func TestASchemaOutOfUse(t *testing.T) {
	for what, id := range map[string]string{"gone": "b", "ended": "b", "itself": "a"} {
		dsn := pgCopy(t, "template1")
		h := newHarness(t, dsn)
		if err := h.Announce(t.Context(), store.Server{ID: "a", Instance: "a 1"}, ""); err != nil {
			t.Fatal(err)
		}
		switch what {
		case "gone":
			h.clock.add(store.OfflineAfter)
		case "ended":
			if err := h.Depart(t.Context(), "a", "a 1"); err != nil {
				t.Fatal(err)
			}
		}
		s, err := store.Open(t.Context(), store.WithSchema(store.Options{DSN: dsn, Now: h.clock.Now, ID: id}, later(t)))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestADatabaseThatWasRolledBackIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.submit()
		last, err := h.EventCount(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		open(t, store.Options{DSN: dsn, EventCount: last})
		if _, err := store.Open(t.Context(), store.Options{DSN: dsn, EventCount: last + 1}); !errors.Is(err, store.ErrRolledBack) {
			t.Errorf("got %v", err)
		}
		open(t, store.Options{DSN: dsn, EventCount: last + 1, AcceptLoss: true})
	})
}

// TestSeveralServersStartAtOnce checks that several servers can start at once on an empty database.
func TestSeveralServersStartAtOnce(t *testing.T) {
	dsn := pgCopy(t, "template1")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), store.Options{DSN: dsn})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestPathsOfDatabases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b.db", "50%25?x=1#y.db", "ü+&.db"} {
		open(t, store.Options{DSN: filepath.Join(dir, name)})
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	open(t, store.Options{Dir: dir})
	if _, err := os.Stat(filepath.Join(dir, "assay.db")); err != nil {
		t.Error(err)
	}
	for what, dsn := range map[string]string{"a folder": dir, "no folder": filepath.Join(dir, "none", "x.db"),
		"no server": "postgres://me:secret@127.0.0.1:1/x"} {
		_, err := store.Open(t.Context(), store.Options{DSN: dsn})
		if err == nil || strings.Contains(err.Error(), "secret") || store.IsUnavailable(err) != (what == "no server") {
			t.Errorf("%s: %v, may pass: %v", what, err, store.IsUnavailable(err))
		}
	}
	for _, dsn := range []string{"postgres://u:a@secret@h/x?sslmode=bogus", "host=h user=u password=secret", "postgres://u:secret@h:port/x",
		"postgres://u:se%secret@h/x"} {
		if _, err := store.Open(t.Context(), store.Options{DSN: dsn, Dir: dir}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", dsn, err)
		}
	}
	for code, away := range map[string]bool{"57P03": true, "53300": true, "28P01": false,
		"3D000": false} { // it starts, is full; a wrong password, no such database
		if err := fmt.Errorf("open: %w", &pgconn.PgError{Code: code}); store.IsUnavailable(err) != away {
			t.Errorf("%s may pass: %v", code, !away)
		}
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("hello ", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), store.Options{DSN: text}); err == nil {
		t.Error("a text was opened")
	}
}

// TestTheTablesOfABackupAreAllTables checks that a backup covers all tables, in an order in which a restore can
// fill them. The round-trip tests check that the rows can be restored.
func TestTheTablesOfABackupAreAllTables(t *testing.T) {
	dsn := lite(t)
	open(t, store.Options{DSN: dsn})
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	there, known := map[string]bool{}, map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		there[name] = true
	}
	for _, name := range store.Tables() {
		known[name] = true
	}
	if !maps.Equal(there, known) || rows.Err() != nil {
		t.Error(cmp.Diff(there, known))
	}
}

func TestSettings(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.Setting(t.Context(), "k"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		for _, value := range []string{"1", "2"} {
			if err := h.SetSetting(t.Context(), "k", value); err != nil {
				t.Error(err)
			}
			if got, err := h.Setting(t.Context(), "k"); err != nil || got != value {
				t.Errorf("got %q, %v", got, err)
			}
		}
	})
}

func TestAuditIsReadBackwards(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for _, action := range []string{"one", "two", "three"} {
			if err := h.Audit(t.Context(), store.AuditEntry{Actor: "alice", Action: action, Object: "o", Detail: "d", Address: "::1"}); err != nil {
				t.Fatal(err)
			}
			h.clock.add(time.Second)
		}
		page, err := h.LatestAuditEntries(t.Context(), "", 2)
		if err != nil || len(page) != 2 || page[0].Action != "three" || page[1].Action != "two" {
			t.Fatalf("got %+v, %v", page, err)
		}
		page, err = h.LatestAuditEntries(t.Context(), page[1].ID, 2)
		if err != nil || len(page) != 1 {
			t.Fatalf("got %+v, %v", page, err)
		}
		page[0].ID = ""
		if want := (store.AuditEntry{At: h.clock.Now().Add(-3 * time.Second), Actor: "alice", Action: "one", Object: "o", Detail: "d",
			Address: "::1"}); page[0] != want {
			t.Errorf("got %+v, want %+v", page[0], want)
		}
	})
}
