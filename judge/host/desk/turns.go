package desk

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"assay/judge/host/store"
)

// Turns runs one request per caller at a time. If more are waiting, it pauses after each for as long as that one
// took, at least 1 ms. So a caller with many requests uses at most half a processor. The zero value is ready.
type Turns struct {
	// Restless omits the pauses, for requests that have another limit.
	Restless bool

	mu sync.Mutex
	of map[string]*line
}

// A line has the requests of one caller.
type line struct {
	place chan struct{} // for the requests that run
	here  int           // waiting and running requests
	took  time.Duration // by the last request, if one runs at a time; protected by place
}

// AccountTurn returns the caller for the requests of an account, by pages and by the command line.
func AccountTurn(a *store.Account) string { return "account " + a.ID }

// Network returns the network of an address: the address itself, or the first half of an IPv6 address.
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
	// turnedAway is how long it takes to reject a caller with too many requests.
	turnedAway = time.Second
	// leastRest is the shortest rest. Without it, one caller could ask for a scoreboard, which is drawn
	// once for all, as fast as connections can carry it. It is short because a whole school may have one
	// address.
	leastRest = time.Millisecond
)

// turnAway waits, then returns the Refusal of a caller that has reached a limit. The delay slows down clients
// that retry at once.
func turnAway(ctx context.Context, l Limit) error {
	select {
	case <-time.After(turnedAway):
	case <-ctx.Done():
		return ctx.Err()
	}
	return l.Reached()
}

// A Turn is the right to run a request now.
type Turn struct {
	all   *Turns
	line  *line
	who   string
	held  bool
	began time.Time
}

// Wait waits for the turn of a caller. It returns a *Refusal if too many requests of the caller wait. The caller
// must end the turn.
func (t *Turns) Wait(ctx context.Context, who string) (*Turn, error) { return t.wait(ctx, who, 1) }

// wait is Wait with a number of requests of one caller that may run at a time. If that is more than one, there are
// no pauses.
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

// rests reports whether a pause follows the turn.
func (t *Turn) rests() bool { return !t.all.Restless && cap(t.line.place) == 1 }

// Pass lets the next request run.
func (t *Turn) Pass() {
	if !t.held {
		return
	}
	if t.held = false; t.rests() {
		t.line.took = time.Since(t.began)
	}
	<-t.line.place
}

// Aside lets other requests run while do may wait for the caller.
func (t *Turn) Aside(ctx context.Context, do func()) error {
	if !t.held {
		do()
		return nil
	}
	t.Pass()
	do()
	return t.begin(ctx)
}

// End ends a turn. It may be passed already.
func (t *Turn) End() {
	t.Pass()
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	if t.line.here--; t.line.here == 0 {
		delete(t.all.of, t.who)
	}
}

// Upload waits until an account may send the body of another request to the API: bodies are kept in memory or on
// the disk until it is the account's turn. End the turn when the request has been answered. A body that stalls
// does not hold up the account's other requests.
func (d *Desk) Upload(ctx context.Context, a *store.Account) (*Turn, error) {
	return d.uploads.wait(ctx, AccountTurn(a), int(Uploads.Most))
}

// Pace waits for the turn of a request's network. It is for cheap requests that need no account. The next request
// waits for a moment, which does not delay this one. If too many wait, Pace returns after a while, so that health
// checks are still answered.
func (d *Desk) Pace(r *http.Request) {
	if turn, err := d.Passers.Wait(r.Context(), Network(r.RemoteAddr).String()); err == nil {
		time.AfterFunc(leastRest, turn.End)
	}
}
