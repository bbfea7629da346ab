package arena

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// watch looks at the clocks of all courts, every few milliseconds: the referees
// wait for their bots without a limit of their own, and the watch ends who takes
// too long. So the clocks cost a move nothing.
type watch struct {
	wall   float64 // the limit on the clock, as a multiple of the CPU time
	courts []*court

	mu      sync.Mutex
	players map[seatAt]*player
}

// seatAt is a bot before a court.
type seatAt struct {
	court *court
	bot   int
}

// look is what was seen of a turn.
type look struct {
	turn  turn
	since time.Time     // when it was seen first
	cpu   time.Duration // what the bot had used then
	known bool
	// waited is how long the bot had waited for a processor then, and late for how long the
	// watch itself was kept from looking since, as the referees were, perhaps.
	waited, late time.Duration
}

// watchEvery is how long the watch sleeps, and so how exact its clocks are.
const watchEvery = 5 * time.Millisecond

// wallExtra is added to every limit on the clock.
const wallExtra = 500 * time.Millisecond

// A bot that uses a share of the processor waits for the rest of it, on a busy machine, and
// one that waits for a processor may use none: they have patience times the limit on the clock.
const (
	starving = 50
	patience = 10
)

// set says who plays for a bot before a court; nil for nobody.
func (w *watch) set(c *court, bot int, p *player) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p == nil {
		delete(w.players, seatAt{c, bot})
	} else {
		w.players[seatAt{c, bot}] = p
	}
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context) {
	looks := make([]look, len(w.courts))
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		late := max(0, time.Since(last)-watchEvery)
		last = time.Now()
		for i, c := range w.courts {
			t := c.turn()
			l := &looks[i]
			if t.number%2 == 0 || t.number != l.turn.number {
				*l = look{turn: t, since: time.Now()}
				continue
			}
			l.turn = t
			l.late += late
			w.judge(c, l)
		}
	}
}

// judge ends the bot whose turn it is if its time is over.
func (w *watch) judge(c *court, l *look) {
	w.mu.Lock()
	p := w.players[seatAt{c, l.turn.bot}]
	w.mu.Unlock()
	if p == nil || l.turn.budget == 0 {
		return
	}
	if !l.known {
		l.cpu, l.known = p.held.CPU()
		l.waited = p.held.Starved()
		return
	}
	took, budget := time.Since(l.since), time.Duration(l.turn.budget)
	if took*time.Duration(runtime.NumCPU()) > budget {
		if cpu, ok := p.held.CPU(); ok && cpu-l.cpu > budget {
			p.kill(TimeoutCPU)
			return
		}
	}
	limit := time.Duration(float64(budget)*w.wall) + wallExtra
	if took > limit {
		cpu, ok := p.held.CPU()
		if !ok {
			cpu = l.cpu
		}
		if !overdue(took, limit, cpu-l.cpu, p.held.Starved()-l.waited+l.late) {
			return
		}
		if l.turn.telling {
			p.kill(NotReading)
		} else {
			p.kill(TimeoutWall)
		}
	}
}

// overdue says whether a bot that used so much of the processor has had its limit on the clock,
// of which it or the watch was kept from the processor for so long.
func overdue(took, limit, used, kept time.Duration) bool {
	return took >= patience*limit || used <= took/starving && took-kept > limit
}
