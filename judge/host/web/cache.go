package web

import (
	"context"
	"sync"
	"time"
)

// A NumberCache caches the number of the newest event of each contest or ladder. It queries the database at most
// once per PollEvery for each of them, however many browsers listen.
type NumberCache struct {
	mu      sync.Mutex
	numbers map[string]*cachedNumber // numbers contest id or ladder id
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
func (c *NumberCache) Last(ctx context.Context, id string, read func(context.Context, string) (int64, error)) (int64, error) {
	c.mu.Lock()
	entry := c.numbers[id]
	if entry == nil {
		if c.numbers == nil {
			c.numbers = map[string]*cachedNumber{}
		}
		entry = &cachedNumber{}
		c.numbers[id] = entry
	}
	c.mu.Unlock()
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if time.Since(entry.at) < PollEvery {
		return entry.number, nil
	}
	number, err := read(ctx, id)
	if err == nil {
		entry.number, entry.at = number, time.Now()
	}
	return entry.number, err
}
