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

// share is how often practice comes first, and how often the lanes after it do: once in so many jobs
// of a worker, so that they get on however much waits in the lanes before them. The lanes after
// practice take turns, so that none of them delays another for more than a job of each.
const share = 10

// The numbers of the jobs in a share at which these lanes come first.
const (
	practiceFirst = 3
	sharedFirst   = 6
)

// maxSilences is how many questions in a row may stay without an answer until a worker
// connects anew.
const maxSilences = 4

// lookAgain is when a worker that was woken for nothing, or has just begun to wait, looks
// once more: JetStream tells its consumers of a message some time after it said that it is
// stored.
const lookAgain = 5 * time.Millisecond

// The ways to ask for a job. JetStream says at once that there is none if its count of what
// waits says so. That count is one too low where somebody asked for it while a message was
// being deleted, and then the last job would lie there until another one comes. A question
// that may wait for some milliseconds makes JetStream look into its stream.
const (
	atOnce    = `{"batch":1,"no_wait":true}`
	patiently = `{"batch":1,"expires":20000000}` // nanoseconds
)

// Take waits for a job. It returns an error when ctx ends or the member fails, and never
// because the connection is away. Jobs that exclude this worker and jobs that were
// delivered too often are dealt with here.
func (m *Member) Take(ctx context.Context) (*Lease, error) {
	l, err := m.look(ctx, m.lanes(), atOnce)
	if l != nil || err != nil {
		return l, err
	}
	if err := m.wait(); err != nil {
		return nil, err
	}
	defer m.stopWaiting()
	how := atOnce
	for again := 1; ; again-- {
		// Also the first time: a job may have come before anybody could be woken for it.
		if l, err := m.look(ctx, m.lanes(), how); l != nil || err != nil {
			return l, err
		}
		next := pollEvery*3/4 + rand.N(pollEvery/2)
		if again > 0 {
			next = lookAgain
		}
		how = atOnce
		t := time.NewTimer(next)
		select {
		case <-m.wake:
			again = 2
		case <-t.C:
			if again <= 0 {
				how = patiently
			}
		case <-ctx.Done():
		case <-m.fatal:
		}
		t.Stop()
	}
}

// TakeBefore is Take for a worker that does a job of a lane, and would have it wait for one of
// a lane before that. Workers with nothing to do are asked first: nobody wakes this one.
func (m *Member) TakeBefore(ctx context.Context, lane job.Lane) (*Lease, error) {
	lanes := slices.DeleteFunc(slices.Clone(m.opts.Lanes), func(l job.Lane) bool { return l >= lane })
	for {
		if err := pause(ctx, besideEvery*3/4+rand.N(besideEvery/2)); err != nil {
			return nil, err
		}
		if l, err := m.look(ctx, lanes, patiently); l != nil || err != nil {
			return l, err
		}
	}
}

// wait makes this worker one of the idle ones, who can be woken.
func (m *Member) wait() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idlers++; m.idlers > 1 || m.idle != nil {
		return nil
	}
	m.idle, err = m.nc.QueueSubscribe("wake."+m.opts.Class, idle, func(*nats.Msg) {
		// Never blocking: a burst of wake-ups would make this a slow consumer.
		select {
		case m.wake <- struct{}{}:
		default:
		}
	})
	if err != nil {
		m.idlers--
	}
	return wrap("wait for jobs", err)
}

// stopWaiting leaves the idle ones: a wake-up that reaches a busy worker is lost.
func (m *Member) stopWaiting() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idlers--; m.idlers == 0 && m.idle != nil {
		if err := m.idle.Unsubscribe(); err != nil && m.life.Err() == nil {
			m.notice(fmt.Errorf("stop waiting for jobs: %w", err))
		}
		m.idle = nil
	}
}

// lanes are those of this worker in the order in which it looks into them now.
func (m *Member) lanes() []job.Lane {
	m.mu.Lock()
	defer m.mu.Unlock()
	var urgent, turns []job.Lane
	for _, lane := range m.opts.Lanes {
		if lane <= job.Practice {
			urgent = append(urgent, lane)
		} else {
			turns = append(turns, lane)
		}
	}
	next := slices.IndexFunc(turns, func(l job.Lane) bool { return l > m.turn })
	if next > 0 {
		turns = slices.Concat(turns[next:], turns[:next])
	}
	switch m.taken % share {
	case practiceFirst:
		slices.Reverse(urgent)
	case sharedFirst:
		return append(turns, urgent...)
	}
	return append(urgent, turns...)
}

// look asks each lane once. There is no job: nil, nil.
func (m *Member) look(ctx context.Context, lanes []job.Lane, how string) (*Lease, error) {
	for i := 0; i < len(lanes); {
		if err := m.stopped(ctx); err != nil {
			return nil, err
		}
		msg, asked, deaf := m.pulls.one(ctx, m.nc, nextSubject(consumer(lanes[i], m.opts.Class)), how)
		if deaf {
			m.notice(errors.New("the queue does not answer questions for jobs; this worker connects anew"))
			if err := m.nc.ForceReconnect(); err != nil && m.life.Err() == nil {
				m.notice(err)
			}
			return nil, m.stopped(ctx)
		}
		if msg == nil {
			i++
			continue
		}
		// After a job that is not for us there may be another one in the same lane.
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

// lease makes a lease of a message, or answers it and returns nil.
func (m *Member) lease(ctx context.Context, msg *nats.Msg, asked time.Time) *Lease {
	l := &Lease{m: m, reply: msg.Reply, beaten: asked}
	if meta, err := msg.Metadata(); err == nil {
		l.Deliveries = int(meta.NumDelivered)
	}
	spec, err := job.DecodeSpec(msg.Data)
	if err != nil {
		m.notice(fmt.Errorf("a job that cannot be read: %w", err))
		l.Spec = namedBy(msg.Subject, spec)
	} else {
		l.Spec = spec
	}
	limit := maxDeliveries
	if len(l.Spec.Exclude) > 0 {
		limit = maxDeliveriesExcludes
	}
	m.mu.Lock()
	m.running[l] = true
	m.say("taken.", notice{Running: l.running(), Reply: l.reply})
	m.mu.Unlock()
	switch {
	case err != nil:
		err = l.GiveUp(ctx, "the worker cannot read the job: "+err.Error(), false)
	case l.Deliveries > limit:
		err = l.GiveUp(ctx, fmt.Sprintf("the job was given to workers %d times before, and none of them came to an end with it", l.Deliveries-1), true)
	case l.Spec.Generation > maxGenerations:
		err = l.GiveUp(ctx, fmt.Sprintf("the job was lost in %d generations", l.Spec.Generation-1), false)
	case slices.Contains(l.Spec.Exclude, m.opts.Worker):
		err = l.Back(ctx, refusal(l.Deliveries))
	default:
		m.mu.Lock()
		m.taken++
		if l.Spec.Lane > job.Practice {
			m.turn = l.Spec.Lane
		}
		m.mu.Unlock()
		return l
	}
	if err != nil {
		m.notice(err)
	}
	return nil
}

// refusal is after which time a job that this worker must not do is offered anew. Others may
// be busy for long, so it doubles up to some seconds.
func refusal(deliveries int) time.Duration {
	return min(excluded<<min(max(deliveries-1, 0), 8), mostExcluded)
}

// namedBy is what can be said of a job that cannot be read.
func namedBy(subject string, read *job.Spec) *job.Spec {
	spec := &job.Spec{}
	if read != nil {
		*spec = *read
	}
	if parts := strings.Split(subject, "."); len(parts) == 4 {
		spec.ID, spec.Class = parts[3], parts[2]
	}
	return spec
}

// pulls are requests for a job. There is one at a time, because a job does not say which request
// it answers.
type pulls struct {
	prefix string
	turn   chan struct{} // held by the one that asks
	// silences are the questions in a row that nobody answered. Held by the one that has the turn.
	silences int
	fatal    chan struct{} // closed when no answer can come
	wait     time.Duration // for an answer

	mu      sync.Mutex
	asked   int
	to      string         // where the question that is open wants a status to go
	answers chan *nats.Msg // of the question that is open, or nil
	// unanswered is when the first question was asked that no answer came after: a job may
	// have been on its way for that long.
	unanswered time.Time
}

func newPulls(fatal chan struct{}) pulls {
	return pulls{turn: make(chan struct{}, 1), fatal: fatal, wait: requestTime}
}

// one asks one consumer for one job, and returns it with the time from when on it may have
// been leased. Nil means that there is none now, or that nobody answers: deaf is true when
// nobody has answered several questions on a connection that stands, where even "there is
// none" would be an answer.
func (p *pulls) one(ctx context.Context, nc *nats.Conn, subject, how string) (msg *nats.Msg, since time.Time, deaf bool) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, time.Time{}, false
	}
	defer func() { <-p.turn }()
	to, answers, wait := p.begin()
	defer p.forget(answers)
	if err := nc.PublishRequest(subject, to, []byte(how)); err != nil {
		return nil, time.Time{}, false // not connected; asked again soon
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

func (p *pulls) begin() (to string, answers chan *nats.Msg, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if p.unanswered.IsZero() {
		p.unanswered = time.Now()
	}
	p.to, p.answers = p.prefix+strconv.Itoa(p.asked), make(chan *nats.Msg, 1)
	return p.to, p.answers, p.wait
}

// forget ends a question. A job that came too late goes back at once.
func (p *pulls) forget(answers chan *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = nil
	select {
	case msg := <-answers:
		putBack(msg)
	default:
	}
}

// answer hears one answer. It does not block.
func (p *pulls) answer(msg *nats.Msg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.answers == nil || !isJob(msg) && msg.Subject != p.to {
		putBack(msg)
		return
	}
	select {
	case p.answers <- msg:
	default:
		putBack(msg)
	}
}

// isJob tells a job from a status such as "no messages".
func isJob(msg *nats.Msg) bool {
	return strings.HasPrefix(msg.Reply, "$JS.ACK.") && msg.Header.Get("Status") == ""
}

func putBack(msg *nats.Msg) {
	if isJob(msg) {
		// When this is lost, the lease runs out.
		_ = msg.Nak()
	}
}
