package desk

import (
	"context"
	"sync"

	"assay/judge/host/store"
)

// The most streams that are open at once: of one account, of those who are not logged in and
// come from one network, and of all. A browser has one for each window that cannot share.
const (
	mostOfAccount = 100
	mostOfNetwork = 2_000
	mostStreams   = 20_000
)

// Streams counts the streams of events that are open, of pages and of the command line. The zero
// value is ready.
type Streams struct {
	mu  sync.Mutex
	of  map[string]int // by account, or by network
	all int
}

// Enter counts one more for an account, or where that is nil for the network of an address; with
// too many it is a *Refusal. Leave ends it.
func (o *Streams) Enter(ctx context.Context, a *store.Account, address string) (leave func(), err error) {
	who, most := "network "+Network(address).String(), mostOfNetwork
	if a != nil {
		who, most = AccountTurn(a), mostOfAccount
	}
	if !o.one(who, most) {
		return nil, turnAway(ctx, "too many live pages are open, or judgings followed", "close some of them; they go on without it when they are loaded again")
	}
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.all--
		if o.of[who]--; o.of[who] == 0 {
			delete(o.of, who)
		}
	}, nil
}

// one counts one more, unless there are too many.
func (o *Streams) one(who string, most int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[string]int{}
	}
	if o.of[who] >= most || o.all >= mostStreams {
		return false
	}
	o.of[who]++
	o.all++
	return true
}
