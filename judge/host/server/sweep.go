package server

import (
	"context"
	"time"

	"assay/judge/blob"
)

// The first sweep comes a while after the start, and then one each day.
const (
	sweepFirst = 10 * time.Minute
	sweepEvery = 24 * time.Hour
)

// sweep removes blobs that nobody names: uploads that became nothing.
func (s *Server) sweep(ctx context.Context, blobs *blob.Folder) {
	for pause := sweepFirst; ; pause = sweepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
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
	_, err := s.remove(ctx, blobs, func(inside contentsOf) ([]blob.Digest, error) { return s.store.ForgetBlobs(ctx, all, inside) })
	return err
}

// sweepNow removes them now, and says how many there were. While it does, nobody is told
// that a blob is there.
func (s *Server) sweepNow(ctx context.Context, blobs *blob.Folder) (n int, err error) {
	return s.remove(ctx, blobs, func(inside contentsOf) ([]blob.Digest, error) { return s.store.Sweep(ctx, inside) })
}

// contentsOf says which blobs a manifest names.
type contentsOf = func(manifest blob.Digest) ([]blob.Digest, error)

// remove removes the blobs that the database forgets, while nobody is told that one is there.
func (s *Server) remove(ctx context.Context, blobs *blob.Folder, forgets func(contentsOf) ([]blob.Digest, error)) (n int, err error) {
	for !s.kept.TryLock() { // to wait in line would hold up uploads behind a slow one
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	defer s.kept.Unlock()
	gone, err := forgets(func(manifest blob.Digest) ([]blob.Digest, error) { return contents(blobs, manifest) })
	if err != nil {
		return 0, err
	}
	for _, d := range gone {
		if err := blobs.Remove(d); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
