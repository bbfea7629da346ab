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
	// tellMost is how long a worker may say nothing of a submission: each case that it has judged is
	// told, and so is the end of a build.
	tellMost = 15 * time.Minute
	// obeyWithin is how long a worker that is drained may go on to take jobs, and leaveWithin
	// how long it may take to end.
	obeyWithin  = time.Minute
	leaveWithin = 15 * time.Minute
)

// broken takes a worker out of service that sends what no worker sends.
func (d *Dispatcher) broken(ctx context.Context, b queue.Broken) error {
	d.o.Log.Error("a worker sends what no worker sends, and is drained", "worker", b.Worker, "what", b.Why)
	err := d.o.Store.Audit(ctx, store.Entry{Actor: "server", Action: "drained worker", Object: b.Worker, Detail: b.Why})
	return errors.Join(err, d.takeOut(ctx, b.Worker, b.Why))
}

// disown counts a job that a worker took and does not do as one that it failed at: another
// does it, if none has it already.
func (d *Dispatcher) disown(ctx context.Context, l queue.Lost) error {
	if d.view.doing(l.Job, l.Worker) != "" { // its lease had run out
		d.failing.note(l.Job, l.Worker)
		return nil
	}
	generation, token, err := d.o.Store.Ticket(ctx, l.Job)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has ended, or waits already
	}
	if err != nil {
		return err
	}
	d.o.Log.Warn("a worker does not do a job that it took", "worker", l.Worker, "job", l.Job, "what", l.Why)
	return d.fold(ctx, &job.Result{Job: l.Job, Generation: generation, Token: token, Worker: l.Worker, State: job.Failed, Blame: judge.Machine, Reason: l.Why})
}

// heardOf takes in what the queue found out about workers, until ctx ends.
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
			d.o.Log.Error("take in what a worker did", "error", err)
		}
	}
}

// watch looks after workers that hold a job for too long, and those that were drained and do
// not leave.
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
			what = fmt.Sprintf("it said nothing of the submission for %v", h.quiet.Round(time.Minute))
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
			d.o.Log.Error("a worker that was taken out of service does not leave; its connection is closed", "worker", w.Name)
			d.Revoke(w.Name)
		}
	}
	return nil
}

// hold is a job that a worker says that it does: for how long, and since when it told nothing.
type hold struct {
	worker, job string
	age, quiet  time.Duration
}

// held are the jobs of which nothing was told for tellMost, or that are held for job.HeldMost.
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

// disown notes that a worker's word for a job does not count any more.
func (v *view) disown(worker, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.of(worker)
	delete(m.running, id)
	m.disowned = append(m.disowned, id)
}

// defies says whether a worker that is out of service took a job long after it was told, or is
// still here when it must have ended.
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
