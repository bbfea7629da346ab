package trial

import "sync"

// Quiet coordinates runs that may be concurrent with runs that must be alone. A run that must be alone starts
// after all other runs have ended, and no run starts before it ends. The benches of one process share a Quiet. The
// zero value is ready to use.
type Quiet struct{ mu sync.RWMutex }

// beside calls the function do concurrently with other runs. The function must not call beside or alone.
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

// quiet returns the Quiet that the bench uses.
func (b *Batch) quiet() *Quiet {
	if b.Quiet != nil {
		return b.Quiet
	}
	return &b.own
}
