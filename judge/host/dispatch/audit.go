package dispatch

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"

	"assay/judge"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// audit has a submission that was judged judged again by another worker, now and then, and
// each time for the first that solves a problem of a contest: a worker that lies, or is broken
// so that nobody sees it, is found out by what others say. Of a class with one worker nothing
// is judged again.
func (d *Dispatcher) audit(ctx context.Context, r *job.Result, submission string) {
	if r.State != job.Done || r.Finished == nil || d.o.Audit <= 0 || !d.crew.anotherOf(r.Worker) {
		return
	}
	of, err := d.o.Store.Submission(ctx, submission)
	asked := rand.Float64() < d.o.Audit
	if err == nil && !asked && r.Finished.Verdict == judge.Accepted {
		asked, err = d.firstSolved(ctx, of)
	}
	if err == nil && asked {
		err = d.beginAudit(ctx, r, of)
	}
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("have a submission judged again", "submission", submission, "error", err)
	}
}

// firstSolved says whether no other submission to the problem was accepted in the contest.
func (d *Dispatcher) firstSolved(ctx context.Context, s *store.Submission) (bool, error) {
	all, err := d.o.Store.Submissions(ctx, store.Filter{Contest: s.Contest, Problem: s.Problem, Verdict: string(judge.Accepted), Limit: 2})
	return !slices.ContainsFunc(all, func(other *store.Submission) bool { return other.ID != s.ID }), err
}

func (d *Dispatcher) beginAudit(ctx context.Context, r *job.Result, of *store.Submission) error {
	work, err := d.o.Store.Work(ctx, r.Job)
	if err != nil {
		return err
	}
	spec, err := flow.NewAudit(work, flow.AuditOptions{Submission: of.ID, Worker: r.Worker, Verdict: r.Finished.Verdict})
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
