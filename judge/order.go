package judge

import (
	"iter"
	"time"
)

// ordered runs a function over a sequence on several goroutines and returns the results in the sequence's
// order.
type ordered[R any] struct {
	queue chan chan result[R] // one cell for each started call, in order
	ended chan struct{}       // receives a value for each call that returned
	quit  chan struct{}       // closed by stop
	drop  func(R)
	tick  func(ended int)
	count int
}

type result[R any] struct {
	value R
	err   error
}

// maxPending is the maximum number of results per job that wait for an earlier result.
const maxPending = 4

// inOrder runs call for each item, in at most jobs + sleepers calls at a time. The caller receives the results in
// order with the method next, once for each item, and must call stop. Results that the caller does not receive are
// passed to drop. Each call of next calls tick with the number of calls that have returned so far.
func inOrder[T, R any](items iter.Seq[T], jobs, extraJobs int, call func(T) (R, error), drop func(R), tick func(ended int)) *ordered[R] {
	jobs = max(jobs, 1)
	o := &ordered[R]{
		queue: make(chan chan result[R], maxPending*jobs),
		ended: make(chan struct{}),
		quit:  make(chan struct{}),
		drop:  drop,
		tick:  tick,
	}
	go func() { // ends after the last item, or at stop
		defer close(o.queue)
		slots := make(chan struct{}, jobs+extraJobs)
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

// next returns the result for the next item.
func (o *ordered[R]) next() (R, error) {
	var cell chan result[R]
	queue := o.queue
	for {
		select {
		case cell = <-queue:
			queue = nil // from now on, wait for this result
		case r := <-cell:
			return r.value, r.err
		case <-o.ended:
			o.count++
			o.tick(o.count)
		}
	}
}

// stop prevents further calls from starting, and interrupts the running calls with cancel. It waits for the
// running calls, and passes results that were not received to drop.
func (o *ordered[R]) stop(cancel func()) {
	close(o.quit)
	cancel()
	for cell := range o.queue {
		if r := <-cell; r.err == nil {
			o.drop(r.value)
		}
	}
}

// CallWithTicks calls the function do and waits until it returns. In the meantime, it calls tick every second with the
// elapsed time.
func CallWithTicks(do func(), tick func(passed time.Duration)) {
	start, done := time.Now(), make(chan struct{})
	go func() { // ends with do; CallWithTicks waits for it
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
