package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/job"
)

// slow is a slow server of a single blob.
type slow struct {
	data  []byte
	pause time.Duration // before each byte
	asked int
	then  time.Duration // pause before each byte after the first request
}

func (s *slow) Fetch(ctx context.Context, _ job.Claim, _ blob.Digest, _ int64) (io.ReadCloser, error) {
	pause := s.pause
	if s.asked++; s.asked > 1 {
		pause = s.then
	}
	return &slowReader{ctx, bytes.NewReader(s.data), pause}, nil
}

type slowReader struct {
	ctx   context.Context
	r     *bytes.Reader
	pause time.Duration
}

func (r *slowReader) Read(p []byte) (int, error) {
	if !sleep(r.ctx, r.pause) {
		return 0, r.ctx.Err()
	}
	return r.r.Read(p[:1])
}

func (r *slowReader) Close() error { return nil }

// TestSlowServers checks that the worker waits for a server that sends slowly, however long it takes. It retries a
// server that sends nothing, and finally gives up.
func TestSlowServers(t *testing.T) {
	data := []byte(strings.Repeat("x", 100))
	for name, tt := range map[string]struct {
		pause, then time.Duration
		asked       int
		took        time.Duration // about
		err         string
	}{
		"a slow one is waited for":      {29 * time.Second, 0, 1, 101 * 29 * time.Second, ""},
		"one that hangs is asked again": {time.Hour, 0, 2, 30 * time.Second, ""},
		"one that stays away is told":   {time.Hour, time.Hour, 4, 120 * time.Second, "no byte came for 30s"},
		"a quick one is not waited for": {0, 0, 1, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			to, err := blob.Open(t.TempDir(), 0)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				s := &slow{data: data, pause: tt.pause, then: tt.then}
				f := &fetcher{from: s, to: to, retryFor: retryFor, onMessage: func(string) {}}
				begun := time.Now()
				err := f.fetchMissing(t.Context(), job.Claim{}, []bundle.Entry{{Size: 100, Digest: blob.DigestOf(data)}})
				took := time.Since(begun)
				if s.asked != tt.asked || took < tt.took || took > tt.took+20*time.Second {
					t.Errorf("asked %d times in %v, want %d in about %v", s.asked, took, tt.asked, tt.took)
				}
				if _, away := errors.AsType[*unavailableError](err); away != (tt.err != "") || away && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v, want %q", err, tt.err)
				}
			})
		})
	}
}
