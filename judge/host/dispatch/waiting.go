package dispatch

import (
	"context"
	"slices"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
)

// JobState returns the state of a job for display. The argument s is the job's state in the database. A job that
// is dispatched according to the database is shown as waiting until a worker claims to run it.
func (d *Dispatcher) JobState(id string, s store.JobState) store.JobState {
	if s == store.Out && d.view.doing(id) == "" {
		return store.Waiting
	}
	return s
}

// AheadOf counts the jobs that go before a waiting job. These are the jobs that store.AheadOf counts, and the jobs
// in the queue that no worker claims to run. The waiting job may itself be in the queue. AheadOf returns the same
// errors as store.AheadOf.
func (d *Dispatcher) AheadOf(ctx context.Context, id string) (a store.Ahead, lane job.Lane, class string, err error) {
	if lane, class, err = d.o.Store.Place(ctx, id); err != nil {
		return a, lane, class, err
	}
	out, err := d.out(ctx)
	if err != nil {
		return a, lane, class, err
	}
	out = slices.DeleteFunc(out, func(o store.OutJob) bool { return o.Class != class || o.Lane > lane || d.view.doing(o.Job) != "" })
	i := slices.IndexFunc(out, func(o store.OutJob) bool { return o.Job == id })
	if i < 0 {
		a, err = d.o.Store.AheadOf(ctx, id)
	} else {
		out = slices.Delete(out, i, i+1)
		for k := len(out) - 1; k >= i; k-- { // later ones of its own lane
			if out[k].Lane == lane {
				out = slices.Delete(out, k, k+1)
			}
		}
		a, err = d.aheadInLanes(ctx, lane, class)
	}
	for _, o := range out {
		if a.Jobs++; o.Lane < lane {
			a.Priority++
		}
	}
	return a, lane, class, err
}

// aheadInLanes counts the waiting jobs of a class in the lanes that go before the given lane.
func (d *Dispatcher) aheadInLanes(ctx context.Context, lane job.Lane, class string) (a store.Ahead, err error) {
	rows, err := d.o.Store.Queues(ctx)
	for _, q := range rows {
		if q.State == store.Waiting && q.Class == class && q.Lane < lane {
			a.Jobs, a.Priority = a.Jobs+q.Jobs, a.Priority+q.Jobs
		}
	}
	return a, err
}

// out reads all dispatched jobs, oldest first.
func (d *Dispatcher) out(ctx context.Context) ([]store.OutJob, error) {
	return d.o.Store.OutSince(ctx, time.Now().AddDate(100, 0, 0))
}

// Queues counts the open jobs as store.Queues does, except for dispatched jobs that no worker claims to run. These
// jobs are still in the queue, so Queues counts them as waiting.
func (d *Dispatcher) Queues(ctx context.Context) ([]store.Queue, error) {
	rows, err := d.o.Store.Queues(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(rows, func(q store.Queue) bool { return q.State == store.Out }) {
		return rows, nil
	}
	out, err := d.out(ctx)
	if err != nil {
		return nil, err
	}
	type place struct {
		lane  job.Lane
		class string
	}
	done := map[place]int{}
	for _, o := range out {
		if d.view.doing(o.Job) != "" {
			done[place{o.Lane, o.Class}]++
		}
	}
	all := []store.Queue{}
	at := map[place]int{} // of the waiting jobs
	for _, q := range rows {
		p := place{q.Lane, q.Class}
		waiting := q.Jobs
		if q.State == store.Out {
			waiting = max(0, q.Jobs-done[p])
			if out := q.Jobs - waiting; out > 0 {
				all = append(all, store.Queue{Lane: q.Lane, Class: q.Class, State: store.Out, Jobs: out, Oldest: q.Oldest})
			}
		}
		i, known := at[p]
		switch {
		case waiting == 0:
		case known:
			all[i].Jobs += waiting
			if q.Oldest.Before(all[i].Oldest) {
				all[i].Oldest = q.Oldest
			}
		default:
			at[p] = len(all)
			all = append(all, store.Queue{Lane: q.Lane, Class: q.Class, State: store.Waiting, Jobs: waiting, Oldest: q.Oldest})
		}
	}
	return all, nil
}
