package dispatch

import (
	"slices"
	"sync"
	"time"

	"assay/judge/host/job"
)

// A view contains what workers report about themselves. It may be wrong: see package host.
type view struct {
	mu      sync.Mutex
	workers map[string]*member
	moved   map[string]time.Time // by class: when a worker last connected, took a job, or ended one
}

type member struct {
	class     string
	untrusted bool
	here      bool
	slots     int
	draining  bool
	note      string
	running   map[string]doing // jobs that the worker claims to run
	disowned  []string         // jobs that the worker still names but has lost
	tookAt    time.Time        // when it last took a job
	out       time.Time        // when it was first seen online while drained
}

// A doing is the state of a job that a worker claims to run.
type doing struct {
	since time.Time
	said  time.Time // when the worker last named the job
	told  time.Time // when the worker last sent an event about the job
}

// forgotten is how long a worker's claim to run a job is valid after its last heartbeat that names the job.
const forgotten = 15 * time.Second

func newView() *view {
	return &view{workers: map[string]*member{}, moved: map[string]time.Time{}}
}

// of returns a worker, and adds it if it is new.
func (v *view) of(worker string) *member {
	m := v.workers[worker]
	if m == nil {
		m = &member{running: map[string]doing{}}
		v.workers[worker] = m
	}
	return m
}

func (v *view) admit(worker, class string, untrusted bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	m.class, m.untrusted = class, untrusted
}

func (v *view) joined(worker string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	m.here, m.slots = true, max(m.slots, 1) // its first heartbeat contains the number
	v.moved[m.class] = time.Now()
}

func (v *view) left(worker string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	m.here, m.draining, m.note = false, false, ""
	clear(m.running)
	m.disowned, m.out = nil, time.Time{}
}

func (v *view) took(worker string, r job.Running) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	now := time.Now()
	m.disowned = slices.DeleteFunc(m.disowned, func(id string) bool { return id == r.Job }) // the worker got the job again
	m.running[r.Job] = doing{since: now, said: now}
	m.tookAt, v.moved[m.class] = now, now
}

func (v *view) ended(worker, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	delete(m.running, id)
	v.moved[m.class] = time.Now()
}

// beat records a heartbeat. It returns the heartbeat's note if the note differs from the previous one.
func (v *view) beat(worker string, b job.Beat) (note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m, now := v.of(worker), time.Now()
	m.slots, m.draining = b.Slots, b.Draining // joined and left decide whether it is online
	for _, r := range b.Running {
		one, known := m.running[r.Job]
		if !known {
			one.since = now
		}
		if one.said = now; !slices.Contains(m.disowned, r.Job) {
			m.running[r.Job] = one
		}
	}
	for id, one := range m.running {
		if now.Sub(one.said) > forgotten {
			delete(m.running, id)
		}
	}
	if m.note != b.Note {
		m.note, note = b.Note, b.Note
	}
	return note
}

// ready reports whether a worker accepts jobs.
func (m *member) ready() bool { return m.here && !m.draining && m.note == "" }

// free returns the number of idle slots in a class.
func (v *view) free(class string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.workers {
		if m.class == class && m.ready() {
			n += max(m.slots-len(m.running), 0)
		}
	}
	return n
}

// classes returns the classes of all online workers.
func (v *view) classes() (all []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.workers {
		if m.here && !slices.Contains(all, m.class) {
			all = append(all, m.class)
		}
	}
	return all
}

// waits reports whether workers of a class have had idle slots for at least the duration most without getting a
// job. If so, waits starts to measure this time from zero again.
func (v *view) waits(class string, most time.Duration) bool {
	if v.free(class) == 0 {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Since(v.moved[class]) < most {
		return false
	}
	v.moved[class] = time.Now()
	return true
}

// others reports whether the class has a worker that is online, accepts jobs and is not excluded (here). It also
// reports whether such a worker has an idle slot (free).
func (v *view) others(class string, excluded ...string) (here, free bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && m.ready() && !slices.Contains(excluded, name) {
			here, free = true, free || m.slots > len(m.running)
		}
	}
	return here, free
}

// untrusted returns the untrusted workers of a class, online or not.
func (v *view) untrusted(class string) (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && m.untrusted {
			names = append(names, name)
		}
	}
	return names
}

// but returns all workers of a class except the given one, online or not.
func (v *view) but(class, worker string) (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && name != worker {
			names = append(names, name)
		}
	}
	return names
}

// isGuest reports whether a worker is untrusted.
func (v *view) isGuest(worker string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of(worker).untrusted
}

// anotherOf reports whether another trusted worker of the same class is online.
func (v *view) anotherOf(worker string) bool { return v.anotherThan(worker, []string{worker}) }

// anotherThan reports whether another trusted worker of the given worker's class is online. Workers listed in the
// argument those do not count.
func (v *view) anotherThan(worker string, those []string) bool {
	v.mu.Lock()
	class := v.of(worker).class
	v.mu.Unlock()
	here, _ := v.others(class, slices.Concat(v.untrusted(class), those)...)
	return here
}

// telling records that a worker has sent progress of a job. It reports whether the progress may be shown: the
// worker must claim to run the job. The progress of an untrusted worker stays hidden, because other workers must
// confirm its verdict.
func (v *view) telling(worker, id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.workers[worker]
	if m == nil {
		return false
	}
	one, known := m.running[id]
	if known {
		one.told = time.Now()
		m.running[id] = one
	}
	return known && !m.untrusted
}

// doing returns a worker that recently claimed to run a job and that is not listed in the argument but. It returns
// an empty string if there is none.
func (v *view) doing(id string, but ...string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if one, known := m.running[id]; known && time.Since(one.said) <= forgotten && !slices.Contains(but, name) {
			return name
		}
	}
	return ""
}

// A Presence is the current state of a worker.
type Presence struct {
	Connected bool
	Slots     int
	Running   int // at most Slots, because jobs that run beside a preemptible one do not count
	Draining  bool
	Note      string
	Differs   int // accounts with submissions on which other workers recently disagreed
}

// Presence returns the current state of a worker.
func (d *Dispatcher) Presence(worker string) Presence {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	m := d.view.workers[worker]
	if m == nil {
		return Presence{}
	}
	return Presence{
		Connected: m.here, Slots: m.slots, Running: min(len(m.running), max(m.slots, 1)), Draining: m.draining,
		Note: m.note, Differs: d.trust.differ(worker),
	}
}

// Served reports whether a worker of a class is online and accepts jobs.
func (d *Dispatcher) Served(class string) bool {
	here, _ := d.view.others(class)
	return here
}

// Unserved returns why no worker takes jobs of a lane and class. If one does, it returns an empty string.
func (d *Dispatcher) Unserved(lane job.Lane, class string) (why string) {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	why = "no worker is online"
	for _, m := range d.view.workers {
		if m.class != class || !m.here || m.untrusted && lane == job.Contest { // untrusted workers do not have that lane
			continue
		}
		if m.ready() {
			return ""
		}
		why = "no worker takes submissions at the moment"
	}
	return why
}

// Slots returns the total number of slots of the online workers in a class.
func (d *Dispatcher) Slots(class string) (n int) {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	for _, m := range d.view.workers {
		if m.class == class && m.here && !m.draining && !m.untrusted {
			n += m.slots
		}
	}
	return n
}
