package worker

import (
	"context"
	"math/rand/v2"
	"time"
)

// wait waits; false says that ctx ended before.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}

// backoff is how long to wait before the next try: longer each time, and not the same for
// all workers, which would come back at once.
type backoff struct{ next time.Duration }

func (b *backoff) wait(ctx context.Context) bool {
	b.next = min(max(2*b.next, 500*time.Millisecond), 30*time.Second)
	return wait(ctx, b.next/2+rand.N(b.next/2))
}
