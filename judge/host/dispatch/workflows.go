package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// workflowPlanner plans the next jobs of workflows. It plans a workflow whenever the result of one of its
// jobs is stored. It also plans all workflows regularly, because another server may have stored a result.
type workflowPlanner struct {
	wake chan struct{}

	mu      sync.Mutex
	changed map[string]bool // workflows that are new or have a new result

	// strandedSince maps an audit to the time at which it was noticed that no connected worker may run the audit's missing
	// jobs. Only plan uses it.
	strandedSince map[string]time.Time
}

// planEvery is the interval at which all workflows are planned, even if none is known to have changed.
const planEvery = 10 * time.Second

// After planning a workflow, the planner pauses for `rest` times the planning time. Therefore a workflow with many
// parts uses at most a tenth of a processor. Planning 7,000 parts takes 60 ms. If planning takes longer than
// `maxPause / rest`, the planner was waiting for the disk or a processor, so the pause is at most maxPause.
const (
	pauseFactor = 10
	maxPause    = 2 * time.Second
)

func newWorkflowPlanner() *workflowPlanner {
	return &workflowPlanner{wake: make(chan struct{}, 1), changed: map[string]bool{}, strandedSince: map[string]time.Time{}}
}

// PlanWorkflow signals that a workflow is new.
func (d *Dispatcher) PlanWorkflow(id string) {
	d.planner.mu.Lock()
	d.planner.changed[id] = true
	d.planner.mu.Unlock()
	select {
	case d.planner.wake <- struct{}{}:
	default:
	}
}

func (d *Dispatcher) planLoop(ctx context.Context) {
	planAll := time.NewTimer(0)
	defer planAll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.planner.wake:
		case <-planAll.C:
			planAll.Reset(planEvery)
			if err := d.recheckOutdated(ctx); err != nil {
				d.logRetry(ctx, "recheck golf submissions", err)
			}
			open, err := d.o.Store.RunningWorkflows(ctx)
			if err != nil {
				d.logRetry(ctx, "read the workflows", err)
			}
			d.planner.mu.Lock()
			for _, f := range open {
				d.planner.changed[f.ID] = true
			}
			d.planner.mu.Unlock()
		}
		d.planner.mu.Lock()
		changed := d.planner.changed
		d.planner.changed = map[string]bool{}
		d.planner.mu.Unlock()
		start := time.Now()
		for id := range changed {
			if err := d.plan(ctx, id, time.Now()); err != nil {
				d.logRetry(ctx, "plan the workflow "+id, err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(pauseFactor*time.Since(start), maxPause)):
		}
	}
}

// isStranded is called while no connected worker may run the missing jobs of the audit with this id. It reports whether
// this has lasted for at least the duration lonely. A shorter absence is normal: after a server restart all
// workers are offline for a moment.
func (f *workflowPlanner) isStranded(id string, now time.Time) bool {
	since, known := f.strandedSince[id]
	if !known {
		since, f.strandedSince[id] = now, now
	}
	if now.Sub(since) < maxAlone {
		return false
	}
	delete(f.strandedSince, id)
	return true
}

// plan creates the jobs that a workflow needs next. If the workflow is done, plan ends it.
func (d *Dispatcher) plan(ctx context.Context, id string, now time.Time) error {
	f, err := d.o.Store.Workflow(ctx, id)
	if err != nil || f.State != store.WorkflowRunning {
		delete(d.planner.strandedSince, id)
		return err
	}
	parts, err := d.o.Store.TaskResults(ctx, id)
	if err != nil {
		return err
	}
	var spec workflow.Spec
	if err := json.Unmarshal(f.Spec, &spec); err != nil { // a retry would fail again
		return d.EndWorkflow(ctx, id, store.WorkflowFailed, err.Error())
	}
	step, _ := workflow.Next(&spec, toParts(parts)) // step contains the error
	if step.GolfCheck != nil {
		if err := d.recordGolfCheck(ctx, id, step.GolfCheck); err != nil {
			return err
		}
	}
	if step.Optional && !step.Done {
		away := false
		step.Tasks = slices.DeleteFunc(step.Tasks, func(j workflow.Task) bool {
			here, known := d.eligibleWorkers(&j)
			away = away || known && !here
			return !here
		})
		if step.Done = len(step.Tasks) == 0 && (!away || d.planner.isStranded(id, now)); len(step.Tasks) > 0 {
			delete(d.planner.strandedSince, id)
		}
	}
	switch {
	case step.Done && step.Failed == "" && step.Audit != nil:
		return d.finishAudit(ctx, f, step.Audit)
	case step.Failed != "":
		return d.EndWorkflow(ctx, id, store.WorkflowFailed, step.Failed)
	case step.Done:
		return d.EndWorkflow(ctx, id, store.WorkflowDone, "")
	}
	untrusted, err := d.o.Store.UntrustedWorkers(ctx, d.o.Class) // their results would not be checked
	if err != nil {
		return err
	}
	jobs := make([]store.WorkflowJob, len(step.Tasks))
	for i, j := range step.Tasks {
		jobs[i] = store.WorkflowJob{
			Key: j.Key, Work: j.Work, Priority: j.Priority, Class: d.o.Class, Cost: j.Cost, Exclude: d.excludedWorkers(&j, untrusted),
			Owner: f.Owner, // all workflows of an account share the account's part of the queue
		}
	}
	added, err := d.o.Store.AddWorkflowJobs(ctx, id, jobs...)
	if errors.Is(err, store.ErrEnded) { // canceled in the meantime
		return nil
	}
	if added > 0 {
		d.Wake()
	}
	return err
}

// excludedWorkers returns the workers that must not run a job of a workflow.
func (d *Dispatcher) excludedWorkers(j *workflow.Task, untrusted []string) []string {
	all := slices.Concat(j.Exclude, untrusted)
	if j.Only != "" {
		all = append(all, d.view.allExcept(d.o.Class, j.Only)...)
	}
	return all
}

// eligibleWorkers reports whether a worker that may run j is online (here), and whether there is such a worker at all,
// online or not (known).
func (d *Dispatcher) eligibleWorkers(j *workflow.Task) (online, known bool) {
	exclude := d.excludedWorkers(j, d.view.untrusted(d.o.Class))
	online, _ = d.view.available(d.o.Class, exclude...)
	return online, slices.ContainsFunc(d.view.allExcept(d.o.Class, ""), func(w string) bool { return !slices.Contains(exclude, w) })
}

// toParts converts stored task results to those of a plan.
func toParts(stored []*store.TaskResult) []workflow.TaskResult {
	parts := make([]workflow.TaskResult, len(stored))
	for i, p := range stored {
		r := p.Result
		parts[i] = workflow.TaskResult{Key: p.Key, State: r.State, Reason: r.Reason, Worker: r.Worker, Output: r.Output, Events: p.Events}
		if r.Finished != nil {
			parts[i].Verdict = r.Finished.Verdict
		}
	}
	return parts
}

// ReadLines returns the lines in the packed events of a job.
func (d *Dispatcher) ReadLines(events blob.Digest) ([][]byte, error) {
	if events == "" {
		return nil, nil
	}
	data, err := d.o.Blobs.Read(events, job.MaxEvents)
	if err != nil {
		return nil, fmt.Errorf("read the lines of a job: %w", err)
	}
	return job.UnpackLines(data)
}

// EndWorkflow ends a workflow and cancels its pending jobs.
func (d *Dispatcher) EndWorkflow(ctx context.Context, id string, s store.WorkflowState, reason string) error {
	cancelled, err := d.o.Store.FinishWorkflow(ctx, id, s, reason)
	if errors.Is(err, store.ErrEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	d.streams.end(id)
	if d.o.OnWorkflowEnded != nil {
		d.o.OnWorkflowEnded()
	}
	var errs error
	for _, one := range cancelled {
		errs = errors.Join(errs, d.withdraw(ctx, one))
	}
	return errs
}
