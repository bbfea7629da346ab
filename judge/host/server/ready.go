package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// healthCacheTime is how long a health check result is reused, so that frequent requests by strangers cost nothing.
const healthCacheTime = 2 * time.Second

// healthCache is the last result of the health check.
type healthCache struct {
	mu    sync.Mutex
	at    time.Time
	notes []string
	err   error
}

// ready returns an error if the server cannot accept submissions, and notes about other problems.
func (s *Server) ready(ctx context.Context) (notes []string, err error) {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.at) >= healthCacheTime {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		h.notes, h.err = s.checkHealth(within)
		h.at = time.Now()
	}
	return h.notes, h.err
}

func (s *Server) checkHealth(ctx context.Context) (notes []string, err error) {
	if err := s.store.SetSetting(ctx, "ready", strconv.FormatInt(time.Now().Unix(), 10)); err != nil {
		return nil, fmt.Errorf("the database does not write: %w", err)
	}
	if _, err := s.queue.Stats(ctx); err != nil {
		return nil, fmt.Errorf("the queue does not answer: %w", err)
	}
	// A shared directory may lose its disk. A blob that is missing there is enough to notice that.
	if s.o.Blobs != "" && s.o.Blobs != BlobsInQueue {
		if _, err := s.intake.Blobs.Has(blob.DigestOf(nil), 0); err != nil {
			return nil, err
		}
	}
	skew, err := s.databaseSkew(ctx)
	if err != nil {
		return nil, err
	}
	if skew != "" {
		notes = append(notes, skew)
	}
	workers, err := s.store.Workers(ctx)
	if err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	for _, w := range workers {
		now := s.dispatch.WorkerStatus(w.Name)
		switch {
		case w.State == store.WorkerDrained && w.Note != "":
			notes = append(notes, "the worker "+w.Name+" was drained: judged admin worker list shows why")
		case now.Note != "":
			notes = append(notes, "the worker "+w.Name+" takes no jobs at the moment: judged admin worker list shows why")
		case now.Disagreements > 0:
			notes = append(notes, "other workers disagree with the worker "+w.Name+": the page /admin/audit shows the submissions")
		}
	}
	queues, err := s.dispatch.QueueCounts(ctx)
	if err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	wait := map[string]int{} // waiting jobs by class, for classes without a worker
	for _, q := range queues {
		if q.State == store.JobWaiting && !s.dispatch.HasWorker(q.Class) {
			wait[q.Class] += q.Jobs
		}
	}
	for _, class := range slices.Sorted(maps.Keys(wait)) {
		notes = append(notes, fmt.Sprintf("no worker of the class %s takes jobs; waiting jobs: %d", class, wait[class]))
	}
	return notes, nil
}
