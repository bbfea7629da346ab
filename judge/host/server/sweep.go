package server

import (
	"context"
	"time"

	"assay/judge/blob"
)

// The first sweep comes a while after the start, and then one each hour: so soon goes what
// contestants sent and nothing names.
const (
	sweepFirst = 10 * time.Minute
	sweepEvery = time.Hour
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
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	return s.store.ForgetBlobs(ctx, all, contentsIn(blobs), blobs.Remove)
}

// sweepNow removes them now, and says how many there were. While it does, nobody is told that a
// blob is there: nobody holds the lock while something is waited for that others send.
func (s *Server) sweepNow(ctx context.Context, blobs *blob.Folder) (n int, err error) {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	gone, err := s.store.Sweep(ctx, contentsIn(blobs))
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

// contentsIn says which blobs a manifest names.
func contentsIn(blobs *blob.Folder) func(manifest blob.Digest) ([]blob.Digest, error) {
	return func(manifest blob.Digest) ([]blob.Digest, error) { return contents(blobs, manifest) }
}
