package dispatch

import (
	"slices"
	"sync"
	"time"

	"assay/judge/host/job"
)

// A workerView contains what workers report about themselves. It may be wrong: see package host.
type workerView struct {
	mu         sync.Mutex
	workers    map[string]*workerState
	lastActive map[string]time.Time // by class: when a worker last connected, took a job, or ended one
}

type workerState struct {
	class     string
	untrusted bool
	online    bool
	slots     int
	draining  bool
	note      string
	running   map[string]runningJob // jobs that the worker claims to run
	disowned  []string              // jobs that the worker still names but has lost
	lastTaken time.Time             // when it last took a job
	drainedAt time.Time             // when it was first seen online while drained
}

// A runningJob is the state of a job that a worker claims to run.
type runningJob struct {
	since     time.Time
	lastNamed time.Time // when the worker last named the job
	lastEvent time.Time // when the worker last sent an event about the job
}

// claimLifetime is how long a worker's claim to run a job is valid after its last heartbeat that names the job.
const claimLifetime = 15 * time.Second

func newWorkerView() *workerView {
	return &workerView{workers: map[string]*workerState{}, lastActive: map[string]time.Time{}}
}

// worker returns a worker, and adds it if it is new.
func (v *workerView) worker(worker string) *workerState {
	m := v.workers[worker]
	if m == nil {
		m = &workerState{running: map[string]runningJob{}}
		v.workers[worker] = m
	}
	return m
}

func (v *workerView) admit(worker, class string, untrusted bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	m.class, m.untrusted = class, untrusted
}

func (v *workerView) joined(worker string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	m.online, m.slots = true, max(m.slots, 1) // its first heartbeat contains the number
	v.lastActive[m.class] = time.Now()
}

func (v *workerView) left(worker string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	m.online, m.draining, m.note = false, false, ""
	clear(m.running)
	m.disowned, m.drainedAt = nil, time.Time{}
}

func (v *workerView) took(worker string, r job.Running) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	now := time.Now()
	m.disowned = slices.DeleteFunc(m.disowned, func(id string) bool { return id == r.Job }) // the worker got the job again
	m.running[r.Job] = runningJob{since: now, lastNamed: now}
	m.lastTaken, v.lastActive[m.class] = now, now
}

func (v *workerView) ended(worker, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	delete(m.running, id)
	v.lastActive[m.class] = time.Now()
}

// heartbeat records a heartbeat. It returns the heartbeat's note if the note differs from the previous one.
func (v *workerView) heartbeat(worker string, b job.Heartbeat) (note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m, now := v.worker(worker), time.Now()
	m.slots, m.draining = b.Slots, b.Draining // joined and left decide whether it is online
	for _, r := range b.Running {
		one, known := m.running[r.Job]
		if !known {
			one.since = now
		}
		if one.lastNamed = now; !slices.Contains(m.disowned, r.Job) {
			m.running[r.Job] = one
		}
	}
	for id, one := range m.running {
		if now.Sub(one.lastNamed) > claimLifetime {
			delete(m.running, id)
		}
	}
	if m.note != b.Note {
		m.note, note = b.Note, b.Note
	}
	return note
}

// acceptsJobs reports whether a worker accepts jobs.
func (m *workerState) acceptsJobs() bool { return m.online && !m.draining && m.note == "" }

// freeSlots returns the number of idle slots in a class.
func (v *workerView) freeSlots(class string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.workers {
		if m.class == class && m.acceptsJobs() {
			n += max(m.slots-len(m.running), 0)
		}
	}
	return n
}

// classes returns the classes of all online workers.
func (v *workerView) classes() (classes []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range v.workers {
		if m.online && !slices.Contains(classes, m.class) {
			classes = append(classes, m.class)
		}
	}
	return classes
}

// isStarved reports whether workers of a class have had idle slots for at least the duration most without getting a
// job. If so, waits starts to measure this time from zero again.
func (v *workerView) isStarved(class string, minDuration time.Duration) bool {
	if v.freeSlots(class) == 0 {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if time.Since(v.lastActive[class]) < minDuration {
		return false
	}
	v.lastActive[class] = time.Now()
	return true
}

// available reports whether the class has a worker that is online, accepts jobs and is not excluded (here). It also
// reports whether such a worker has an idle slot (free).
func (v *workerView) available(class string, excluded ...string) (online, free bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && m.acceptsJobs() && !slices.Contains(excluded, name) {
			online, free = true, free || m.slots > len(m.running)
		}
	}
	return online, free
}

// untrusted returns the untrusted workers of a class, online or not.
func (v *workerView) untrusted(class string) (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && m.untrusted {
			names = append(names, name)
		}
	}
	return names
}

// allExcept returns all workers of a class except the given one, online or not.
func (v *workerView) allExcept(class, worker string) (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && name != worker {
			names = append(names, name)
		}
	}
	return names
}

// isUntrusted reports whether a worker is untrusted.
func (v *workerView) isUntrusted(worker string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.worker(worker).untrusted
}

// hasPeer reports whether another trusted worker of the same class is online.
func (v *workerView) hasPeer(worker string) bool { return v.hasPeerExcept(worker, []string{worker}) }

// hasPeerExcept reports whether another trusted worker of the given worker's class is online. Workers listed in the
// argument those do not count.
func (v *workerView) hasPeerExcept(worker string, excluded []string) bool {
	v.mu.Lock()
	class := v.worker(worker).class
	v.mu.Unlock()
	here, _ := v.available(class, slices.Concat(v.untrusted(class), excluded)...)
	return here
}

// recordProgress records that a worker has sent progress of a job. It reports whether the progress may be shown: the
// worker must claim to run the job. The progress of an untrusted worker stays hidden, because other workers must
// confirm its verdict.
func (v *workerView) recordProgress(worker, id string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.workers[worker]
	if m == nil {
		return false
	}
	one, known := m.running[id]
	if known {
		one.lastEvent = time.Now()
		m.running[id] = one
	}
	return known && !m.untrusted
}

// runningWorker returns a worker that recently claimed to run a job and that is not listed in the argument but. It returns
// an empty string if there is none.
func (v *workerView) runningWorker(id string, excluded ...string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if one, known := m.running[id]; known && time.Since(one.lastNamed) <= claimLifetime && !slices.Contains(excluded, name) {
			return name
		}
	}
	return ""
}

// A WorkerStatus is the current state of a worker.
type WorkerStatus struct {
	Connected     bool
	Slots         int
	Running       int // at most Slots, because jobs that run beside a preemptible one do not count
	Draining      bool
	Note          string
	Disagreements int // accounts with submissions on which other workers recently disagreed
}

// WorkerStatus returns the current state of a worker.
func (d *Dispatcher) WorkerStatus(worker string) WorkerStatus {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	m := d.view.workers[worker]
	if m == nil {
		return WorkerStatus{}
	}
	return WorkerStatus{
		Connected: m.online, Slots: m.slots, Running: min(len(m.running), max(m.slots, 1)), Draining: m.draining,
		Note: m.note, Disagreements: d.trust.disagreements(worker),
	}
}

// HasWorker reports whether a worker of a class is online and accepts jobs.
func (d *Dispatcher) HasWorker(class string) bool {
	here, _ := d.view.available(class)
	return here
}

// UnservedReason returns why no worker takes jobs of a priority and class. If one does, it returns an empty string.
func (d *Dispatcher) UnservedReason(priority job.Priority, class string) (reason string) {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	reason = "no worker is online"
	for _, m := range d.view.workers {
		if m.class != class || !m.online || m.untrusted && priority == job.ContestPriority { // untrusted workers take no contest jobs
			continue
		}
		if m.acceptsJobs() {
			return ""
		}
		reason = "no worker takes submissions at the moment"
	}
	return reason
}

// Slots returns the total number of slots of the online workers in a class.
func (d *Dispatcher) Slots(class string) (n int) {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	for _, m := range d.view.workers {
		if m.class == class && m.online && !m.draining && !m.untrusted {
			n += m.slots
		}
	}
	return n
}
