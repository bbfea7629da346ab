package dispatch

import (
	"sync"
	"time"

	"assay/judge/host/job"
)

// live keeps the events of running jobs for pages that follow them. The process loses them when it exits, but the
// result contains all of them.
type live struct {
	mu       sync.Mutex
	jobs     map[string]*stream
	watchers int // of all jobs, including finished ones
}

// A stream contains the known events of one job.
type stream struct {
	events   [][]byte
	size     int
	changed  chan struct{} // closed on each change
	watchers int
	ended    bool
	touched  time.Time
}

const (
	maxLive  = 8 << 20 // bytes per job; later events come with the result
	keepLive = time.Hour
)

func newLive() *live { return &live{jobs: map[string]*stream{}} }

func (l *live) of(id string) *stream {
	s := l.jobs[id]
	if s == nil {
		s = &stream{changed: make(chan struct{}), touched: time.Now()}
		l.jobs[id] = s
	}
	return s
}

func (s *stream) tell() {
	s.touched = time.Now()
	close(s.changed)
	s.changed = make(chan struct{})
}

// add stores events from a worker. It ignores events that are already stored, because a worker that restarts a job
// sends them again. It drops events after a gap, because they cannot be shown in order.
func (l *live) add(p job.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of(p.Job)
	if s.ended || p.First < 0 || p.First > len(s.events) {
		return
	}
	for i, e := range p.Events {
		if p.First+i < len(s.events) {
			continue
		}
		if s.size += len(e); s.size > maxLive {
			break
		}
		s.events = append(s.events, e)
	}
	s.tell()
}

// touch wakes the watches of a job.
func (l *live) touch(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.jobs[id]; s != nil {
		s.tell()
	}
}

// end records that the result of a job has arrived.
func (l *live) end(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.jobs[id]
	if s == nil {
		return
	}
	delete(l.jobs, id)
	s.ended = true
	s.tell()
}

// removeIdle removes streams without watches and without recent events.
func (l *live) removeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, s := range l.jobs {
		if s.watchers == 0 && time.Since(s.touched) > keepLive {
			delete(l.jobs, id)
		}
	}
}

// A Watch follows a running job. The caller must call Close when it no longer needs the Watch.
type Watch struct {
	l  *live
	id string
	s  *stream
}

// Watch starts to follow a job, pending or not.
func (d *Dispatcher) Watch(id string) *Watch {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	s := d.live.of(id)
	s.watchers++
	d.live.watchers++
	return &Watch{d.live, id, s}
}

// Watchers returns the number of open watches.
func (d *Dispatcher) Watchers() (n int) {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	return d.live.watchers
}

// Next returns the known events whose index is at least from, and a channel that is closed when there may be more.
// Ended reports whether the result has arrived since Watch was called.
func (w *Watch) Next(from int) (events [][]byte, changed <-chan struct{}, ended bool) {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	if from < len(w.s.events) {
		events = w.s.events[from:len(w.s.events):len(w.s.events)]
	}
	return events, w.s.changed, w.s.ended
}

// Close ends the watch.
func (w *Watch) Close() {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	w.l.watchers--
	if w.s.watchers--; w.s.watchers == 0 && len(w.s.events) == 0 && w.l.jobs[w.id] == w.s {
		delete(w.l.jobs, w.id)
	}
}
