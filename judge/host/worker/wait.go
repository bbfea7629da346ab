package worker

import (
	"context"
	"math/rand/v2"
	"time"
)

// sleep waits for d. It returns false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}

// backoff determines how long to wait between the tries of an operation that fails. The time grows with each try
// and is random, so that workers do not retry at the same moment.
type backoff struct{ next time.Duration }

func (b *backoff) wait(ctx context.Context) bool {
	b.next = min(max(2*b.next, 500*time.Millisecond), 30*time.Second)
	return sleep(ctx, b.next/2+rand.N(b.next/2))
}
