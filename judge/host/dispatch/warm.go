package dispatch

import (
	"context"

	"assay/judge/host/job"
)

// warmWorker tells a worker to fetch and build all problems, so that the first submissions do not wait. A worker that
// misses the message prepares each problem with its first job.
func (d *Dispatcher) warmWorker(worker string) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUpTimeout)
	defer cancel()
	problems, err := d.o.Store.Problems(ctx)
	if err != nil || len(problems) == 0 {
		return // another operation reports the database error
	}
	var bundles []job.Bundle
	for _, p := range problems {
		if p.Bundle != "" { // a problem without a package needs no preparation
			bundles = append(bundles, job.Bundle{Problem: p.Slug, Manifest: p.Bundle, Config: p.Config})
		}
	}
	d.sendWarm(ctx, worker, bundles)
}

// WarmAll tells all workers to fetch and build a problem.
func (d *Dispatcher) WarmAll(b job.Bundle) {
	ctx, cancel := context.WithTimeout(context.Background(), catchUpTimeout)
	defer cancel()
	for _, worker := range d.queue.Connected() {
		d.sendWarm(ctx, worker, []job.Bundle{b})
	}
}

// sendWarm sends a worker the bundles to prepare. An untrusted worker gets only the bundles that it may fetch
// without a job.
func (d *Dispatcher) sendWarm(ctx context.Context, worker string, bundles []job.Bundle) {
	o := job.Control{Kind: job.Warm, Bundles: bundles}
	var err error
	if d.view.isUntrusted(worker) {
		if o.Bundles, err = d.inNoOpenContest(ctx, bundles); err == nil && len(o.Bundles) == 0 {
			return
		}
	}
	if err == nil {
		err = d.queue.Control(worker, o)
	}
	if err != nil {
		d.o.Log.Warn("tell a worker which bundles to prepare", "worker", worker, "error", err)
	}
}

// inNoOpenContest returns the bundles whose problems are in no open contest.
func (d *Dispatcher) inNoOpenContest(ctx context.Context, bundles []job.Bundle) (open []job.Bundle, err error) {
	for _, b := range bundles {
		reserved, err := d.o.Store.IsReserved(ctx, b.Problem)
		if err != nil {
			return nil, err
		}
		if !reserved {
			open = append(open, b)
		}
	}
	return open, nil
}
