package server

import (
	"context"
	"time"

	"assay/judge/blob"
)

// Garbage collection runs a while after the start and then each hour. So uploads without a reference do not stay for
// long.
const (
	sweepFirst = 10 * time.Minute
	sweepEvery = time.Hour
)

// sweep regularly removes blobs that no row refers to, such as uploads of submissions that were never sent.
func (s *Server) sweep(ctx context.Context, blobs *blob.Folder) {
	for pause := sweepFirst; ; pause = sweepEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		n, err := s.sweepNow(ctx, blobs)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("remove blobs without references", "error", err)
		}
		if n > 0 {
			s.o.Log.Info("removed blobs without references", "blobs", n)
		}
	}
}

// forget removes at once those of some blobs that no row refers to, after an erasure.
func (s *Server) forget(ctx context.Context, blobs *blob.Folder, all []blob.Digest) error {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	return s.store.ForgetBlobs(ctx, all, contentsIn(blobs), blobs.Remove)
}

// sweepNow removes blobs that no row refers to, and returns their number. Meanwhile no response says that a blob
// exists. No request holds this lock while it waits for a client.
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

// contentsIn returns the function that lists the blobs of a manifest.
func contentsIn(blobs *blob.Folder) func(manifest blob.Digest) ([]blob.Digest, error) {
	return func(manifest blob.Digest) ([]blob.Digest, error) { return contents(blobs, manifest) }
}
