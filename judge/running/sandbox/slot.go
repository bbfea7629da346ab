package sandbox

import (
	"context"
	"sync"
	"time"
)

// Slots bounds the number of runs at the same time in all sandboxes that share it. A run that is idle lends
// its slot to another run, unless there is only one slot or the run uses much memory.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

const (
	// slotLook is the time between two looks at a run that has a slot.
	slotLook = 100 * time.Millisecond
	// idleLooks is the number of idle looks in a row after which a run lends its slot.
	idleLooks = 2
	// idleShare is the most CPU time that an idle run uses between two looks.
	idleShare = 2 * time.Millisecond
	// idleMemory is the most memory that an idle run may use. Idle runs keep their memory while others run.
	idleMemory = 64 << 20
)

// slot is the slot of one run.
type slot struct {
	slots Slots
	ended chan struct{} // closed when the run has ended

	mu     sync.Mutex
	held   bool
	asked  bool // the run waits to get a slot back
	places []place
	timer  *time.Timer // nil before there is a place to look at
	used   time.Duration
	idle   int // number of idle looks in a row
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

// watch watches a process of the run from now on.
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

// look lends the slot of an idle run, and requests one for a run that has become active again. That run does
// not wait for it: until another run ends, there is one run too many.
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

// leave releases the slot when the run has ended.
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
