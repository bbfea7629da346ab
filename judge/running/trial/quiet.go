package trial

import "sync"

// Quiet coordinates runs that may run at the same time, and runs that must be alone. Before a run that must
// be alone starts, the others end, and none starts before it ends. The benches of one process share it. The
// zero value is ready to use.
type Quiet struct{ mu sync.RWMutex }

// beside calls do at the same time as others. Do must not call beside or alone.
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

// quiet returns the Quiet of the bench.
func (b *Batch) quiet() *Quiet {
	if b.Quiet != nil {
		return b.Quiet
	}
	return &b.own
}
