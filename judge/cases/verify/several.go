package verify

import (
	"context"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/running/trial"
)

// several judges n solutions, as many at a time as there are jobs, and besides these
// those that are early. Whatever the order in which they end, tell is called in theirs.
func (v *Verifier) several(ctx context.Context, n int, early func(i int) bool, do func(ctx context.Context, i int) error, listen func(judge.Event), tell func(i int)) error {
	var group, waiting errgroup.Group
	group.SetLimit(max(v.Jobs, 1))
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
	go func() { // ends when all solutions have
		defer close(ended)
		for i := range n {
			if early(i) {
				waiting.Go(one(i))
			}
		}
		for i := range n {
			if !early(i) {
				group.Go(one(i))
			}
		}
		if err = group.Wait(); err == nil {
			err = waiting.Wait()
		} else {
			_ = waiting.Wait() // the first error has ended it
		}
	}()
	told, ready := 0, make([]bool, n)
	count := 0
	for i := range ended {
		ready[i] = true
		count++
		listen(&judge.Progressed{Done: count, Of: n})
		for ; told < n && ready[told]; told++ {
			tell(told)
		}
	}
	return err
}

// waits says whether a solution is to wait beside those that compute. With one job
// nothing runs beside anything.
func (v *Verifier) waits(s *solution) bool { return v.Jobs > 1 && s.promised == judge.IdlenessLimit }

// inTurn has the runs of all solutions share the jobs that there are.
func (v *Verifier) inTurn(b trial.Bench, way trial.Way) trial.Bench {
	if way.Waits {
		return b
	}
	v.turn.Do(func() { v.turns = make(chan struct{}, max(v.Jobs, 1)) })
	return &inTurn{b, v.turns}
}

// inTurn is a bench that takes a turn for each run.
type inTurn struct {
	trial.Bench
	turns chan struct{}
}

// Try waits for a turn, and runs the program.
func (b *inTurn) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-b.turns }()
	return b.Bench.Try(ctx, c)
}
