package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
)

// BenchmarkMove moves 100,000 submissions to the other database while ten more arrive per second. Writes should be
// stopped for at most 10 s.
func BenchmarkMove(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		h := newHarness(b, dsn)
		bulk(b, h, dsn, 1_000)
		bulk(b, h, dsn, 100_000)
		to := pg(b)
		if strings.HasPrefix(dsn, "postgres") {
			to = filepath.Join(b.TempDir(), "assay.db")
		}
		end, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			for {
				select {
				case <-end:
					return
				case <-time.After(100 * time.Millisecond):
					_, _ = h.Submit(b.Context(), h.submission("")) // fails once writes are stopped
				}
			}
		}()
		moved, err := h.Move(b.Context(), store.MoveOptions{To: store.Options{DSN: to, Now: h.clock.Now}})
		close(end)
		<-ended
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(moved.Stopped.Seconds(), "stopped-s")
		b.ReportMetric(float64(moved.Rows), "rows")
	})
}
