package intake

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"assay/judge/host/store"
)

// RequestQueue runs one request per caller at a time. If the caller has more waiting requests, RequestQueue pauses
// after each request for as long as that request took, but at least 1 ms. Therefore a caller with many requests uses
// at most half a processor. The zero value is ready to use.
type RequestQueue struct {
	// NoPauses omits the pauses. It is for requests that have another limit.
	NoPauses bool

	mu      sync.Mutex
	callers map[string]*callerQueue
}

// A callerQueue is the queue of one caller's requests.
type callerQueue struct {
	slots        chan struct{} // slots for running requests
	pending      int           // number of waiting and running requests
	lastDuration time.Duration // duration of the last request, without parallel requests; protected by place
}

// AccountKey returns the queue key for the requests of an account, from pages and the command line.
func AccountKey(a *store.Account) string { return "account " + a.ID }

// Network returns the network of an address. This is the IPv4 address itself, or the first half of the IPv6
// address.
func Network(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits, ip := 32, at.Addr().Unmap()
	if ip.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(ip.WithZone(""), bits).Masked()
}

const (
	// rejectDelay is the delay before a caller with too many requests is rejected.
	rejectDelay = time.Second
	// minPause is the minimum pause. Without it, one caller could request a scoreboard, which is rendered once
	// for all, as fast as the connections allow. The pause is short because a whole school may share one address.
	minPause = time.Millisecond
)

// tooManyRequests waits and then returns the Refusal for a caller that has reached limit l. The delay slows down clients
// that retry immediately.
func tooManyRequests(ctx context.Context, l Limit) error {
	select {
	case <-time.After(rejectDelay):
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.Refusal()
}

// A Slot is a caller's slot to run a request.
type Slot struct {
	queue  *RequestQueue
	caller *callerQueue
	key    string
	held   bool
	began  time.Time
}

// Wait waits for a slot for the caller with the key who. It returns a *Refusal if too many requests of that caller
// are waiting. The code that calls Wait must call End on the result.
func (t *RequestQueue) Wait(ctx context.Context, key string) (*Slot, error) {
	return t.wait(ctx, key, 1)
}

// wait is like Wait, but several requests of one caller may run at the same time. The parameter places is their
// maximum number. If it is more than one, there are no pauses.
func (t *RequestQueue) wait(ctx context.Context, key string, slots int) (*Slot, error) {
	t.mu.Lock()
	if t.callers == nil {
		t.callers = map[string]*callerQueue{}
	}
	l := t.callers[key]
	if l == nil {
		l = &callerQueue{slots: make(chan struct{}, slots)}
		t.callers[key] = l
	}
	full := l.pending >= int(QueuedRequests.Max)+slots
	if !full {
		l.pending++
	}
	t.mu.Unlock()
	if full {
		return nil, tooManyRequests(ctx, QueuedRequests)
	}
	turn := &Slot{queue: t, caller: l, key: key}
	if err := turn.begin(ctx); err != nil {
		turn.End()
		return nil, err
	}
	return turn, nil
}

func (t *Slot) begin(ctx context.Context) error {
	select {
	case t.caller.slots <- struct{}{}:
	default:
		select {
		case t.caller.slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		pause := time.Duration(0)
		if t.pauses() {
			pause = max(t.caller.lastDuration, minPause)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			<-t.caller.slots
			return ctx.Err()
		}
	}
	t.held, t.began = true, time.Now()
	return nil
}

// pauses reports whether a pause follows the request.
func (t *Slot) pauses() bool { return !t.queue.NoPauses && cap(t.caller.slots) == 1 }

// Release releases the slot, so that the next request can run.
func (t *Slot) Release() {
	if !t.held {
		return
	}
	if t.held = false; t.pauses() {
		t.caller.lastDuration = time.Since(t.began)
	}
	<-t.caller.slots
}

// Yield releases the slot, and then calls do, which may wait for the caller. When do returns, Yield waits for a
// slot again.
func (t *Slot) Yield(ctx context.Context, do func()) error {
	if !t.held {
		do()
		return nil
	}
	t.Release()
	do()
	return t.begin(ctx)
}

// End ends t. It may be called after Release.
func (t *Slot) End() {
	t.Release()
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	if t.caller.pending--; t.caller.pending == 0 {
		delete(t.queue.callers, t.key)
	}
}

// WaitForUpload waits until an account may send another request body to the API, and returns the upload's turn. The
// caller must end this turn after sending the response. The upload's turn is separate from the request's slot in
// RequestQueue. Upload limits the bodies that are kept in memory or on disk until their requests get such slots. A
// stalled body does not delay the account's other requests.
func (d *Service) WaitForUpload(ctx context.Context, a *store.Account) (*Slot, error) {
	return d.uploadQueue.wait(ctx, AccountKey(a), int(Uploads.Max))
}

// PaceNetwork waits for a slot in PublicQueue for the request's network. It is for cheap requests without an account. After
// the slot is granted, PaceNetwork returns immediately, but keeps the slot for a short time, which delays the network's
// next request. If too many requests wait, PaceNetwork returns after a delay without a slot, so that health checks still
// work.
func (d *Service) PaceNetwork(r *http.Request) {
	if turn, err := d.PublicQueue.Wait(r.Context(), Network(r.RemoteAddr).String()); err == nil {
		time.AfterFunc(minPause, turn.End)
	}
}
