package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// audit lets another worker rejudge some submissions, to find workers that lie or are broken. It chooses
// submissions at random, and always includes the first submission that solves a problem in a contest. If other
// workers recently disagreed with a worker, audit chooses more of that worker's submissions. If the class has no
// other worker, audit does nothing.
func (d *Dispatcher) audit(ctx context.Context, r *job.Result, submission string) {
	if r.State != job.Done || r.Finished == nil || d.o.Audit <= 0 || !d.view.hasPeer(r.Worker) {
		return
	}
	of, err := d.o.Store.Submission(ctx, submission)
	selected := rand.Float64() < d.o.Audit || d.trust.needsAudit(r.Worker)
	if err == nil && !selected && r.Finished.Verdict == judge.Accepted {
		selected, err = d.firstSolved(ctx, of)
	}
	if err == nil && selected {
		err = d.beginAudit(ctx, r, of)
	}
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("start the audit of a submission", "submission", submission, "error", err)
	}
}

// firstSolved reports whether no submission other than s has been accepted for the problem of s in the contest.
func (d *Dispatcher) firstSolved(ctx context.Context, s *store.Submission) (bool, error) {
	all, err := d.o.Store.Submissions(
		ctx,
		store.SubmissionFilter{Contest: s.Contest, Problem: s.Problem, Verdict: string(judge.Accepted), Limit: 2},
	)
	return !slices.ContainsFunc(all, func(other *store.Submission) bool { return other.ID != s.ID }), err
}

func (d *Dispatcher) beginAudit(ctx context.Context, r *job.Result, submission *store.Submission) error {
	work, err := d.o.Store.JobWork(ctx, r.Job)
	if err != nil {
		return err
	}
	spec, err := workflow.NewAuditSpec(work, workflow.AuditOptions{Submission: submission.ID, Worker: r.Worker, Verdict: r.Finished.Verdict})
	if err != nil {
		return err
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	id := store.WorkflowJobID("audit", r.Job)
	if _, err := d.o.Store.NewWorkflow(ctx, id, string(spec.Kind), data, submission.Account); err != nil {
		return err
	}
	d.PlanWorkflow(id)
	return nil
}

// finishAudit ends an audit and records which workers were right and which were wrong. The submission's verdict
// remains in effect until an administrator has reviewed it.
func (d *Dispatcher) finishAudit(ctx context.Context, f *store.Workflow, a *workflow.AuditResult) (err error) {
	var opinions []string
	for _, one := range a.Opinions {
		opinions = append(opinions, one.String())
	}
	summary := strings.Join(opinions, "; ")
	if a.Consistent {
		err = d.EndWorkflow(ctx, f.ID, store.WorkflowDone, "")
	} else {
		if !slices.ContainsFunc(a.Opinions, func(o *workflow.WorkerVerdicts) bool { return o.Wrong }) {
			summary += ": the program behaves randomly on each worker, so the workers are not at fault"
		}
		err = errors.Join(d.reportDisagreement(ctx, a.Submission, summary), d.EndWorkflow(ctx, f.ID, store.WorkflowFailed, summary))
	}
	for _, one := range a.Opinions {
		if one.Right || one.Wrong {
			err = errors.Join(err, d.recordAgreement(ctx, one.Worker, f.Owner, one.Wrong))
		}
	}
	return err
}

// reportDisagreement reports to the administrators that workers disagree about a submission.
func (d *Dispatcher) reportDisagreement(ctx context.Context, submission, text string) error {
	d.o.Log.Error("workers disagree", "submission", submission, "verdicts", text)
	return d.o.Store.Audit(ctx, store.AuditEntry{Actor: "audit", Action: "workers disagree", Object: submission, Detail: text})
}

// recordAgreement records whether other workers agree with a worker about a submission of an account. If they disagree too
// often, judged drains the worker.
func (d *Dispatcher) recordAgreement(ctx context.Context, worker, account string, disagrees bool) error {
	if !d.trust.record(worker, account, disagrees) {
		return nil
	}
	note := fmt.Sprintf("other workers gave other verdicts on submissions of %d accounts: see /admin/audit; to list what "+
		"it judged: judged admin judgements --worker %s", maxDisagreements, worker)
	d.o.Log.Error("other workers disagree with a worker, which is drained", "worker", worker)
	err := d.o.Store.Audit(ctx, store.AuditEntry{Actor: "audit", Action: "drained worker", Object: worker, Detail: note})
	return errors.Join(err, d.drainWorker(ctx, worker, note))
}
