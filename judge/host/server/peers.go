package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// id is the name of this server among those that share the database.
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

// alone reports whether no other server can use the database.
func (s *Server) alone() bool { return s.o.Database == "" }

func (s *Server) me() store.Server {
	return store.Server{ID: s.id(), Instance: s.instance, Version: s.o.Version, Address: s.URL().URL}
}

// announceFirst announces the server. Another process that has its id may have been killed a moment ago, on
// a data directory that is lost: so it is waited for, and refused only if it is still there.
func (s *Server) announceFirst(ctx context.Context) error {
	for end := time.Now().Add(store.GoneAfter + store.SeenEvery); ; {
		err := s.store.Announce(ctx, s.me(), s.before)
		if !errors.Is(err, store.ErrTaken) {
			return err
		}
		if time.Now().After(end) {
			return &judge.Misuse{Err: fmt.Errorf("another server that uses this database is called %s, too\n    set id in the [server] table of judge.toml, or stop the other server", s.id())}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// workersEvery is how often the workers of the database are compared with those that this server admits.
const workersEvery = time.Second

// peers lives with the other servers: it announces this one, and admits the workers that others admit.
func (s *Server) peers(ctx context.Context) {
	announced, wrong := time.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.workersChanged:
		case <-time.After(workersEvery):
		}
		err := s.admitAll(ctx, false)
		if err == nil && time.Since(announced) >= store.SeenEvery {
			announced = time.Now()
			err = s.store.Announce(ctx, s.me(), "")
		}
		if err != nil && !wrong && ctx.Err() == nil {
			s.o.Log.Error("live with the other servers", "error", err)
		}
		wrong = err != nil
	}
}

// depart notes that this server ends.
func (s *Server) depart(ctx context.Context) {
	if s.alone() || s.instance == "" {
		return
	}
	_ = s.store.Depart(ctx, s.id(), s.instance) // at worst it counts as gone a little later
}
