package dispatch

import (
	"sync"
	"time"

	"assay/judge/host/job"
)

// crew is what workers say of themselves.
type crew struct {
	mu      sync.Mutex
	workers map[string]*member
}

type member struct {
	class    string
	here     bool
	slots    int
	draining bool
	note     string
	running  map[string]time.Time // jobs, and when it was last said
}

// forgotten is after which time a job is not believed to be done by a worker that does not
// say so any more.
const forgotten = 15 * time.Second

func newCrew() *crew { return &crew{workers: map[string]*member{}} }

// of returns a worker, which it makes where it is new.
func (c *crew) of(worker string) *member {
	m := c.workers[worker]
	if m == nil {
		m = &member{running: map[string]time.Time{}}
		c.workers[worker] = m
	}
	return m
}

func (c *crew) admit(worker, class string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(worker).class = class
}

func (c *crew) joined(worker string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.of(worker)
	m.here, m.slots = true, max(m.slots, 1) // its first beat says how many
}

func (c *crew) left(worker string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.of(worker)
	m.here, m.draining, m.note = false, false, ""
	clear(m.running)
}

func (c *crew) took(worker string, r job.Running) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(worker).running[r.Job] = time.Now()
}

func (c *crew) ended(worker, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of(worker).running, id)
}

// beat notes what a worker says, and returns its note where that is new.
func (c *crew) beat(worker string, b job.Beat) (note string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m, now := c.of(worker), time.Now()
	m.slots, m.draining = b.Slots, b.Draining // whether it is here, joined and left say
	for _, r := range b.Running {
		m.running[r.Job] = now
	}
	for id, said := range m.running {
		if now.Sub(said) > forgotten {
			delete(m.running, id)
		}
	}
	if m.note != b.Note {
		m.note, note = b.Note, b.Note
	}
	return note
}

// free is how many slots of a class have nothing to do.
func (c *crew) free(class string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.workers {
		if m.here && m.class == class && !m.draining && m.note == "" {
			n += max(m.slots-len(m.running), 0)
		}
	}
	return n
}

// has says whether a worker said that it does a job.
func (c *crew) has(worker, id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.workers[worker]
	if m == nil {
		return false
	}
	_, known := m.running[id]
	return known
}

// doing is the worker that said lately that it does a job; "" for none.
func (c *crew) doing(id string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, m := range c.workers {
		if said, known := m.running[id]; known && time.Since(said) <= forgotten {
			return name
		}
	}
	return ""
}

// Presence is what is known of a worker just now.
type Presence struct {
	Connected bool
	Slots     int
	Running   int
	Draining  bool
	Note      string
}

// Presence says what a worker does just now.
func (d *Dispatcher) Presence(worker string) Presence {
	d.crew.mu.Lock()
	defer d.crew.mu.Unlock()
	m := d.crew.workers[worker]
	if m == nil {
		return Presence{}
	}
	return Presence{Connected: m.here, Slots: m.slots, Running: len(m.running), Draining: m.draining, Note: m.note}
}
