package dispatch

import (
	"context"

	"assay/judge/host/job"
)

// warm tells a worker to fetch and build all problems, so that the first submissions do not wait. A worker that
// misses the message prepares each problem with its first job.
func (d *Dispatcher) warm(worker string) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUp)
	defer cancel()
	problems, err := d.o.Store.Problems(ctx)
	if err != nil || len(problems) == 0 {
		return // another operation reports the database error
	}
	var all []job.Bundle
	for _, p := range problems {
		if p.Bundle != "" { // a problem without a package needs no preparation
			all = append(all, job.Bundle{Problem: p.Slug, Manifest: p.Bundle, Config: p.Config})
		}
	}
	d.orderWarm(ctx, worker, all)
}

// Published tells all workers to fetch and build a problem.
func (d *Dispatcher) Published(b job.Bundle) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUp)
	defer cancel()
	for _, worker := range d.queue.Connected() {
		d.orderWarm(ctx, worker, []job.Bundle{b})
	}
}

// orderWarm sends a worker the bundles to prepare. An untrusted worker gets only the bundles that it may fetch
// without a job.
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
		d.o.Log.Warn("tell a worker which bundles to prepare", "worker", worker, "error", err)
	}
}

// unreserved returns the bundles whose problems are in no open contest.
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
