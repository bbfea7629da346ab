package desk

import (
	"cmp"
	"sync"
)

// A Memo caches values that take long to compute. A key must identify everything that its value depends on, so a
// cached value never becomes wrong. If the values would exceed Most bytes in total, the cached ones are dropped. A
// Memo is safe for concurrent use.
type Memo[K comparable, V any] struct {
	Most int64 // zero means 32 MiB

	mu   sync.Mutex
	size int64
	all  map[K]V
}

// Get returns the value of a key. If the value is not cached, Get calls compute, which also returns its
// approximate size in bytes. Errors are not cached.
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
