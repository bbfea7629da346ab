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

// reconcileLoop has jobs done again that nobody does, while this server has the lead.
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
		d.live.sweep()
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
		d.trouble(ctx, "look for what nobody may judge again", err)
	}
	if err := d.watch(ctx, time.Now()); err != nil {
		d.trouble(ctx, "look after the workers", err)
	}
}

// Reconcile looks after each job that has been out for a while: where no worker says that
// it does it, and the queue does not have it either, it waits again. Results that were
// stored before it began are taken first.
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
		d.o.Log.Warn("jobs that nobody did wait again", "jobs", again)
		d.Poke() // another server may feed
	}
	return d.unblock(ctx, undone, len(out) == 0)
}

// believed says whether a job was given out a moment ago, so that it need not be seen in the
// queue yet. A time that is long to come was told by a clock that has been set back since.
func believed(at, now time.Time) bool {
	return at.After(now.Add(-graceOut)) && at.Before(now.Add(time.Minute))
}

// unblock makes the queue anew where workers have waited for long though there are jobs that
// they may do, or though it holds jobs that have ended: it does not give out what it has.
// Nothing is lost by it, for jobs that are out and that nobody does wait again. The classes
// given have such jobs in the queue; idle says that no job is out for long.
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
	// A job that has come a moment ago to workers that have waited for hours is about to be given
	// out: the jobs, too, must have been there for long.
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
		if now.Sub(since) < d.patience || !d.view.waits(class, d.patience) {
			continue
		}
		d.o.Log.Warn("workers wait, and the queue does not give out the jobs that it has: it is made anew", "class", class)
		if err := d.queue.Renew(ctx); err != nil {
			return err
		}
		d.count.troubles.Add(1)
		d.Poke()
	}
	return nil
}
