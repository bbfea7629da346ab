package worker

import (
	"context"
	"errors"
	"sync"
)

// A pool keeps values open that take long to open, by key. Concurrent users share a value. A limited number of
// unused values stays open. Errors are not cached.
type pool[K comparable, V any] struct {
	idle  int     // maximum number of unused values that stay open
	close func(V) // called for an unused value

	mu    sync.Mutex
	all   map[K]*poolEntry[V]
	clock int64
}

type poolEntry[V any] struct {
	ready chan struct{} // closed when value and err are set
	value V
	err   error
	users int
	last  int64 // when it was last used
}

var errNotOpened = errors.New("opening it panicked")

// acquire returns the value of a key, and opens the value if needed. The caller must call give when it no longer uses
// the value.
func (k *pool[K, V]) acquire(ctx context.Context, key K, open func() (V, error)) (value V, give func(), err error) {
	for {
		k.mu.Lock()
		e, there := k.all[key]
		if !there {
			e = &poolEntry[V]{ready: make(chan struct{}), err: errNotOpened}
			if k.all == nil {
				k.all = map[K]*poolEntry[V]{}
			}
			k.all[key] = e
		}
		e.users++
		k.mu.Unlock()
		give = sync.OnceFunc(func() { k.release(key, e) })
		if !there {
			func() {
				defer close(e.ready)
				e.value, e.err = open()
			}()
			if e.err != nil {
				k.drop(key, e)
				give()
			}
			return e.value, give, e.err
		}
		select {
		case <-ctx.Done():
			give()
			return value, give, context.Cause(ctx)
		case <-e.ready:
		}
		if e.err == nil {
			return e.value, give, nil
		}
		give() // another caller failed, perhaps because its context ended
		k.drop(key, e)
	}
}

// release removes one user.
func (k *pool[K, V]) release(key K, e *poolEntry[V]) {
	k.mu.Lock()
	e.users--
	k.clock++
	e.last = k.clock
	gone := e.users == 0 && k.all[key] != e
	k.mu.Unlock()
	if gone {
		k.end(e)
	}
	for k.shrink(k.idle) {
	}
}

// end closes a value that was removed from the pool.
func (k *pool[K, V]) end(e *poolEntry[V]) {
	if e.err == nil {
		k.close(e.value)
	}
}

// drop removes e from the pool. The value is closed when its last user releases it.
func (k *pool[K, V]) drop(key K, e *poolEntry[V]) {
	k.mu.Lock()
	mine := k.all[key] == e
	if mine {
		delete(k.all, key)
	}
	unused := mine && e.users == 0
	k.mu.Unlock()
	if unused {
		k.end(e)
	}
}

// dropIf drops the value of key if meant returns true for the value. It does nothing if the value is missing or
// still being opened.
func (k *pool[K, V]) dropIf(key K, meant func(V) bool) {
	k.mu.Lock()
	e, there := k.all[key]
	k.mu.Unlock()
	if !there {
		return
	}
	select {
	case <-e.ready:
	default:
		return // a new one
	}
	if e.err == nil && meant(e.value) {
		k.drop(key, e)
	}
}

// shrink closes the value that has been unused longest, if the number of unused values exceeds the parameter most.
// It reports whether it closed a value.
func (k *pool[K, V]) shrink(most int) (closed bool) {
	k.mu.Lock()
	var oldest K
	unused := 0
	for key, e := range k.all {
		if e.users > 0 {
			continue
		}
		if unused++; unused == 1 || e.last < k.all[oldest].last {
			oldest = key
		}
	}
	e := k.all[oldest]
	if unused > most {
		delete(k.all, oldest)
	}
	k.mu.Unlock()
	if unused > most {
		k.end(e)
	}
	return unused > most
}

// clear drops all values.
func (k *pool[K, V]) clear() {
	k.mu.Lock()
	all := k.all
	k.all = nil
	var unused []*poolEntry[V]
	for _, e := range all {
		if e.users == 0 {
			unused = append(unused, e)
		}
	}
	k.mu.Unlock()
	for _, e := range unused {
		k.end(e)
	}
}
