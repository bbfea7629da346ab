package server

import (
	"context"
	"errors"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// The first sweep comes a while after the start, and then one each hour: so soon goes what
// contestants sent and nothing names.
const (
	sweepFirst = 10 * time.Minute
	sweepEvery = time.Hour
)

// sweep removes blobs that nobody names: uploads that became nothing.
// One server does so for all.
func (s *Server) sweep(ctx context.Context, blobs *blob.Folder) {
	lead := store.NewLongLead(s.store, store.SweepLead, s.instance, 2*sweepEvery)
	defer lead.Resign(ctx)
	for pause := sweepFirst; ; pause = sweepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if _, err := lead.Hold(ctx); errors.Is(err, store.ErrNotLeader) {
			continue
		}
		n, err := s.sweepNow(ctx, blobs)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("remove blobs that nobody names", "error", err)
		}
		if n > 0 {
			s.o.Log.Info("removed blobs that nobody names", "blobs", n)
		}
	}
}

// forget removes at once those of some blobs that nobody names: of a person who is erased.
func (s *Server) forget(ctx context.Context, blobs *blob.Folder, all []blob.Digest) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	return s.store.ForgetBlobs(ctx, all, contentsIn(blobs), blobs.Remove)
}

// sweepNow removes them now, and returns how many there were. While it does, no client is told that a
// blob is there: nobody holds the lock while something is waited for that others send. Requests of other
// servers do not hold the lock: see store.Sent.
func (s *Server) sweepNow(ctx context.Context, blobs *blob.Folder) (n int, err error) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	return s.store.Sweep(ctx, contentsIn(blobs), blobs.Remove)
}

// contentsIn says which blobs a manifest names.
func contentsIn(blobs *blob.Folder) func(manifest blob.Digest) ([]blob.Digest, error) {
	return func(manifest blob.Digest) ([]blob.Digest, error) { return contents(blobs, manifest) }
}
