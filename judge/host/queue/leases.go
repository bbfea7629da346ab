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

// leases records what workers report about the jobs that they run. This is only an optimization: a job that is
// forgotten here goes to another worker when its lease expires, and an idle worker finds it by polling.
//
// There are two kinds of entries. The first kind is a job that a worker took. The server releases such a job when
// the worker's connection is closed, or when a heartbeat does not name the job. It also releases a job that was
// delivered on a connection that is closed. The second kind is a published or released job that no worker took
// soon. Its wake-up is repeated, because the worker that got the first wake-up may have found another job.
//
// The embedded server is behind a bridge, which sees deliveries before workers report them. An external cluster
// has no bridge, so only the reports of workers are used.
type leases struct {
	q    *Queue
	poke chan struct{} // signals that there are wake-ups to send; capacity 1

	mu    sync.Mutex
	taken map[string]*lease // by job
	calls map[string]*call  // by job
	lost  map[string][]had  // by job: workers that took it but returned no result
	held  *deliveries
}

// A had is a worker that took a job but returned no result.
type had struct {
	worker string
	reply  string // reply subject of the lease
	ended  bool   // it exited or went silent; if false, it released the job
}

type lease struct {
	worker, class string
	notice
	stream, delivery uint64 // sequence numbers of the message and of this delivery
	heard            time.Time
	finished         bool // the result has arrived
}

type call struct {
	class string
	at    time.Time // time of the next wake-up
	done  int       // number of wake-ups so far
}

// callAfter lists the delays after which the wake-up for an untaken job is repeated.
var callAfter = []time.Duration{40 * time.Millisecond, 250 * time.Millisecond}

// The intervals of watch: while idle, and while a wake-up is pending.
const (
	lookEvery = 200 * time.Millisecond
	callEvery = 20 * time.Millisecond
)

func newLeases(q *Queue) *leases {
	return &leases{q: q, poke: make(chan struct{}, 1), taken: map[string]*lease{}, calls: map[string]*call{}, lost: map[string][]had{}, held: newDeliveries()}
}

// manyNotices is the capacity of the queue for messages from workers. If it is full, messages are dropped, and
// Listener.Trouble is called.
const manyNotices = 8192

// listen handles messages from workers until ctx is done. The messages of one worker are handled in order, because
// a heartbeat sent before the worker took a job does not name the job.
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
	// A worker of an external cluster can use any reply subject in a request for a job, and the server would
	// publish to it. A message that is forged in this way has a reply subject. Genuine messages have none.
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
		return fmt.Errorf("the lease is not for a job of class %s: %.200q", class, n.Reply)
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

// readReply parses the reply subject of a lease:
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

// note records a message about a lease. It returns false if a later lease of the job is known.
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
		return false // more than workers can take, so a worker invents them
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
	// A worker names a job in all heartbeats from taking the job until answering it. If it does not name the job,
	// it has restarted or answered.
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

// release ends the leases for which the function which returns true, so that their jobs are delivered to other
// workers immediately. It does nothing for jobs that are already answered.
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

// releaseAbandoned handles a heartbeat. It releases jobs that the bridge saw delivered to the worker but the
// worker never reported.
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

// back returns a job to the queue, so that another worker can take it. The caller must hold mu.
func (l *leases) back(id, class, reply string) {
	if err := l.q.nc.Publish(reply, []byte("-NAK")); err == nil {
		l.call(id, &call{class: class, at: time.Now().Add(callEvery)})
	}
}

// published records a job that should be taken soon.
func (l *leases) published(id, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.taken[id]; !taken && len(l.calls) < maxJobs {
		l.call(id, &call{class: class, at: time.Now().Add(callAfter[0]), done: 1})
	}
}

// call schedules wake-ups. The caller must hold mu.
func (l *leases) call(id string, c *call) {
	l.calls[id] = c
	select {
	case l.poke <- struct{}{}:
	default:
	}
}

// finished marks a job whose result has arrived. Its worker is about to acknowledge it.
func (l *leases) finished(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.taken[id]; n != nil {
		n.heard, n.finished = time.Now(), true
	}
	delete(l.calls, id)
}

// lose ends a lease whose job the worker does not run anymore. The caller must hold mu.
func (l *leases) lose(id string, n *lease) {
	delete(l.taken, id)
	if !n.finished {
		l.had(id, had{n.worker, n.Reply, true})
	}
}

// had records, once per lease, that a worker took a job but returned no result. The caller must hold mu. If there
// are too many records, had first drops all of them, because records of finished jobs may remain.
func (l *leases) had(id string, h had) {
	if len(l.lost) >= maxJobs {
		clear(l.lost)
	}
	if !slices.ContainsFunc(l.lost[id], func(other had) bool { return other.reply == h.reply }) {
		l.lost[id] = append(l.lost[id], h)
	}
}

// lostOne records a loss that the bridge has found: a worker does not run a job that was delivered to it.
func (l *leases) lostOne(o loss) {
	l.mu.Lock()
	l.had(o.job, had{o.worker, o.reply, true})
	l.mu.Unlock()
	if o.why != "" {
		tell(l.q, l.q.opts.Listen.Lost, Lost{o.worker, o.job, o.why})
	}
}

// Had returns the workers that took this generation of a job but returned no result, as far as this process knows.
// The workers in ended exited or went silent, and times is how often that happened. The workers in gave only
// released the job.
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

// watch runs the regular checks until ctx is done.
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

// callOut wakes workers for untaken jobs. It reports whether more wake-ups are pending.
func (l *leases) callOut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.calls {
		if time.Now().Before(c.at) {
			continue
		}
		// If this is lost, an idle worker finds the job by polling.
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

// lookAround releases the jobs of workers that are gone, and schedules wake-ups for jobs whose leases have
// expired.
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
