package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"assay/judge"
	"assay/judge/contests/golf"
)

// A TurnFunc is called before each program of a preemptible job. It waits while other jobs use the slots of this job.
// It may be called concurrently. The caller must call ended when the program has ended. If interrupt is not nil,
// the TurnFunc may call it when other jobs want the slots while the program runs. The function interrupt must stop the
// program, which then waits for another turn and restarts.
type TurnFunc func(ctx context.Context, interrupt func()) (ended func(), err error)

// turnRunner is a judge.Runner that waits for turn before it runs a program. If turn is nil, it does not wait. If a
// program is interrupted for other jobs, Run returns golf.ErrInterrupted.
type turnRunner struct {
	judge.Runner
	turn TurnFunc
}

func (r turnRunner) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	if r.turn == nil {
		return r.Runner.Run(ctx, c)
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ended, err := r.turn(ctx, func() { stop(golf.ErrInterrupted) })
	if err != nil {
		return judge.Exec{}, err
	}
	defer ended()
	x, err := r.Runner.Run(running, c)
	if err != nil && ctx.Err() == nil && running.Err() != nil {
		return judge.Exec{}, golf.ErrInterrupted
	}
	return x, err
}

// slotPool contains the slots that the running jobs share. Free slots go to the job that has waited longest.
type slotPool struct {
	*semaphore.Weighted
	waiting atomic.Int64 // number of jobs waiting for their first place
}

// acquire waits for n places.
func (p *slotPool) acquire(ctx context.Context, n int64) (*jobSlots, error) {
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	if err := p.Acquire(ctx, n); err != nil {
		return nil, err
	}
	h := &jobSlots{places: p, n: n, since: time.Now()}
	h.changed.L = &h.mu
	return h, nil
}

// A jobSlots holds one or more slots for a running job.
type jobSlots struct {
	places *slotPool
	n      int64
	since  time.Time

	mu       sync.Mutex
	changed  sync.Cond     // signaled when a program has ended or the place is held again
	running  int64         // number of running programs, at most n
	lent     bool          // another job is using the place
	lentTime time.Duration // time used by other jobs or lost to interruptions
	wasted   time.Duration // run time of programs interrupted since the last release
	gone     bool          // the place could not be acquired again
}

// interruptAfter is the interval at which watch checks whether other jobs want the slots of a job whose
// interruptible program is running.
const interruptAfter = 50 * time.Millisecond

// waitTurn waits until a program of p's job may run. If other jobs want the slots of p, no further program of p's job
// starts. The other jobs get the slots when the running programs have ended. However, p keeps its slots while its
// job has waited longer than it has run. Time lost to interruptions counts as waiting, so each restart of a
// program may run longer than the one before.
func (p *jobSlots) waitTurn(ctx context.Context, interrupt func()) (func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.gone {
		asked := p.mustYield()
		switch {
		case p.lent || p.running == p.n || asked && p.running > 0:
			p.changed.Wait()
		case asked:
			p.yield(ctx)
		default:
			p.running++
			if interrupt == nil {
				return func() { p.end(0) }, nil
			}
			return p.watch(interrupt), nil
		}
	}
	return nil, context.Cause(ctx)
}

// mustYield reports whether other jobs want the slots of p, and p's job has not waited longer than it has run. The
// caller must hold p.mu.
func (p *jobSlots) mustYield() bool {
	return p.places.waiting.Load() > 0 && p.lentTime <= time.Since(p.since)/2
}

// watch calls interrupt when other jobs want the slots of p. The returned function records that the program has
// ended.
func (p *jobSlots) watch(interrupt func()) (ended func()) {
	began, done, watching := time.Now(), make(chan struct{}), make(chan time.Duration)
	go func() {
		for {
			select {
			case <-done:
				watching <- 0
				return
			case <-time.After(interruptAfter):
			}
			p.mu.Lock()
			asked := p.mustYield()
			p.mu.Unlock()
			if asked {
				interrupt()
				<-done
				watching <- time.Since(began)
				return
			}
		}
	}()
	return func() {
		close(done)
		p.end(<-watching)
	}
}

// yield gives the slots of p to other jobs and waits until p has its slots again. The caller must hold p.mu.
func (p *jobSlots) yield(ctx context.Context) {
	p.lent = true
	p.mu.Unlock()
	left := time.Now()
	p.places.Release(p.n)
	err := p.places.Acquire(ctx, p.n)
	p.mu.Lock()
	p.lent, p.gone, p.lentTime, p.wasted = false, err != nil, p.lentTime+p.wasted+time.Since(left), 0
	p.changed.Broadcast()
}

// end records that a program has ended. If the program was interrupted, lost is the time for which it had run.
// Otherwise, lost is zero.
func (p *jobSlots) end(wasted time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.wasted += wasted
	p.changed.Broadcast()
}

// release releases the place.
func (p *jobSlots) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.places.Release(p.n)
	}
}
