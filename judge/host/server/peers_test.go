package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/dispatch"
	"assay/judge/host/freeport"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
	"assay/judge/running/config"
)

// logFunc is a log that calls a function with each line.
type logFunc func(line string)

func (f logFunc) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}

// pollUntil calls done until it returns true.
func pollUntil(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not happen", what)
		}
	}
}

// TestAnIDThatIsTaken checks that a server does not listen while another one has its id, except if that one had its
// data directory. It then checks that the server announces its address, and stops writes if its data was moved.
func TestAnIDThatIsTaken(t *testing.T) {
	db := filepath.Join(storetest.Dir(t), "assay.db")
	others, err := store.Open(t.Context(), store.Options{DSN: db, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer others.Close()
	if err := others.Announce(t.Context(), store.Server{ID: "one", Instance: "old 1", Version: "v1"}, ""); err != nil {
		t.Fatal(err)
	}
	begin := func(data string) (s *Server, warned bool, err error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		at := freeport.Address(t)
		s, err = Start(ctx, Options{
			Server: config.Server{Name: "Test", Listen: at, Data: data, Database: db, ID: "one"},
			Root:   filepath.Dir(data), Version: "v1",
			Log: slog.New(slog.NewTextHandler(logFunc(func(line string) {
				if !strings.Contains(line, "another server of this database has the same id") {
					return
				}
				if warned {
					t.Error("it is told more than once")
				}
				warned = true
				conn, err := net.Dial("tcp", at)
				if err == nil {
					conn.Close()
					t.Error("it listens")
				}
				time.AfterFunc(1500*time.Millisecond, cancel) // after another attempt
			}), nil)),
		})
		return s, warned, err
	}
	data := filepath.Join(t.TempDir(), "data")
	if _, warned, err := begin(data); !warned || !errors.Is(err, context.Canceled) {
		t.Errorf("another server has the id: warned %v, %v", warned, err)
	}
	if _, err := os.Stat(addressFile(data)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it has listened: %v", err)
	}
	holder := filepath.Join(data, "keys", "holder")
	if err := os.WriteFile(holder, []byte("old 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := others.AcquireLease(t.Context(), store.GarbageLease, "old 1", 24*time.Hour); err != nil {
		t.Fatal(err)
	}
	s, warned, err := begin(data)
	if err != nil || warned {
		t.Fatalf("the previous server had this directory: warned %v, %v", warned, err)
	}
	if l, err := others.LeaseHolder(t.Context(), store.GarbageLease); err != nil || l.Holder == "old 1" && l.Until.After(time.Now()) {
		t.Errorf("a lease of the previous server: %+v, %v", l, err)
	}
	if text, err := os.ReadFile(holder); err != nil || string(text) != s.instance {
		t.Errorf("the holder is recorded as %q, %v; want %q", text, err, s.instance)
	}
	s.Stop()
	if all, err := others.Servers(t.Context()); err != nil || len(all) != 1 || all[0].Instance != s.instance || all[0].Online(time.Now()) {
		t.Errorf("after its end: %+v, %v", all, err)
	}
	if s, warned, err = begin(data); err != nil || warned {
		t.Fatalf("again: warned %v, %v", warned, err)
	}
	defer s.Stop()
	pollUntil(t, "that the address is announced", func() bool {
		all, err := others.Servers(t.Context())
		return err == nil && len(all) == 1 && all[0].Instance == s.instance && all[0].Address == s.URL().URL
	})
	if err := others.SetSetting(t.Context(), "moved_to", "elsewhere"); err != nil {
		t.Fatal(err)
	}
	pollUntil(t, "that writes stop", func() bool { return errors.Is(s.store.SetSetting(t.Context(), "x", ""), store.ErrStopped) })
}

// admissions records which workers a queue admits and revokes.
type admissions struct {
	dispatch.Queue
	fails error // of the next calls of Admit

	mu  sync.Mutex
	all []string
}

func (a *admissions) Admit(worker, class, key string, untrusted bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, fmt.Sprint("admit ", worker, " ", class, " ", key, " ", untrusted))
	return a.fails
}

func (a *admissions) Revoke(worker string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, "revoke "+worker)
}

// take returns what was recorded since the last call, sorted.
func (a *admissions) take() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	slices.Sort(a.all)
	all := strings.Join(a.all, ", ")
	a.all = nil
	return all
}

// TestWorkersOfOtherServers checks which workers of the database a server admits at its start and later.
func TestWorkersOfOtherServers(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, state := range []store.WorkerState{store.WorkerActive, store.WorkerDrained, store.WorkerRevoked} {
		w, err := db.AdmitWorker(t.Context(), store.NewWorker{Name: string(state), Class: Class, Key: "key of " + string(state)})
		if err == nil && state != store.WorkerActive {
			err = db.SetWorkerState(t.Context(), w.ID, state, "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const active, drained, revoked = "admit active main key of active false", "admit drained main key of drained false", "revoke revoked"
	q, failures := &admissions{}, atomic.Int32{}
	log := slog.New(slog.NewTextHandler(logFunc(func(string) { failures.Add(1) }), nil))
	s := &Server{store: db, dispatch: dispatch.New(dispatch.Options{Store: db, Log: log}), workersChanged: make(chan struct{}, 1)}
	s.o.ID, s.o.Database, s.o.Log = "a", "x", log
	s.dispatch.SetQueue(q)
	for starts, want := range map[bool]string{
		true: active + ", " + drained + ", " + revoked, false: active + ", " + revoked,
	} {
		if err := s.admitAll(t.Context(), starts); err != nil {
			t.Fatal(err)
		}
		if got := q.take(); got != want {
			t.Errorf("at its start %v: %s; want %s", starts, got, want)
		}
	}
	q.fails = errors.New("the queue is away")
	if err := s.admitAll(t.Context(), false); !errors.Is(err, q.fails) {
		t.Errorf("the queue admits nothing: %v", err)
	}
	q.take()
	ctx, stop := context.WithCancel(t.Context())
	var loops sync.WaitGroup
	loops.Go(func() { s.coordinate(ctx) })
	for n := range 3 {
		s.checkWorkers()
		s.checkWorkers() // it does not wait for coordinate
		pollUntil(t, "that workers are compared", func() bool {
			got := q.take()
			if got != "" && !strings.HasPrefix(got, active) || strings.Contains(got, drained) {
				t.Errorf("later: %s", got)
			}
			return got != ""
		})
		if n == 1 {
			pollUntil(t, "that the failure is logged", func() bool { return failures.Load() > 0 })
		}
	}
	q.mu.Lock()
	q.fails = nil
	q.mu.Unlock()
	pollUntil(t, "that all workers are compared", func() bool {
		got := q.take()
		if strings.Contains(got, drained) {
			t.Errorf("later, with a queue: %s", got)
		}
		return strings.Contains(got, "revoke revoked")
	})
	stop()
	loops.Wait()
	if n := failures.Load(); n != 1 {
		t.Errorf("logged %d times that the queue is away", n)
	}
}

// TestMigrateANewerSchema checks that the caller is to blame for a database with a newer schema.
func TestMigrateANewerSchema(t *testing.T) {
	path := filepath.Join(storetest.Dir(t), "assay.db")
	if err := Migrate(t.Context(), path, "v1"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec("UPDATE goose_db_version SET version_id = 999 WHERE version_id = (SELECT MAX(version_id) FROM goose_db_version)")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), path, "v1"); !errors.Is(err, store.ErrNewerSchema) || judge.BlameOf(err) != judge.Caller {
		t.Errorf("a newer schema: %v", err)
	}
}
