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
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// flows plans the next jobs of workflows. It plans a workflow whenever a part of it, the result of one of its
// jobs, is stored. It also plans all workflows regularly, because another server may have stored a part.
type flows struct {
	poke chan struct{}

	mu      sync.Mutex
	changed map[string]bool // workflows that are new or have a new part

	// alone maps an audit to the time at which it was noticed that no connected worker may run the audit's missing
	// jobs. Only plan uses it.
	alone map[string]time.Time
}

// planEvery is the interval at which all workflows are planned, even if none is known to have changed.
const planEvery = 10 * time.Second

// After planning a workflow, the planner pauses for `rest` times the planning time. Therefore a workflow with many
// parts uses at most a tenth of a processor. Planning 7,000 parts takes 60 ms. If planning takes longer than
// `mostRest / rest`, the planner was waiting for the disk or a processor, so the pause is at most mostRest.
const (
	rest     = 10
	mostRest = 2 * time.Second
)

func newFlows() *flows {
	return &flows{poke: make(chan struct{}, 1), changed: map[string]bool{}, alone: map[string]time.Time{}}
}

// Plan signals that a workflow is new.
func (d *Dispatcher) Plan(id string) {
	d.flows.mu.Lock()
	d.flows.changed[id] = true
	d.flows.mu.Unlock()
	select {
	case d.flows.poke <- struct{}{}:
	default:
	}
}

func (d *Dispatcher) flowLoop(ctx context.Context) {
	all := time.NewTimer(0)
	defer all.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.flows.poke:
		case <-all.C:
			all.Reset(planEvery)
			if err := d.proveAgain(ctx); err != nil {
				d.trouble(ctx, "recheck golf submissions", err)
			}
			open, err := d.o.Store.Flows(ctx)
			if err != nil {
				d.trouble(ctx, "read the flows", err)
			}
			d.flows.mu.Lock()
			for _, f := range open {
				d.flows.changed[f.ID] = true
			}
			d.flows.mu.Unlock()
		}
		d.flows.mu.Lock()
		changed := d.flows.changed
		d.flows.changed = map[string]bool{}
		d.flows.mu.Unlock()
		start := time.Now()
		for id := range changed {
			if err := d.plan(ctx, id, time.Now()); err != nil {
				d.trouble(ctx, "plan the flow "+id, err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(rest*time.Since(start), mostRest)):
		}
	}
}

// gone is called while no connected worker may run the missing jobs of the audit with this id. It reports whether
// this has lasted for at least the duration lonely. A shorter absence is normal: after a server restart all
// workers are offline for a moment.
func (f *flows) gone(id string, now time.Time) bool {
	since, known := f.alone[id]
	if !known {
		since, f.alone[id] = now, now
	}
	if now.Sub(since) < lonely {
		return false
	}
	delete(f.alone, id)
	return true
}

// plan creates the jobs that a workflow needs next. If the workflow is done, plan ends it.
func (d *Dispatcher) plan(ctx context.Context, id string, now time.Time) error {
	f, err := d.o.Store.Flow(ctx, id)
	if err != nil || f.State != store.FlowRunning {
		delete(d.flows.alone, id)
		return err
	}
	parts, err := d.o.Store.Parts(ctx, id)
	if err != nil {
		return err
	}
	var spec flow.Spec
	if err := json.Unmarshal(f.Spec, &spec); err != nil { // a retry would fail again
		return d.EndFlow(ctx, id, store.FlowFailed, err.Error())
	}
	step, _ := flow.Next(&spec, planned(parts)) // step contains the error
	if step.Answer != nil {
		if err := d.settle(ctx, id, step.Answer); err != nil {
			return err
		}
	}
	if step.Optional && !step.Done {
		away := false
		step.Jobs = slices.DeleteFunc(step.Jobs, func(j flow.Job) bool {
			here, known := d.someone(&j)
			away = away || known && !here
			return !here
		})
		if step.Done = len(step.Jobs) == 0 && (!away || d.flows.gone(id, now)); len(step.Jobs) > 0 {
			delete(d.flows.alone, id)
		}
	}
	switch {
	case step.Done && step.Failed == "" && step.Audit != nil:
		return d.concluded(ctx, f, step.Audit)
	case step.Failed != "":
		return d.EndFlow(ctx, id, store.FlowFailed, step.Failed)
	case step.Done:
		return d.EndFlow(ctx, id, store.FlowDone, "")
	}
	untrusted, err := d.o.Store.Guests(ctx, d.o.Class) // their results would not be checked
	if err != nil {
		return err
	}
	jobs := make([]store.FlowJob, len(step.Jobs))
	for i, j := range step.Jobs {
		jobs[i] = store.FlowJob{
			Key: j.Key, Work: j.Work, Lane: j.Lane, Class: d.o.Class, Cost: j.Cost, Exclude: d.excluded(&j, untrusted),
			Owner: f.Owner, // all workflows of an account share the account's part of the queue
		}
	}
	added, err := d.o.Store.AddJobs(ctx, id, jobs...)
	if errors.Is(err, store.ErrEnded) { // canceled in the meantime
		return nil
	}
	if added > 0 {
		d.Wake()
	}
	return err
}

// excluded returns the workers that must not run a job of a workflow.
func (d *Dispatcher) excluded(j *flow.Job, untrusted []string) []string {
	all := slices.Concat(j.Exclude, untrusted)
	if j.Only != "" {
		all = append(all, d.view.but(d.o.Class, j.Only)...)
	}
	return all
}

// someone reports whether a worker that may run j is online (here), and whether there is such a worker at all,
// online or not (known).
func (d *Dispatcher) someone(j *flow.Job) (here, known bool) {
	exclude := d.excluded(j, d.view.untrusted(d.o.Class))
	here, _ = d.view.others(d.o.Class, exclude...)
	return here, slices.ContainsFunc(d.view.but(d.o.Class, ""), func(w string) bool { return !slices.Contains(exclude, w) })
}

// planned converts stored parts to the parts of a plan.
func planned(kept []*store.Part) []flow.Part {
	parts := make([]flow.Part, len(kept))
	for i, p := range kept {
		r := p.Result
		parts[i] = flow.Part{Key: p.Key, State: r.State, Reason: r.Reason, Worker: r.Worker, Output: r.Output, Events: p.Events}
		if r.Finished != nil {
			parts[i].Verdict = r.Finished.Verdict
		}
	}
	return parts
}

// Lines returns the lines in the packed events of a job.
func (d *Dispatcher) Lines(events blob.Digest) ([][]byte, error) {
	if events == "" {
		return nil, nil
	}
	data, err := d.o.Blobs.Read(events, job.MaxEvents)
	if err != nil {
		return nil, fmt.Errorf("read the lines of a job: %w", err)
	}
	return job.UnpackLines(data)
}

// EndFlow ends a workflow and cancels its pending jobs.
func (d *Dispatcher) EndFlow(ctx context.Context, id string, s store.FlowState, reason string) error {
	cancelled, err := d.o.Store.FinishFlow(ctx, id, s, reason)
	if errors.Is(err, store.ErrEnded) {
		return nil
	}
	if err != nil {
		return err
	}
	d.live.end(id)
	if d.o.Ended != nil {
		d.o.Ended()
	}
	var all error
	for _, one := range cancelled {
		all = errors.Join(all, d.withdraw(ctx, one))
	}
	return all
}
