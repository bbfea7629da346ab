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
	// maxSilence is the maximum time for which a worker that judges a submission may send no message about it. A
	// worker sends an event after each build and each test case.
	maxSilence = 15 * time.Minute
	// drainGrace is how long a drained worker may still accept jobs. leaveTimeout is how long it may stay
	// connected.
	drainGrace   = time.Minute
	leaveTimeout = 15 * time.Minute
)

// drainBroken drains a worker that sends invalid messages.
func (d *Dispatcher) drainBroken(ctx context.Context, b queue.BrokenWorker) error {
	d.o.Log.Error("a worker sends invalid messages and is drained", "worker", b.Worker, "what", b.Reason)
	err := d.o.Store.Audit(ctx, store.AuditEntry{Actor: "server", Action: "drained worker", Object: b.Worker, Detail: b.Reason})
	return errors.Join(err, d.drainWorker(ctx, b.Worker, b.Reason))
}

// markAbandoned records that a worker lost a job. The job counts as failed on that worker, and goes to another worker
// unless one has it already.
func (d *Dispatcher) markAbandoned(ctx context.Context, l queue.LostJob) error {
	if d.view.runningWorker(l.Job, l.Worker) != "" { // the lease had already expired
		d.failures.record(l.Job, l.Worker)
		return nil
	}
	generation, token, err := d.o.Store.GenerationAndToken(ctx, l.Job)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the job has ended or is already pending
	}
	if err != nil {
		return err
	}
	d.o.Log.Warn("a worker lost a job that it took", "worker", l.Worker, "job", l.Job, "what", l.Reason)
	return d.recordResult(ctx, &job.Result{
		Job: l.Job, Generation: generation, Token: token, Worker: l.Worker, State: job.Failed, Blame: judge.Machine,
		Reason: l.Reason,
	})
}

// handleLosses handles lost jobs and broken workers that the queue reports, until ctx is done.
func (d *Dispatcher) handleLosses(ctx context.Context) {
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case l := <-d.lostJobs:
			err = d.markAbandoned(ctx, l)
		case b := <-d.brokenWorkers:
			err = d.drainBroken(ctx, b)
		}
		if err != nil && ctx.Err() == nil {
			d.o.Log.Error("record that a worker lost a job", "error", err)
		}
	}
}

// checkWorkers takes jobs from workers that hold them for too long, and disconnects drained workers that do not leave.
func (d *Dispatcher) checkWorkers(ctx context.Context, now time.Time) error {
	for _, h := range d.view.overdueClaims(now) {
		reason := fmt.Sprintf("it held the job for %v", h.age.Round(time.Minute))
		if h.age < job.MaxClaim {
			work, err := d.o.Store.JobWork(ctx, h.job)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err != nil || !work.ReportsProgress() {
				continue
			}
			reason = fmt.Sprintf("it sent nothing about the submission for %v", h.quiet.Round(time.Minute))
		}
		d.view.ignoreClaim(h.worker, h.job)
		if err := d.markAbandoned(ctx, queue.LostJob{Worker: h.worker, Job: h.job, Reason: reason}); err != nil {
			return err
		}
		if err := d.queue.Control(h.worker, job.Control{Kind: job.Cancel, Job: h.job}); err != nil {
			return err
		}
	}
	workers, err := d.o.Store.Workers(ctx)
	if err != nil {
		return err
	}
	for _, w := range workers {
		if d.view.ignoresDrain(w.Name, w.State == store.WorkerDrained, now) {
			d.o.Log.Error("a drained worker stays connected; its connection is closed", "worker", w.Name)
			d.Revoke(w.Name)
		}
	}
	return nil
}

// A claim is a job that a worker claims to run. Age is the time since the worker got the job, and quiet the time
// since its last message about the job.
type claim struct {
	worker, job string
	age, quiet  time.Duration
}

// overdueClaims returns the jobs about which their workers have sent no message for maxSilence, and the jobs that workers
// have held for job.MaxClaim.
func (v *workerView) overdueClaims(now time.Time) (claims []claim) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, m := range v.workers {
		for id, one := range m.running {
			h := claim{worker: name, job: id, age: now.Sub(one.since), quiet: now.Sub(one.since)}
			if one.lastEvent.After(one.since) {
				h.quiet = now.Sub(one.lastEvent)
			}
			if h.quiet >= maxSilence || h.age >= job.MaxClaim {
				claims = append(claims, h)
			}
		}
	}
	return claims
}

// ignoreClaim makes the view ignore the worker's claim to run the job.
func (v *workerView) ignoreClaim(worker, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	delete(m.running, id)
	m.disowned = append(m.disowned, id)
}

// ignoresDrain reports whether a worker ignores that it was drained. This is so if it took a job more than drainGrace
// after that, or is still connected after leaveTimeout. The argument out reports whether the worker is drained.
func (v *workerView) ignoresDrain(worker string, drained bool, now time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.worker(worker)
	switch {
	case !drained || !m.online:
		m.drainedAt = time.Time{}
	case m.drainedAt.IsZero():
		m.drainedAt = now
	default:
		return m.lastTaken.Sub(m.drainedAt) > drainGrace || now.Sub(m.drainedAt) > leaveTimeout
	}
	return false
}
