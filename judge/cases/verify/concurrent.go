package verify

import (
	"context"

	"golang.org/x/sync/errgroup"

	"assay/judge"
)

// judgeConcurrently judges n solutions, starting with those for which early returns true. If there is more than one job, it
// judges twice as many solutions concurrently as there are jobs. This is useful because their runs are limited
// separately and some solutions only sleep. It calls tell in order, regardless of the order in which the solutions
// finish.
func (v *Verifier) judgeConcurrently(
	ctx context.Context, n int, startsFirst func(i int) bool, do func(ctx context.Context, i int) error,
	onEvent func(judge.Event), onTurn func(i int),
) error {
	var group errgroup.Group
	if group.SetLimit(1); v.Jobs > 1 {
		group.SetLimit(2 * v.Jobs)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan int, n)
	one := func(i int) func() error {
		return func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			err := do(ctx, i)
			if err != nil {
				cancel(err)
			} else {
				ended <- i
			}
			return err
		}
	}
	var err error
	go func() { // ends when all solutions are done
		defer close(ended)
		for _, first := range []bool{true, false} {
			for i := range n {
				if startsFirst(i) == first {
					group.Go(one(i))
				}
			}
		}
		err = group.Wait()
	}()
	told, ready := 0, make([]bool, n)
	count := 0
	for i := range ended {
		ready[i] = true
		count++
		onEvent(&judge.Progressed{Done: count, Total: n})
		for ; told < n && ready[told]; told++ {
			onTurn(told)
		}
	}
	return err
}
