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

// NATS returns the connection of the queue's server.
func (q *Queue) NATS() *nats.Conn { return q.nc }

// JetStream returns the JetStream context of the queue's server.
func (q *Queue) JetStream() jetstream.JetStream { return q.js }

// Embedded reports whether the embedded server is monitored and whether it listens.
func (q *Queue) Embedded() (monitored, listens bool) {
	return q.server.MonitorAddr() != nil, q.server.Addr() != nil
}

// Age makes the last heartbeat of a lease older.
func (l *Lease) Age(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = l.renewed.Add(-d)
}

// Answer sends an answer to a lease without ending it.
func (l *Lease) Answer(ctx context.Context, text string) error { return l.answer(ctx, text) }

// Deafen redirects the responses to requests for jobs to an unused subject, and sets how long the worker waits for
// each. The returned function restores the subject.
func (m *Member) Deafen(wait time.Duration) (hear func()) {
	m.pulls.mu.Lock()
	defer m.pulls.mu.Unlock()
	was := m.pulls.prefix
	m.pulls.prefix, m.pulls.wait = inbox(m.opts.Worker)+".nowhere.", wait
	return func() {
		m.pulls.mu.Lock()
		defer m.pulls.mu.Unlock()
		m.pulls.prefix, m.pulls.wait = was, requestTimeout
	}
}

// Reconnects returns how often the worker had to reconnect.
func (m *Member) Reconnects() int { return int(m.nc.Stats().Reconnects) }

// Dial connects to a bridge as a worker does, without a signature.
func Dial(ctx context.Context, to string, config *tls.Config) (net.Conn, error) {
	return dial(ctx, to, config, nil)
}

// Guarded returns the part of a worker's messages that the bridge passes on, and the error that ends the
// connection.
func Guarded(worker, sent string) (passed string, err error) {
	var out strings.Builder
	g := &guard{from: bufio.NewReaderSize(strings.NewReader(sent), 2*maxLine), to: bufio.NewWriter(&out),
		nameOf: func(string) string { return worker }}
	err = g.copy()
	return out.String(), err
}

// ErrGuard is the error for rejected messages.
var ErrGuard = errGuard

// Deliveries exports deliveries for tests.
type Deliveries struct{ d *deliveryLog }

// NewDeliveries returns empty Deliveries.
func NewDeliveries() Deliveries { return Deliveries{newDeliveryLog()} }

// Line, Sent, Closed, Result and Answered record events on connection 1.
func (d Deliveries) Line(worker string) { d.d.recordLine(worker) }
func (d Deliveries) Sent(worker, subject, reply string) {
	d.d.recordDelivery(worker, 1, subject, reply)
}
func (d Deliveries) Result(worker, id string) { d.d.recordResult(worker, id) }
func (d Deliveries) Closed(worker string)     { d.d.recordClosed(worker, 1) }
func (d Deliveries) Answered(worker, reply, text string) (why string) {
	if l := d.d.recordAnswer(worker, 1, reply, text); l != nil {
		return l.reason
	}
	return ""
}

// Abandoned returns the jobs that no process runs, when a worker sends a heartbeat with the given names.
func (d Deliveries) Abandoned(beats string, named ...string) (jobs []string) {
	names := map[string]bool{}
	for _, id := range named {
		names[id] = true
	}
	for _, l := range d.d.takeAbandoned(beats, names) {
		jobs = append(jobs, l.job)
	}
	return jobs
}

// Expired returns the jobs whose leases have expired. If that is a worker's fault, why contains the reason.
func (d Deliveries) Expired() (jobs, why []string) {
	for _, l := range d.d.takeExpired(time.Now()) {
		jobs, why = append(jobs, l.job), append(why, l.reason)
	}
	return jobs, why
}
