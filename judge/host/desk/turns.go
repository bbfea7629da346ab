package desk

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"assay/judge/host/store"
)

// Turns runs one request per caller at a time. If the caller has more waiting requests, Turns pauses after each
// request for as long as that request took, but at least 1 ms. Therefore a caller with many requests uses at most
// half a processor. The zero value is ready to use.
type Turns struct {
	// Restless omits the pauses. It is for requests that have another limit.
	Restless bool

	mu sync.Mutex
	of map[string]*line
}

// A line is the queue of one caller's requests.
type line struct {
	place chan struct{} // slots for running requests
	here  int           // number of waiting and running requests
	took  time.Duration // duration of the last request, without parallel requests; protected by place
}

// AccountTurn returns the queue key for the requests of an account, from pages and the command line.
func AccountTurn(a *store.Account) string { return "account " + a.ID }

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
	// turnedAway is the delay before a caller with too many requests is rejected.
	turnedAway = time.Second
	// leastRest is the minimum pause. Without it, one caller could request a scoreboard, which is rendered once
	// for all, as fast as the connections allow. The pause is short because a whole school may share one address.
	leastRest = time.Millisecond
)

// turnAway waits and then returns the Refusal for a caller that has reached limit l. The delay slows down clients
// that retry immediately.
func turnAway(ctx context.Context, l Limit) error {
	select {
	case <-time.After(turnedAway):
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.Reached()
}

// A Turn is a caller's slot to run a request.
type Turn struct {
	all   *Turns
	line  *line
	who   string
	held  bool
	began time.Time
}

// Wait waits for a slot for the caller with the key who. It returns a *Refusal if too many requests of that caller
// are waiting. The code that calls Wait must call End on the result.
func (t *Turns) Wait(ctx context.Context, who string) (*Turn, error) { return t.wait(ctx, who, 1) }

// wait is like Wait, but several requests of one caller may run at the same time. The parameter places is their
// maximum number. If it is more than one, there are no pauses.
func (t *Turns) wait(ctx context.Context, who string, places int) (*Turn, error) {
	t.mu.Lock()
	if t.of == nil {
		t.of = map[string]*line{}
	}
	l := t.of[who]
	if l == nil {
		l = &line{place: make(chan struct{}, places)}
		t.of[who] = l
	}
	full := l.here >= int(QueuedRequests.Most)+places
	if !full {
		l.here++
	}
	t.mu.Unlock()
	if full {
		return nil, turnAway(ctx, QueuedRequests)
	}
	turn := &Turn{all: t, line: l, who: who}
	if err := turn.begin(ctx); err != nil {
		turn.End()
		return nil, err
	}
	return turn, nil
}

func (t *Turn) begin(ctx context.Context) error {
	select {
	case t.line.place <- struct{}{}:
	default:
		select {
		case t.line.place <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		rest := time.Duration(0)
		if t.rests() {
			rest = max(t.line.took, leastRest)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			<-t.line.place
			return ctx.Err()
		}
	}
	t.held, t.began = true, time.Now()
	return nil
}

// rests reports whether a pause follows the request.
func (t *Turn) rests() bool { return !t.all.Restless && cap(t.line.place) == 1 }

// Pass releases the slot, so that the next request can run.
func (t *Turn) Pass() {
	if !t.held {
		return
	}
	if t.held = false; t.rests() {
		t.line.took = time.Since(t.began)
	}
	<-t.line.place
}

// Aside releases the slot, and then calls do, which may wait for the caller. When do returns, Aside waits for a
// slot again.
func (t *Turn) Aside(ctx context.Context, do func()) error {
	if !t.held {
		do()
		return nil
	}
	t.Pass()
	do()
	return t.begin(ctx)
}

// End ends t. It may be called after Pass.
func (t *Turn) End() {
	t.Pass()
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.line.here--; t.line.here == 0 {
		delete(t.all.of, t.who)
	}
}

// Upload waits until an account may send another request body to the API, and returns the upload's turn. The
// caller must end this turn after sending the response. The upload's turn is separate from the request's slot in
// Turns. Upload limits the bodies that are kept in memory or on disk until their requests get such slots. A
// stalled body does not delay the account's other requests.
func (d *Desk) Upload(ctx context.Context, a *store.Account) (*Turn, error) {
	return d.uploads.wait(ctx, AccountTurn(a), int(Uploads.Most))
}

// Pace waits for a slot in Passers for the request's network. It is for cheap requests without an account. After
// the slot is granted, Pace returns immediately, but keeps the slot for a short time, which delays the network's
// next request. If too many requests wait, Pace returns after a delay without a slot, so that health checks still
// work.
func (d *Desk) Pace(r *http.Request) {
	if turn, err := d.Passers.Wait(r.Context(), Network(r.RemoteAddr).String()); err == nil {
		time.AfterFunc(leastRest, turn.End)
	}
}
