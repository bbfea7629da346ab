package intake

import (
	"cmp"
	"sync"
)

// A Cache caches values that take long to compute. A key must identify everything that its value depends on, so a
// cached value never becomes wrong. If the values would exceed MaxBytes bytes in total, the cached ones are dropped. A
// Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	MaxBytes int64 // zero means 32 MiB

	mu     sync.Mutex
	size   int64
	values map[K]V
}

// Get returns the value of a key. If the value is not cached, Get calls compute, which also returns its
// approximate size in bytes. Errors are not cached.
func (m *Cache[K, V]) Get(key K, compute func() (value V, size int64, err error)) (V, error) {
	m.mu.Lock()
	value, kept := m.values[key]
	m.mu.Unlock()
	if kept {
		return value, nil
	}
	value, size, err := compute()
	most := cmp.Or(m.MaxBytes, 32<<20)
	if err != nil || size > most {
		return value, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil || m.size+size > most {
		m.values, m.size = map[K]V{}, 0
	}
	if _, kept := m.values[key]; !kept {
		m.values[key] = value
		m.size += size
	}
	return value, nil
}
