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
	lead := store.NewLead(d.o.Store, store.ReconcileLead, d.o.Holder)
	defer lead.Resign(ctx)
	for {
		switch _, err := lead.Hold(ctx); {
		case errors.Is(err, store.ErrNotLeader):
		case err != nil:
			d.trouble(ctx, "take the lead of looking for lost jobs", err)
		default:
			d.lookAfterJobs(ctx)
		}
		d.live.removeIdle()
		select {
		case <-ctx.Done():
			return
		case <-time.After(reconcile):
		}
	}
}

func (d *Dispatcher) lookAfterJobs(ctx context.Context) {
	if err := d.Reconcile(ctx); err != nil {
		d.trouble(ctx, "look for lost jobs", err)
	}
	if err := d.attend(ctx, time.Now()); err != nil {
		d.trouble(ctx, "find submissions without a worker to rejudge them", err)
	}
	if err := d.watch(ctx, time.Now()); err != nil {
		d.trouble(ctx, "check the workers", err)
	}
}

// Reconcile checks each job that has been dispatched for a while. If no worker claims to run the job and the queue
// does not have it, the job is enqueued again. Results that are already in the queue are handled first.
func (d *Dispatcher) Reconcile(ctx context.Context) error {
	if err := d.queue.Ensure(ctx); err != nil {
		return err
	}
	began := time.Now()
	waited, cancel := context.WithTimeout(ctx, catchUp)
	err := d.queue.CatchUp(waited)
	cancel()
	if err != nil {
		return fmt.Errorf("wait for results: %w", err)
	}
	out, err := d.o.Store.OutSince(ctx, began.AddDate(100, 0, 0))
	if err != nil {
		return err
	}
	out = slices.DeleteFunc(out, func(o store.OutJob) bool { return believed(o.At, began) })
	again, undone := 0, map[string]bool{}
	for _, o := range out {
		if d.view.doing(o.Job) != "" {
			continue
		}
		alive, err := d.queue.Alive(ctx, o.Lane, o.Class, o.Job)
		if err != nil {
			return err
		}
		if alive {
			undone[o.Class] = true
			continue
		}
		back, err := d.o.Store.Again(ctx, o.Running)
		if err != nil {
			return err
		}
		if back {
			again++
			d.at(Again)
		}
	}
	if again > 0 {
		d.count.again.Add(int64(again))
		d.o.Log.Warn("lost jobs are queued again", "jobs", again)
		d.Wake() // another server may enqueue them
	}
	return d.unblock(ctx, undone, len(out) == 0)
}

// believed reports whether a job dispatched at the time at is so recent that the queue may not list it yet. A time
// far in the future was recorded before the clock was set back, so it does not count.
func believed(at, now time.Time) bool {
	return at.After(now.Add(-graceOut)) && at.Before(now.Add(time.Minute))
}

// unblock recreates the queue if the queue does not deliver jobs. This is so if workers have been idle for long
// although there are jobs for them, or although the queue contains finished jobs. Nothing is lost, because
// dispatched jobs that no worker has are enqueued again. The map undone contains the classes that have jobs in the
// queue. The argument idle reports whether no job is dispatched, except jobs dispatched a moment ago.
func (d *Dispatcher) unblock(ctx context.Context, undone map[string]bool, idle bool) error {
	queues, err := d.o.Store.Queues(ctx)
	if err != nil {
		return err
	}
	for _, q := range queues {
		idle = false
		if q.State != store.Waiting || undone[q.Class] {
			continue
		}
		jobs, err := d.next(ctx, q.Lane, q.Class, 1)
		if err != nil {
			return err
		}
		undone[q.Class] = len(jobs) > 0
	}
	if idle {
		held, err := d.queue.Stats(ctx)
		if err != nil {
			return err
		}
		for _, class := range d.view.classes() {
			undone[class] = undone[class] || held.Jobs > 0
		}
	}
	// A job that has just arrived may be about to reach a worker that has been idle for hours. So the jobs must
	// also have been in the queue for long.
	now := time.Now()
	maps.DeleteFunc(d.undone, func(class string, _ time.Time) bool { return !undone[class] })
	for class, is := range undone {
		if !is {
			continue
		}
		since, known := d.undone[class]
		if !known {
			since, d.undone[class] = now, now
		}
		if now.Sub(since) < d.idleTimeout || !d.view.waits(class, d.idleTimeout) {
			continue
		}
		d.o.Log.Warn("workers are idle, but the queue does not deliver its jobs: it is created again", "class", class)
		if err := d.queue.Renew(ctx); err != nil {
			return err
		}
		d.count.troubles.Add(1)
		d.Wake()
	}
	return nil
}
