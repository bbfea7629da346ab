package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/job"
)

// Blobs fetches blobs from the server. Its methods may be called concurrently.
type Blobs interface {
	// Fetch returns the bytes of a blob that the claim permits. Size 0 means unknown. The worker verifies the
	// digest. Fetch returns fs.ErrNotExist if the blob does not exist. After any other error the worker tries
	// again.
	Fetch(ctx context.Context, why job.Claim, d blob.Digest, size int64) (io.ReadCloser, error)
}

const (
	stallTimeout = 30 * time.Second // time without a byte before a download restarts
	maxFetches   = 8                // parallel downloads per job
	retryFor     = 2 * time.Minute  // if the server does not respond
)

// An unavailableError means that the server cannot currently send a blob that the job needs.
type unavailableError struct {
	err    error
	claim  job.Claim
	digest blob.Digest // the missing blob
	size   int64
}

func (e *unavailableError) Error() string {
	return "the server does not send what the job needs: " + e.err.Error()
}
func (e *unavailableError) Unwrap() error { return e.err }

// A fetcher fetches blobs into a directory.
type fetcher struct {
	from      Blobs
	to        *blob.Dir
	retryFor  time.Duration // how long to retry
	onMessage func(string)
}

// fetchBytes returns a blob of unknown size. MaxBytes is its maximum size in bytes.
func (f *fetcher) fetchBytes(ctx context.Context, claim job.Claim, d blob.Digest, maxBytes int64) ([]byte, error) {
	data, err := f.to.Read(d, maxBytes)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	f.reportDamage(err)
	err = f.fetchWithRetry(ctx, claim, d, 0, func(r io.Reader) error {
		if data, err = io.ReadAll(io.LimitReader(r, maxBytes+1)); err != nil {
			return err
		}
		if int64(len(data)) > maxBytes {
			return fmt.Errorf("blob %s has more than %d bytes", d, maxBytes)
		}
		return f.to.Put(d, int64(len(data)), bytes.NewReader(data))
	})
	return data, err
}

// fetchMissing fetches missing and damaged blobs.
func (f *fetcher) fetchMissing(ctx context.Context, claim job.Claim, entries []bundle.Entry) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(maxFetches)
	for _, e := range entries {
		file, err := f.to.Open(e.Digest, e.Size)
		if err == nil {
			file.Close()
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, g.Wait())
		}
		f.reportDamage(err)
		g.Go(func() error {
			if e.Size == 0 {
				return f.to.Put(e.Digest, 0, bytes.NewReader(nil))
			}
			return f.fetchWithRetry(ctx, claim, e.Digest, e.Size, func(r io.Reader) error { return f.to.Put(e.Digest, e.Size, r) })
		})
	}
	return g.Wait()
}

func (f *fetcher) reportDamage(err error) {
	if errors.Is(err, blob.ErrDamaged) {
		f.onMessage("a damaged file in the cache is fetched again: " + err.Error())
	}
}

// fetchWithRetry fetches a blob and passes its bytes to keep. It retries if bytes are missing or the digest differs. It
// returns an error of keep at once.
func (f *fetcher) fetchWithRetry(ctx context.Context, claim job.Claim, d blob.Digest, size int64, store func(io.Reader) error) error {
	until := time.Now().Add(f.retryFor)
	for again := (backoff{}); ; {
		err := f.tryFetch(ctx, claim, d, size, store)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the server has no blob %s, which the job names", d)
		}
		if _, passing := errors.AsType[*unavailableError](err); !passing || time.Now().After(until) || !again.wait(ctx) {
			return err
		}
	}
}

// tryFetch tries to fetch a blob once.
func (f *fetcher) tryFetch(ctx context.Context, claim job.Claim, d blob.Digest, size int64, store func(io.Reader) error) error {
	away := func(err error) error { return &unavailableError{err, claim, d, size} }
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stallTimeout, func() { cancel(fmt.Errorf("no byte came for %v", stallTimeout)) })
	defer watch.Stop()
	r, err := f.from.Fetch(ctx, claim, d, size)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		return away(err)
	}
	defer r.Close()
	w := &watchedReader{r: r, watch: watch}
	err = store(w)
	switch {
	case w.err != nil && context.Cause(ctx) != nil:
		return away(context.Cause(ctx))
	case w.err != nil:
		return away(w.err)
	case errors.Is(err, blob.ErrDamaged):
		return away(err)
	}
	return err
}

// A watchedReader is a reader that remembers its error and restarts a timer with each byte.
type watchedReader struct {
	r     io.Reader
	watch *time.Timer
	err   error
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.watch.Reset(stallTimeout)
	}
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
