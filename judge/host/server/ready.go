package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"assay/judge/host/store"
)

// lookedFor is how long what was found out of the server's health holds: a caller that asks more often is
// told the same, so that a stranger who asks all the time costs nothing.
const lookedFor = 2 * time.Second

// health is what was found out last.
type health struct {
	mu    sync.Mutex
	at    time.Time
	notes []string
	err   error
}

// ready says whether the server can take submissions, and what is wrong all the same.
func (s *Server) ready(ctx context.Context) (notes []string, err error) {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.at) >= lookedFor {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		h.notes, h.err = s.look(within)
		h.at = time.Now()
	}
	return h.notes, h.err
}

func (s *Server) look(ctx context.Context) (notes []string, err error) {
	if err := s.store.SetSetting(ctx, "ready", strconv.FormatInt(time.Now().Unix(), 10)); err != nil {
		return nil, fmt.Errorf("the database does not write: %w", err)
	}
	if _, err := s.queue.Stats(ctx); err != nil {
		return nil, fmt.Errorf("the queue does not answer: %w", err)
	}
	workers, err := s.store.Workers(ctx)
	if err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	for _, w := range workers {
		now := s.dispatch.Presence(w.Name)
		switch {
		case w.State == store.Drained && w.Note != "":
			notes = append(notes, "the worker "+w.Name+" was taken out of service: judged admin worker list says why")
		case now.Note != "":
			notes = append(notes, "the worker "+w.Name+" takes no jobs for now: judged admin worker list says why")
		case now.Differs > 0:
			notes = append(notes, "other workers disagree with the worker "+w.Name+": the page /admin/audit says about which submissions")
		}
	}
	queues, err := s.dispatch.Queues(ctx)
	if err != nil {
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	wait := map[string]int{} // of each class of which no worker is there
	for _, q := range queues {
		if q.State == store.Waiting && !s.dispatch.Served(q.Class) {
			wait[q.Class] += q.Jobs
		}
	}
	for _, class := range slices.Sorted(maps.Keys(wait)) {
		notes = append(notes, fmt.Sprintf("jobs that wait for a worker of the class %s, and none is there that takes any: %d", class, wait[class]))
	}
	return notes, nil
}
