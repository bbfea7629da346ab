package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/host/store"
)

// sameRows compares all tables of two databases, except for the settings, because a move adds some.
func sameRows(t *testing.T, a, b *store.Store) {
	t.Helper()
	var made [2]map[string]store.File
	for i, s := range []*store.Store{a, b} {
		m, err := s.Backup(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		delete(m.Tables, "setting")
		made[i] = m.Tables
	}
	if d := cmp.Diff(made[0], made[1]); d != "" {
		t.Error(d)
	}
}

// raw opens a database without the store.
func raw(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(dsn, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func execAll(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// TestMove checks moves between all pairs of databases while rows are added, changed and deleted.
func TestMove(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		onNew(t, func(t *testing.T, to string) {
			dsn := dsn
			if strings.HasPrefix(dsn, "postgres") {
				dsn = pg(t)
			} else {
				dsn = lite(t)
			}
			h := newHarness(t, dsn)
			fill(t, h)
			db, steps := raw(t, dsn), []string{}
			execAll(t, db, "INSERT INTO setting (key, value) VALUES ('early', '')")
			copies, blobs := 0, 0
			moved, err := h.Move(t.Context(), store.MoveOptions{
				To: store.Options{DSN: to, Now: h.clock.Now},
				Blobs: func(ctx context.Context) error {
					if blobs++; blobs != 1 {
						return nil
					}
					h.submit()
					execAll(t, db,
						"DELETE FROM session",                                               // its key is text
						"DELETE FROM clarification_read", "DELETE FROM climb WHERE seq = 1", // keys of several columns, including numbers
						"UPDATE account SET display = 'a\nü\u2028' WHERE login = 'zoë'", "UPDATE contest SET thaw = 9223372036854775807",
						"UPDATE team SET hidden = TRUE", "UPDATE token SET expires = NULL", "INSERT INTO setting (key, value) VALUES ('late', '')",
						"DELETE FROM setting WHERE key = 'early'") // a table with a new row and a deleted one
					return nil
				},
				Finish: func(ctx context.Context, s *store.Store) error {
					copies++
					if _, err := h.Submit(ctx, h.submission("")); !errors.Is(err, store.ErrStopped) {
						t.Errorf("a submission while writes are stopped: %v", err)
					}
					if err := h.SetSetting(ctx, "x", "y"); !errors.Is(err, store.ErrStopped) {
						t.Errorf("a setting while writes are stopped: %v", err)
					}
					if _, err := h.LoadOrStoreSetting(ctx, "x", "y"); !errors.Is(err, store.ErrStopped) {
						t.Errorf("a setting while writes are stopped: %v", err)
					}
					return s.SetSetting(ctx, "finished", "yes")
				},
				OnStep: func(step string) { steps = append(steps, step) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{"marked", "copied", "stopped", "rest", "verified", "handed over", "moved"}, steps); d != "" ||
				copies != 1 || blobs != 2 {
				t.Errorf("%s, finished %d times, copied blobs %d times", d, copies, blobs)
			}
			if moved.Tables != len(store.Tables()) || moved.Rows < 100 || moved.Stopped <= 0 {
				t.Errorf("%+v", moved)
			}
			if _, err := h.Submit(t.Context(), h.submission("")); !errors.Is(err, store.ErrStopped) {
				t.Errorf("a submission after the move: %v", err)
			}
			if _, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to}}); err == nil ||
				!strings.Contains(err.Error(), "moved already") {
				t.Errorf("moved twice: %v", err)
			}
			s := open(t, store.Options{DSN: to, Now: h.clock.Now})
			sameRows(t, h.Store, s)
			for key, want := range map[string]string{"late": "", "finished": "yes", "Zz": "1"} {
				if got, err := s.Setting(t.Context(), key); err != nil || got != want {
					t.Errorf("setting %s: %q, %v", key, got, err)
				}
			}
			if _, err := s.Submit(t.Context(), h.submission("")); err != nil {
				t.Errorf("the next submission: %v", err)
			}
			for _, key := range []string{"moved_to", "moving"} {
				if got, err := s.Setting(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("the new database has the setting %s: %q, %v", key, got, err)
				}
			}
			if err := h.CheckNotMoved(t.Context()); !errors.Is(err, store.ErrMoved) {
				t.Errorf("the old database: %v", err)
			}
			if _, err := store.Open(t.Context(), store.Options{DSN: dsn}); !errors.Is(err, store.ErrMoved) ||
				!strings.Contains(err.Error(), " at 2026-") {
				t.Errorf("the old database opens again: %v", err)
			}
			open(t, store.Options{DSN: dsn, AcceptStale: true})
			open(t, store.Options{DSN: dsn}) // from then on it is an ordinary database
		})
	})
}

// TestMovePasses checks how often a move copies the changes before it stops writes: until few rows have changed since
// the last pass, but at most 5 times.
func TestMovePasses(t *testing.T) {
	for _, row := range []struct{ rows, changed, want int }{{4000, 4000, 1}, {5000, 0, 2}, {5000, 4000, 2}, {5000, 5000, 5}} {
		dsn := lite(t)
		h := newHarness(t, dsn)
		db, passes, stopped, to := raw(t, dsn), 0, false, store.Options{DSN: filepath.Join(t.TempDir(), "assay.db")}
		execAll(t, db, fmt.Sprintf("INSERT INTO setting (key, value) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "+
			"%d) "+
			"SELECT 'k' || i, '' FROM n", row.rows))
		_, err := h.Move(t.Context(), store.MoveOptions{
			To: to,
			Blobs: func(context.Context) error {
				if !stopped {
					passes++
					execAll(t, db, fmt.Sprintf("UPDATE setting SET value = value || 'x' WHERE key IN (SELECT key FROM setting WHERE key LIKE 'k%%' "+
						"LIMIT %d)",
						row.changed))
				}
				return nil
			},
			OnStep: func(step string) { stopped = stopped || step == "stopped" },
		})
		if err != nil || passes != row.want {
			t.Errorf("%+v: %d passes, %v", row, passes, err)
		}
		sameRows(t, h.Store, open(t, to))
	}
}

// TestTheMarkOfAMoveIsNotStored checks that writes are accepted again if the old database cannot be marked as moved, and
// that the move can be repeated.
func TestTheMarkOfAMoveIsNotStored(t *testing.T) {
	dsn := pg(t)
	h := newHarness(t, dsn)
	db := raw(t, dsn)
	execAll(t, db, "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'",
		"CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON setting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "+
			"WHEN (NEW.key = 'moved_to') EXECUTE FUNCTION broken()") // at the commit
	to := store.Options{DSN: lite(t), Now: h.clock.Now}
	if _, err := h.Move(t.Context(), store.MoveOptions{To: to}); err == nil || !strings.Contains(err.Error(), "its transaction failed") {
		t.Errorf("the commit fails: %v", err)
	}
	h.submit()
	if _, err := store.Open(t.Context(), to); !errors.Is(err, store.ErrMoveUnfinished) {
		t.Errorf("the new database opens: %v", err)
	}
	execAll(t, db, "DROP TRIGGER broken ON setting")
	if _, err := h.Move(t.Context(), store.MoveOptions{To: to}); err != nil {
		t.Fatal(err)
	}
	sameRows(t, h.Store, open(t, to))
}

// TestNoSequences checks that PostgreSQL uses no sequences, because a move copies only rows.
func TestNoSequences(t *testing.T) {
	var n int
	if err := raw(t, pg(t)).QueryRow("SELECT COUNT(*) FROM pg_sequences WHERE sequencename NOT LIKE 'goose%'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d sequences, which a move does not copy; %v", n, err)
	}
}

// TestAMoveIsInterrupted checks that a move can be interrupted at each step. Until the old database is marked as
// moved, it must remain usable, no server may start with the new database, and the move can be repeated. An
// interruption after that mark has no effect.
func TestAMoveIsInterrupted(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		fill(t, h)
		var to string
		if strings.HasPrefix(dsn, "postgres") {
			to = filepath.Join(t.TempDir(), "assay.db")
		} else {
			to = pgCopy(t, "template1")
		}
		for _, step := range []string{"marked", "copied", "stopped", "rest", "verified"} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := h.Move(ctx, store.MoveOptions{To: store.Options{DSN: to, Now: h.clock.Now}, OnStep: func(s string) {
				if s == step {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("canceled when %s: %v", step, err)
			}
			if err := h.CheckNotMoved(t.Context()); err != nil {
				t.Errorf("canceled when %s: %v", step, err)
			}
			h.submit()
			if _, err := store.Open(t.Context(), store.Options{DSN: to, AcceptStale: true}); !errors.Is(err, store.ErrMoved) {
				t.Errorf("canceled when %s, and the new database opens: %v", step, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, err := h.Move(ctx, store.MoveOptions{To: store.Options{DSN: to, Now: h.clock.Now}, OnStep: func(s string) {
			if s == "handed over" {
				cancel()
			}
		}}); err != nil {
			t.Fatal(err)
		}
		sameRows(t, h.Store, open(t, store.Options{DSN: to, Now: h.clock.Now}))
	})
}

// TestNoTwoDatabasesAreInUse checks that no server starts with either database between the last two steps of a
// move. If the last step fails, AcceptStale opens the old database again, and the move can be repeated.
func TestNoTwoDatabasesAreInUse(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		fill(t, h)
		to := lite(t)
		neither := func() {
			t.Helper()
			if _, err := store.Open(t.Context(), store.Options{DSN: dsn}); !errors.Is(err, store.ErrMoved) ||
				errors.Is(err, store.ErrMoveUnfinished) {
				t.Errorf("the old database opens: %v", err)
			}
			for _, accept := range []bool{false, true} {
				if _, err := store.Open(t.Context(), store.Options{DSN: to, AcceptStale: accept}); !errors.Is(err, store.ErrMoveUnfinished) ||
					!errors.Is(err, store.ErrMoved) {
					t.Errorf("the new database opens: %v", err)
				}
			}
		}
		_, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to, Now: h.clock.Now}, OnStep: func(s string) {
			if s == "handed over" {
				neither()
				execAll(t, raw(t, to), "CREATE TRIGGER broken BEFORE UPDATE ON setting BEGIN SELECT RAISE(FAIL, 'broken'); END")
			}
		}})
		if !errors.Is(err, store.ErrMoved) || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "--accept-stale") {
			t.Errorf("the last step fails: %v", err)
		}
		if _, err := h.Submit(t.Context(), h.submission("")); !errors.Is(err, store.ErrStopped) {
			t.Errorf("a submission after that: %v", err)
		}
		neither()
		execAll(t, raw(t, to), "DROP TRIGGER broken")
		again := open(t, store.Options{DSN: dsn, Now: h.clock.Now, AcceptStale: true})
		if _, err := again.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to, Now: h.clock.Now}}); err != nil {
			t.Fatal(err)
		}
		sameRows(t, again, open(t, store.Options{DSN: to, Now: h.clock.Now}))
	})
}

// TestAMarkThatStays checks that a database does not open if the mark of a move cannot be removed.
func TestAMarkThatStays(t *testing.T) {
	dsn := lite(t)
	execAll(t, raw(t, dsn), "INSERT INTO setting (key, value) VALUES ('moved_to', 'x')",
		"CREATE TRIGGER broken BEFORE DELETE ON setting BEGIN SELECT RAISE(FAIL, 'broken'); END")
	if _, err := store.Open(t.Context(), store.Options{DSN: dsn, AcceptStale: true}); err == nil ||
		!strings.Contains(err.Error(), "note that the database is in use") {
		t.Errorf("the mark stays: %v", err)
	}
}

// TestAMoveThatIsRefused checks that a refused move changes neither database.
func TestAMoveThatIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		refused := func(what string, o store.MoveOptions, want string) {
			t.Helper()
			for _, dry := range []bool{true, false} {
				o.DryRun = dry
				if _, err := h.Move(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, dry run %v: got %v, want an error with %q", what, dry, err, want)
				}
			}
			h.submit()
		}
		refused("the same database", store.MoveOptions{To: store.Options{DSN: dsn}, Replace: true}, "is the database of this server")
		used := lite(t)
		other := newHarness(t, used)
		refused("another server's", store.MoveOptions{To: store.Options{DSN: used}, Replace: true}, "not empty")
		if _, err := other.Account(t.Context(), other.alice.ID); err != nil {
			t.Errorf("what the move was refused: %v", err)
		}
		if postgres != nil {
			refused("nothing there", store.MoveOptions{To: store.Options{DSN: postgres.DSN("nothing")}}, `"nothing" does not exist`)
		}
		refused("a directory with the data of another server", store.MoveOptions{To: store.Options{Dir: filepath.Dir(used)}}, "not empty")
		none := filepath.Join(t.TempDir(), "no", "assay.db")
		if _, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: none}}); err == nil ||
			!strings.Contains(err.Error(), "open the database") {
			t.Errorf("no directory: %v", err)
		}
		const upgrade = "UPDATE goose_db_version SET version_id = 99 " +
			"WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)"
		execAll(t, raw(t, used), upgrade)
		refused("a newer schema", store.MoveOptions{To: store.Options{DSN: used}}, "has schema 99")
		execAll(t, raw(t, used), "DELETE FROM goose_db_version WHERE version_id = 99")
		refused("an older schema", store.MoveOptions{To: store.Options{DSN: used}}, "and this version needs schema")
		half := lite(t)
		execAll(t, raw(t, half), "INSERT INTO setting (key, value) VALUES ('moving', 'unfinished')")
		execAll(t, raw(t, half), "DELETE FROM goose_db_version WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)")
		refused("an unfinished move of another version", store.MoveOptions{To: store.Options{DSN: half}}, "and this version needs schema")
		broken := lite(t)
		execAll(t, raw(t, broken), "ALTER TABLE setting RENAME TO lost")
		refused("a database that cannot be read", store.MoveOptions{To: store.Options{DSN: broken}}, "look into")
		newer := lite(t)
		execAll(t, raw(t, newer), upgrade)
		refused("an empty database with a newer schema", store.MoveOptions{To: store.Options{DSN: newer}}, "has schema 99")

		// The target may be an empty database, with or without the schema. A dry run leaves it unchanged.
		to := lite(t)
		m, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to}, DryRun: true})
		if err != nil || m.Rows < 10 {
			t.Fatalf("a dry run: %+v, %v", m, err)
		}
		open(t, store.Options{DSN: to})
		none = filepath.Join(t.TempDir(), "assay.db")
		if m, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: none}, DryRun: true}); err != nil || m.Rows < 10 {
			t.Fatalf("a dry run: %+v, %v", m, err)
		}
		if _, err := os.Stat(none); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a dry run creates the database: %v", err)
		}
		if err := os.WriteFile(none, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if m, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: none}, DryRun: true}); err != nil || m.Rows < 10 {
			t.Fatalf("a dry run: %+v, %v", m, err)
		}
		if _, err := raw(t, none).Exec("SELECT * FROM account"); err == nil {
			t.Error("a dry run creates tables")
		}
		if _, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to}}); err != nil {
			t.Fatal(err)
		}
		// Moving back into the old database requires Replace.
		there := open(t, store.Options{DSN: to, Now: h.clock.Now})
		back := func(replace, dry bool) error {
			_, err := there.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: dsn}, Replace: replace, DryRun: dry})
			return err
		}
		if err := back(false, false); err == nil || !strings.Contains(err.Error(), "--replace") {
			t.Errorf("over the old data: %v", err)
		}
		if err := errors.Join(back(true, true), back(true, false)); err != nil {
			t.Fatal(err)
		}
		sameRows(t, there, open(t, store.Options{DSN: dsn}))
	})
}

// TestRowsExchangeNames checks that a move starts over, and does not fail, if rows exchange unique names while
// they are copied.
func TestRowsExchangeNames(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.account("bob")
		db, marked := raw(t, dsn), 0
		exchange := sync.OnceFunc(func() {
			execAll(t, db, "UPDATE account SET login = 'x' WHERE login = 'alice'", "UPDATE account SET login = 'alice' WHERE login = 'bob'",
				"UPDATE account SET login = 'bob' WHERE login = 'x'")
		})
		to := store.Options{DSN: filepath.Join(t.TempDir(), "assay.db")}
		_, err := h.Move(t.Context(), store.MoveOptions{To: to, OnStep: func(step string) {
			if step == "marked" {
				marked++
			}
			if step == "copied" {
				exchange()
			}
		}})
		if err != nil || marked != 2 {
			t.Fatalf("begun %d times: %v", marked, err)
		}
		sameRows(t, h.Store, open(t, to))
	})
}

// TestAMoveComparesWhatArrived checks that a move fails and keeps the old database in use if a copied row differs.
func TestAMoveComparesWhatArrived(t *testing.T) {
	from := lite(t)
	h := newHarness(t, from)
	execAll(t, raw(t, from), "UPDATE account SET last_login = 5")
	to := lite(t)
	db := raw(t, to)
	for damage, want := range map[string]string{
		"UPDATE account SET display = 'x'":                       "1 differ",
		"UPDATE account SET erased = 5, last_login = NULL":       "1 differ",
		"DELETE FROM bundle":                                     "0 of 1 rows",
		"INSERT INTO setting (key, value) VALUES ('zz', 'zz')":   "1 differ",
		"INSERT INTO class VALUES ('c', '', '', '', '', 0)":      "1 of 0 rows",
		"UPDATE account SET erased = 0 WHERE login = 'alice'":    "1 differ",
		"UPDATE problem SET title = title || ' ' WHERE id <> ''": "1 differ",
	} {
		_, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: to}, OnStep: func(step string) {
			if step == "rest" {
				execAll(t, db, damage)
			}
		}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", damage, err)
		}
		h.submit()
	}
}

// TestServersThatShareADatabaseDoNotMove checks that a move is refused if another server uses the database or
// starts to use it during the move.
func TestServersThatShareADatabaseDoNotMove(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		come := func(string) {}
		move := func() error {
			_, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: filepath.Join(t.TempDir(), "assay.db")},
				OnStep: func(step string) { come(step) }})
			return err
		}
		other := open(t, store.Options{DSN: dsn, Now: h.clock.Now})
		announce := func(step string) {
			if step == "copied" {
				if err := other.Announce(t.Context(), store.Server{ID: "b", Instance: "b 1"}, ""); err != nil {
					t.Error(err)
				}
			}
		}
		come = announce
		if err := move(); !errors.Is(err, store.ErrOtherServers) {
			t.Errorf("one comes: %v", err)
		}
		come = func(step string) { t.Errorf("%s beside another server", step) }
		if err := move(); !errors.Is(err, store.ErrOtherServers) {
			t.Errorf("one is there: %v", err)
		}
		h.clock.add(store.OfflineAfter)
		come = func(string) {}
		h.submit()
		if err := move(); err != nil {
			t.Errorf("it has ended: %v", err)
		}
	})
}

// TestAnotherProcessDoesNotWrite checks that no other process can write while writes are stopped.
func TestAnotherProcessDoesNotWrite(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		db := raw(t, dsn)
		_, err := h.Move(t.Context(), store.MoveOptions{To: store.Options{DSN: filepath.Join(t.TempDir(), "assay.db")},
			OnStep: func(step string) {
				if step != "stopped" {
					return
				}
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				if _, err := db.ExecContext(ctx, "UPDATE account SET display = 'x'"); err == nil {
					t.Error("another process writes")
				}
			}})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestTwoServersMoveIntoOneDatabase checks that the second of two concurrent moves is refused.
func TestTwoServersMoveIntoOneDatabase(t *testing.T) {
	to := store.Options{DSN: pg(t)}
	a, b := newHarness(t, lite(t)), newHarness(t, lite(t))
	_, err := a.Move(t.Context(), store.MoveOptions{To: to, OnStep: func(step string) {
		if step != "marked" {
			return
		}
		if _, err := b.Move(t.Context(), store.MoveOptions{To: to}); judge.BlameOf(err) != judge.Caller ||
			!strings.Contains(fmt.Sprint(err), "another server moves") {
			t.Errorf("the second: %v", err)
		}
		if _, err := a.Move(t.Context(), store.MoveOptions{To: to}); err == nil || !strings.Contains(err.Error(), "a move runs already") {
			t.Errorf("the same once more: %v", err)
		}
	}})
	if err != nil {
		t.Error(err)
	}
	b.submit()
}

// TestSessionsAndTokensInTheStop checks that sessions and tokens remain readable while writes are stopped.
func TestSessionsAndTokensInTheStop(t *testing.T) {
	h := newHarness(t, lite(t))
	if err := h.NewSession(t.Context(), h.alice, "session", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := h.NewToken(t.Context(), h.alice.ID, "hash", "", nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	h.clock.add(2 * time.Hour)
	h.StopWrites()
	h.StopWrites()
	if _, _, err := h.Session(t.Context(), "session"); err != nil {
		t.Error(err)
	}
	if _, _, err := h.TokenByHash(t.Context(), "hash"); err != nil {
		t.Error(err)
	}
}
