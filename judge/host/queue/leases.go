package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"assay/judge/host/job"
)

// leases is what the server knows about who does what, from what workers say. All of it is a
// hint that makes things faster: a job that is forgotten here is given to another worker
// when its lease runs out, and found by an idle worker that looks by itself.
//
// Two kinds of entries. A job that a worker took is given back by the server when the
// worker's connection breaks, and when the worker beats without naming it; so is one that it was
// given and never said that it took, when its connection has ended. A job that was
// published or given back, and that nobody takes soon, is called out again: the worker that
// was told of it may have found another one meanwhile.
//
// The embedded server is behind a bridge, which sees what workers were given (deliveries)
// sooner than they say it, and what they do not say. With a cluster there is no bridge, and
// what they say is all.
type leases struct {
	q    *Queue
	poke chan struct{} // there is something to call out; has one place

	mu    sync.Mutex
	taken map[string]*lease // by job
	calls map[string]*call  // by job
	lost  map[string][]had  // by job: the workers that took it and had no result
	held  *deliveries
}

// had is a worker that took a job and had no result.
type had struct {
	worker string
	reply  string // of the lease
	ended  bool   // it ended or was not heard of any more; else it gave the job back
}

type lease struct {
	worker, class string
	notice
	stream, delivery uint64 // numbers of the message, and of this delivery
	heard            time.Time
	finished         bool // the result is there
}

type call struct {
	class string
	at    time.Time // of the next call
	done  int       // calls so far
}

// callAfter are the times after which a job that nobody takes is called out again.
var callAfter = []time.Duration{40 * time.Millisecond, 250 * time.Millisecond}

// How often the server looks around, idle and while a job is to be called out.
const (
	lookEvery = 200 * time.Millisecond
	callEvery = 20 * time.Millisecond
)

func newLeases(q *Queue) *leases {
	return &leases{q: q, poke: make(chan struct{}, 1), taken: map[string]*lease{}, calls: map[string]*call{}, lost: map[string][]had{}, held: newDeliveries()}
}

// manyNotices is how many of the things that workers say may wait to be heard. What is too
// much is lost, and the queue's trouble says so.
const manyNotices = 8192

// listen hears what workers say until ctx ends. Of one worker all is heard in the order in
// which it was said: a beat from before it took a job does not name the job.
func (l *leases) listen(ctx context.Context, nc *nats.Conn) error {
	said := make(chan *nats.Msg, manyNotices)
	for _, subject := range []string{"taken.*", "beat.*", "progress.*.*"} {
		if _, err := nc.ChanSubscribe(subject, said); err != nil {
			return fmt.Errorf("listen to workers: %w", err)
		}
	}
	l.q.done.Go(func() {
		for {
			select {
			case msg := <-said:
				l.hear(msg)
			case <-ctx.Done():
				return
			}
		}
	})
	return nil
}

func (l *leases) hear(msg *nats.Msg) {
	what, worker, _ := strings.Cut(msg.Subject, ".")
	worker, _, _ = strings.Cut(worker, ".")
	// A worker of an outer cluster may name any reply subject in a pull and so make the server
	// publish there. Such forged messages carry a reply; real ones do not.
	if msg.Reply != "" || l.q.people.classOf(worker) == "" {
		return
	}
	hear := map[string]func(string, *nats.Msg) error{"taken": l.hearTaken, "beat": l.hearBeat, "progress": l.hearProgress}[what]
	if err := hear(worker, msg); err != nil {
		l.q.trouble(fmt.Errorf("the worker %s says on %s: %w", worker, msg.Subject, err))
	}
}

func (l *leases) hearTaken(worker string, msg *nats.Msg) error {
	var n notice
	if err := json.Unmarshal(msg.Data, &n); err != nil {
		return err
	}
	class := l.q.people.classOf(worker)
	stream, delivery, ok := readReply(n.Reply, class)
	if !ok {
		return fmt.Errorf("a lease of no job of class %s: %.200q", class, n.Reply)
	}
	if l.note(&lease{worker: worker, class: class, notice: n, stream: stream, delivery: delivery, heard: time.Now()}) {
		f := l.q.opts.Listen.Taken
		if n.Back {
			f = l.q.opts.Listen.Back
		}
		if f != nil {
			tell(l.q, func(r job.Running) { f(worker, r) }, n.Running)
		}
	}
	return nil
}

// readReply reads the subject by which a lease is answered:
// $JS.ACK.JOBS.<consumer>.<deliveries>.<number>.<delivery>.<time>.<pending>.
func readReply(reply, class string) (stream, delivery uint64, ok bool) {
	parts := strings.Split(reply, ".")
	if len(parts) != 9 || parts[0] != "$JS" || parts[1] != "ACK" || parts[2] != jobsStream {
		return 0, 0, false
	}
	for _, lane := range job.Lanes {
		ok = ok || parts[3] == consumer(lane, class)
	}
	stream, err1 := strconv.ParseUint(parts[5], 10, 64)
	delivery, err2 := strconv.ParseUint(parts[6], 10, 64)
	return stream, delivery, ok && err1 == nil && err2 == nil
}

// note keeps what was said of a lease, unless a later one of the job is known.
func (l *leases) note(n *lease) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.taken[n.Job]
	if old != nil && (old.stream > n.stream || old.stream == n.stream && old.delivery > n.delivery) {
		return false
	}
	if n.Back {
		delete(l.taken, n.Job)
		l.had(n.Job, had{worker: n.worker, reply: n.Reply})
		l.call(n.Job, &call{class: n.class, at: time.Now().Add(max(0, min(n.Delay, ackWait)) + callEvery)})
		return true
	}
	if old == nil && len(l.taken) >= maxPending {
		return false // more than can be taken: somebody makes them up
	}
	l.taken[n.Job] = n
	delete(l.calls, n.Job)
	return true
}

func (l *leases) hearBeat(worker string, msg *nats.Msg) error {
	var b job.Beat
	if err := json.Unmarshal(msg.Data, &b); err != nil {
		return err
	}
	b.Plain()
	l.q.people.beat(worker)
	l.held.has(worker, b.Slots)
	running := map[string]bool{}
	for _, r := range b.Running {
		running[r.Job] = true
	}
	// A worker names a job in all beats between taking and answering it. One that does not has
	// started anew, or has answered.
	l.release(func(n *lease) bool {
		if n.worker == worker && running[n.Job] {
			n.heard = time.Now()
		}
		return n.worker == worker && !running[n.Job]
	})
	l.releaseAbandoned(worker, running)
	if f := l.q.opts.Listen.Beat; f != nil {
		tell(l.q, func(b job.Beat) { f(worker, b) }, b)
	}
	return nil
}

func (l *leases) hearProgress(worker string, msg *nats.Msg) error {
	var p job.Progress
	if err := json.Unmarshal(msg.Data, &p); err != nil {
		return err
	}
	p.Job = strings.Split(msg.Subject, ".")[2]
	if f := l.q.opts.Listen.Progress; f != nil {
		tell(l.q, func(p job.Progress) { f(worker, p) }, p)
	}
	return nil
}

// release gives leases back, so that their jobs are delivered to others at once. For one
// that was answered already this changes nothing.
func (l *leases) release(which func(*lease) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.taken {
		if which(n) {
			l.lose(id, n)
			l.held.answered(n.worker, 0, n.Reply, "-NAK")
			l.back(id, n.class, n.Reply)
		}
	}
}

// releaseAbandoned gives back the jobs of which the bridge saw that they were given, and which
// nobody said to have taken, when a worker beats and names those that it has.
func (l *leases) releaseAbandoned(worker string, named map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.held.abandoned(worker, named) {
		l.had(o.job, had{o.worker, o.reply, true})
		l.back(o.job, o.class, o.reply)
	}
}

func (l *leases) giveBack(worker string) {
	l.release(func(n *lease) bool { return n.worker == worker })
}

// back has a job delivered to somebody else; the caller holds mu.
func (l *leases) back(id, class, reply string) {
	if err := l.q.nc.Publish(reply, []byte("-NAK")); err == nil {
		l.call(id, &call{class: class, at: time.Now().Add(callEvery)})
	}
}

// published notes a job that should be taken soon.
func (l *leases) published(id, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.taken[id]; !taken && len(l.calls) < maxJobs {
		l.call(id, &call{class: class, at: time.Now().Add(callAfter[0]), done: 1})
	}
}

// call notes a call; the caller holds mu.
func (l *leases) call(id string, c *call) {
	l.calls[id] = c
	select {
	case l.poke <- struct{}{}:
	default:
	}
}

// finished drops what is known of a job whose result is there: its worker is about to
// acknowledge it.
func (l *leases) finished(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.taken[id]; n != nil {
		n.heard, n.finished = time.Now(), true
	}
	delete(l.calls, id)
}

// lose ends a lease of which its worker does not know any more; the caller holds mu.
func (l *leases) lose(id string, n *lease) {
	delete(l.taken, id)
	if !n.finished {
		l.had(id, had{n.worker, n.Reply, true})
	}
}

// had notes once for each lease that a worker took a job and had no result; the caller holds mu.
// Of a job that has ended something may be noted later, and nobody asks for it: now and then all
// is forgotten.
func (l *leases) had(id string, h had) {
	if len(l.lost) >= maxJobs {
		clear(l.lost)
	}
	if !slices.ContainsFunc(l.lost[id], func(other had) bool { return other.reply == h.reply }) {
		l.lost[id] = append(l.lost[id], h)
	}
}

// lostOne notes what the bridge saw of a job: its worker does not do it.
func (l *leases) lostOne(o loss) {
	l.mu.Lock()
	l.had(o.job, had{o.worker, o.reply, true})
	l.mu.Unlock()
	if o.why != "" {
		tell(l.q, l.q.opts.Listen.Lost, Lost{o.worker, o.job, o.why})
	}
}

// Had is who took this generation of a job and had no result, as far as this process has seen:
// how often one of them ended or was not heard of any more, and who they are. Gave are those
// that only gave it back.
func (q *Queue) Had(id string) (times int, ended, gave []string) {
	q.leases.mu.Lock()
	defer q.leases.mu.Unlock()
	for _, h := range q.leases.lost[id] {
		to := &gave
		if h.ended {
			times++
			to = &ended
		}
		if !slices.Contains(*to, h.worker) {
			*to = append(*to, h.worker)
		}
	}
	return times, ended, slices.DeleteFunc(gave, func(worker string) bool { return slices.Contains(ended, worker) })
}

func (l *leases) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taken, id)
	delete(l.calls, id)
	delete(l.lost, id)
}

// watch looks around until ctx ends.
func (l *leases) watch(ctx context.Context) {
	var looked time.Time
	for {
		waits := l.callOut()
		if time.Since(looked) >= lookEvery {
			looked = time.Now()
			l.lookAround()
		}
		next, poke := lookEvery, l.poke
		if waits {
			next, poke = callEvery, nil
		}
		t := time.NewTimer(next)
		select {
		case <-t.C:
		case <-poke:
		case <-ctx.Done():
			t.Stop()
			return
		}
		t.Stop()
	}
}

// callOut wakes workers for jobs that nobody took, and says whether more are to be called.
func (l *leases) callOut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.calls {
		if time.Now().Before(c.at) {
			continue
		}
		// What is lost here an idle worker finds by itself.
		_ = l.q.Wake(c.class)
		if c.done >= len(callAfter) {
			delete(l.calls, id)
			continue
		}
		c.at = time.Now().Add(callAfter[c.done])
		c.done++
	}
	return len(l.calls) > 0
}

// lookAround gives back what the workers hold that are gone, and calls out jobs whose
// lease has run out.
func (l *leases) lookAround() {
	came, left := l.q.people.changes()
	for _, worker := range came {
		tell(l.q, l.q.opts.Listen.Joined, worker)
	}
	for _, worker := range left {
		l.giveBack(worker)
		tell(l.q, l.q.opts.Listen.Left, worker)
	}
	for _, o := range l.held.expired(time.Now()) {
		l.lostOne(o)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.taken {
		if time.Since(n.heard) > ackWait+lookEvery/2 {
			l.lose(id, n)
			l.call(id, &call{class: n.class, at: time.Now()})
		}
	}
}
