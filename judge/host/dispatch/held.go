package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

const (
	// tellMost is the maximum time for which a worker that judges a submission may send no message about it. A
	// worker sends an event after each build and each test case.
	tellMost = 15 * time.Minute
	// obeyWithin is how long a drained worker may still accept jobs. leaveWithin is how long it may stay
	// connected.
	obeyWithin  = time.Minute
	leaveWithin = 15 * time.Minute
)

// broken drains a worker that sends invalid messages.
func (d *Dispatcher) broken(ctx context.Context, b queue.Broken) error {
	d.o.Log.Error("a worker sends invalid messages and is drained", "worker", b.Worker, "what", b.Why)
	err := d.o.Store.Audit(ctx, store.Entry{Actor: "server", Action: "drained worker", Object: b.Worker, Detail: b.Why})
	return errors.Join(err, d.takeOut(ctx, b.Worker, b.Why))
}

// disown records that a worker lost a job. The job counts as failed on that worker, and goes to another worker
// unless one has it already.
func (d *Dispatcher) disown(ctx context.Context, l queue.Lost) error {
	if d.view.doing(l.Job, l.Worker) != "" { // the lease had already expired
		d.failing.note(l.Job, l.Worker)
		return nil
	}
	generation, token, err := d.o.Store.Ticket(ctx, l.Job)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the job has ended or is already pending
	}
	if err != nil {
		return err
	}
	d.o.Log.Warn("a worker lost a job that it took", "worker", l.Worker, "job", l.Job, "what", l.Why)
	return d.fold(ctx, &job.Result{
		Job: l.Job, Generation: generation, Token: token, Worker: l.Worker, State: job.Failed, Blame: judge.Machine,
		Reason: l.Why,
	})
}

// heardOf handles lost jobs and broken workers that the queue reports, until ctx is done.
func (d *Dispatcher) heardOf(ctx context.Context) {
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case l := <-d.lost:
			err = d.disown(ctx, l)
		case b := <-d.breaks:
			err = d.broken(ctx, b)
		}
		if err != nil && ctx.Err() == nil {
			d.o.Log.Error("record that a worker lost a job", "error", err)
		}
	}
}

// watch takes jobs from workers that hold them for too long, and disconnects drained workers that do not leave.
func (d *Dispatcher) watch(ctx context.Context, now time.Time) error {
	for _, h := range d.view.held(now) {
		what := fmt.Sprintf("it held the job for %v", h.age.Round(time.Minute))
		if h.age < job.HeldMost {
			work, err := d.o.Store.Work(ctx, h.job)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err != nil || !work.ReportsProgress() {
				continue
			}
			what = fmt.Sprintf("it sent nothing about the submission for %v", h.quiet.Round(time.Minute))
		}
		d.view.disown(h.worker, h.job)
		if err := d.disown(ctx, queue.Lost{Worker: h.worker, Job: h.job, Why: what}); err != nil {
			return err
		}
		if err := d.queue.Order(h.worker, job.Order{Kind: job.Cancel, Job: h.job}); err != nil {
			return err
		}
	}
	workers, err := d.o.Store.Workers(ctx)
	if err != nil {
		return err
	}
	for _, w := range workers {
		if d.view.defies(w.Name, w.State == store.Drained, now) {
			d.o.Log.Error("a drained worker stays connected; its connection is closed", "worker", w.Name)
			d.Revoke(w.Name)
		}
	}
	return nil
}

// A hold is a job that a worker claims to run. Age is the time since the worker got the job, and quiet the time
// since its last message about the job.
type hold struct {
	worker, job string
	age, quiet  time.Duration
}

// held returns the jobs about which their workers have sent no message for tellMost, and the jobs that workers
// have held for job.HeldMost.
func (v *view) held(now time.Time) (all []hold) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		for id, one := range m.running {
			h := hold{worker: name, job: id, age: now.Sub(one.since), quiet: now.Sub(one.since)}
			if one.told.After(one.since) {
				h.quiet = now.Sub(one.told)
			}
			if h.quiet >= tellMost || h.age >= job.HeldMost {
				all = append(all, h)
			}
		}
	}
	return all
}

// disown makes the view ignore the worker's claim to run the job.
func (v *view) disown(worker, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	delete(m.running, id)
	m.disowned = append(m.disowned, id)
}

// defies reports whether a worker ignores that it was drained. This is so if it took a job more than obeyWithin
// after that, or is still connected after leaveWithin. The argument out reports whether the worker is drained.
func (v *view) defies(worker string, out bool, now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	switch {
	case !out || !m.here:
		m.out = time.Time{}
	case m.out.IsZero():
		m.out = now
	default:
		return m.tookAt.Sub(m.out) > obeyWithin || now.Sub(m.out) > leaveWithin
	}
	return false
}
