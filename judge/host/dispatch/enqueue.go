package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
)

// enqueueLoop enqueues jobs while this server is the leader.
func (d *Dispatcher) enqueueLoop(ctx context.Context) {
	lead := store.NewLeaderLease(d.o.Store, store.EnqueueLease, d.o.Holder)
	defer lead.Release(ctx)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		case <-timer.C:
		}
		timer.Reset(enqueueEvery)
		epoch, err := lead.Acquire(ctx)
		if errors.Is(err, store.ErrNotLeader) {
			continue
		}
		if err != nil {
			d.logRetry(ctx, "become the leader", err)
			continue
		}
		if err := d.enqueueAll(ctx, epoch); err != nil {
			if errors.Is(err, store.ErrNotLeader) {
				lead.MarkLost()
			}
			d.logRetry(ctx, "enqueue jobs", err)
		}
	}
}

// enqueueAll enqueues as many pending jobs of each priority and class as the workers need.
func (d *Dispatcher) enqueueAll(ctx context.Context, epoch int64) error {
	d.enqueueLock.Lock()
	defer d.enqueueLock.Unlock()
	queues, err := d.o.Store.QueueCounts(ctx)
	if err != nil {
		return err
	}
	for _, waiting := range queues {
		if waiting.State != store.JobWaiting {
			continue
		}
		if err := d.enqueuePriority(ctx, epoch, waiting.Priority, waiting.Class, waiting.Jobs); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) enqueuePriority(ctx context.Context, epoch int64, priority job.Priority, class string, waiting int) error {
	free := d.view.freeSlots(class)
	untaken, err := d.queue.PendingCount(ctx, priority, class)
	if err != nil {
		return err
	}
	n := min(free+extraJobs-untaken, waiting)
	if n <= 0 {
		return nil
	}
	specs, err := d.nextJobs(ctx, priority, class, n)
	if err != nil || len(specs) == 0 {
		return err
	}
	var laid []job.Running
	for _, s := range specs {
		// AlreadyStored means that the queue already has the job because an earlier call enqueued it but could not mark it
		// as dispatched. This call marks it.
		if _, err = d.queue.Publish(ctx, s); err != nil {
			break
		}
		laid = append(laid, job.Running{Job: s.ID, Generation: s.Generation})
		d.onStep(StepEnqueued)
	}
	out, markErr := d.o.Store.MarkDispatched(ctx, epoch, laid...)
	if markErr != nil {
		return errors.Join(err, markErr) // the next call marks the enqueued jobs
	}
	d.onStep(StepDispatched)
	d.counters.enqueued.Add(int64(len(out)))
	marked := map[string]bool{}
	for _, r := range out {
		marked[r.Job] = true
	}
	for _, r := range laid {
		if !marked[r.Job] { // canceled in the meantime
			err = errors.Join(err, d.queue.Delete(ctx, priority, class, r.Job))
			continue
		}
		err = errors.Join(err, d.queue.Wake(class))
	}
	return err
}

// nextJobs returns at most n jobs to enqueue. If a job excludes workers and all other workers are busy, the job is not
// returned, because an excluded worker would only release it. If a job has failed on all connected workers, any
// trusted worker may get it again. Untrusted workers are excluded from problems of contests that have not ended.
func (d *Dispatcher) nextJobs(ctx context.Context, priority job.Priority, class string, n int) (specs []*job.Spec, err error) {
	untrusted := d.view.untrusted(class) // untrusted workers must not give a second verdict
	for limit := n; ; limit *= 2 {
		jobs, err := d.o.Store.NextJobs(ctx, priority, class, limit)
		if err != nil {
			return nil, err
		}
		if len(untrusted) > 0 && priority != job.ContestPriority { // untrusted workers take no contest jobs
			if err := d.excludeUntrusted(ctx, jobs, untrusted); err != nil {
				return nil, err
			}
		}
		specs = specs[:0]
		for _, j := range jobs {
			if len(j.Exclude) > 0 {
				here, free := d.view.available(class, slices.Concat(j.Exclude, untrusted)...)
				if !here && j.Tries > 0 && !j.Retime {
					if j.Kind.RetriesLater() && d.failures.mustWait(j.ID, j.Tries, d.retry) {
						continue
					}
					j.Exclude = untrusted
					_, free = d.view.available(class, untrusted...)
				}
				if !free {
					continue
				}
			}
			if specs = append(specs, j); len(specs) == n {
				return specs, nil
			}
		}
		if len(jobs) < limit {
			return specs, nil
		}
	}
}

// excludeUntrusted adds untrusted workers to the excluded workers of jobs with a problem of a contest that has not ended.
func (d *Dispatcher) excludeUntrusted(ctx context.Context, jobs []*job.Spec, untrusted []string) (err error) {
	known := map[string]bool{}
	for _, j := range jobs {
		reserved, is := known[j.Problem]
		if !is {
			if reserved, err = d.o.Store.IsReserved(ctx, j.Problem); err != nil {
				return err
			}
			known[j.Problem] = reserved
		}
		if reserved {
			j.Exclude = slices.Concat(j.Exclude, untrusted)
		}
	}
	return nil
}
