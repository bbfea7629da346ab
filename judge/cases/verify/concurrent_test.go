package verify

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
)

func TestSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &Verifier{Jobs: 2}
		const n = 6
		var now, most atomic.Int32
		var told []int
		started := time.Now()
		err := v.judgeConcurrently(t.Context(), n, func(i int) bool { return i == 4 }, func(ctx context.Context, i int) error {
			if i == 4 {
				time.Sleep(30 * time.Second) // while all others run
				return nil
			}
			if k := now.Add(1); k > most.Load() {
				most.Store(k)
			}
			defer now.Add(-1)
			time.Sleep(time.Duration(n-i) * time.Second) // the first solution finishes last
			return nil
		}, func(judge.Event) {}, func(i int) { told = append(told, i) })
		if err != nil || !slices.Equal(told, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("several = %v, told %v; want the solutions in their order", err, told)
		}
		if most.Load() != 3 {
			t.Errorf("%d solutions beside the early one, want twice as many as there are jobs, with it", most.Load())
		}
		if took := time.Since(started); took != 30*time.Second {
			t.Errorf("took %v: the one that waits holds up the others", took)
		}
	})
}

func TestSeveralEndsAtTheFirstError(t *testing.T) {
	v := &Verifier{Jobs: 2}
	broken := errors.New("broken")
	err := v.judgeConcurrently(t.Context(), 5, func(i int) bool { return i == 3 }, func(ctx context.Context, i int) error {
		if i == 1 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	}, func(judge.Event) {}, func(i int) { t.Errorf("told of %d", i) })
	if !errors.Is(err, broken) {
		t.Errorf("several = %v, want %v", err, broken)
	}
}
