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
	stall    = 30 * time.Second // time without a byte before a download restarts
	atOnce   = 8                // parallel downloads per job
	retryFor = 2 * time.Minute  // if the server does not respond
)

// An awayError means that the server cannot currently send a blob that the job needs.
type awayError struct {
	err    error
	why    job.Claim
	digest blob.Digest // the missing blob
	size   int64
}

func (e *awayError) Error() string {
	return "the server does not send what the job needs: " + e.err.Error()
}
func (e *awayError) Unwrap() error { return e.err }

// A fetcher fetches blobs into a directory.
type fetcher struct {
	from     Blobs
	to       *blob.Dir
	retryFor time.Duration // how long to retry
	note     func(string)
}

// read returns a blob of unknown size. Most is its maximum size in bytes.
func (f *fetcher) read(ctx context.Context, why job.Claim, d blob.Digest, most int64) ([]byte, error) {
	data, err := f.to.Read(d, most)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	f.tellDamage(err)
	err = f.patiently(ctx, why, d, 0, func(r io.Reader) error {
		if data, err = io.ReadAll(io.LimitReader(r, most+1)); err != nil {
			return err
		}
		if int64(len(data)) > most {
			return fmt.Errorf("blob %s has more than %d bytes", d, most)
		}
		return f.to.Put(d, int64(len(data)), bytes.NewReader(data))
	})
	return data, err
}

// bring fetches missing and damaged blobs.
func (f *fetcher) bring(ctx context.Context, why job.Claim, all []bundle.Entry) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, e := range all {
		file, err := f.to.Open(e.Digest, e.Size)
		if err == nil {
			file.Close()
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, g.Wait())
		}
		f.tellDamage(err)
		g.Go(func() error {
			if e.Size == 0 {
				return f.to.Put(e.Digest, 0, bytes.NewReader(nil))
			}
			return f.patiently(ctx, why, e.Digest, e.Size, func(r io.Reader) error { return f.to.Put(e.Digest, e.Size, r) })
		})
	}
	return g.Wait()
}

func (f *fetcher) tellDamage(err error) {
	if errors.Is(err, blob.ErrDamaged) {
		f.note("a damaged file in the cache is fetched again: " + err.Error())
	}
}

// patiently fetches a blob and passes its bytes to keep. It retries if bytes are missing or the digest differs. It
// returns an error of keep at once.
func (f *fetcher) patiently(ctx context.Context, why job.Claim, d blob.Digest, size int64, keep func(io.Reader) error) error {
	until := time.Now().Add(f.retryFor)
	for again := (backoff{}); ; {
		err := f.once(ctx, why, d, size, keep)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the server has no blob %s, which the job names", d)
		}
		if _, passing := errors.AsType[*awayError](err); !passing || time.Now().After(until) || !again.wait(ctx) {
			return err
		}
	}
}

// once tries to fetch a blob once.
func (f *fetcher) once(ctx context.Context, why job.Claim, d blob.Digest, size int64, keep func(io.Reader) error) error {
	away := func(err error) error { return &awayError{err, why, d, size} }
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("no byte came for %v", stall)) })
	defer watch.Stop()
	r, err := f.from.Fetch(ctx, why, d, size)
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil {
		return away(err)
	}
	defer r.Close()
	w := &watched{r: r, watch: watch}
	err = keep(w)
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

// A watched is a reader that remembers its error and restarts a timer with each byte.
type watched struct {
	r     io.Reader
	watch *time.Timer
	err   error
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if n > 0 {
		w.watch.Reset(stall)
	}
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}
