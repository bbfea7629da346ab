package dispatch

import (
	"context"
	"errors"
	"slices"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
)

// feedLoop enqueues jobs while this server is the leader.
func (d *Dispatcher) feedLoop(ctx context.Context) {
	lead := store.NewLead(d.o.Store, store.FeedLead, d.o.Holder)
	defer lead.Resign(ctx)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.poke:
		case <-timer.C:
		}
		timer.Reset(feedEvery)
		epoch, err := lead.Hold(ctx)
		if errors.Is(err, store.ErrNotLeader) {
			continue
		}
		if err != nil {
			d.trouble(ctx, "become the leader", err)
			continue
		}
		if err := d.feed(ctx, epoch); err != nil {
			if errors.Is(err, store.ErrNotLeader) {
				lead.Lost()
			}
			d.trouble(ctx, "enqueue jobs", err)
		}
	}
}

// feed enqueues as many pending jobs of each lane and class as the workers need.
func (d *Dispatcher) feed(ctx context.Context, epoch int64) error {
	d.feeding.Lock()
	defer d.feeding.Unlock()
	queues, err := d.o.Store.Queues(ctx)
	if err != nil {
		return err
	}
	for _, waiting := range queues {
		if waiting.State != store.Waiting {
			continue
		}
		if err := d.feedLane(ctx, epoch, waiting.Lane, waiting.Class, waiting.Jobs); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) feedLane(ctx context.Context, epoch int64, lane job.Lane, class string, waiting int) error {
	free := d.view.free(class)
	untaken, err := d.queue.Untaken(ctx, lane, class)
	if err != nil {
		return err
	}
	n := min(free+ahead-untaken, waiting)
	if n <= 0 {
		return nil
	}
	specs, err := d.next(ctx, lane, class, n)
	if err != nil || len(specs) == 0 {
		return err
	}
	var laid []job.Running
	for _, s := range specs {
		// Alive means that the queue already has the job because an earlier call enqueued it but could not mark it
		// as dispatched. This call marks it.
		if _, err = d.queue.Publish(ctx, s); err != nil {
			break
		}
		laid = append(laid, job.Running{Job: s.ID, Generation: s.Generation})
		d.at(Published)
	}
	out, markErr := d.o.Store.MarkOut(ctx, epoch, laid...)
	if markErr != nil {
		return errors.Join(err, markErr) // the next call marks the enqueued jobs
	}
	d.at(Out)
	d.count.fed.Add(int64(len(out)))
	marked := map[string]bool{}
	for _, r := range out {
		marked[r.Job] = true
	}
	for _, r := range laid {
		if !marked[r.Job] { // canceled in the meantime
			err = errors.Join(err, d.queue.Delete(ctx, lane, class, r.Job))
			continue
		}
		err = errors.Join(err, d.queue.Wake(class))
	}
	return err
}

// next returns at most n jobs to enqueue. If a job excludes workers and all other workers are busy, the job is not
// returned, because an excluded worker would only release it. If a job has failed on all connected workers, any
// trusted worker may get it again. Untrusted workers are excluded from problems of contests that have not ended.
func (d *Dispatcher) next(ctx context.Context, lane job.Lane, class string, n int) (specs []*job.Spec, err error) {
	untrusted := d.view.untrusted(class) // untrusted workers must not give a second verdict
	for limit := n; ; limit *= 2 {
		jobs, err := d.o.Store.Next(ctx, lane, class, limit)
		if err != nil {
			return nil, err
		}
		if len(untrusted) > 0 && lane != job.Contest { // untrusted workers do not have the contest lane
			if err := d.exclude(ctx, jobs, untrusted); err != nil {
				return nil, err
			}
		}
		specs = specs[:0]
		for _, j := range jobs {
			if len(j.Exclude) > 0 {
				here, free := d.view.others(class, slices.Concat(j.Exclude, untrusted)...)
				if !here && j.Tries > 0 && !j.Alone {
					if j.Kind.Patient() && d.failing.rests(j.ID, j.Tries, d.retry) {
						continue
					}
					j.Exclude = untrusted
					_, free = d.view.others(class, untrusted...)
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

// exclude adds untrusted workers to the excluded workers of jobs with a problem of a contest that has not ended.
func (d *Dispatcher) exclude(ctx context.Context, jobs []*job.Spec, untrusted []string) (err error) {
	known := map[string]bool{}
	for _, j := range jobs {
		reserved, is := known[j.Problem]
		if !is {
			if reserved, err = d.o.Store.Reserved(ctx, j.Problem); err != nil {
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
