package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/internal/cachedir"
)

// BlobsInQueue is the value of the blobs setting for the object store of the queue. Any other value is a
// directory.
const BlobsInQueue = "queue"

// sharedCacheSize is the default size in bytes of the cache for shared blobs.
const sharedCacheSize = 10 << 30

// The database settings that contain the identity of the database and the place of its shared blobs. The mark of
// shared blobs is the identity of the database that uses them.
const (
	databaseIDKey  = "database"
	sharedBlobsKey = "shared_blobs"
)

// openBlobs opens the directory of the server's blobs. If blobs are shared, it opens their local cache instead.
func (s *Server) openBlobs() (*blob.Dir, error) {
	if s.o.Blobs == "" {
		return blob.OpenDurable(filepath.Join(s.data, "blobs"))
	}
	return blob.Open(filepath.Join(s.data, "blobs-cache"), cmp.Or(int64(s.o.BlobsCache), sharedCacheSize))
}

// shareBlobs makes the argument blobs a cache of the shared blobs, if the server is configured to share blobs.
func (s *Server) shareBlobs(ctx context.Context, blobs *blob.Dir) error {
	if s.o.Blobs == "" {
		return s.stopSharing(ctx)
	}
	origin, err := s.openOrigin(ctx)
	if err != nil {
		return err
	}
	blobs.CacheOf(origin)
	return s.checkMark(ctx, blobs, origin)
}

// openOrigin opens the origin of the shared blobs.
func (s *Server) openOrigin(ctx context.Context) (blob.Origin, error) {
	switch {
	case s.o.Blobs != BlobsInQueue:
		dir, err := blob.OpenSharedDir(s.o.Blobs)
		if err != nil {
			return nil, &judge.UsageError{Err: err}
		}
		return dir, nil
	case s.o.Queue == "":
		return nil, &judge.UsageError{
			Err: errors.New("blobs = \"queue\" needs a cluster: the queue of this server is in its data directory, and may be " +
				"deleted at any time\n    set `queue` to a cluster, or leave `blobs` empty"),
		}
	default:
		return s.queue.Blobs(ctx)
	}
}

// stopSharing is called if the server is not configured to share blobs. It returns an error if the database has
// shared blobs, unless the data directory contains a copy of them that includes their mark.
func (s *Server) stopSharing(ctx context.Context) error {
	shared, err := s.setting(ctx, sharedBlobsKey)
	if err != nil || shared == "" {
		return err
	}
	dir, err := blob.OpenSharedDir(filepath.Join(s.data, "blobs"))
	if err != nil {
		return err
	}
	mark, err1 := dir.Mark()
	id, err2 := s.setting(ctx, databaseIDKey)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if mark != id {
		return &judge.UsageError{Err: fmt.Errorf("the files of this database are in the shared blobs %s, and not in %s\n"+
			"    set `blobs` in the [server] table of judge.toml to that directory; to stop sharing, copy it with all its files to %[2]s",
			shared, filepath.Join(s.data, "blobs"))}
	}
	return s.store.SetSetting(ctx, sharedBlobsKey, "")
}

// checkMark returns an error if the shared blobs have the mark of another database, or if they lack the mark although
// the database has shared blobs. If the database has no shared blobs yet, adopt copies the blobs in the data
// directory to them.
func (s *Server) checkMark(ctx context.Context, blobs *blob.Dir, origin blob.Origin) error {
	id, err := s.store.LoadOrStoreSetting(ctx, databaseIDKey, newDatabaseID())
	if err != nil {
		return err
	}
	shared, err1 := s.setting(ctx, sharedBlobsKey)
	mark, err2 := origin.Mark()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	switch {
	case mark == id && shared != "":
		return nil
	case mark != "" && mark != id:
		return &judge.UsageError{Err: fmt.Errorf("the shared blobs %s belong to another database, whose servers remove unknown files\n"+
			"    set `blobs` to another directory; if no server uses that database any more, remove its mark, the file assay-blobs", s.o.Blobs)}
	case mark == "" && shared != "":
		return &judge.UsageError{Err: fmt.Errorf("%s lacks the mark of the shared blobs of this database, which are in %s\n"+
			"    mount that disk, or correct `blobs` in the [server] table of judge.toml", s.o.Blobs, shared)}
	}
	if err := s.copyBlobs(ctx, blobs); err != nil {
		return err
	}
	if err := origin.SetMark(id); err != nil {
		return err
	}
	return s.store.SetSetting(ctx, sharedBlobsKey, s.o.Blobs)
}

// newDatabaseID returns a unique id for a database.
func newDatabaseID() string {
	id, _ := auth.NewCode()
	return id[:16]
}

// copyBlobs copies the blobs that the database refers to from the data directory to the shared blobs.
func (s *Server) copyBlobs(ctx context.Context, shared *blob.Dir) error {
	own, err := blob.Open(filepath.Join(s.data, "blobs"), 0)
	if err != nil {
		return err
	}
	missing, err := s.eachBlob(ctx, shared, func(d blob.Digest) error {
		f, err := own.Find(d)
		if errors.Is(err, fs.ErrNotExist) {
			f, err = shared.Find(d)
		}
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return shared.Put(d, info.Size(), f)
	})
	if err != nil {
		return err
	}
	if missing > 0 && !s.o.AcceptLoss {
		return &judge.UsageError{Err: fmt.Errorf("files of the database are missing: they are neither in %s nor in %s\n"+
			"    first set `blobs` on the server that has them in its data directory; to continue without them: --accept-loss",
			s.o.Blobs, filepath.Join(s.data, "blobs"))}
	}
	return nil
}

// eachBlob calls copied for each blob that the database refers to, and for the blobs listed in referenced
// manifests, which it reads from blobs. It returns the number of missing blobs.
func (s *Server) eachBlob(ctx context.Context, blobs *blob.Dir, visit func(blob.Digest) error) (missing int, err error) {
	known, err1 := s.store.KnownBlobs(ctx)
	named, err2 := s.store.ReferencedBlobs(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return 0, err
	}
	for _, d := range known { // an account may be about to submit a blob without references
		if err := visit(d); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, err
		}
	}
	note := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			missing++
			return nil
		}
		return err
	}
	for d, isManifest := range named {
		err := visit(d)
		var inside []blob.Digest
		if err == nil && isManifest {
			inside, err = manifestBlobs(blobs, d)
		}
		err = note(err)
		for _, d := range inside {
			err = errors.Join(err, note(visit(d)))
		}
		if err := errors.Join(ctx.Err(), err); err != nil {
			return missing, err
		}
	}
	return missing, nil
}

// setting returns a setting, or an empty string if it is not set.
func (s *Server) setting(ctx context.Context, key string) (string, error) {
	value, err := s.store.Setting(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return value, err
}

// freeDisk returns the number of free bytes in the data directory, or in the directory of shared blobs if that
// number is smaller.
func (s *Server) freeDisk() (int64, error) {
	lowest := int64(1 << 62)
	for _, dir := range []string{s.data, s.o.Blobs} {
		if dir == "" || dir == BlobsInQueue {
			continue
		}
		if free, known := cachedir.FreeDisk(dir); known {
			lowest = min(lowest, free)
		}
	}
	return lowest, nil
}
