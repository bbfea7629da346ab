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

// leaseTable records what workers report about the jobs that they run. This is only an optimization: a job that is
// forgotten here goes to another worker when its lease expires, and an idle worker finds it by polling.
//
// There are two kinds of entries. The first kind is a job that a worker took. The server releases such a job when
// the worker's connection is closed, or when a heartbeat does not name the job. It also releases a job that was
// delivered on a connection that is closed. The second kind is a published or released job that no worker took
// soon. Its wake-up is repeated, because the worker that got the first wake-up may have found another job.
//
// The embedded server is behind a bridge, which sees deliveries before workers report them. An external cluster
// has no bridge, so only the reports of workers are used.
type leaseTable struct {
	q    *Queue
	wake chan struct{} // signals that there are wake-ups to send; capacity 1

	mu          sync.Mutex
	taken       map[string]*takenJob      // by job
	wakeups     map[string]*wakeup        // by job
	lossesByJob map[string][]lostDelivery // by job: workers that took it but returned no result
	deliveries  *deliveryLog
}

// A lostDelivery is a worker that took a job but returned no result.
type lostDelivery struct {
	worker string
	reply  string // reply subject of the lease
	exited bool   // it exited or went silent; if false, it released the job
}

type takenJob struct {
	worker, class string
	takenNotice
	stream, delivery uint64 // sequence numbers of the message and of this delivery
	lastHeard        time.Time
	finished         bool // the result has arrived
}

type wakeup struct {
	class string
	at    time.Time // time of the next wake-up
	count int       // number of wake-ups so far
}

// wakeupDelays lists the delays after which the wake-up for an untaken job is repeated.
var wakeupDelays = []time.Duration{40 * time.Millisecond, 250 * time.Millisecond}

// The intervals of watch: while idle, and while a wake-up is pending.
const (
	idleCheckEvery   = 200 * time.Millisecond
	wakeupCheckEvery = 20 * time.Millisecond
)

func newLeaseTable(q *Queue) *leaseTable {
	return &leaseTable{
		q: q, wake: make(chan struct{}, 1), taken: map[string]*takenJob{}, wakeups: map[string]*wakeup{},
		lossesByJob: map[string][]lostDelivery{}, deliveries: newDeliveryLog(),
	}
}

// noticeCapacity is the capacity of the queue for messages from workers. If it is full, messages are dropped, and
// Listener.Error is called.
const noticeCapacity = 8192

// listen handles messages from workers until ctx is done. The messages of one worker are handled in order, because
// a heartbeat sent before the worker took a job does not name the job.
func (l *leaseTable) listen(ctx context.Context, nc *nats.Conn) error {
	said := make(chan *nats.Msg, noticeCapacity)
	for _, subject := range []string{"taken.*", "beat.*", "progress.*.*"} {
		if _, err := nc.ChanSubscribe(subject, said); err != nil {
			return fmt.Errorf("listen to workers: %w", err)
		}
	}
	l.q.done.Go(func() {
		for {
			select {
			case msg := <-said:
				l.handle(msg)
			case <-ctx.Done():
				return
			}
		}
	})
	return nil
}

func (l *leaseTable) handle(msg *nats.Msg) {
	what, worker, _ := strings.Cut(msg.Subject, ".")
	worker, _, _ = strings.Cut(worker, ".")
	// A worker of an external cluster can use any reply subject in a request for a job, and the server would
	// publish to it. A message that is forged in this way has a reply subject. Genuine messages have none.
	if msg.Reply != "" || l.q.workers.classOf(worker) == "" {
		return
	}
	hear := map[string]func(string, *nats.Msg) error{"taken": l.handleTaken, "beat": l.handleHeartbeat, "progress": l.handleProgress}[what]
	if err := hear(worker, msg); err != nil {
		l.q.report(fmt.Errorf("the worker %s says on %s: %w", worker, msg.Subject, err))
	}
}

func (l *leaseTable) handleTaken(worker string, msg *nats.Msg) error {
	var n takenNotice
	if err := json.Unmarshal(msg.Data, &n); err != nil {
		return err
	}
	class := l.q.workers.classOf(worker)
	stream, delivery, ok := readReply(n.Reply, class)
	if !ok {
		return fmt.Errorf("the lease is not for a job of class %s: %.200q", class, n.Reply)
	}
	if l.recordNotice(&takenJob{worker: worker, class: class, takenNotice: n, stream: stream, delivery: delivery, lastHeard: time.Now()}) {
		f := l.q.opts.Listener.Taken
		if n.Released {
			f = l.q.opts.Listener.Released
		}
		if f != nil {
			notify(l.q, func(r job.Running) { f(worker, r) }, n.Running)
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
	for _, priority := range job.Priorities {
		ok = ok || parts[3] == consumer(priority, class)
	}
	stream, err1 := strconv.ParseUint(parts[5], 10, 64)
	delivery, err2 := strconv.ParseUint(parts[6], 10, 64)
	return stream, delivery, ok && err1 == nil && err2 == nil
}

// recordNotice records a message about a lease. It returns false if a later lease of the job is known.
func (l *leaseTable) recordNotice(n *takenJob) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.taken[n.Job]
	if old != nil && (old.stream > n.stream || old.stream == n.stream && old.delivery > n.delivery) {
		return false
	}
	if n.Released {
		delete(l.taken, n.Job)
		l.recordLost(n.Job, lostDelivery{worker: n.worker, reply: n.Reply})
		l.scheduleWakeup(n.Job, &wakeup{class: n.class, at: time.Now().Add(max(0, min(n.Delay, ackWait)) + wakeupCheckEvery)})
		return true
	}
	if old == nil && len(l.taken) >= maxPending {
		return false // more than workers can take, so a worker invents them
	}
	l.taken[n.Job] = n
	delete(l.wakeups, n.Job)
	return true
}

func (l *leaseTable) handleHeartbeat(worker string, msg *nats.Msg) error {
	var b job.Heartbeat
	if err := json.Unmarshal(msg.Data, &b); err != nil {
		return err
	}
	b.Sanitize()
	l.q.workers.heartbeat(worker)
	l.deliveries.setSlots(worker, b.Slots)
	running := map[string]bool{}
	for _, r := range b.Running {
		running[r.Job] = true
	}
	// A worker names a job in all heartbeats from taking the job until answering it. If it does not name the job,
	// it has restarted or answered.
	l.release(func(n *takenJob) bool {
		if n.worker == worker && running[n.Job] {
			n.lastHeard = time.Now()
		}
		return n.worker == worker && !running[n.Job]
	})
	l.releaseAbandoned(worker, running)
	if f := l.q.opts.Listener.Heartbeat; f != nil {
		notify(l.q, func(b job.Heartbeat) { f(worker, b) }, b)
	}
	return nil
}

func (l *leaseTable) handleProgress(worker string, msg *nats.Msg) error {
	var p job.Progress
	if err := json.Unmarshal(msg.Data, &p); err != nil {
		return err
	}
	p.Job = strings.Split(msg.Subject, ".")[2]
	if f := l.q.opts.Listener.Progress; f != nil {
		notify(l.q, func(p job.Progress) { f(worker, p) }, p)
	}
	return nil
}

// release ends the leases for which the function which returns true, so that their jobs are delivered to other
// workers immediately. It does nothing for jobs that are already answered.
func (l *leaseTable) release(matches func(*takenJob) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.taken {
		if matches(n) {
			l.endLease(id, n)
			l.deliveries.recordAnswer(n.worker, 0, n.Reply, "-NAK")
			l.requeue(id, n.class, n.Reply)
		}
	}
}

// releaseAbandoned handles a heartbeat. It releases jobs that the bridge saw delivered to the worker but the
// worker never reported.
func (l *leaseTable) releaseAbandoned(worker string, named map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.deliveries.takeAbandoned(worker, named) {
		l.recordLost(o.job, lostDelivery{o.worker, o.reply, true})
		l.requeue(o.job, o.class, o.reply)
	}
}

func (l *leaseTable) releaseAll(worker string) {
	l.release(func(n *takenJob) bool { return n.worker == worker })
}

// requeue returns a job to the queue, so that another worker can take it. The caller must hold mu.
func (l *leaseTable) requeue(id, class, reply string) {
	if err := l.q.nc.Publish(reply, []byte("-NAK")); err == nil {
		l.scheduleWakeup(id, &wakeup{class: class, at: time.Now().Add(wakeupCheckEvery)})
	}
}

// recordPublished records a job that should be taken soon.
func (l *leaseTable) recordPublished(id, class string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.taken[id]; !taken && len(l.wakeups) < maxJobs {
		l.scheduleWakeup(id, &wakeup{class: class, at: time.Now().Add(wakeupDelays[0]), count: 1})
	}
}

// scheduleWakeup schedules wake-ups. The caller must hold mu.
func (l *leaseTable) scheduleWakeup(id string, c *wakeup) {
	l.wakeups[id] = c
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// recordFinished marks a job whose result has arrived. Its worker is about to acknowledge it.
func (l *leaseTable) recordFinished(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.taken[id]; n != nil {
		n.lastHeard, n.finished = time.Now(), true
	}
	delete(l.wakeups, id)
}

// endLease ends a lease whose job the worker does not run anymore. The caller must hold mu.
func (l *leaseTable) endLease(id string, n *takenJob) {
	delete(l.taken, id)
	if !n.finished {
		l.recordLost(id, lostDelivery{n.worker, n.Reply, true})
	}
}

// recordLost records, once per lease, that a worker took a job but returned no result. The caller must hold mu. If there
// are too many records, had first drops all of them, because records of finished jobs may remain.
func (l *leaseTable) recordLost(id string, h lostDelivery) {
	if len(l.lossesByJob) >= maxJobs {
		clear(l.lossesByJob)
	}
	if !slices.ContainsFunc(l.lossesByJob[id], func(other lostDelivery) bool { return other.reply == h.reply }) {
		l.lossesByJob[id] = append(l.lossesByJob[id], h)
	}
}

// recordLoss records a loss that the bridge has found: a worker does not run a job that was delivered to it.
func (l *leaseTable) recordLoss(o loss) {
	l.mu.Lock()
	l.recordLost(o.job, lostDelivery{o.worker, o.reply, true})
	l.mu.Unlock()
	if o.reason != "" {
		notify(l.q, l.q.opts.Listener.Lost, LostJob{o.worker, o.job, o.reason})
	}
}

// DeliveryHistory returns the workers that took this generation of a job but returned no result, as far as this
// process knows. The workers in ended exited or went silent, and times is how often that happened. The workers in
// gave only released the job.
func (q *Queue) DeliveryHistory(id string) (times int, exited, released []string) {
	q.leases.mu.Lock()
	defer q.leases.mu.Unlock()
	for _, h := range q.leases.lossesByJob[id] {
		target := &released
		if h.exited {
			times++
			target = &exited
		}
		if !slices.Contains(*target, h.worker) {
			*target = append(*target, h.worker)
		}
	}
	return times, exited, slices.DeleteFunc(released, func(worker string) bool { return slices.Contains(exited, worker) })
}

func (l *leaseTable) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taken, id)
	delete(l.wakeups, id)
	delete(l.lossesByJob, id)
}

// watch runs the regular checks until ctx is done.
func (l *leaseTable) watch(ctx context.Context) {
	var looked time.Time
	for {
		waits := l.sendWakeups()
		if time.Since(looked) >= idleCheckEvery {
			looked = time.Now()
			l.releaseGone()
		}
		next, poke := idleCheckEvery, l.wake
		if waits {
			next, poke = wakeupCheckEvery, nil
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

// sendWakeups wakes workers for untaken jobs. It reports whether more wake-ups are pending.
func (l *leaseTable) sendWakeups() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, c := range l.wakeups {
		if time.Now().Before(c.at) {
			continue
		}
		// If this is lost, an idle worker finds the job by polling.
		_ = l.q.Wake(c.class)
		if c.count >= len(wakeupDelays) {
			delete(l.wakeups, id)
			continue
		}
		c.at = time.Now().Add(wakeupDelays[c.count])
		c.count++
	}
	return len(l.wakeups) > 0
}

// releaseGone releases the jobs of workers that are gone, and schedules wake-ups for jobs whose leases have
// expired.
func (l *leaseTable) releaseGone() {
	came, left := l.q.workers.changes()
	for _, worker := range came {
		notify(l.q, l.q.opts.Listener.Joined, worker)
	}
	for _, worker := range left {
		l.releaseAll(worker)
		notify(l.q, l.q.opts.Listener.Left, worker)
	}
	for _, o := range l.deliveries.takeExpired(time.Now()) {
		l.recordLoss(o)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.taken {
		if time.Since(n.lastHeard) > ackWait+idleCheckEvery/2 {
			l.endLease(id, n)
			l.scheduleWakeup(id, &wakeup{class: n.class, at: time.Now()})
		}
	}
}
