package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// A memory is a queue without a server. It gives the same guarantees as package queue, with the same times. A test
// can inject failures.
type memory struct {
	worse

	heard  sync.Mutex // serializes calls of the listener
	listen queue.Listener
	closed chan struct{}
	ends   sync.WaitGroup

	mu      sync.Mutex
	jobs    []*lain // in publication order
	results []*brought
	last    int // number of the last result
	seats   map[string]*seat
	class   map[string]string // by name of an admitted worker
	had     map[string][]loser
	changed chan struct{} // closed when something new may be available
}

// A worse configures the failures of a queue. The queue calls the matching function each time that the failure
// could happen. A nil function means that the failure never happens.
type worse struct {
	late   func() time.Duration // delay before the server receives a message or a result
	lost   func() bool          // whether a heartbeat, control message or acknowledgement is lost
	again  func() bool          // whether a handled result is delivered again
	broken func() bool          // whether a request of the server fails
}

// lain is a job in the queue.
type lain struct {
	spec       *job.Spec
	deliveries int
	from       time.Time // not delivered before this time
	by         *given    // the worker that has it; nil if none
}

type brought struct {
	*job.Result
	number int
	from   time.Time
	taken  bool // by a call of Results
}

type loser struct {
	worker string
	ended  bool
}

// The timeouts of package queue.
const (
	memoryLease  = 20 * time.Second // without a heartbeat
	memoryBeat   = 5 * time.Second
	memoryReturn = 3 * time.Second // time for a worker to reconnect
	memoryLook   = time.Second
	memoryMost   = 3 // deliveries
)

var errBroken = errors.New("the queue does not answer")

func newMemory(listen queue.Listener) *memory {
	return &memory{
		listen: listen, closed: make(chan struct{}), seats: map[string]*seat{}, class: map[string]string{}, had: map[string][]loser{},
		changed: make(chan struct{}),
	}
}

func (m *memory) Close() {
	close(m.closed)
	m.ends.Wait()
}

// SendNews does nothing: the queue has one server.
func (m *memory) SendNews(queue.News) error { return nil }

// hearBy passes all further messages from workers to l, the listener of another server. The workers reconnect to
// that server.
func (m *memory) hearBy(l queue.Listener) {
	m.heard.Lock()
	m.listen = l
	m.heard.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seats {
		s.say(func(l queue.Listener) { l.Joined(s.name) })
	}
}

// change wakes all goroutines that wait for a change of m. The caller must hold mu.
func (m *memory) change() {
	close(m.changed)
	m.changed = make(chan struct{})
}

func (w *worse) lateness() time.Duration {
	if w.late == nil {
		return 0
	}
	return w.late()
}

func (w *worse) loses() bool { return w.lost != nil && w.lost() }

func (w *worse) answer() error {
	if w.broken != nil && w.broken() {
		return errBroken
	}
	return nil
}

// pause waits for a change, or for d. It returns an error if ctx is done or the queue is closed.
func (m *memory) pause(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-changed:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	case <-m.closed:
		return errBroken
	}
	return nil
}

func (m *memory) Ensure(context.Context, ...string) error { return m.answer() }

func (m *memory) Wake(string) error { return m.answer() }

func (m *memory) Admit(worker, class, _ string, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.class[worker] = class
	return nil
}

func (m *memory) Revoke(worker string) {
	m.mu.Lock()
	s := m.seats[worker]
	delete(m.class, worker)
	m.mu.Unlock()
	if s != nil {
		s.Close()
		m.missed(s)
	}
}

func (m *memory) Connected() (names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, s := range m.seats {
		if s.ctx.Err() == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *memory) Control(worker string, o job.Control) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.seats[worker]; s != nil && !m.loses() {
		select {
		case s.orders <- o:
		default:
		}
	}
	return m.answer()
}

func (m *memory) Publish(_ context.Context, s *job.Spec) (queue.PublishResult, error) {
	if err := m.answer(); err != nil {
		return "", err
	}
	data, err := s.Encode()
	if err != nil {
		return "", err
	}
	spec, err := job.DecodeSpec(data)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.ContainsFunc(m.jobs, func(l *lain) bool { return l.spec.ID == s.ID }) {
		return queue.AlreadyStored, nil
	}
	m.jobs = append(m.jobs, &lain{spec: spec})
	m.change()
	return queue.NewlyStored, m.answer() // the response may get lost
}

func (m *memory) count(is func(*lain) bool) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.jobs {
		if is(l) {
			n++
		}
	}
	return n
}

func (m *memory) PendingCount(_ context.Context, priority job.Priority, class string) (int, error) {
	return m.count(func(l *lain) bool { return l.spec.Priority == priority && l.spec.Class == class && l.deliveries == 0 }), m.answer()
}

func (m *memory) HasJob(_ context.Context, _ job.Priority, _, id string) (bool, error) {
	return m.count(func(l *lain) bool { return l.spec.ID == id }) > 0, m.answer()
}

func (m *memory) Stats(context.Context) (queue.Stats, error) {
	return queue.Stats{Jobs: uint64(m.count(func(*lain) bool { return true }))}, m.answer()
}

func (m *memory) Delete(_ context.Context, _ job.Priority, _, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.had, id)
	m.jobs = slices.DeleteFunc(m.jobs, func(l *lain) bool { return l.spec.ID == id })
	return m.answer()
}

func (m *memory) Recreate(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs = nil
	return nil
}

func (m *memory) DeliveryHistory(id string) (times int, ended, gave []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.had[id] {
		switch {
		case h.ended:
			times++
			ended = append(ended, h.worker)
		default:
			gave = append(gave, h.worker)
		}
	}
	ended, gave = slices.Compact(slices.Sorted(slices.Values(ended))), slices.Compact(slices.Sorted(slices.Values(gave)))
	return times, ended, slices.DeleteFunc(gave, func(worker string) bool { return slices.Contains(ended, worker) })
}

func (m *memory) Results(ctx context.Context, handle func(context.Context, *job.Result) error) error {
	for {
		m.mu.Lock()
		i, changed := slices.IndexFunc(m.results, func(r *brought) bool { return !r.taken && !r.from.After(time.Now()) }), m.changed
		var r *brought
		if i >= 0 {
			r = m.results[i]
			r.taken = true
		}
		m.mu.Unlock()
		if r == nil {
			if err := m.pause(ctx, changed, memoryLook/10); err != nil {
				return err
			}
			continue
		}
		one := *r.Result
		err := handle(ctx, &one)
		m.mu.Lock()
		switch r.taken = false; {
		case err != nil:
			r.from = time.Now().Add(time.Second)
		case m.worse.again != nil && m.worse.again():
			r.from = time.Now().Add(m.lateness())
		default:
			m.results = slices.DeleteFunc(m.results, func(other *brought) bool { return other == r })
		}
		m.change()
		m.mu.Unlock()
	}
}

func (m *memory) CatchUp(ctx context.Context) error {
	m.mu.Lock()
	last := m.last
	m.mu.Unlock()
	for {
		m.mu.Lock()
		waits, changed := slices.ContainsFunc(m.results, func(r *brought) bool { return r.number <= last }), m.changed
		m.mu.Unlock()
		if !waits {
			return m.answer()
		}
		if err := m.pause(ctx, changed, memoryLook); err != nil {
			return err
		}
	}
}

// release makes jobs available again if which returns true for their current lease. Their workers are recorded as
// having lost the jobs.
func (m *memory) release(which func(*given) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.jobs {
		if l.by != nil && which(l.by) {
			m.had[l.spec.ID] = append(m.had[l.spec.ID], loser{l.by.seat.name, true})
			l.by = nil
			m.change()
		}
	}
}

// missed removes a worker that has left and did not reconnect. It releases the worker's jobs and informs the
// server.
func (m *memory) missed(s *seat) {
	m.mu.Lock()
	is := m.seats[s.name] == s
	if is {
		delete(m.seats, s.name)
	}
	m.mu.Unlock()
	if is {
		m.release(func(h *given) bool { return h.seat.name == s.name })
		s.say(func(l queue.Listener) { l.Left(s.name) })
	}
}

// A seat is the worker's side of a queue in memory.
type seat struct {
	m          *memory
	name       string
	priorities []job.Priority
	orders     chan job.Control
	words      chan func(queue.Listener)
	ctx        context.Context
	end        context.CancelFunc

	// of memory's mu
	beat    job.Heartbeat
	running []*given
	frozen  bool
}

func (m *memory) join(_ context.Context, o queue.JoinOptions) (testMember, error) {
	s := &seat{m: m, name: o.Worker, priorities: o.Priorities, orders: make(chan job.Control, 256),
		words: make(chan func(queue.Listener), 1<<16), beat: job.Heartbeat{Slots: o.Slots}}
	s.ctx, s.end = context.WithCancel(context.Background())
	m.mu.Lock()
	if m.class[s.name] == "" {
		m.mu.Unlock()
		return nil, queue.ErrRefused
	}
	came := m.seats[s.name] == nil
	m.seats[s.name] = s
	m.mu.Unlock()
	m.ends.Go(s.tell)
	m.release(func(h *given) bool { return h.seat.name == s.name }) // the worker has restarted
	if came {
		s.say(func(l queue.Listener) { l.Joined(s.name) })
	}
	s.tellBeat(true)
	m.ends.Go(s.beatOn)
	return s, nil
}

// say sends a message to the server. Messages arrive in order.
func (s *seat) say(what func(queue.Listener)) { s.words <- what }

func (s *seat) tell() {
	for {
		select {
		case <-s.m.closed:
			return
		case what := <-s.words:
			if late := s.m.lateness(); late > 0 && s.m.pause(context.Background(), nil, late) != nil {
				return
			}
			s.m.heard.Lock()
			what(s.m.listen)
			s.m.heard.Unlock()
		}
	}
}

func (s *seat) beatOn() {
	for s.m.pause(s.ctx, nil, memoryBeat) == nil {
		s.tellBeat(false)
	}
	if s.m.pause(context.Background(), nil, memoryReturn) == nil {
		s.m.missed(s)
	}
}

// tellBeat sends a heartbeat and renews the worker's leases. If surely is false, the heartbeat may get lost.
func (s *seat) tellBeat(surely bool) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.frozen || !surely && s.m.loses() {
		return
	}
	b := s.beat
	for _, h := range s.running {
		b.Running = append(b.Running, h.running())
		h.beaten = time.Now()
	}
	s.say(func(l queue.Listener) { l.Heartbeat(s.name, b) })
}

// freeze makes the worker silent without disconnecting it if is is true. Otherwise the worker continues.
func (s *seat) freeze(is bool) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.frozen = is
}

func (s *seat) SetStatus(draining bool, note string) {
	s.m.mu.Lock()
	s.beat.Draining, s.beat.Note = draining, note
	s.m.mu.Unlock()
	s.tellBeat(true)
}

func (s *seat) Controls() <-chan job.Control { return s.orders }

func (s *seat) Close() { s.end() }

func (s *seat) SendResult(_ context.Context, r *job.Result) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	r.Worker = s.name
	data, err := r.Encode()
	if err != nil {
		return err
	}
	read, err := job.DecodeResult(data)
	if err != nil {
		return nil // the server would drop it
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.last++
	s.m.results = append(s.m.results, &brought{Result: read, number: s.m.last, from: time.Now().Add(s.m.lateness())})
	s.m.change()
	return nil
}

// Take handles jobs that exclude the worker, and jobs that were delivered too often, as queue.Member does.
func (s *seat) Take(ctx context.Context) (*lease, error) {
	for {
		s.m.release(func(h *given) bool { return time.Since(h.beaten) > memoryLease })
		s.m.mu.Lock()
		h, changed := s.next(), s.m.changed
		s.m.mu.Unlock()
		var err error
		switch {
		case s.ctx.Err() != nil:
			return nil, s.ctx.Err()
		case h == nil:
			err = s.m.pause(ctx, changed, memoryLook)
		case h.number > memoryMost && len(h.lain.spec.Exclude) == 0 || h.number > 4*memoryMost:
			err = h.GiveUp(ctx, fmt.Sprintf("the job was given to workers %d times before", h.number-1), true)
		case slices.Contains(h.lain.spec.Exclude, s.name):
			err = h.Release(ctx, time.Second/4)
		default:
			return &lease{h.lain.spec, h}, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// next takes the first job with the highest priority. The caller must hold memory's mu.
func (s *seat) next() *given {
	var first *lain
	for _, l := range s.m.jobs {
		if l.by == nil && l.spec.Class == s.m.class[s.name] && slices.Contains(s.priorities, l.spec.Priority) && !l.from.After(time.Now()) &&
			(first == nil || l.spec.Priority < first.spec.Priority) {
			first = l
		}
	}
	if first == nil || s.ctx.Err() != nil {
		return nil
	}
	first.deliveries++
	h := &given{seat: s, lain: first, number: first.deliveries, beaten: time.Now()}
	first.by = h
	s.running = append(s.running, h)
	s.say(func(l queue.Listener) { l.Taken(s.name, h.running()) })
	return h
}

// given is a lease of a job in memory.
type given struct {
	seat   *seat
	lain   *lain
	number int // delivery number
	beaten time.Time
}

func (h *given) running() job.Running {
	return job.Running{Job: h.lain.spec.ID, Generation: h.lain.spec.Generation}
}

// over ends the lease, and reports whether this worker still had the job. The caller must hold memory's mu.
func (h *given) over() bool {
	h.seat.running = slices.DeleteFunc(h.seat.running, func(other *given) bool { return other == h })
	return h.lain.by == h && h.seat.ctx.Err() == nil
}

// acknowledge removes the job from the queue.
func (h *given) acknowledge() {
	m := h.seat.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.over() && !m.loses() {
		m.jobs = slices.DeleteFunc(m.jobs, func(l *lain) bool { return l == h.lain })
	}
}

func (h *given) Finish(ctx context.Context, r *job.Result) error {
	r.Job, r.Generation, r.Token = h.lain.spec.ID, h.lain.spec.Generation, h.lain.spec.Token
	err := h.seat.SendResult(ctx, r)
	h.acknowledge()
	return err
}

func (h *given) GiveUp(ctx context.Context, reason string, tooOften bool) error {
	return h.Finish(ctx, &job.Result{State: job.GivenUp, Reason: reason, TooManyDeliveries: tooOften})
}

func (h *given) Release(_ context.Context, delay time.Duration) error {
	m := h.seat.m
	m.mu.Lock()
	defer m.mu.Unlock()
	if h.over() {
		h.lain.by, h.lain.from = nil, time.Now().Add(delay)
		m.had[h.lain.spec.ID] = append(m.had[h.lain.spec.ID], loser{h.seat.name, false})
		h.seat.say(func(l queue.Listener) { l.Released(h.seat.name, h.running()) })
		m.change()
	}
	return h.seat.ctx.Err()
}

func (h *given) Progress(first int, events ...[]byte) {
	h.seat.say(func(l queue.Listener) {
		l.Progress(h.seat.name, job.Progress{Running: h.running(), First: first, Events: events})
	})
}
