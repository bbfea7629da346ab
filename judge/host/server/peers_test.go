package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	if err := os.WriteFile(filepath.Join(data, "keys", "holder"), []byte("old 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, warned, err := begin(data)
	if err != nil || warned {
		t.Fatalf("the previous server had this directory: warned %v, %v", warned, err)
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
	all []string
}

func (a *admissions) Admit(worker, class, key string, untrusted bool) error {
	a.all = append(a.all, fmt.Sprint("admit ", worker, " ", class, " ", key, " ", untrusted))
	return nil
}

func (a *admissions) Revoke(worker string) { a.all = append(a.all, "revoke "+worker) }

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
	for starts, want := range map[bool]string{
		true:  strings.Join([]string{active, drained, revoked}, ", "),
		false: strings.Join([]string{active, revoked}, ", "),
	} {
		q := &admissions{}
		s := &Server{store: db, dispatch: dispatch.New(dispatch.Options{Store: db, Log: slog.New(slog.DiscardHandler)})}
		s.dispatch.SetQueue(q)
		if err := s.admitAll(t.Context(), starts); err != nil {
			t.Fatal(err)
		}
		slices.Sort(q.all)
		if got := strings.Join(q.all, ", "); got != want {
			t.Errorf("at its start %v: %s; want %s", starts, got, want)
		}
	}
}
