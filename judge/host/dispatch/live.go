package dispatch

import (
	"sync"
	"time"

	"assay/judge/host/job"
)

// eventStreams keeps the events of running jobs for pages that follow them. The process loses them when it exits, but the
// result contains all of them.
type eventStreams struct {
	mu       sync.Mutex
	jobs     map[string]*stream
	watchers int // streamFor all jobs, including finished ones
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
	maxStreamSize  = 8 << 20 // bytes per job; later events come with the result
	streamLifetime = time.Hour
)

func newEventStreams() *eventStreams { return &eventStreams{jobs: map[string]*stream{}} }

func (l *eventStreams) streamFor(id string) *stream {
	s := l.jobs[id]
	if s == nil {
		s = &stream{changed: make(chan struct{}), touched: time.Now()}
		l.jobs[id] = s
	}
	return s
}

func (s *stream) notify() {
	s.touched = time.Now()
	close(s.changed)
	s.changed = make(chan struct{})
}

// add stores events from a worker. It ignores events that are already stored, because a worker that restarts a job
// sends them again. It drops events after a gap, because they cannot be shown in order.
func (l *eventStreams) add(p job.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.streamFor(p.Job)
	if s.ended || p.First < 0 || p.First > len(s.events) {
		return
	}
	for i, e := range p.Events {
		if p.First+i < len(s.events) {
			continue
		}
		if s.size += len(e); s.size > maxStreamSize {
			break
		}
		s.events = append(s.events, e)
	}
	s.notify()
}

// wake wakes the watches of a job.
func (l *eventStreams) wake(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.jobs[id]; s != nil {
		s.notify()
	}
}

// end records that the result of a job has arrived.
func (l *eventStreams) end(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.jobs[id]
	if s == nil {
		return
	}
	delete(l.jobs, id)
	s.ended = true
	s.notify()
}

// removeIdle removes streams without watches and without recent events.
func (l *eventStreams) removeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, s := range l.jobs {
		if s.watchers == 0 && time.Since(s.touched) > streamLifetime {
			delete(l.jobs, id)
		}
	}
}

// A Watch follows a running job. The caller must call Close when it no longer needs the Watch.
type Watch struct {
	l  *eventStreams
	id string
	s  *stream
}

// Watch starts to follow a job, pending or not.
func (d *Dispatcher) Watch(id string) *Watch {
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	s := d.streams.streamFor(id)
	s.watchers++
	d.streams.watchers++
	return &Watch{d.streams, id, s}
}

// Watchers returns the number of open watches.
func (d *Dispatcher) Watchers() (n int) {
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	return d.streams.watchers
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
