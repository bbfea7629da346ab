package sandbox

import (
	"context"
	"sync"
	"time"
)

// Slots are places for runs that go on at one time, in all sandboxes that share them. A run
// that does nothing lends its slot, unless there is only one or it fills much memory: others
// run meanwhile.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

const (
	// slotLook is how often a run is looked at that has a slot.
	slotLook = 100 * time.Millisecond
	// idleLooks is after how many looks at a run that does nothing others get its slot.
	idleLooks = 2
	// idleShare is the most processor time that one uses between two looks which does nothing.
	idleShare = 2 * time.Millisecond
	// idleMemory is the most memory of one that others run beside: all that sleep keep theirs.
	idleMemory = 64 << 20
)

// slot is the place of one run.
type slot struct {
	slots Slots
	ended chan struct{} // closed when the run has ended

	mu     sync.Mutex
	held   bool
	asked  bool // it is to be held again, as soon as there is a free one
	places []place
	timer  *time.Timer // nil before there is a place to look at
	used   time.Duration
	idle   int // of the last looks, those since which it did nothing
}

// take waits for a slot.
func (s Slots) take(ctx context.Context) (*slot, error) {
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

// watch looks at a process of the run from now on.
func (s *slot) watch(p place) {
	if cap(s.slots) == 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places = append(s.places, p)
	if s.timer == nil {
		s.timer = time.AfterFunc(slotLook, s.look)
	}
}

// look lends the slot of a run that does nothing, and gets one back for a run that goes on.
// That one does not wait for it: there is one more run until another one ends.
func (s *slot) look() {
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
	case s.held && s.idle >= idleLooks:
		<-s.slots
		s.held = false
	case !s.held && s.idle == 0 && !s.asked:
		s.asked = true
		go s.again()
	}
	s.timer.Reset(slotLook)
}

// again waits for a slot until the run ends.
func (s *slot) again() {
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
		s.held, s.asked = true, false
	}
}

// leave gives the slot back when the run has ended.
func (s *slot) leave() {
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
