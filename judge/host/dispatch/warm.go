package dispatch

import (
	"context"

	"assay/judge/host/job"
)

// warm has a worker fetch and build everything that it will need, so that the first
// submissions do not wait for it. A worker that is not told has it done all the same.
func (d *Dispatcher) warm(worker string) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUp)
	defer cancel()
	problems, err := d.o.Store.Problems(ctx)
	if err != nil || len(problems) == 0 {
		return // the database says so elsewhere
	}
	var all []job.Bundle
	for _, p := range problems {
		if p.Bundle != "" { // without a package there is nothing to make ready
			all = append(all, job.Bundle{Problem: p.Slug, Manifest: p.Bundle, Config: p.Config})
		}
	}
	d.orderWarm(ctx, worker, all)
}

// Published has all workers fetch and build what judges a problem.
func (d *Dispatcher) Published(b job.Bundle) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUp)
	defer cancel()
	for _, worker := range d.queue.Connected() {
		d.orderWarm(ctx, worker, []job.Bundle{b})
	}
}

// orderWarm has a worker make bundles ready: a guest only those that the server gives it before
// it has a job.
func (d *Dispatcher) orderWarm(ctx context.Context, worker string, all []job.Bundle) {
	o := job.Order{Kind: job.Warm, Bundles: all}
	var err error
	if d.view.isGuest(worker) {
		if o.Bundles, err = d.unreserved(ctx, all); err == nil && len(o.Bundles) == 0 {
			return
		}
	}
	if err == nil {
		err = d.queue.Order(worker, o)
	}
	if err != nil {
		d.o.Log.Warn("warm a worker", "worker", worker, "error", err)
	}
}

// unreserved are the bundles of problems that no contest has which has not ended.
func (d *Dispatcher) unreserved(ctx context.Context, all []job.Bundle) (open []job.Bundle, err error) {
	for _, b := range all {
		reserved, err := d.o.Store.Reserved(ctx, b.Problem)
		if err != nil {
			return nil, err
		}
		if !reserved {
			open = append(open, b)
		}
	}
	return open, nil
}
