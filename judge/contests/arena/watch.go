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

// clockWatch checks the clocks of all referees every few milliseconds. Referees wait for their bots without a timeout,
// and the watch kills bots that take too long. So clocks add no cost to a move.
type clockWatch struct {
	wall     float64 // wall time limit, as a multiple of the CPU time
	referees []*refereeProc
	failed   chan<- error // receives one error if the machine is too busy

	mu      sync.Mutex
	players map[refereeBot]*botProcess
}

// refereeBot identifies a bot at a referee.
type refereeBot struct {
	refereeProc *refereeProc
	bot         int
}

// turnState is the observed state of a turn.
type turnState struct {
	turn  turn
	since time.Time     // when the turn was first seen
	cpu   time.Duration // CPU time that the bot had used at that time
	known bool
	// bot and referee are the states of the threads of the bot and the referee when the turn was first seen. late
	// is how long the watch itself has been delayed since then.
	bot, referee sandbox.Threads
	late         time.Duration
	// last is the state of the bot's threads at the previous look. It is recorded only after the bot has exceeded
	// its limit.
	last      sandbox.Threads
	overLimit bool
}

// watchInterval is the interval between two looks, and therefore the precision of the clocks.
const watchInterval = 5 * time.Millisecond

// wallExtra is added to every wall time limit.
const wallExtra = 500 * time.Millisecond

// wallTime returns the wall time limit for a CPU time limit.
func wallTime(budget time.Duration, times float64) time.Duration {
	return time.Duration(float64(budget)*times) + wallExtra
}

const (
	// starving and starvingFactor apply on a busy machine that does not report waits. If a bot gets more than
	// 1/starving of the CPU, it is not idle, so its wall time limit is multiplied by starvingFactor.
	starving       = 50
	starvingFactor = 10
	// maxStarved is how long a busy machine may keep a bot from reaching its limits before the tournament is
	// stopped.
	maxStarved = judge.MaxCPUWait
)

// set sets the player of a bot at a referee. If p is nil, the bot has no player there.
func (w *clockWatch) set(c *refereeProc, bot int, p *botProcess) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p == nil {
		delete(w.players, refereeBot{c, bot})
	} else {
		w.players[refereeBot{c, bot}] = p
	}
}

// run watches until ctx is done.
func (w *clockWatch) run(ctx context.Context) {
	looks := make([]turnState, len(w.referees))
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		late := max(0, time.Since(last)-watchInterval)
		last = time.Now()
		for i, c := range w.referees {
			t := c.turn()
			l := &looks[i]
			if t.number%2 == 0 || t.number != l.turn.number {
				*l = turnState{turn: t, since: time.Now()}
				continue
			}
			l.turn = t
			l.late += late
			w.checkTurn(c, l)
		}
	}
}

// checkTurn kills the bot to move if it has exceeded its time.
func (w *clockWatch) checkTurn(c *refereeProc, l *turnState) {
	w.mu.Lock()
	p := w.players[refereeBot{c, l.turn.bot}]
	w.mu.Unlock()
	if p == nil || l.turn.budget == 0 {
		return
	}
	if !l.known {
		l.cpu, l.known = p.proc.CPU()
		l.bot, l.referee = p.proc.Threads(), c.proc.Threads()
		return
	}
	took, budget := time.Since(l.since), time.Duration(l.turn.budget)
	if took*time.Duration(runtime.NumCPU()) > budget {
		if cpu, ok := p.proc.CPU(); ok && cpu-l.cpu > budget {
			p.kill(TimeoutCPU)
			return
		}
	}
	limit := wallTime(budget, w.wall)
	if took <= limit {
		return
	}
	cpu, ok := p.proc.CPU()
	if !ok {
		cpu = l.cpu
	}
	bot := p.proc.Threads()
	waiting := !l.overLimit || bot.Waiting(l.last)
	l.last, l.overLimit = bot, true
	used := max(cpu-l.cpu, bot.Ran(l.bot))
	// While the referee waits for a CPU, it cannot ask the bot or receive the bot's answer. So this time does not
	// count.
	kept := bot.Waited(l.bot) + c.proc.Threads().Waited(l.referee) + l.late
	switch {
	case used > budget:
		p.kill(TimeoutCPU)
	case idle(took, limit, used, kept, waiting):
		fault := TimeoutWall
		if l.turn.telling {
			fault = NotReading
		}
		p.kill(fault)
	case took > limit+maxStarved:
		w.fail(fmt.Errorf(
			"the machine is too busy: in %v a bot had the CPU for %v\n    no game is lost: repeat the command to resume",
			took.Round(time.Second), used.Round(time.Millisecond),
		))
	}
}

// fail ends the event.
func (w *clockWatch) fail(err error) {
	select {
	case w.failed <- err:
	default: // the tournament is already being stopped
	}
}

// idle reports whether a bot has exceeded its wall time limit. Took is the duration of its turn, and used is the
// CPU time that it used in it. Kept is how long the bot, its referee or the watch had to wait for a CPU. Waiting
// means that the bot is waiting for a CPU now, for an unknown time.
func idle(took, limit, used, kept time.Duration, waiting bool) bool {
	return !waiting && took-kept > limit && (used <= took/starving || took >= starvingFactor*limit)
}
