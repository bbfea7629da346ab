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

// A Turn is called before each program of a preemptible job. It waits while other jobs use the slots of this job.
// It may be called concurrently. The caller must call ended when the program has ended. If interrupt is not nil,
// the Turn may call it when other jobs want the slots while the program runs. The function interrupt must stop the
// program, which then waits for another turn and restarts.
type Turn func(ctx context.Context, interrupt func()) (ended func(), err error)

// inTurn is a judge.Runner that waits for turn before it runs a program. If turn is nil, it does not wait. If a
// program is interrupted for other jobs, Run returns golf.ErrInterrupted.
type inTurn struct {
	judge.Runner
	turn Turn
}

func (r inTurn) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
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

// places contains the slots that the running jobs share. Free slots go to the job that has waited longest.
type places struct {
	*semaphore.Weighted
	asking atomic.Int64 // number of jobs waiting for their first place
}

// hold waits for n places.
func (p *places) hold(ctx context.Context, n int64) (*place, error) {
	p.asking.Add(1)
	defer p.asking.Add(-1)
	if err := p.Acquire(ctx, n); err != nil {
		return nil, err
	}
	h := &place{places: p, n: n, since: time.Now()}
	h.moved.L = &h.mu
	return h, nil
}

// A place holds one or more slots for a running job.
type place struct {
	places *places
	n      int64
	since  time.Time

	mu      sync.Mutex
	moved   sync.Cond     // signaled when a program has ended or the place is held again
	running int64         // number of running programs, at most n
	out     bool          // another job is using the place
	away    time.Duration // time used by other jobs or lost to interruptions
	lost    time.Duration // run time of programs interrupted since the last release
	gone    bool          // the place could not be acquired again
}

// interruptAfter is the interval at which watch checks whether other jobs want the slots of a job whose
// interruptible program is running.
const interruptAfter = 50 * time.Millisecond

// turn waits until a program of p's job may run. If other jobs want the slots of p, no further program of p's job
// starts. The other jobs get the slots when the running programs have ended. However, p keeps its slots while its
// job has waited longer than it has run. Time lost to interruptions counts as waiting, so each restart of a
// program may run longer than the one before.
func (p *place) turn(ctx context.Context, interrupt func()) (func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.gone {
		asked := p.asked()
		switch {
		case p.out || p.running == p.n || asked && p.running > 0:
			p.moved.Wait()
		case asked:
			p.letPass(ctx)
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

// asked reports whether other jobs want the slots of p, and p's job has not waited longer than it has run. The
// caller must hold p.mu.
func (p *place) asked() bool { return p.places.asking.Load() > 0 && p.away <= time.Since(p.since)/2 }

// watch calls interrupt when other jobs want the slots of p. The returned function records that the program has
// ended.
func (p *place) watch(interrupt func()) (ended func()) {
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
			asked := p.asked()
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

// letPass gives the slots of p to other jobs and waits until p has its slots again. The caller must hold p.mu.
func (p *place) letPass(ctx context.Context) {
	p.out = true
	p.mu.Unlock()
	left := time.Now()
	p.places.Release(p.n)
	err := p.places.Acquire(ctx, p.n)
	p.mu.Lock()
	p.out, p.gone, p.away, p.lost = false, err != nil, p.away+p.lost+time.Since(left), 0
	p.moved.Broadcast()
}

// end records that a program has ended. If the program was interrupted, lost is the time for which it had run.
// Otherwise, lost is zero.
func (p *place) end(lost time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.lost += lost
	p.moved.Broadcast()
}

// leave releases the place.
func (p *place) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		p.places.Release(p.n)
	}
}
