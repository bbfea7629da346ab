package server

import (
	"context"
	"errors"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// Garbage collection runs a while after the start and then every hour, so that uploads without references do not
// stay for long.
const (
	garbageFirst = 10 * time.Minute
	garbageEvery = time.Hour
)

// collectGarbage regularly removes blobs that no row refers to, such as uploads for submissions that were never
// sent. If there are several servers, only one does this.
func (s *Server) collectGarbage(ctx context.Context, blobs *blob.Dir) {
	lead := store.NewLeaderLeaseWithTerm(s.store, store.GarbageLease, s.instance, 2*garbageEvery)
	defer lead.Release(ctx)
	for pause := garbageFirst; ; pause = garbageEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if _, err := lead.Acquire(ctx); errors.Is(err, store.ErrNotLeader) {
			continue
		}
		n, err := s.collectOnce(ctx, blobs)
		if err != nil && ctx.Err() == nil {
			s.o.Log.Error("remove blobs without references", "error", err)
		}
		if n > 0 {
			s.o.Log.Info("removed blobs without references", "blobs", n)
		}
	}
}

// removeUnused immediately removes the given blobs, except those that a row refers to. It is called after an erasure.
func (s *Server) removeUnused(ctx context.Context, blobs *blob.Dir, digests []blob.Digest) error {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	return s.store.RemoveBlobs(ctx, digests, manifestReader(blobs), blobs.Remove)
}

// collectOnce removes blobs that no row refers to, and returns their number. It holds the lock collecting, so that
// no response of this server can report meanwhile that a blob exists. No request holds this lock while it waits
// for a client. Other servers do not use this lock: see store.HasUploaded.
func (s *Server) collectOnce(ctx context.Context, blobs *blob.Dir) (n int, err error) {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	return s.store.CollectGarbage(ctx, manifestReader(blobs), blobs.Remove)
}

// manifestReader returns the function that lists the blobs of a manifest.
func manifestReader(blobs *blob.Dir) func(manifest blob.Digest) ([]blob.Digest, error) {
	return func(manifest blob.Digest) ([]blob.Digest, error) { return manifestBlobs(blobs, manifest) }
}
