package arena

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// watch looks at the clocks of all courts, every few milliseconds: the referees
// wait for their bots without a limit of their own, and the watch ends who takes
// too long. So the clocks cost a move nothing.
type watch struct {
	wall   float64 // the limit on the clock, as a multiple of the CPU time
	courts []*court
	failed chan<- error // takes one error, of a machine that is too busy

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
	// bot and referee are what their threads had done then, and late is for how long the watch
	// itself was kept from looking since.
	bot, referee sandbox.Threads
	late         time.Duration
	// last is what the bot's threads had done at the last look, once its limit was over.
	last sandbox.Threads
	over bool
}

// watchEvery is how long the watch sleeps, and so how exact its clocks are.
const watchEvery = 5 * time.Millisecond

// wallExtra is added to every limit on the clock.
const wallExtra = 500 * time.Millisecond

// wallTime is the limit on the clock for what has a limit of CPU time: so many times as much.
func wallTime(budget time.Duration, times float64) time.Duration {
	return time.Duration(float64(budget)*times) + wallExtra
}

const (
	// starving is the share of the processor, one in so many parts, with which a bot may compute,
	// on a busy machine that does not tell what it waits for: it has patience times the limit on
	// the clock.
	starving = 50
	patience = 10
	// mostStarved is how long a machine may keep a bot from its limits before the event ends.
	mostStarved = judge.LongestCPUWait
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
		l.bot, l.referee = p.held.Threads(), c.held.Threads()
		return
	}
	took, budget := time.Since(l.since), time.Duration(l.turn.budget)
	if took*time.Duration(runtime.NumCPU()) > budget {
		if cpu, ok := p.held.CPU(); ok && cpu-l.cpu > budget {
			p.kill(TimeoutCPU)
			return
		}
	}
	limit := wallTime(budget, w.wall)
	if took <= limit {
		return
	}
	cpu, ok := p.held.CPU()
	if !ok {
		cpu = l.cpu
	}
	bot := p.held.Threads()
	waiting := !l.over || bot.Waiting(l.last)
	l.last, l.over = bot, true
	used := max(cpu-l.cpu, bot.Ran(l.bot))
	// A referee that waits has not asked the bot yet, or not heard its answer.
	kept := bot.Waited(l.bot) + c.held.Threads().Waited(l.referee) + l.late
	switch {
	case used > budget:
		p.kill(TimeoutCPU)
	case idle(took, limit, used, kept, waiting):
		fault := TimeoutWall
		if l.turn.telling {
			fault = NotReading
		}
		p.kill(fault)
	case took > limit+mostStarved:
		w.fail(fmt.Errorf("the machine is too busy: in %v a bot had the processor for %v\n    nothing is lost: the same command goes on", took.Round(time.Second), used.Round(time.Millisecond)))
	}
}

// fail ends the event.
func (w *watch) fail(err error) {
	select {
	case w.failed <- err:
	default: // it ends already
	}
}

// idle says whether a bot that used so much of the processor has had its limit on the clock, of
// which it, its referee or the watch was kept from the processor for so long. How long it has been
// waiting for one now is not known.
func idle(took, limit, used, kept time.Duration, waiting bool) bool {
	return !waiting && took-kept > limit && (used <= took/starving || took >= patience*limit)
}
