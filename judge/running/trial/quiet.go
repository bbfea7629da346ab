package trial

import "sync"

// Quiet lets runs go beside one another, except one that must be alone: the others
// end before it starts, and none starts before it ends. The benches of
// one process share it. The zero value is ready.
type Quiet struct{ mu sync.RWMutex }

// beside calls do, which must not ask to be alone, and not call beside again.
func (q *Quiet) beside(do func()) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	do()
}

// alone calls do while nothing else runs.
func (q *Quiet) alone(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
}

// quiet is the one that the bench keeps.
func (b *Batch) quiet() *Quiet {
	if b.Quiet != nil {
		return b.Quiet
	}
	return &b.own
}
