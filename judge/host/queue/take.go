package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"assay/judge/host/job"
)

// turnPeriod is the length of the period, in jobs, after which the order of a worker's priorities repeats. Once in each
// period, practice comes first, and once the priorities after practice come first. Therefore these priorities progress even
// if many jobs wait in the priorities before them. The priorities after practice take turns, so each delays another by at
// most one job.
const turnPeriod = 10

// The jobs in each turnPeriod, counted from 0, for which practice or a lower priority comes first.
const (
	practiceTurn = 3
	sharedTurn   = 6
)

// maxSilences is the maximum number of consecutive requests without a response, after which a worker reconnects.
const maxSilences = 4

// recheckDelay is the delay after which a worker looks again if a wake-up was in vain, or if it has just become idle.
// JetStream makes a message available some time after it has confirmed that the message is stored.
const recheckDelay = 5 * time.Millisecond

// The ways to ask for a job. With requestNoWait, JetStream responds immediately that there is no job if its counter of
// waiting messages is 0. That counter becomes one too low if a request arrives while a message is being deleted.
// The last job would then stay in the stream until another job arrives. With patiently, the request may wait for
// some milliseconds, which makes JetStream look into the stream itself.
const (
	requestNoWait = `{"batch":1,"no_wait":true}`
	requestWait   = `{"batch":1,"expires":20000000}` // nanoseconds
)

// Take waits for a job. It returns an error if ctx is done or the member fails, but not while the connection is
// down. It rejects jobs that exclude this worker, and gives up jobs that were delivered too often.
func (m *Member) Take(ctx context.Context) (*Lease, error) {
	l, err := m.tryPriorities(ctx, m.priorities(), requestNoWait)
	if l != nil || err != nil {
		return l, err
	}
	if err := m.startWaiting(); err != nil {
		return nil, err
	}
	defer m.stopWaiting()
	mode := requestNoWait
	for attempts := 1; ; attempts-- {
		// Look before the first wake-up, because a job may have arrived before this worker could receive wake-ups.
		if l, err := m.tryPriorities(ctx, m.priorities(), mode); l != nil || err != nil {
			return l, err
		}
		next := pollEvery*3/4 + rand.N(pollEvery/2)
		if attempts > 0 {
			next = recheckDelay
		}
		mode = requestNoWait
		t := time.NewTimer(next)
		select {
		case <-m.wake:
			attempts = 2
		case <-t.C:
			if attempts <= 0 {
				mode = requestWait
			}
		case <-ctx.Done():
		case <-m.fatal:
		}
		t.Stop()
	}
}

// TakeBefore is like Take, for a worker that already runs a job of the given priority. It takes only jobs with higher
// priority than that job. It polls, because it receives no wake-ups: they go to idle workers.
func (m *Member) TakeBefore(ctx context.Context, priority job.Priority) (*Lease, error) {
	priorities := slices.DeleteFunc(slices.Clone(m.opts.Priorities), func(l job.Priority) bool { return l >= priority })
	for {
		if err := pause(ctx, preemptPollEvery*3/4+rand.N(preemptPollEvery/2)); err != nil {
			return nil, err
		}
		if l, err := m.tryPriorities(ctx, priorities, requestWait); l != nil || err != nil {
			return l, err
		}
	}
}

// startWaiting adds this worker to the idle workers, which receive wake-ups.
func (m *Member) startWaiting() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting++; m.waiting > 1 || m.idle != nil {
		return nil
	}
	m.idle, err = m.nc.QueueSubscribe("wake."+m.opts.Class, idleGroup, func(*nats.Msg) {
		// This must not block, because a burst of wake-ups would make this a slow consumer.
		select {
		case m.wake <- struct{}{}:
		default:
		}
	})
	if err != nil {
		m.waiting--
	}
	return wrap("wait for jobs", err)
}

// stopWaiting removes this worker from the idle workers. Otherwise a wake-up could reach this worker while it is
// busy, and would be lost.
func (m *Member) stopWaiting() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waiting--; m.waiting == 0 && m.idle != nil {
		if err := m.idle.Unsubscribe(); err != nil && m.lifetime.Err() == nil {
			m.notice(fmt.Errorf("stop waiting for jobs: %w", err))
		}
		m.idle = nil
	}
}

// priorities returns this worker's priorities in the order in which it tries them next.
func (m *Member) priorities() []job.Priority {
	m.mu.Lock()
	defer m.mu.Unlock()
	var urgent, turns []job.Priority
	for _, priority := range m.opts.Priorities {
		if priority <= job.PracticePriority {
			urgent = append(urgent, priority)
		} else {
			turns = append(turns, priority)
		}
	}
	next := slices.IndexFunc(turns, func(l job.Priority) bool { return l > m.lastShared })
	if next > 0 {
		turns = slices.Concat(turns[next:], turns[:next])
	}
	switch m.taken % turnPeriod {
	case practiceTurn:
		slices.Reverse(urgent)
	case sharedTurn:
		return append(turns, urgent...)
	}
	return append(urgent, turns...)
}

// tryPriorities tries each priority once. It returns nil if there is no job.
func (m *Member) tryPriorities(ctx context.Context, priorities []job.Priority, mode string) (*Lease, error) {
	for i := 0; i < len(priorities); {
		if err := m.stopped(ctx); err != nil {
			return nil, err
		}
		msg, asked, deaf := m.pulls.request(ctx, m.nc, nextSubject(consumer(priorities[i], m.opts.Class)), mode)
		if deaf {
			m.notice(errors.New("the queue does not respond to requests for jobs; this worker reconnects"))
			if err := m.nc.ForceReconnect(); err != nil && m.lifetime.Err() == nil {
				m.notice(err)
			}
			return nil, m.stopped(ctx)
		}
		if msg == nil {
			i++
			continue
		}
		// If this worker must not run the job, the same priority may contain another one, so look again.
		if l := m.lease(ctx, msg, asked); l != nil {
			return l, nil
		}
	}
	return nil, m.stopped(ctx)
}

func (m *Member) stopped(ctx context.Context) error {
	if err := m.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// lease returns a lease for a message. If this worker must not run the job, lease answers the message and returns
// nil.
func (m *Member) lease(ctx context.Context, msg *nats.Msg, requested time.Time) *Lease {
	l := &Lease{m: m, reply: msg.Reply, renewed: requested}
	if meta, err := msg.Metadata(); err == nil {
		l.Deliveries = int(meta.NumDelivered)
	}
	spec, err := job.DecodeSpec(msg.Data)
	if err != nil {
		m.notice(fmt.Errorf("a job that cannot be read: %w", err))
		l.Spec = specFromSubject(msg.Subject, spec)
	} else {
		l.Spec = spec
	}
	limit := maxDeliveries
	if len(l.Spec.Exclude) > 0 {
		limit = maxDeliveriesExcludes
	}
	m.mu.Lock()
	m.running[l] = true
	m.send("taken.", takenNotice{Running: l.running(), Reply: l.reply})
	m.mu.Unlock()
	switch {
	case err != nil:
		err = l.GiveUp(ctx, "the worker cannot read the job: "+err.Error(), false)
	case l.Deliveries > limit:
		err = l.GiveUp(
			ctx,
			fmt.Sprintf("the job was given to workers %d times before, and none of them came to an end with it", l.Deliveries-1),
			true,
		)
	case l.Spec.Generation > maxGenerations:
		err = l.GiveUp(ctx, fmt.Sprintf("the job was lost in %d generations", l.Spec.Generation-1), false)
	case slices.Contains(l.Spec.Exclude, m.opts.Worker):
		err = l.Release(ctx, rejectDelay(l.Deliveries))
	default:
		m.mu.Lock()
		m.taken++
		if l.Spec.Priority > job.PracticePriority {
			m.lastShared = l.Spec.Priority
		}
		m.mu.Unlock()
		return l
	}
	if err != nil {
		m.notice(err)
	}
	return nil
}

// rejectDelay returns the delay before a rejected job is delivered again. The delay doubles with each delivery, up to
// a few seconds, because other workers may be busy for long.
func rejectDelay(deliveries int) time.Duration {
	return min(excluded<<min(max(deliveries-1, 0), 8), maxExcludedDelay)
}

// specFromSubject returns a Spec for a job that cannot be decoded. The id and the class come from the message's subject,
// and the other fields from read unless it is nil.
func specFromSubject(subject string, read *job.Spec) *job.Spec {
	spec := &job.Spec{}
	if read != nil {
		*spec = *read
	}
	if parts := strings.Split(subject, "."); len(parts) == 4 {
		spec.ID, spec.Class = parts[3], parts[2]
	}
	return spec
}

// jobRequests sends requests for a job. There is only one request at a time, because a message with a job does not say
// which request it answers.
type jobRequests struct {
	prefix string
	turn   chan struct{} // held by the goroutine that sends a request
	// silences is the number of consecutive requests without a response. It is protected by turn.
	silences int
	fatal    chan struct{} // closed when no response can arrive anymore
	wait     time.Duration // timeout for a response

	mu      sync.Mutex
	asked   int
	to      string         // subject for a status of the open request
	answers chan *nats.Msg // of the open request, or nil
	// unanswered is the time at which the first request after the last response was sent. A job may have been in
	// transit since then. It is zero if no request is unanswered.
	unanswered time.Time
}

func newJobRequests(fatal chan struct{}) jobRequests {
	return jobRequests{turn: make(chan struct{}, 1), fatal: fatal, wait: requestTimeout}
}

// request asks one consumer for one job. It returns the job and the time since which it may have been leased. If there
// is no job or no response, it returns nil. NoResponse reports whether several requests on an open connection got no
// response at all, not even "no messages".
func (p *jobRequests) request(ctx context.Context, nc *nats.Conn, subject, mode string) (msg *nats.Msg, since time.Time, noResponse bool) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, time.Time{}, false
	}
	defer func() { <-p.turn }()
	to, answers, wait := p.begin()
	defer p.end(answers)
	if err := nc.PublishRequest(subject, to, []byte(mode)); err != nil {
		return nil, time.Time{}, false // not connected; the caller soon asks again
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case msg := <-answers:
		p.mu.Lock()
		defer p.mu.Unlock()
		asked := p.unanswered
		p.unanswered, p.silences = time.Time{}, 0
		if isJob(msg) {
			return msg, asked, false
		}
	case <-t.C:
		if p.silences++; p.silences >= maxSilences && nc.IsConnected() {
			p.silences = 0
			return nil, time.Time{}, true
		}
	case <-p.fatal:
	case <-ctx.Done():
	}
	return nil, time.Time{}, false
}

func (p *jobRequests) begin() (subject string, answers chan *nats.Msg, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.unanswered.IsZero() {
		p.unanswered = time.Now()
	}
	p.to, p.answers = p.prefix+strconv.Itoa(p.asked), make(chan *nats.Msg, 1)
	return p.to, p.answers, p.wait
}

// end ends a request. If its job arrives after that, the job is released immediately.
func (p *jobRequests) end(answers chan *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = nil
	select {
	case msg := <-answers:
		returnMessage(msg)
	default:
	}
}

// handle handles one response. It does not block.
func (p *jobRequests) handle(msg *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil || !isJob(msg) && msg.Subject != p.to {
		returnMessage(msg)
		return
	}
	select {
	case p.answers <- msg:
	default:
		returnMessage(msg)
	}
}

// isJob reports whether a message is a job, and not a status such as "no messages".
func isJob(msg *nats.Msg) bool {
	return strings.HasPrefix(msg.Reply, "$JS.ACK.") && msg.Header.Get("Status") == ""
}

func returnMessage(msg *nats.Msg) {
	if isJob(msg) {
		// If this is lost, the lease expires.
		_ = msg.Nak()
	}
}
