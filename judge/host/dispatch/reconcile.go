package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"assay/judge/host/store"
)

// reconcileLoop calls Reconcile and the other checks regularly while this server is the leader.
func (d *Dispatcher) reconcileLoop(ctx context.Context) {
	lead := store.NewLeaderLease(d.o.Store, store.ReconcileLease, d.o.Holder)
	defer lead.Release(ctx)
	for {
		switch _, err := lead.Acquire(ctx); {
		case errors.Is(err, store.ErrNotLeader):
		case err != nil:
			d.logRetry(ctx, "take the lead of looking for lost jobs", err)
		default:
			d.runChecks(ctx)
		}
		d.streams.removeIdle()
		select {
		case <-ctx.Done():
			return
		case <-time.After(reconcileEvery):
		}
	}
}

func (d *Dispatcher) runChecks(ctx context.Context) {
	if err := d.Reconcile(ctx); err != nil {
		d.logRetry(ctx, "look for lost jobs", err)
	}
	if err := d.handleStranded(ctx, time.Now()); err != nil {
		d.logRetry(ctx, "find submissions without a worker to rejudge them", err)
	}
	if err := d.checkWorkers(ctx, time.Now()); err != nil {
		d.logRetry(ctx, "check the workers", err)
	}
}

// Reconcile checks each job that has been dispatched for a while. If no worker claims to run the job and the queue
// does not have it, the job is enqueued again. Results that are already in the queue are handled first.
func (d *Dispatcher) Reconcile(ctx context.Context) error {
	if err := d.queue.Ensure(ctx); err != nil {
		return err
	}
	began := time.Now()
	waited, cancel := context.WithTimeout(ctx, catchUpTimeout)
	err := d.queue.CatchUp(waited)
	cancel()
	if err != nil {
		return fmt.Errorf("wait for results: %w", err)
	}
	out, err := d.o.Store.DispatchedBefore(ctx, began.AddDate(100, 0, 0))
	if err != nil {
		return err
	}
	out = slices.DeleteFunc(out, func(o store.DispatchedJob) bool { return tooRecent(o.At, began) })
	requeued, starved := 0, map[string]bool{}
	for _, o := range out {
		if d.view.runningWorker(o.Job) != "" {
			continue
		}
		alive, err := d.queue.HasJob(ctx, o.Priority, o.Class, o.Job)
		if err != nil {
			return err
		}
		if alive {
			starved[o.Class] = true
			continue
		}
		back, err := d.o.Store.Requeue(ctx, o.Running)
		if err != nil {
			return err
		}
		if back {
			requeued++
			d.onStep(StepRequeued)
		}
	}
	if requeued > 0 {
		d.counters.requeued.Add(int64(requeued))
		d.o.Log.Warn("lost jobs are queued again", "jobs", requeued)
		d.Wake() // another server may enqueue them
	}
	return d.recreateStalled(ctx, starved, len(out) == 0)
}

// tooRecent reports whether a job dispatched at the time at is so recent that the queue may not list it yet. A time
// far in the future was recorded before the clock was set back, so it does not count.
func tooRecent(dispatched, now time.Time) bool {
	return dispatched.After(now.Add(-dispatchGrace)) && dispatched.Before(now.Add(time.Minute))
}

// recreateStalled recreates the queue if the queue does not deliver jobs. This is so if workers have been idle for long
// although there are jobs for them, or although the queue contains finished jobs. Nothing is lost, because
// dispatched jobs that no worker has are enqueued again. The map undone contains the classes that have jobs in the
// queue. The argument idle reports whether no job is dispatched, except jobs dispatched a moment ago.
func (d *Dispatcher) recreateStalled(ctx context.Context, starved map[string]bool, idle bool) error {
	queues, err := d.o.Store.QueueCounts(ctx)
	if err != nil {
		return err
	}
	for _, q := range queues {
		idle = false
		if q.State != store.JobWaiting || starved[q.Class] {
			continue
		}
		jobs, err := d.nextJobs(ctx, q.Priority, q.Class, 1)
		if err != nil {
			return err
		}
		starved[q.Class] = len(jobs) > 0
	}
	if idle {
		held, err := d.queue.Stats(ctx)
		if err != nil {
			return err
		}
		for _, class := range d.view.classes() {
			starved[class] = starved[class] || held.Jobs > 0
		}
	}
	// A job that has just arrived may be about to reach a worker that has been idle for hours. So the jobs must
	// also have been in the queue for long.
	now := time.Now()
	maps.DeleteFunc(d.starvedSince, func(class string, _ time.Time) bool { return !starved[class] })
	for class, is := range starved {
		if !is {
			continue
		}
		since, known := d.starvedSince[class]
		if !known {
			since, d.starvedSince[class] = now, now
		}
		if now.Sub(since) < d.idleTimeout || !d.view.isStarved(class, d.idleTimeout) {
			continue
		}
		d.o.Log.Warn("workers are idle, but the queue does not deliver its jobs: it is created again", "class", class)
		if err := d.queue.Recreate(ctx); err != nil {
			return err
		}
		d.counters.retriedErrors.Add(1)
		d.Wake()
	}
	return nil
}
