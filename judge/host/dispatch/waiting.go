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
	if s == store.JobDispatched && d.view.runningWorker(id) == "" {
		return store.JobWaiting
	}
	return s
}

// CountAhead counts the jobs that go before a waiting job. These are the jobs that store.CountAhead counts, and the jobs
// in the queue that no worker claims to run. The waiting job may itself be in the queue. CountAhead returns the same
// errors as store.CountAhead.
func (d *Dispatcher) CountAhead(ctx context.Context, id string) (a store.Ahead, priority job.Priority, class string, err error) {
	if priority, class, err = d.o.Store.PriorityAndClass(ctx, id); err != nil {
		return a, priority, class, err
	}
	out, err := d.dispatchedJobs(ctx)
	if err != nil {
		return a, priority, class, err
	}
	out = slices.DeleteFunc(out, func(o store.DispatchedJob) bool {
		return o.Class != class || o.Priority > priority || d.view.runningWorker(o.Job) != ""
	})
	i := slices.IndexFunc(out, func(o store.DispatchedJob) bool { return o.Job == id })
	if i < 0 {
		a, err = d.o.Store.AheadOf(ctx, id)
	} else {
		out = slices.Delete(out, i, i+1)
		for k := len(out) - 1; k >= i; k-- { // later jobs of its own priority
			if out[k].Priority == priority {
				out = slices.Delete(out, k, k+1)
			}
		}
		a, err = d.countHigherPriority(ctx, priority, class)
	}
	for _, o := range out {
		if a.Jobs++; o.Priority < priority {
			a.HigherPriority++
		}
	}
	return a, priority, class, err
}

// countHigherPriority counts the waiting jobs of a class that have a higher priority than the given one.
func (d *Dispatcher) countHigherPriority(ctx context.Context, priority job.Priority, class string) (a store.Ahead, err error) {
	rows, err := d.o.Store.QueueCounts(ctx)
	for _, q := range rows {
		if q.State == store.JobWaiting && q.Class == class && q.Priority < priority {
			a.Jobs, a.HigherPriority = a.Jobs+q.Jobs, a.HigherPriority+q.Jobs
		}
	}
	return a, err
}

// dispatchedJobs reads all dispatched jobs, oldest first.
func (d *Dispatcher) dispatchedJobs(ctx context.Context) ([]store.DispatchedJob, error) {
	return d.o.Store.DispatchedBefore(ctx, time.Now().AddDate(100, 0, 0))
}

// QueueCounts counts the open jobs as store.QueueCounts does, except for dispatched jobs that no worker claims to run. These
// jobs are still in the queue, so QueueCounts counts them as waiting.
func (d *Dispatcher) QueueCounts(ctx context.Context) ([]store.QueueCount, error) {
	rows, err := d.o.Store.QueueCounts(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(rows, func(q store.QueueCount) bool { return q.State == store.JobDispatched }) {
		return rows, nil
	}
	out, err := d.dispatchedJobs(ctx)
	if err != nil {
		return nil, err
	}
	type place struct {
		priority job.Priority
		class    string
	}
	done := map[place]int{}
	for _, o := range out {
		if d.view.runningWorker(o.Job) != "" {
			done[place{o.Priority, o.Class}]++
		}
	}
	queues := []store.QueueCount{}
	at := map[place]int{} // of the waiting jobs
	for _, q := range rows {
		p := place{q.Priority, q.Class}
		waiting := q.Jobs
		if q.State == store.JobDispatched {
			waiting = max(0, q.Jobs-done[p])
			if out := q.Jobs - waiting; out > 0 {
				queues = append(
					queues,
					store.QueueCount{Priority: q.Priority, Class: q.Class, State: store.JobDispatched, Jobs: out, Oldest: q.Oldest},
				)
			}
		}
		i, known := at[p]
		switch {
		case waiting == 0:
		case known:
			queues[i].Jobs += waiting
			if q.Oldest.Before(queues[i].Oldest) {
				queues[i].Oldest = q.Oldest
			}
		default:
			at[p] = len(queues)
			queues = append(
				queues,
				store.QueueCount{Priority: q.Priority, Class: q.Class, State: store.JobWaiting, Jobs: waiting, Oldest: q.Oldest},
			)
		}
	}
	return queues, nil
}
