package dispatch

import (
	"context"
	"encoding/json"
	"math/rand/v2"

	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// audit has a submission that was judged judged again by another worker, now and then: a
// worker that lies, or is broken so that nobody sees it, is found out by what others say. Of a
// class with one worker nothing is judged again.
func (d *Dispatcher) audit(ctx context.Context, r *job.Result, submission string) {
	if r.State != job.Done || r.Finished == nil || rand.Float64() >= d.o.Audit || !d.crew.anotherOf(r.Worker) {
		return
	}
	if err := d.beginAudit(ctx, r, submission); err != nil && ctx.Err() == nil {
		d.o.Log.Error("have a submission judged again", "submission", submission, "error", err)
	}
}

func (d *Dispatcher) beginAudit(ctx context.Context, r *job.Result, submission string) error {
	work, err := d.o.Store.Work(ctx, r.Job)
	if err != nil {
		return err
	}
	of, err := d.o.Store.Submission(ctx, submission)
	if err != nil {
		return err
	}
	spec, err := flow.NewAudit(work, flow.AuditOptions{Submission: submission, Worker: r.Worker, Verdict: r.Finished.Verdict})
	if err != nil {
		return err
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	id := store.JobID("audit", r.Job)
	if _, err := d.o.Store.NewFlow(ctx, id, string(flow.Audit), data, of.Account); err != nil {
		return err
	}
	d.Plan(id)
	return nil
}

// disagree takes a worker out of service whose verdict another worker does not give. The
// verdict stands until somebody has looked.
func (d *Dispatcher) disagree(ctx context.Context, spec *flow.Spec, what string) error {
	var o flow.AuditOptions
	if err := json.Unmarshal(spec.Options, &o); err != nil {
		return err
	}
	return d.distrust(ctx, o.Worker, o.Submission, what)
}
