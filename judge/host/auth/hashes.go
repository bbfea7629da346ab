package auth

import (
	"context"
	"sync"
)

// HashAll hashes passwords as Hash does, and uses all slots of p at once. It returns the hashes in the order of
// passwords, or no hashes and an error. After each password it calls done with the number of hashes so far, from
// one goroutine at a time.
func (p *Passwords) HashAll(ctx context.Context, passwords []string, done func(n int)) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	hashes := make([]string, len(passwords))
	var all sync.WaitGroup
	var mu sync.Mutex
	next, ended := 0, 0
	take := func() (i int, is bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= len(passwords) && ctx.Err() == nil
	}
	for range min(cap(p.slots), len(passwords)) {
		all.Go(func() {
			for i, is := take(); is; i, is = take() {
				hash, err := p.Hash(ctx, passwords[i])
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				hashes[i] = hash
				ended++
				done(ended)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return hashes, nil
}
