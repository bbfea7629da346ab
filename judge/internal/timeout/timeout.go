// Package timeout ends a started process that does not answer in time. What the process waits
// for a CPU is none of its time, and neither is what the judge waits for one: a busy
// machine is not a slow program.
//
//	timer := timeout.Start(proc, limit)
//	answer, err := read(proc.Stdout())
//	if late := timer.Stop(); late != nil {
//
// Without a timer a process is not looked at, and an answer that comes within a few dozen
// milliseconds costs no look. The package does not say whose fault it is that a process is slow.
package timeout

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"assay/judge"
)

// ErrExceeded says that the process was killed because its time was over.
var ErrExceeded = errors.New("time limit exceeded")

// every is how often a process is looked at. In a look that comes late at most twice that
// counts, as the judge was kept from a CPU, too.
const every = 50 * time.Millisecond

// Timer kills a process when its time is over.
type Timer struct {
	proc  judge.Process
	limit time.Duration

	mu     sync.Mutex
	timer  *time.Timer
	start  time.Time
	last   time.Time     // of the last look; zero before the first
	waited time.Duration // until then
	used   time.Duration // what counts
	over   bool          // stopped, or the process was killed
	err    error
}

// Start starts a timer for a process that has been started before. The caller must stop it.
func Start(proc judge.Process, limit time.Duration) *Timer {
	t := &Timer{proc: proc, limit: limit, start: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(min(every, limit), t.look)
	return t
}

// Stop stops the timer. It returns nil if the process was not killed by it, ErrExceeded if the
// time of the process was over, and a *judge.BusyError if the process could not use its time, as
// it waited for a CPU for longer than judge.LongestCPUWait.
func (t *Timer) Stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	t.over = true
	return t.err
}

// look adds the time since the last look. The first one only begins to count: how long the process
// had waited before the timer started is not known until then.
func (t *Timer) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	now, waited := time.Now(), t.proc.CPUWait()
	if !t.last.IsZero() {
		t.used += min(max(0, now.Sub(t.last)-(waited-t.waited)), 2*every)
	}
	t.last, t.waited = now, waited
	took := now.Sub(t.start)
	switch {
	case t.used >= t.limit:
		t.err = ErrExceeded
	case took > t.limit+judge.LongestCPUWait:
		t.err = &judge.BusyError{
			Detail: fmt.Sprintf(
				"in %v it left a program %v of its limit of %v unused", took.Round(time.Second),
				(t.limit - t.used).Round(time.Millisecond), t.limit,
			),
		}
	default:
		t.timer.Reset(min(every, t.limit-t.used))
		return
	}
	t.over = true
	t.proc.Kill()
}
