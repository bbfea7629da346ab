package sandbox

import (
	"context"
	"sync"
	"time"
)

// Slots limits the number of concurrent runs in all sandboxes that share it. An idle run lends its slot to another
// run, unless there is only one slot or the idle run uses much memory.
type Slots chan struct{}

// NewSlots returns n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

const (
	// slotInterval is the time between two checks of a run that has a slot.
	slotInterval = 100 * time.Millisecond
	// idleChecks is the number of consecutive idle checks after which a run lends its slot.
	idleChecks = 2
	// idleShare is the maximum CPU time that an idle run uses between two checks.
	idleShare = 2 * time.Millisecond
	// idleMemory is the maximum memory of an idle run that lends its slot. The run keeps this memory while others
	// run.
	idleMemory = 64 << 20
)

// slot is the slot of a run.
type slot struct {
	slots Slots
	ended chan struct{} // closed when the run has ended

	mu          sync.Mutex
	held        bool
	reacquiring bool // whether the run waits to get a slot back
	places      []place
	timer       *time.Timer // nil before the process's place is known
	used        time.Duration
	idle        int // number of consecutive idle checks
}

// acquire waits for a slot.
func (s Slots) acquire(ctx context.Context) (*slot, error) {
	select {
	case s <- struct{}{}:
	default:
		select {
		case s <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return &slot{slots: s, held: true, ended: make(chan struct{})}, nil
}

// watch starts watching a process of the run.
func (s *slot) watch(p place) {
	if cap(s.slots) == 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = append(s.places, p)
	if s.timer == nil {
		s.timer = time.AfterFunc(slotInterval, s.check)
	}
}

// check lends the slot of a run that has become idle, and requests a slot again for a run that has become active.
// The active run continues without waiting for the slot. So there is one run too many until another run ends.
func (s *slot) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
		return
	default:
	}
	used, memory, idle := time.Duration(0), int64(0), true
	for i := range s.places {
		d, m, sleeps := s.places[i].used()
		used, memory, idle = used+d, memory+m, idle && sleeps
	}
	if s.idle++; !idle || used < s.used || used > s.used+idleShare || memory > idleMemory {
		s.idle = 0
	}
	s.used = used
	switch {
	case s.held && s.idle >= idleChecks:
		<-s.slots
		s.held = false
	case !s.held && s.idle == 0 && !s.reacquiring:
		s.reacquiring = true
		go s.reacquire()
	}
	s.timer.Reset(slotInterval)
}

// reacquire waits for a slot until the run has ended.
func (s *slot) reacquire() {
	select {
	case <-s.ended:
		return
	case s.slots <- struct{}{}:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
		<-s.slots
	default:
		s.held, s.reacquiring = true, false
	}
}

// release releases the slot when the run has ended.
func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.ended)
	if s.timer != nil {
		s.timer.Stop()
	}
	if s.held {
		<-s.slots
	}
}
