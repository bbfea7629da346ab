package gen

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestShareTellsTheFirst checks that share returns the error of the first failing task in order, however late that
// task fails. No task may start after a failure has been seen.
func TestShareTellsTheFirst(t *testing.T) {
	for _, jobs := range []int{0, 1, 2, 7, 50} {
		for first := range 20 {
			synctest.Test(t, func(t *testing.T) {
				var todo []int
				for i := range 40 {
					todo = append(todo, i)
				}
				var last atomic.Int64
				err := forEach(t.Context(), jobs, todo, func(ctx context.Context, i int) error {
					last.Store(max(last.Load(), int64(i)))
					time.Sleep(time.Duration(40-i) * time.Millisecond) // later tasks take less time
					if i >= first {
						return fmt.Errorf("task %d", i)
					}
					return nil
				})
				if want := fmt.Sprintf("task %d", first); err == nil || err.Error() != want {
					t.Errorf("%d jobs: the error is %v, not of %s", jobs, err, want)
				}
				if begun := int(last.Load()); begun > first+max(jobs, 1) {
					t.Errorf("%d jobs: task %d was begun after task %d had failed", jobs, begun, first)
				}
			})
		}
	}
}

func TestShareEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := forEach(ctx, 2, make([]int, 9), func(ctx context.Context, _ int) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted share ends with %v", err)
	}
	refused := errors.New("refused")
	err = runWorkers(t.Context(), 2, make([]int, 9), func(context.Context) (worker[int], error) { return worker[int]{}, refused })
	if !errors.Is(err, refused) {
		t.Errorf("a share without workers ends with %v", err)
	}
	if err := forEach(t.Context(), 2, nil, func(context.Context, int) error { return refused }); err != nil {
		t.Errorf("nothing to do ends with %v", err)
	}
}
