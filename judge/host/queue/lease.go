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

// Lease is a job that this worker may do, while it beats. The Member beats for it. It ends
// with Finish, Back or GiveUp; each may be called once. All methods may be called at once.
type Lease struct {
	Spec *job.Spec
	// Deliveries counts how often this job was given to a worker, this time included. A
	// second delivery may mean that the job killed its worker: let it run alone.
	Deliveries int

	m     *Member
	reply string

	mu       sync.Mutex
	beaten   time.Time // when the last beat that succeeded was sent
	over     bool      // lost, or answered
	progress job.Progress
	size     int         // bytes of progress
	sent     time.Time   // when progress was sent last
	timer    *time.Timer // sends the rest
}

// answerTime is how long a receipt may take until an answer is sent again, which does no
// harm. A worker does nothing else meanwhile.
const answerTime = 2 * time.Second

// How progress is sent: at most four times a second, and what is too much is left out.
const (
	progressEvery = 250 * time.Millisecond
	maxProgress   = 512 << 10
)

func (l *Lease) running() job.Running {
	return job.Running{Job: l.Spec.ID, Generation: l.Spec.Generation}
}

// Lost says that the server may have given the job to another worker, for no beat has
// succeeded for 15 s. The worker goes on to the end all the same: the result counts if it
// is the first one.
func (l *Lease) Lost() bool { return l.lost() }

func (l *Lease) lost() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Go's clock for this does not jump when somebody sets the machine's time.
	l.over = l.over || time.Since(l.beaten) > leaseLife
	return l.over
}

// answer sends an answer and waits for its receipt. An answer to a lease that is lost
// would count for its new holder, and nobody would be told: it is not sent. After its
// server was killed, JetStream says nothing to the acknowledgement of a job that is gone,
// though it answers beats for it: after two silences the server is left to find out.
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

// beat says that the job is still being done.
func (l *Lease) beat() {
	if l.lost() {
		return
	}
	ctx, cancel := context.WithTimeout(l.m.life, beatEvery)
	defer cancel()
	sent := time.Now()
	if _, err := l.m.nc.RequestWithContext(ctx, l.reply, []byte("+WPI")); err != nil {
		return // the next beat comes; without one the lease ends by itself
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent.After(l.beaten) {
		l.beaten = sent
	}
}

// end takes the lease out of the beats.
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

// Finish stores the result, and then acknowledges the job. It tries to store it until ctx
// ends, so keep the result on disk before. Nil means that the result is stored: whether
// the acknowledgement arrived is not known then, and does not matter.
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

// Back gives the job to any other worker after a delay. An error means that they get it
// when the lease runs out.
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

// GiveUp ends the job for all workers: nobody is given this generation of it again. TooOften
// says that it was delivered too often.
func (l *Lease) GiveUp(ctx context.Context, reason string, tooOften bool) error {
	defer l.end()
	r := &job.Result{Job: l.Spec.ID, Generation: l.Spec.Generation, Token: l.Spec.Token, State: job.GivenUp, Reason: reason, TooOften: tooOften}
	if err := l.m.Offer(ctx, r); err != nil {
		return err
	}
	return wrap("give the job "+l.Spec.ID+" up", l.answer(ctx, "+TERM "+reason))
}

// Progress tells the server of events, as package judge encodes them; first is the index
// of the first of them in the whole stream. They are gathered and sent four times a second
// at most; some of them may get lost.
func (l *Lease) Progress(first int, events ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	p := &l.progress
	if p.First+len(p.Events) != first || l.size > maxProgress {
		p.Events, l.size = nil, 0 // a gap: what comes now is worth more
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
