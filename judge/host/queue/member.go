package queue

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"assay/judge/host/job"
)

// requestTimeout is the time limit for one request to JetStream. Callers that retry do so after it.
const requestTimeout = 5 * time.Second

// maxDelay is the maximum time between two attempts to connect.
const maxDelay = 30 * time.Second

// JoinOptions identify a worker and its queue.
type JoinOptions struct {
	Worker, Class string
	// Seed is the secret half of the worker's nkey.
	Seed []byte
	// URL is the bridge of a server, https://host/queue, or the servers of a cluster, nats://a,nats://b. TLS
	// configures connections to an https bridge. If TLS is nil, certificates that the machine trusts are accepted.
	URL string
	TLS *tls.Config
	// Sign returns the Authorization header for the request to the bridge. With a signed request, the worker can
	// connect even if clients without a key hold many connections. If nil, requests are not signed.
	Sign func(method, path string) (authorization string, err error)
	// Dial connects to the bridge. If Dial is set, URL is not used.
	Dial func(context.Context) (net.Conn, error)
	// Credentials is a file that the operator of a cluster provides. If set, the worker authenticates with this
	// file, and Seed is not used.
	Credentials string
	// Priorities lists the priorities from which the worker takes jobs. If nil, it uses all priorities.
	Priorities []job.Priority
	Slots      int // number of jobs it runs at once, for heartbeats
	// OnRetry is called with errors that will be retried. It may be nil.
	OnRetry func(error)
}

// A Member is the worker's side of the queue. If its connection breaks, it retries forever. Its methods are safe
// for concurrent use.
type Member struct {
	opts         JoinOptions
	nc           *nats.Conn
	lifetime     context.Context
	end          context.CancelFunc
	done         sync.WaitGroup
	wake         chan struct{} // capacity 1: more wake-ups have no effect
	beatRequests chan struct{} // send a heartbeat immediately; capacity 1
	controls     chan job.Control
	fatal        chan struct{} // closed when err is set
	pulls        jobRequests

	mu         sync.Mutex
	err        error
	running    map[*Lease]bool
	waiting    int // number of waiting calls of Take
	idle       *nats.Subscription
	taken      int          // jobs so far
	lastShared job.Priority // priority of the last job that had a lower one than practice
	draining   bool
	note       string
}

// Join connects a worker. It retries until ctx is done. If the server rejects the key, Join returns ErrRefused
// immediately. If an external cluster rejects the key, Join retries, because the operator may still add the
// worker.
func Join(ctx context.Context, opts JoinOptions) (*Member, error) {
	if err := errors.Join(checkName("worker", opts.Worker), checkName("class", opts.Class)); err != nil {
		return nil, err
	}
	if opts.Priorities == nil {
		opts.Priorities = job.Priorities
	}
	life, end := context.WithCancel(context.Background())
	m := &Member{
		opts: opts, lifetime: life, end: end, running: map[*Lease]bool{},
		wake: make(
			chan struct{}, 1,
		), beatRequests: make(chan struct{}, 1), fatal: make(chan struct{}), controls: make(chan job.Control, 256),
	}
	m.pulls = newJobRequests(m.fatal)
	if err := m.connect(ctx); err != nil {
		end()
		return nil, err
	}
	if err := m.subscribe(); err != nil {
		m.Close()
		return nil, err
	}
	m.done.Go(m.heartbeatLoop)
	return m, nil
}

func (m *Member) connect(ctx context.Context) error {
	options, err := m.options()
	if err != nil {
		return err
	}
	servers := m.opts.URL
	if !m.usesCluster() {
		servers = "nats://127.0.0.1:4222" // placeholder for the server that Dial connects to
	}
	for attempt := 1; ; attempt++ {
		switch m.nc, err = nats.Connect(servers, options...); {
		case err == nil:
			return nil
		case isRejected(err) && !m.usesCluster():
			return ErrRefused
		case m.usesCluster() && (isRejected(err) || errors.Is(err, nats.ErrNkeysNotSupported)):
			err = fmt.Errorf(
				"the queue's cluster does not let this worker in yet; "+
					"the cluster's operator must add the lines that `judged admin worker cluster` prints (%w)",
				err,
			)
		}
		m.notice(fmt.Errorf("connect to the queue: %w", err))
		if pause(ctx, reconnectDelay(attempt)) != nil {
			return fmt.Errorf("connect to the queue: %w", err)
		}
	}
}

func (m *Member) usesCluster() bool {
	return m.opts.Dial == nil && !strings.HasPrefix(m.opts.URL, "http")
}

func (m *Member) options() ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name(m.opts.Worker), nats.CustomInboxPrefix(inbox(m.opts.Worker)),
		nats.MaxReconnects(-1), nats.CustomReconnectDelay(reconnectDelay), nats.Timeout(2 * requestTimeout),
		// Do not buffer messages while disconnected, because heartbeats would be out of date.
		nats.ReconnectBufSize(-1),
		nats.PingInterval(5 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(m.asyncError),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil && m.lifetime.Err() == nil {
				m.notice(fmt.Errorf("the connection to the queue broke: %w", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { m.reportJobs() }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if isRejected(nc.LastError()) {
				m.fail(ErrRefused)
			}
		}),
	}
	switch {
	case len(m.opts.Seed) > 0:
		pair, err := nkeys.FromSeed(m.opts.Seed)
		if err != nil {
			return nil, fmt.Errorf("read the worker's key: %w", err)
		}
		public, err := pair.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("read the worker's key: %w", err)
		}
		options = append(options, nats.Nkey(public, pair.Sign))
	case m.opts.Credentials != "":
		options = append(options, nats.UserCredentials(m.opts.Credentials))
	}
	if !m.usesCluster() {
		options = append(options, nats.SetCustomDialer(dialer{m}), nats.IgnoreDiscoveredServers())
	}
	return options, nil
}

// A dialer connects through the bridge.
type dialer struct{ m *Member }

func (d dialer) Dial(string, string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(d.m.lifetime, 2*requestTimeout)
	defer cancel()
	if d.m.opts.Dial != nil {
		return d.m.opts.Dial(ctx)
	}
	return dial(ctx, d.m.opts.URL, d.m.opts.TLS, d.m.opts.Sign)
}

// reconnectDelay returns the time before an attempt to connect. It doubles with each attempt and is random, so that workers
// do not reconnect all at once when a server is available again.
func reconnectDelay(attempt int) time.Duration {
	d := min(maxDelay, 100*time.Millisecond<<min(attempt, 12))
	return d/2 + rand.N(d/2)
}

func isRejected(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrAuthExpired)
}

// asyncError handles errors that NATS reports outside of calls. If the worker lacks a permission, a call would
// just get no response. A retry would not help, so asyncError ends the member.
func (m *Member) asyncError(_ *nats.Conn, _ *nats.Subscription, err error) {
	switch {
	case errors.Is(err, nats.ErrPermissionViolation):
		m.fail(
			fmt.Errorf("the queue denies this worker a permission that it needs: it has another class there, or another version: %w", err),
		)
	case isRejected(err): // the second error in a row closes the connection
	default:
		m.notice(err)
	}
}

func (m *Member) notice(err error) {
	if m.opts.OnRetry != nil {
		m.opts.OnRetry(err)
	}
}

// fail makes all later calls return err.
func (m *Member) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
		close(m.fatal)
	}
}

// Failed returns a channel that is closed when the member cannot continue or has been closed. Err returns the
// reason.
func (m *Member) Failed() <-chan struct{} { return m.fatal }

// Err returns nil while the member can continue, even if it is disconnected. It returns ErrRefused if the key was
// revoked.
func (m *Member) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Connected reports whether the connection is open.
func (m *Member) Connected() bool { return m.nc.IsConnected() }

// Controls returns the channel of the server's control messages.
func (m *Member) Controls() <-chan job.Control { return m.controls }

func (m *Member) subscribe() error {
	_, err := m.nc.Subscribe("ctl."+m.opts.Worker, func(msg *nats.Msg) {
		var o job.Control
		if err := json.Unmarshal(msg.Data, &o); err != nil || msg.Reply != "" {
			return // not from a server
		}
		select {
		case m.controls <- o:
		default:
			m.notice(fmt.Errorf("control message %s is lost: %d are waiting", o.Kind, len(m.controls)))
		}
	})
	if err == nil {
		m.pulls.prefix = m.nc.NewInbox() + "."
		_, err = m.nc.Subscribe(m.pulls.prefix+"*", m.pulls.handle)
	}
	return wrap("listen to the queue", err)
}

// reportJobs reports the jobs of this worker again after a reconnection, because the server may be a new process.
func (m *Member) reportJobs() {
	m.mu.Lock()
	for l := range m.running {
		if !l.lost() {
			m.send("taken.", takenNotice{Running: l.running(), Reply: l.reply})
		}
	}
	m.mu.Unlock()
	m.requestHeartbeat()
}

// send publishes a message that may get lost. The caller must hold mu, which keeps messages about a lease and
// heartbeats in order.
func (m *Member) send(subject string, message any) {
	data, err := json.Marshal(message)
	if err == nil {
		err = m.nc.Publish(subject+m.opts.Worker, data)
	}
	if err != nil && !errors.Is(err, nats.ErrReconnectBufExceeded) {
		m.notice(fmt.Errorf("tell the server: %w", err))
	}
}

// SetStatus sets the state that heartbeats report in addition to jobs, and sends a heartbeat immediately.
func (m *Member) SetStatus(draining bool, note string) {
	m.mu.Lock()
	m.draining, m.note = draining, note
	m.mu.Unlock()
	m.requestHeartbeat()
}

func (m *Member) requestHeartbeat() {
	select {
	case m.beatRequests <- struct{}{}:
	default:
	}
}

// heartbeatLoop sends heartbeats for the worker and its leases until the member fails or is closed.
func (m *Member) heartbeatLoop() {
	t := time.NewTicker(heartbeatEvery)
	defer t.Stop()
	for {
		m.heartbeat()
		select {
		case <-t.C:
		case <-m.beatRequests:
		case <-m.fatal:
			return
		}
	}
}

func (m *Member) heartbeat() {
	m.mu.Lock()
	b := job.Heartbeat{Slots: m.opts.Slots, Draining: m.draining, Note: m.note}
	var held []*Lease
	for l := range m.running {
		b.Running = append(b.Running, l.running())
		held = append(held, l)
	}
	m.send("beat.", b)
	m.mu.Unlock()
	var all sync.WaitGroup
	for _, l := range held {
		all.Go(l.heartbeat)
	}
	all.Wait()
}

// SendResult sends the result of a job without a lease. It is for results that were saved on disk before a restart. The
// server accepts the first result of a job and compares later ones with it. Offer retries until the result is
// stored or ctx is done.
func (m *Member) SendResult(ctx context.Context, r *job.Result) error {
	r.Worker = m.opts.Worker
	if err := checkName("job", r.Job); err != nil {
		return err
	}
	data, err := r.Encode()
	if err != nil {
		return err
	}
	if len(data) > maxPayload {
		return fmt.Errorf("the result of job %s has %d bytes; the most is %d", r.Job, len(data), maxPayload)
	}
	subject := fmt.Sprintf("result.%s.%s.%d", r.Worker, r.Job, r.Generation)
	err = m.retry(ctx, requestTimeout, func(ctx context.Context) error {
		msg, err := m.nc.RequestWithContext(ctx, subject, data)
		if err != nil {
			return err
		}
		var ack struct {
			Error *jetstream.APIError `json:"error"`
		}
		if err := json.Unmarshal(msg.Data, &ack); err != nil {
			return err
		}
		if ack.Error != nil {
			return ack.Error
		}
		return nil
	})
	return wrap("give the result of job "+r.Job+" to the server", err)
}

// retry calls try until it succeeds, ctx is done or the member fails. The argument each is the time limit of a
// single call.
func (m *Member) retry(ctx context.Context, attemptTimeout time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.lifetime, cancel)()
	for attempt := 0; ; attempt++ {
		if err := m.Err(); err != nil {
			return err
		}
		once, done := context.WithTimeout(ctx, attemptTimeout)
		err := try(once)
		done()
		if err == nil {
			return nil
		}
		wait := min(requestTimeout, 50*time.Millisecond<<min(attempt, 10))
		if pause(ctx, wait/2+rand.N(wait)) != nil {
			return err
		}
	}
}

// Close closes the connection immediately. Other workers soon get this worker's jobs. The caller should first
// release jobs that will not finish.
func (m *Member) Close() {
	m.fail(nats.ErrConnectionClosed)
	m.end()
	m.nc.Close()
	m.done.Wait()
}
