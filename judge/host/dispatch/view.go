package dispatch

import (
	"context"
	"slices"
	"sync"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
)

// view is what workers say of themselves, which may be wrong: see package host.
type view struct {
	mu      sync.Mutex
	workers map[string]*member
	moved   map[string]time.Time // when a worker of a class came, took or ended something
}

type member struct {
	class    string
	guest    bool
	here     bool
	slots    int
	draining bool
	note     string
	running  map[string]doing // jobs that it says that it does
	disowned []string         // jobs that it goes on to name, and that others do
	tookAt   time.Time        // when it took the last one
	out      time.Time        // when it was seen to be here though it is out of service
}

// doing is what is known of a job that a worker does.
type doing struct {
	since time.Time
	said  time.Time // when the worker named it last
	told  time.Time // when something of it was told last
}

// forgotten is after which time a job is not believed to be done by a worker that does not
// say so any more.
const forgotten = 15 * time.Second

func newView() *view {
	return &view{workers: map[string]*member{}, moved: map[string]time.Time{}}
}

// of returns a worker, which it makes where it is new.
func (v *view) of(worker string) *member {
	m := v.workers[worker]
	if m == nil {
		m = &member{running: map[string]doing{}}
		v.workers[worker] = m
	}
	return m
}

func (v *view) admit(worker, class string, guest bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	m.class, m.guest = class, guest
}

func (v *view) joined(worker string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	m.here, m.slots = true, max(m.slots, 1) // its first beat says how many
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
	m.disowned = slices.DeleteFunc(m.disowned, func(id string) bool { return id == r.Job }) // it was given the job anew
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

// beat notes what a worker says, and returns its note where that is new.
func (v *view) beat(worker string, b job.Beat) (note string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m, now := v.of(worker), time.Now()
	m.slots, m.draining = b.Slots, b.Draining // whether it is here, joined and left say
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

// ready says whether a worker takes jobs.
func (m *member) ready() bool { return m.here && !m.draining && m.note == "" }

// free is how many slots of a class have nothing to do.
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

// classes are those of all workers that are here.
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

// waits says whether workers of a class have had free slots for so long without being given
// anything, and begins to count anew if so.
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

// others says whether workers of a class are here that are not excluded, and whether one of
// them has nothing to do.
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

// guests are the guests of a class, whether they are here or not.
func (v *view) guests(class string) (names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		if m.class == class && m.guest {
			names = append(names, name)
		}
	}
	return names
}

// but are the workers of a class that are not the given one, whether they are here or not.
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

// isGuest says whether a worker is a guest.
func (v *view) isGuest(worker string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of(worker).guest
}

// anotherOf says whether another worker of the same class is here that is no guest.
func (v *view) anotherOf(worker string) bool { return v.anotherThan(worker, []string{worker}) }

// anotherThan says whether a worker of the same class as the given one is here that is no guest
// and not among those.
func (v *view) anotherThan(worker string, those []string) bool {
	v.mu.Lock()
	class := v.of(worker).class
	v.mu.Unlock()
	here, _ := v.others(class, slices.Concat(v.guests(class), those)...)
	return here
}

// telling says whether a worker said that it does a job, and may say how it gets on: what
// a guest finds is told when others have found it.
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
	return known && !m.guest
}

// doing is the worker, other than those, that said lately that it does a job; "" for none.
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

// Presence is what is known of a worker just now.
type Presence struct {
	Connected bool
	Slots     int
	Running   int // at most Slots: a job that makes way is not counted beside others
	Draining  bool
	Note      string
	Differs   int // accounts on whose submissions other workers disagreed with it lately
}

// Presence says what a worker does just now.
func (d *Dispatcher) Presence(worker string) Presence {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	m := d.view.workers[worker]
	if m == nil {
		return Presence{}
	}
	return Presence{Connected: m.here, Slots: m.slots, Running: min(len(m.running), max(m.slots, 1)), Draining: m.draining, Note: m.note, Differs: d.trust.differ(worker)}
}

// Served says whether a worker of a class is here that takes jobs.
func (d *Dispatcher) Served(class string) bool {
	here, _ := d.view.others(class)
	return here
}

// Slots is how many jobs the workers of a class that are here do at once.
func (d *Dispatcher) Slots(class string) (n int) {
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	for _, m := range d.view.workers {
		if m.class == class && m.here && !m.draining && !m.guest {
			n += m.slots
		}
	}
	return n
}

// Queues counts the jobs that have not ended, as store.Queues does, but as out only those that
// a worker says that it does: the others lie in the queue, and wait.
func (d *Dispatcher) Queues(ctx context.Context) ([]store.Queue, error) {
	rows, err := d.o.Store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(rows, func(q store.Queue) bool { return q.State == store.Out }) {
		return rows, nil
	}
	out, err := d.o.Store.OutSince(ctx, time.Now().AddDate(100, 0, 0))
	if err != nil {
		return nil, err
	}
	type place struct {
		lane  job.Lane
		class string
	}
	done := map[place]int{}
	for _, o := range out {
		if d.view.doing(o.Job) != "" {
			done[place{o.Lane, o.Class}]++
		}
	}
	all := []store.Queue{}
	at := map[place]int{} // of what waits
	for _, q := range rows {
		p := place{q.Lane, q.Class}
		waiting := q.Jobs
		if q.State == store.Out {
			waiting = max(0, q.Jobs-done[p])
			if out := q.Jobs - waiting; out > 0 {
				all = append(all, store.Queue{Lane: q.Lane, Class: q.Class, State: store.Out, Jobs: out, Oldest: q.Oldest})
			}
		}
		i, known := at[p]
		switch {
		case waiting == 0:
		case known:
			all[i].Jobs += waiting
			if q.Oldest.Before(all[i].Oldest) {
				all[i].Oldest = q.Oldest
			}
		default:
			at[p] = len(all)
			all = append(all, store.Queue{Lane: q.Lane, Class: q.Class, State: store.Waiting, Jobs: waiting, Oldest: q.Oldest})
		}
	}
	return all, nil
}
