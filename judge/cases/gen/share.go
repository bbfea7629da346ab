package gen

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// worker does tasks of type T, one at a time.
type worker[T any] struct {
	do    func(t T) error
	close func() error
}

// runWorkers runs the tasks in todo with the given number of workers, and starts them in order. If a task fails, share
// starts no further task, but lets the running ones finish. It returns the error of the failed task that comes
// first in todo.
func runWorkers[T any](ctx context.Context, jobs int, todo []T, newWorker func(ctx context.Context) (worker[T], error)) error {
	var begun atomic.Int64
	var failed atomic.Bool
	errs := make([]error, len(todo))
	group, ctx := errgroup.WithContext(ctx)
	for range min(max(jobs, 1), len(todo)) {
		group.Go(func() error {
			w, err := newWorker(ctx)
			if err != nil {
				return err
			}
			defer w.close()
			for !failed.Load() {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				i := int(begun.Add(1)) - 1
				if i >= len(todo) {
					return nil
				}
				if errs[i] = w.do(todo[i]); errs[i] != nil {
					failed.Store(true)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// forEach is like share for workers without state.
func forEach[T any](ctx context.Context, jobs int, todo []T, do func(ctx context.Context, t T) error) error {
	return runWorkers(ctx, jobs, todo, func(ctx context.Context) (worker[T], error) {
		return worker[T]{func(t T) error { return do(ctx, t) }, func() error { return nil }}, nil
	})
}

// counter returns a function that counts one more finished item and calls Progress.
func (m *CaseGenerator) counter(label string, total int) (done func()) {
	var n atomic.Int64
	return func() {
		if now := int(n.Add(1)); m.Progress != nil {
			m.Progress(label, now, total)
		}
	}
}
