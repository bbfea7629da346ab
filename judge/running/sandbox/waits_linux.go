//go:build amd64 || arm64

package sandbox

import (
	"sync"
	"time"
)

// waits adds up how long a started process waits for a CPU.
type waits struct {
	mu    sync.Mutex
	place place
	seen  bool // whether a thread of the process was seen
	starvation
}

func (w *waits) begin() { w.starvation.begin() }

// at records where the process runs.
func (w *waits) at(p place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.place = p
}

// look updates and returns how long the process has waited for a CPU in total. Before the process starts, all time
// counts as waiting, because the judge or its zygote is kept from a CPU.
func (w *waits) look() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := moment()
	took := now - w.looked
	w.looked = now
	var threads []string
	if w.place.pid != 0 {
		threads = w.place.threads()
	}
	w.add(threads, took)
	return time.Duration(w.total)
}

// add is like look for the given threads of the process.
func (w *waits) add(threads []string, took int64) {
	w.seen = w.seen || len(threads) > 0
	switch {
	case w.seen:
		w.starvation.add(threads, took, 0)
	case w.place.pid == 0 || w.place.known():
		w.total += took
	}
}
