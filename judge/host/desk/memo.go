package desk

import (
	"cmp"
	"sync"
)

// A Memo keeps values that take long to compute, by key. A key names everything that its value depends on, so a
// value never becomes wrong. If the values would have more than Most bytes together, it forgets those that it has.
// It is safe for concurrent use.
type Memo[K comparable, V any] struct {
	Most int64 // zero means 32 MiB

	mu   sync.Mutex
	size int64
	all  map[K]V
}

// Get returns the value of a key. If it is not kept, it calls compute, which also returns about how many bytes the
// value has. An error is not kept.
func (m *Memo[K, V]) Get(key K, compute func() (value V, size int64, err error)) (V, error) {
	m.mu.Lock()
	value, kept := m.all[key]
	m.mu.Unlock()
	if kept {
		return value, nil
	}
	value, size, err := compute()
	most := cmp.Or(m.Most, 32<<20)
	if err != nil || size > most {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil || m.size+size > most {
		m.all, m.size = map[K]V{}, 0
	}
	if _, kept := m.all[key]; !kept {
		m.all[key] = value
		m.size += size
	}
	return value, nil
}
