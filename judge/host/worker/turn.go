package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"assay/judge"
)

// A Turn is called before each program of a preemptible job, and waits while other jobs use its place. It may be
// called concurrently. The returned function is called when the program has ended.
type Turn func(ctx context.Context) (ended func(), err error)

// inTurn runs each program in its turn.
type inTurn struct {
	judge.Runner
	turn Turn
}

func (r inTurn) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	if r.turn != nil {
		ended, err := r.turn(ctx)
		if err != nil {
			return judge.Exec{}, err
		}
		defer ended()
	}
	return r.Runner.Run(ctx, c)
}

// places are the places for running jobs. The job that has waited longest gets the next one.
type places struct {
	*semaphore.Weighted
	asking atomic.Int64 // jobs that wait for their first place
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

// A place is what a job holds while it runs.
type place struct {
	places *places
	n      int64
	since  time.Time

	mu      sync.Mutex
	moved   sync.Cond     // signaled when a program has ended, or the place is back
	running int64         // programs, at most n
	out     bool          // another job uses the place
	away    time.Duration // how long other jobs have used it
	gone    bool          // the place could not be taken back
}

// turn waits until a program of the job may run. If other jobs want the place, no further program starts, and they
// get the place once no program runs. A job that has waited for longer than it has run keeps its place for now.
func (p *place) turn(ctx context.Context) (func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.gone {
		asked := p.places.asking.Load() > 0 && p.away <= time.Since(p.since)/2
		switch {
		case p.out || p.running == p.n || asked && p.running > 0:
			p.moved.Wait()
		case asked:
			p.letPass(ctx)
		default:
			p.running++
			return p.end, nil
		}
	}
	return nil, context.Cause(ctx)
}

// letPass gives the place to others and waits for it. The caller holds mu.
func (p *place) letPass(ctx context.Context) {
	p.out = true
	p.mu.Unlock()
	left := time.Now()
	p.places.Release(p.n)
	err := p.places.Acquire(ctx, p.n)
	p.mu.Lock()
	p.out, p.gone, p.away = false, err != nil, p.away+time.Since(left)
	p.moved.Broadcast()
}

// end records that a program has ended.
func (p *place) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
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
