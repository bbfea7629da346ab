package desk

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"assay/judge/host/store"
)

// Turns serves each who asks one request at a time. Where further ones of theirs wait, there is a
// rest between two, as long as the one before took. So who asks for very much has
// half a processor, and others have the rest of the machine. The zero value is ready.
type Turns struct {
	// Restless leaves out the rests, where something else bounds what one can ask for.
	Restless bool

	mu sync.Mutex
	of map[string]*line
}

// line is of one who asks.
type line struct {
	place chan struct{} // of who is served
	here  int           // with that one
	took  time.Duration // of the last one; with the place
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
	// mostInLine is how many requests of one who asks may wait.
	mostInLine = 1000
	// worthRest is what takes long enough for a rest: a board, which is drawn once for all, does
	// not, and a whole school may have one address.
	worthRest = time.Millisecond
)

// Turn is the right to be served now.
type Turn struct {
	all   *Turns
	line  *line
	who   string
	held  bool
	began time.Time
}

// Wait waits until it is somebody's turn; with too many that wait it is a *Refusal. The turn
// must be ended.
func (t *Turns) Wait(ctx context.Context, who string) (*Turn, error) {
	t.mu.Lock()
	if t.of == nil {
		t.of = map[string]*line{}
	}
	l := t.of[who]
	if l == nil {
		l = &line{place: make(chan struct{}, 1)}
		t.of[who] = l
	}
	full := l.here > mostInLine
	if !full {
		l.here++
	}
	t.mu.Unlock()
	if full {
		return nil, &Refusal{Code: http.StatusTooManyRequests, Text: "you ask for too much at once", Hint: "wait until it is answered"}
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
		rest := t.line.took
		if t.all.Restless || rest < worthRest {
			rest = 0
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

// Pass lets the next one be served.
func (t *Turn) Pass() {
	if t.held {
		t.line.took, t.held = time.Since(t.began), false
		<-t.line.place
	}
}

// Aside lets others be served while something is done that may wait for who asks.
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
