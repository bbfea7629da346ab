package trial

import "sync"

// ExclusiveLock coordinates runs that may be concurrent with runs that must be alone. A run that must be alone starts
// after all other runs have ended, and no run starts before it ends. The benches of one process share an ExclusiveLock. The
// zero value is ready to use.
type ExclusiveLock struct{ mu sync.RWMutex }

// shared calls the function do concurrently with other runs. The function must not call beside or alone.
func (q *ExclusiveLock) shared(do func()) {
	q.mu.RLock()
	defer q.mu.RUnlock()
	do()
}

// exclusive calls do while nothing else runs.
func (q *ExclusiveLock) exclusive(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
}

// exclusiveLock returns the ExclusiveLock that the bench uses.
func (b *Batch) exclusiveLock() *ExclusiveLock {
	if b.Exclusive != nil {
		return b.Exclusive
	}
	return &b.ownLock
}
