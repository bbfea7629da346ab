package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/blob"
)

// The names of the blob bucket, which is a stream, and of the object that contains its mark.
const (
	blobBucket = "assay-blobs"
	blobMark   = "mark"
)

// The time limits for the mark, and for a request with all its attempts, after which an HTTP client gets 503; the
// time limit for an attempt; and the additional time per MiB of a blob. A request is repeated because requests get
// lost while the cluster elects a leader.
const (
	markWithin  = 30 * time.Second
	blobTimeout = 12 * time.Second
	blobRetry   = 3 * time.Second
	blobPause   = 100 * time.Millisecond // between attempts, because some fail at once
	blobPerMiB  = time.Second
)

// Blobs returns the object store of the cluster, which several servers can share as their origin of blobs. It
// creates the store if it does not exist. Unlike jobs, the blobs in it must not be lost.
func (q *Queue) Blobs(ctx context.Context) (blob.Origin, error) {
	_, err := q.js.Stream(ctx, "OBJ_"+blobBucket)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: blobBucket, Description: "files of Assay", Storage: jetstream.FileStorage, Replicas: q.replicas(),
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // another server has created it
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make the object store of blobs: %w", err)
	}
	s, err := q.js.Stream(ctx, "OBJ_"+blobBucket)
	if err == nil && s.CachedInfo().Config.AllowDirect {
		// With AllowDirect, a replica that lacks the latest objects could respond.
		config := s.CachedInfo().Config
		config.AllowDirect = false
		_, err = q.js.UpdateStream(ctx, config)
	}
	if err != nil {
		return nil, fmt.Errorf("set up the object store of blobs: %w", err)
	}
	o, err := q.js.ObjectStore(ctx, blobBucket)
	if err != nil {
		return nil, fmt.Errorf("open the object store of blobs: %w", err)
	}
	return &objectStore{o}, nil
}

// An objectStore is the object store as an origin of blobs.
type objectStore struct{ store jetstream.ObjectStore }

func blobContext(most time.Duration, size int64) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), most+time.Duration(size>>20)*blobPerMiB)
}

// blobsAway reports whether an error of the object store is temporary: no server of the cluster responds, or the
// cluster has no leader.
func blobsAway(err error) bool {
	return isTemporary(err) || IsUnreachable(err) || errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) ||
		errors.Is(err, nats.ErrReconnectBufExceeded)
}

// failed wraps an error of the object store, unless it is nil. A temporary error becomes blob.ErrAway.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	if blobsAway(err) {
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// retryBlob calls do until it succeeds, fails permanently, or the time limit for a blob has passed. Size is the size
// of the blob in bytes. Each call of do has its own, shorter time limit.
func retryBlob(size int64, do func(ctx context.Context) error) error {
	whole, stop := blobContext(blobTimeout, size)
	defer stop()
	for {
		ctx, stop := context.WithTimeout(whole, blobRetry+time.Duration(size>>20)*blobPerMiB)
		err := do(ctx)
		stop()
		if !blobsAway(err) || pause(whole, blobPause) != nil {
			return err
		}
	}
}

func (o *objectStore) info(d blob.Digest) (info *jetstream.ObjectInfo, err error) {
	err = retryBlob(0, func(ctx context.Context) error {
		info, err = o.store.GetInfo(ctx, string(d))
		return err
	})
	return info, err
}

func (o *objectStore) Has(d blob.Digest, size int64) (bool, error) {
	info, err := o.info(d)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	if err != nil {
		return false, failed("look for blob "+string(d)+" in the object store", err)
	}
	return info.Size == uint64(size), nil
}

func (o *objectStore) Get(d blob.Digest) (io.ReadCloser, error) {
	info, err := o.info(d)
	var r jetstream.ObjectResult
	if err == nil {
		// A reader also waits for chunks from a server that is gone, so the caller must repeat the request.
		ctx, stop := context.WithTimeout(context.Background(), blobRetry+time.Duration(info.Size>>20)*blobPerMiB)
		if r, err = o.store.Get(ctx, string(d)); err == nil {
			return &openObject{r, d, stop}, nil
		}
		stop()
	}
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("blob %s: %w", d, fs.ErrNotExist)
	}
	return nil, failed("read blob "+string(d)+" from the object store", err)
}

// An openObject is an open blob.
type openObject struct {
	r    jetstream.ObjectResult
	d    blob.Digest
	stop context.CancelFunc
}

func (o *openObject) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	switch {
	case errors.Is(err, jetstream.ErrDigestMismatch):
		err = fmt.Errorf("blob %s: %w", o.d, blob.ErrDamaged)
	case errors.Is(err, nats.ErrTimeout):
		err = fmt.Errorf("%w: %w", err, context.DeadlineExceeded)
	}
	return n, err
}

func (o *openObject) Close() error {
	defer o.stop()
	return o.r.Close()
}

func (o *objectStore) Put(d blob.Digest, size int64, r io.ReadSeeker) error {
	err := retryBlob(size, func(ctx context.Context) error {
		_, err := r.Seek(0, io.SeekStart)
		if err == nil {
			_, err = o.store.Put(ctx, jetstream.ObjectMeta{Name: string(d)}, r)
		}
		return err
	})
	return failed("store blob "+string(d)+" in the object store", err)
}

func (o *objectStore) Remove(d blob.Digest) error {
	err := retryBlob(0, func(ctx context.Context) error { return o.store.Delete(ctx, string(d)) })
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	return failed("remove blob "+string(d)+" from the object store", err)
}

func (o *objectStore) Mark() (string, error) {
	ctx, stop := blobContext(markWithin, 0)
	defer stop()
	mark, err := o.store.GetString(ctx, blobMark)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the mark of the object store: %w", err)
	}
	return strings.TrimSpace(mark), nil
}

func (o *objectStore) SetMark(mark string) error {
	ctx, stop := blobContext(markWithin, 0)
	defer stop()
	if _, err := o.store.PutString(ctx, blobMark, mark); err != nil {
		return fmt.Errorf("mark the object store of blobs: %w", err)
	}
	return nil
}
