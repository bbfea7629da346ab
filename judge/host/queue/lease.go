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

// A Lease is a job that this worker may run while its Member sends heartbeats for it. It ends with Finish, Back or
// GiveUp; call exactly one of them. All methods are safe for concurrent use.
type Lease struct {
	Spec *job.Spec
	// Deliveries counts how often this job was given to a worker, including this time. After a second delivery the
	// job may have killed its worker: run it alone.
	Deliveries int

	m     *Member
	reply string

	mu       sync.Mutex
	beaten   time.Time // when the last heartbeat that succeeded was sent
	over     bool      // lost, or answered
	progress job.Progress
	size     int         // bytes of progress
	sent     time.Time   // when progress was last sent
	timer    *time.Timer // sends the rest
}

// answerTime is how long a receipt may take before the answer is sent again, which does no harm. The worker waits
// meanwhile.
const answerTime = 2 * time.Second

// Progress is sent at most four times a second. What exceeds the limit is dropped.
const (
	progressEvery = 250 * time.Millisecond
	maxProgress   = 512 << 10
)

func (l *Lease) running() job.Running {
	return job.Running{Job: l.Spec.ID, Generation: l.Spec.Generation}
}

// Lost reports whether the server may have given the job to another worker, because no heartbeat has succeeded for
// 15 s. The worker still completes the job: its result counts if it is the first one.
func (l *Lease) Lost() bool { return l.lost() }

func (l *Lease) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Durations in Go do not jump when the machine's clock is set.
	l.over = l.over || time.Since(l.beaten) > leaseLife
	return l.over
}

// answer sends an answer and waits for its receipt. It sends nothing for a lost lease, because the answer would
// count for the next holder without notice. After its server was killed, JetStream does not respond to
// acknowledgements of a job that is gone, though it responds to its heartbeats. So after two tries without a
// response the server must find out.
func (l *Lease) answer(ctx context.Context, text string) error {
	silences := 0
	return l.m.insist(ctx, answerTime, func(ctx context.Context) error {
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

// beat reports that the job still runs.
func (l *Lease) beat() {
	if l.lost() {
		return
	}
	ctx, cancel := context.WithTimeout(l.m.life, beatEvery)
	defer cancel()
	sent := time.Now()
	if _, err := l.m.nc.RequestWithContext(ctx, l.reply, []byte("+WPI")); err != nil {
		return // the next heartbeat follows; without one the lease expires
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent.After(l.beaten) {
		l.beaten = sent
	}
}

// end removes the lease from the heartbeats.
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

// Finish stores the result and then acknowledges the job. It retries until ctx ends, so save the result on the disk
// first. If it returns nil, the result is stored. The acknowledgement may be lost, which does no harm.
func (l *Lease) Finish(ctx context.Context, r *job.Result) error {
	defer l.end()
	r.Job, r.Generation, r.Token = l.Spec.ID, l.Spec.Generation, l.Spec.Token
	if err := l.m.Offer(ctx, r); err != nil {
		return err
	}
	if err := l.answer(ctx, "+ACK"); err != nil && ctx.Err() == nil {
		l.m.notice(fmt.Errorf("acknowledge the job %s: %w", l.Spec.ID, err))
	}
	return nil
}

// Back releases the job to other workers after a delay. After an error they get it when the lease expires.
func (l *Lease) Back(ctx context.Context, delay time.Duration) error {
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
		l.m.say("taken.", notice{Running: l.running(), Reply: l.reply, Back: true, Delay: delay})
	}
	l.m.mu.Unlock()
	return wrap("give the job "+l.Spec.ID+" back", err)
}

// GiveUp ends this generation of the job for all workers. TooOften reports that it was delivered too often.
func (l *Lease) GiveUp(ctx context.Context, reason string, tooOften bool) error {
	defer l.end()
	r := &job.Result{Job: l.Spec.ID, Generation: l.Spec.Generation, Token: l.Spec.Token, State: job.GivenUp, Reason: reason, TooOften: tooOften}
	if err := l.m.Offer(ctx, r); err != nil {
		return err
	}
	return wrap("give the job "+l.Spec.ID+" up", l.answer(ctx, "+TERM "+reason))
}

// Progress sends events, as package judge encodes them. The first of them has the index first in the stream. They
// are collected and sent at most four times a second. Some of them may get lost.
func (l *Lease) Progress(first int, events ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	p := &l.progress
	if p.First+len(p.Events) != first || l.size > maxProgress {
		p.Events, l.size = nil, 0 // a gap: newer events are worth more
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
		l.timer = time.AfterFunc(wait, l.timed)
	}
}

func (l *Lease) timed() {
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
		l.m.notice(fmt.Errorf("tell the progress of job %s: %w", p.Job, err))
	}
}
