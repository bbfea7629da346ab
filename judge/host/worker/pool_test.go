package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestKept checks concurrent calls of take, give, forget and clear. A value in use must be open and shared, and no
// value may be closed twice. In the end all values must be closed.
func TestKept(t *testing.T) {
	type thing struct {
		key    int
		open   atomic.Bool
		shared atomic.Int64
	}
	var opened, closed atomic.Int64
	k := pool[int, *thing]{idle: 2, close: func(v *thing) {
		if !v.open.Swap(false) {
			t.Error("closed twice")
		}
		if n := v.shared.Load(); n != 0 {
			t.Errorf("closed while %d use it", n)
		}
		closed.Add(1)
	}}
	refuse := errors.New("refused")
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 2000 {
				key := random.IntN(5)
				ctx, end := context.WithCancel(t.Context())
				if random.IntN(20) == 0 {
					end()
				}
				v, give, err := k.acquire(ctx, key, func() (*thing, error) {
					if random.IntN(10) == 0 {
						return nil, refuse
					}
					v := &thing{key: key}
					v.open.Store(true)
					opened.Add(1)
					return v, nil
				})
				end()
				if err != nil {
					if !errors.Is(err, refuse) && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					continue
				}
				v.shared.Add(1)
				if !v.open.Load() || v.key != key {
					t.Errorf("%d: got %d, open %t", key, v.key, v.open.Load())
				}
				switch random.IntN(100) {
				case 0:
					k.clear()
				case 1:
					k.dropIf(key, func(other *thing) bool { return other == v })
				case 2:
					k.shrink(0)
				}
				v.shared.Add(-1)
				give()
				give() // a second call has no effect
			}
		})
	}
	all.Wait()
	if n := opened.Load() - closed.Load(); n > int64(k.idle) {
		t.Errorf("%d unused ones are open, of at most %d", n, k.idle)
	}
	k.clear()
	if opened.Load() != closed.Load() || opened.Load() == 0 {
		t.Errorf("%d opened, %d closed", opened.Load(), closed.Load())
	}
}

// TestKeptPanics checks a caller that waits for a value that another caller is opening. If opening panics, the
// waiting caller must open the value itself.
func TestKeptPanics(t *testing.T) {
	k := pool[int, int]{close: func(int) {}}
	begun, waits := make(chan bool), make(chan error)
	go func() {
		defer func() { _ = recover() }()
		_, _, _ = k.acquire(t.Context(), 1, func() (int, error) {
			close(begun)
			panic("oh no")
		})
	}()
	<-begun
	go func() {
		v, give, err := k.acquire(t.Context(), 1, func() (int, error) { return 7, nil })
		if v != 7 && err == nil {
			err = errors.New("not what was opened")
		}
		give()
		waits <- err
	}()
	if err := <-waits; err != nil {
		t.Error(err)
	}
}
