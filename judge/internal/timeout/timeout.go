// Package timeout kills a started process that does not answer in time. The time during which the process or the
// judge waits for a CPU does not count, so a busy machine does not make a program appear slow.
//
//	timer := timeout.Start(proc, limit)
//	answer, err := read(proc.Stdout())
//	if late := timer.Stop(); late != nil {
//
// The package checks a process only while a timer runs. An answer within a few dozen milliseconds causes no check.
// The package does not decide who is responsible for a slow process.
package timeout

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"assay/judge"
)

// ErrExceeded means that the process was killed because it exceeded its time limit.
var ErrExceeded = errors.New("time limit exceeded")

// checkInterval is the interval between two checks of a process. If a check is late, the judge was also waiting for a CPU.
// Therefore at most twice this interval is counted between two checks.
const checkInterval = 50 * time.Millisecond

// Timer kills a process that exceeds its time limit.
type Timer struct {
	proc  judge.Process
	limit time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	start   time.Time
	last    time.Time     // time of the last check; zero before the first check
	waited  time.Duration // until then
	used    time.Duration // what counts
	stopped bool          // the timer was stopped or has killed the process
	err     error
}

// Start starts a timer for a process that is already running. The caller must call Stop.
func Start(proc judge.Process, limit time.Duration) *Timer {
	t := &Timer{proc: proc, limit: limit, start: time.Now()}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = time.AfterFunc(min(checkInterval, limit), t.update)
	return t
}

// Stop stops the timer. It returns nil if the timer did not kill the process, ErrExceeded if the process exceeded
// its time limit, and a *judge.BusyError if the process waited for a CPU for longer than judge.MaxCPUWait.
func (t *Timer) Stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer.Stop()
	t.stopped = true
	return t.err
}

// update counts the time since the last check, without the time that the process waited for a CPU. The first check
// counts no time, because the CPU wait before the start of the timer is unknown.
func (t *Timer) update() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	now, waited := time.Now(), t.proc.CPUWait()
	if !t.last.IsZero() {
		t.used += min(max(0, now.Sub(t.last)-(waited-t.waited)), 2*checkInterval)
	}
	t.last, t.waited = now, waited
	took := now.Sub(t.start)
	switch {
	case t.used >= t.limit:
		t.err = ErrExceeded
	case took > t.limit+judge.MaxCPUWait:
		t.err = &judge.BusyError{
			Detail: fmt.Sprintf(
				"in %v it left a program %v of its limit of %v unused", took.Round(time.Second),
				(t.limit - t.used).Round(time.Millisecond), t.limit,
			),
		}
	default:
		t.timer.Reset(min(checkInterval, t.limit-t.used))
		return
	}
	t.stopped = true
	t.proc.Kill()
}
