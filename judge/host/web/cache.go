package web

import (
	"context"
	"sync"
	"time"
)

// A NumberCache caches the number of the newest event of each contest or ladder. It queries the database at most
// once per PollEvery for each of them, however many browsers listen.
type NumberCache struct {
	mu sync.Mutex
	by map[string]*cachedNumber // by contest id or ladder id
}

type cachedNumber struct {
	mu     sync.Mutex
	at     time.Time
	number int64
}

// PollEvery is how often a stream looks for events.
const PollEvery = 500 * time.Millisecond

// Last returns the number of the newest event of the contest or ladder with the given id. It returns the cached
// number, or calls query if that is too old.
func (c *NumberCache) Last(ctx context.Context, id string, query func(context.Context, string) (int64, error)) (int64, error) {
	c.mu.Lock()
	one := c.by[id]
	if one == nil {
		if c.by == nil {
			c.by = map[string]*cachedNumber{}
		}
		one = &cachedNumber{}
		c.by[id] = one
	}
	c.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	if time.Since(one.at) < PollEvery {
		return one.number, nil
	}
	number, err := query(ctx, id)
	if err == nil {
		one.number, one.at = number, time.Now()
	}
	return one.number, err
}
