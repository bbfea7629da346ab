package desk

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"assay/judge/host/store"
)

// Turns serves each caller one request at a time. Where further ones of theirs wait, there is a
// rest between two, as long as the one before took, and a millisecond at least. So a caller who asks for
// very much has half a processor, and others have the rest of the machine. The zero value is ready.
type Turns struct {
	// Restless leaves out the rests, where something else bounds what one can ask for.
	Restless bool

	mu sync.Mutex
	of map[string]*line
}

// line is that of one caller.
type line struct {
	place chan struct{} // of the requests that are served
	here  int           // with those
	took  time.Duration // of the last one, where there is one place; with the place
}

// AccountTurn is in whose turn an account is served, by pages and by the command line.
func AccountTurn(a *store.Account) string { return "account " + a.ID }

// Network is that of an address: itself, and of IPv6 its first half.
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
	// turnedAway is how long it takes to refuse who has too many.
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

// Turn is the right to be served now.
type Turn struct {
	all   *Turns
	line  *line
	who   string
	held  bool
	began time.Time
}

// Wait waits for the turn of a caller. It returns a *Refusal if too many requests of the caller wait. The
// turn must be ended.
func (t *Turns) Wait(ctx context.Context, who string) (*Turn, error) { return t.wait(ctx, who, 1) }

// wait is Wait where so many requests of one caller are served at a time. If they are more than
// one, there are no rests.
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

// rests reports whether there is a rest after the turn.
func (t *Turn) rests() bool { return !t.all.Restless && cap(t.line.place) == 1 }

// Pass lets the next one be served.
func (t *Turn) Pass() {
	if !t.held {
		return
	}
	if t.held = false; t.rests() {
		t.line.took = time.Since(t.began)
	}
	<-t.line.place
}

// Aside lets others be served while something is done that may wait for the caller.
func (t *Turn) Aside(ctx context.Context, do func()) error {
	if !t.held {
		do()
		return nil
	}
	t.Pass()
	do()
	return t.begin(ctx)
}

// End ends a turn, also one that was passed.
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

// Pace waits until it is the turn of a request's network, for what anybody may ask and takes no
// time; the next one waits for a moment, which does not hold up this one. Where too many wait it
// gives up in the end: a check of the server's health is answered all the same.
func (d *Desk) Pace(r *http.Request) {
	if turn, err := d.Passers.Wait(r.Context(), Network(r.RemoteAddr).String()); err == nil {
		time.AfterFunc(leastRest, turn.End)
	}
}
