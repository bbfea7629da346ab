package queue

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// NATS and JetStream are what tests look behind the door with.
func (q *Queue) NATS() *nats.Conn { return q.nc }

// JetStream is the server's own.
func (q *Queue) JetStream() jetstream.JetStream { return q.js }

// Embedded are the settings of the embedded server that tests look at.
func (q *Queue) Embedded() (monitored, listens bool) {
	return q.server.MonitorAddr() != nil, q.server.Addr() != nil
}

// Age makes the last beat of a lease older.
func (l *Lease) Age(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beaten = l.beaten.Add(-d)
}

// Answer answers a lease and does not end it.
func (l *Lease) Answer(ctx context.Context, text string) error { return l.answer(ctx, text) }

// Deafen has answers to questions for jobs go where nobody listens, and lets the worker wait
// for each only so long.
func (m *Member) Deafen(wait time.Duration) (hear func()) {
	m.pulls.mu.Lock()
	defer m.pulls.mu.Unlock()
	was := m.pulls.prefix
	m.pulls.prefix, m.pulls.wait = inbox(m.opts.Worker)+".nowhere.", wait
	return func() {
		m.pulls.mu.Lock()
		defer m.pulls.mu.Unlock()
		m.pulls.prefix, m.pulls.wait = was, requestTime
	}
}

// Reconnects is how often the worker had to connect anew.
func (m *Member) Reconnects() int { return int(m.nc.Stats().Reconnects) }

// Dial is how a worker connects to a bridge, without a signature.
func Dial(ctx context.Context, to string, config *tls.Config) (net.Conn, error) {
	return dial(ctx, to, config, nil)
}

// Guarded is what the bridge lets through of what a worker sends, and what ends it.
func Guarded(worker, sent string) (passed string, err error) {
	var out strings.Builder
	g := &guard{from: bufio.NewReaderSize(strings.NewReader(sent), 2*maxLine), to: bufio.NewWriter(&out), name: func(string) string { return worker }}
	err = g.copy()
	return out.String(), err
}

// ErrGuard is the error of what must not pass.
var ErrGuard = errGuard

// Deliveries are what the bridge keeps of what passes.
type Deliveries struct{ d *deliveries }

// NewDeliveries begins with nothing.
func NewDeliveries() Deliveries { return Deliveries{newDeliveries()} }

// Line, Sent, Closed, Result and Answered note what passes, on the connection 1.
func (d Deliveries) Line(worker string)                 { d.d.line(worker) }
func (d Deliveries) Sent(worker, subject, reply string) { d.d.sent(worker, 1, subject, reply) }
func (d Deliveries) Result(worker, id string)           { d.d.result(worker, id) }
func (d Deliveries) Closed(worker string)               { d.d.closed(worker, 1) }
func (d Deliveries) Answered(worker, reply, text string) (why string) {
	if l := d.d.answered(worker, 1, reply, text); l != nil {
		return l.why
	}
	return ""
}

// Abandoned are the jobs that nobody has, when a worker beats and names some.
func (d Deliveries) Abandoned(beats string, named ...string) (jobs []string) {
	names := map[string]bool{}
	for _, id := range named {
		names[id] = true
	}
	for _, l := range d.d.abandoned(beats, names) {
		jobs = append(jobs, l.job)
	}
	return jobs
}

// Expired are the jobs whose leases have run out, and why, where it was the worker's fault.
func (d Deliveries) Expired() (jobs, why []string) {
	for _, l := range d.d.expired(time.Now()) {
		jobs, why = append(jobs, l.job), append(why, l.why)
	}
	return jobs, why
}
