package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"assay/judge/host/job"
)

// A Lease is a job that this worker may run while its Member sends heartbeats for the job. The caller must end it
// with exactly one of Finish, Back and GiveUp. All methods are safe for concurrent use.
type Lease struct {
	Spec *job.Spec
	// Deliveries is the number of times that this job has been given to a worker, including this time. If it is
	// more than 1, the job may have crashed the earlier worker and must run alone.
	Deliveries int

	m     *Member
	reply string

	mu       sync.Mutex
	renewed  time.Time // when the last successful heartbeat was sent
	over     bool      // lost or answered
	progress job.Progress
	size     int         // size of the collected progress in bytes
	sent     time.Time   // when progress was last sent
	timer    *time.Timer // sends the rest
}

// answerTimeout is how long the worker waits for a receipt before it sends the answer again. Repeated answers do no
// harm.
const answerTimeout = 2 * time.Second

// Progress is sent at most four times per second. Events beyond the limit are dropped.
const (
	progressEvery = 250 * time.Millisecond
	maxProgress   = 512 << 10
)

func (l *Lease) running() job.Running {
	return job.Running{Job: l.Spec.ID, Generation: l.Spec.Generation}
}

// Lost reports whether the server may have given the job to another worker, because no heartbeat has succeeded for
// 15 s. This worker should still complete the job, because its result counts if it arrives first.
func (l *Lease) Lost() bool { return l.lost() }

func (l *Lease) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Durations in Go do not change when the machine's clock is set.
	l.over = l.over || time.Since(l.renewed) > leaseLifetime
	return l.over
}

// answer sends an answer and waits for its receipt. It sends nothing for a lost lease, because the answer would
// silently apply to the next holder. A restarted JetStream server that no longer has the job responds to
// heartbeats for it, but not to acknowledgements. Therefore answer gives up after two tries without a response,
// and the server must find out by itself that the job was answered.
func (l *Lease) answer(ctx context.Context, text string) error {
	silences := 0
	return l.m.retry(ctx, answerTimeout, func(ctx context.Context) error {
		if l.lost() {
			return nil
		}
		_, err := l.m.nc.RequestWithContext(ctx, l.reply, []byte(text))
		if errors.Is(err, context.DeadlineExceeded) {
			if silences++; silences == 2 {
				return nil
			}
		}
		return err
	})
}

// heartbeat reports that the job is still running.
func (l *Lease) heartbeat() {
	if l.lost() {
		return
	}
	ctx, cancel := context.WithTimeout(l.m.lifetime, heartbeatEvery)
	defer cancel()
	sent := time.Now()
	if _, err := l.m.nc.RequestWithContext(ctx, l.reply, []byte("+WPI")); err != nil {
		return // the next heartbeat follows; otherwise the lease expires
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent.After(l.renewed) {
		l.renewed = sent
	}
}

// end excludes the lease from heartbeats.
func (l *Lease) end() {
	l.mu.Lock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()
	l.m.mu.Lock()
	delete(l.m.running, l)
	l.m.mu.Unlock()
}

// Finish stores the result and then acknowledges the job. It retries until ctx is done, so the caller should save
// the result on disk first. If Finish returns nil, the result is stored. The acknowledgement may be lost, which
// does no harm.
func (l *Lease) Finish(ctx context.Context, r *job.Result) error {
	defer l.end()
	r.Job, r.Generation, r.Token = l.Spec.ID, l.Spec.Generation, l.Spec.Token
	if err := l.m.SendResult(ctx, r); err != nil {
		return err
	}
	if err := l.answer(ctx, "+ACK"); err != nil && ctx.Err() == nil {
		l.m.notice(fmt.Errorf("acknowledge the job %s: %w", l.Spec.ID, err))
	}
	return nil
}

// Release releases the job to other workers after a delay. If Release returns an error, other workers get the job when
// the lease expires.
func (l *Lease) Release(ctx context.Context, delay time.Duration) error {
	options, err := json.Marshal(map[string]time.Duration{"delay": delay})
	if err != nil {
		return err
	}
	defer l.end()
	lost := l.lost()
	err = l.answer(ctx, "-NAK "+string(options))
	l.m.mu.Lock()
	delete(l.m.running, l)
	if err == nil && !lost {
		l.m.send("taken.", takenNotice{Running: l.running(), Reply: l.reply, Released: true, Delay: delay})
	}
	l.m.mu.Unlock()
	return wrap("give the job "+l.Spec.ID+" back", err)
}

// GiveUp sends a result that gives the job up, so that no worker gets this generation of the job again. The
// argument tooOften reports whether the reason is that the job was delivered too often.
func (l *Lease) GiveUp(ctx context.Context, reason string, tooOften bool) error {
	defer l.end()
	r := &job.Result{
		Job: l.Spec.ID, Generation: l.Spec.Generation, Token: l.Spec.Token, State: job.GivenUp, Reason: reason,
		TooManyDeliveries: tooOften,
	}
	if err := l.m.SendResult(ctx, r); err != nil {
		return err
	}
	return wrap("give the job "+l.Spec.ID+" up", l.answer(ctx, "+TERM "+reason))
}

// Progress sends events, encoded by package judge. The argument first is the index in the stream of the first of
// these events. Events are collected and sent at most four times per second. Some of them may get lost.
func (l *Lease) Progress(first int, events ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	p := &l.progress
	if p.First+len(p.Events) != first || l.size > maxProgress {
		p.Events, l.size = nil, 0 // leave a gap, because newer events are more useful
	}
	if len(p.Events) == 0 {
		p.First = first
	}
	p.Events = append(p.Events, events...)
	for _, e := range events {
		l.size += len(e)
	}
	switch wait := progressEvery - time.Since(l.sent); {
	case wait <= 0:
		l.sendProgress()
	case l.timer == nil:
		l.timer = time.AfterFunc(wait, l.onTimer)
	}
}

func (l *Lease) onTimer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
	if !l.over {
		l.sendProgress()
	}
}

func (l *Lease) sendProgress() {
	p := l.progress
	p.Running = l.running()
	l.progress = job.Progress{First: p.First + len(p.Events)}
	l.size, l.sent = 0, time.Now()
	if len(p.Events) == 0 {
		return
	}
	data, err := json.Marshal(p)
	if err == nil && len(data) <= maxPayload {
		err = l.m.nc.Publish("progress."+l.m.opts.Worker+"."+p.Job, data)
	}
	if err != nil && l.m.nc.IsConnected() {
		l.m.notice(fmt.Errorf("report the progress of job %s: %w", p.Job, err))
	}
}
