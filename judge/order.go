package judge

import (
	"iter"
	"time"
)

// ordered runs a function over a sequence on several goroutines and returns the results in the sequence's
// order.
type ordered[R any] struct {
	queue chan chan result[R] // one cell for each started call, in order
	ended chan struct{}       // one for each ended call
	quit  chan struct{}       // closed by stop
	drop  func(R)
	tick  func(ended int)
	count int
}

type result[R any] struct {
	value R
	err   error
}

// ahead is how many results, for each job, may wait for their turn.
const ahead = 4

// inOrder starts at most jobs calls at a time, and sleepers more. The caller receives the results with next,
// once for each item, and must call stop. Results that are not received go to drop. Next calls tick with the
// number of calls that have ended so far.
func inOrder[T, R any](items iter.Seq[T], jobs, sleepers int, call func(T) (R, error), drop func(R), tick func(ended int)) *ordered[R] {
	jobs = max(jobs, 1)
	o := &ordered[R]{
		queue: make(chan chan result[R], ahead*jobs),
		ended: make(chan struct{}),
		quit:  make(chan struct{}),
		drop:  drop,
		tick:  tick,
	}
	go func() { // ends when the items do, or at stop
		defer close(o.queue)
		slots := make(chan struct{}, jobs+sleepers)
		for item := range items {
			select {
			case <-o.quit:
				return
			case slots <- struct{}{}:
			}
			cell := make(chan result[R], 1)
			select {
			case <-o.quit:
				return
			case o.queue <- cell:
			}
			go func() { // ends with the call; stop waits for its cell
				value, err := call(item)
				cell <- result[R]{value, err}
				<-slots
				select {
				case <-o.quit:
				case o.ended <- struct{}{}:
				}
			}()
		}
	}()
	return o
}

// next returns the result of the next item.
func (o *ordered[R]) next() (R, error) {
	var cell chan result[R]
	queue := o.queue
	for {
		select {
		case cell = <-queue:
			queue = nil // from now on wait for this cell
		case r := <-cell:
			return r.value, r.err
		case <-o.ended:
			o.count++
			o.tick(o.count)
		}
	}
}

// stop starts no more calls, interrupts the running ones with cancel, waits for them, and drops results that
// were not received.
func (o *ordered[R]) stop(cancel func()) {
	close(o.quit)
	cancel()
	for cell := range o.queue {
		if r := <-cell; r.err == nil {
			o.drop(r.value)
		}
	}
}

// While calls do. Until do returns, it calls tick each second with the elapsed time.
func While(do func(), tick func(passed time.Duration)) {
	start, done := time.Now(), make(chan struct{})
	go func() { // ends with do, which is waited for
		defer close(done)
		do()
	}()
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		select {
		case <-done:
			return
		case <-seconds.C:
			tick(time.Since(start))
		}
	}
}
