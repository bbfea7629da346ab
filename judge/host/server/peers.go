package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/internal/atomicfile"
)

// leaseHolder returns the name of this process for leader leases. The data directory is locked, so the previous process
// with this directory is dead, and holder releases the leases of that process.
func (s *Server) leaseHolder(ctx context.Context) (string, error) {
	file := filepath.Join(s.data, "keys", "holder")
	before, err := os.ReadFile(file)
	if err == nil {
		s.previous = string(before)
		for _, lead := range store.LeaseNames {
			err = errors.Join(err, s.store.ReleaseLease(ctx, lead, s.previous))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("take over from the previous server: %w", err)
	}
	host, _ := os.Hostname() // for display only
	text, _ := auth.NewCode()
	s.instance = host + " " + text[:8]
	return s.instance, atomicfile.WriteSecret(file, []byte(s.instance))
}

// id returns the name of this server, which is unique among servers that share the database.
func (s *Server) id() string {
	if s.o.ID != "" {
		return s.o.ID
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "server"
	}
	return host
}

// isOnlyServer reports whether no other server can use the database.
func (s *Server) isOnlyServer() bool { return s.o.Database == "" }

func (s *Server) description() store.Server {
	d := store.Server{ID: s.id(), Instance: s.instance, Version: s.o.Version}
	if s.listener != nil {
		d.Address = s.URL().URL
	}
	return d
}

// announceFirst announces the server before it listens, so that a proxy sends no requests to a server that may not start.
// Another process with the same id may have been killed a moment ago, with a data directory that is lost. Therefore
// announceFirst waits, and fails only if that process is still running.
func (s *Server) announceFirst(ctx context.Context) error {
	for end, logged := time.Now().Add(store.OfflineAfter+store.AnnounceInterval), false; ; logged = true {
		err := s.store.Announce(ctx, s.description(), s.previous)
		if !errors.Is(err, store.ErrTaken) {
			return err
		}
		if !logged {
			s.o.Log.Warn("another server of this database has the same id; waiting until it stops", "id", s.id())
		}
		if time.Now().After(end) {
			return &judge.UsageError{Err: fmt.Errorf("another server of this database also has the id %s\n"+
				"    set id in the [server] table of judge.toml, or stop the other server", s.id())}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// workersEvery is the interval at which this server compares its admitted workers with the database.
const workersEvery = time.Second

// coordinate coordinates this server with the other servers of the database: it announces this server, and admits the
// workers that other servers have admitted.
func (s *Server) coordinate(ctx context.Context) {
	announced, wrong, noted := time.Time{}, false, "" // announceFirst did not know the address
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.workersChanged:
		case <-time.After(workersEvery):
		}
		err := s.store.CheckNotMoved(ctx)
		if errors.Is(err, store.ErrMoved) { // by a server that considered this one dead
			s.store.StopWrites()
		}
		if err == nil {
			err = s.admitAll(ctx, false)
		}
		if err == nil && time.Since(announced) >= store.AnnounceInterval {
			announced = time.Now()
			err = s.store.Announce(ctx, s.description(), "")
			note, skewed := s.databaseSkew(ctx)
			if note != "" && noted == "" {
				s.o.Log.Warn(note)
			}
			noted, err = note, errors.Join(err, skewed) // a skewed server is not ready
		}
		if err != nil && !wrong && ctx.Err() == nil {
			s.o.Log.Error("live with the other servers", "error", err)
		}
		wrong = err != nil
	}
}

// depart records that this server stops.
func (s *Server) depart(ctx context.Context) {
	if s.isOnlyServer() || s.instance == "" {
		return
	}
	_ = s.store.Depart(ctx, s.id(), s.instance) // if this fails, the server is considered dead a little later
}

// checkWorkers makes peers compare the admitted workers with the database now.
func (s *Server) checkWorkers() {
	select {
	case s.workersChanged <- struct{}{}:
	default:
	}
}

// admitAll admits exactly the workers in the database. It is first called, with starts set, before workers can
// connect. Later calls ignore drained workers, because this server may have disconnected a drained worker that did
// not stop.
func (s *Server) admitAll(ctx context.Context, starts bool) error {
	workers, err := s.store.Workers(ctx)
	if err != nil {
		return err
	}
	for _, w := range workers {
		if w.State == store.WorkerRevoked {
			s.dispatch.RevokeLocal(w.Name)
			continue
		}
		if w.State == store.WorkerDrained && !starts {
			continue
		}
		if err := s.dispatch.AdmitLocal(w); err != nil {
			return err
		}
	}
	return nil
}

// Migrate updates the schema of a PostgreSQL database. Servers may be using the database.
func Migrate(ctx context.Context, database, version string) error {
	s, err := store.Open(ctx, store.Options{DSN: database, Version: version, Migrate: true})
	if errors.Is(err, store.ErrNewerSchema) {
		return &judge.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	return s.Close()
}
