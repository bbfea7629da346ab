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

// flows plans what comes next of work that is made of many jobs: after each part, and now and
// then for all flows, for another server may have taken a part.
type flows struct {
	poke chan struct{}

	mu      sync.Mutex
	changed map[string]bool // flows of which a part came, or that are new

	// alone is since when those are away who may do what an audit wants. Of plan only.
	alone map[string]time.Time
}

// planEvery is how often all flows are planned, whether something of them is known to have
// changed or not.
const planEvery = 10 * time.Second

// After a plan nothing is planned for rest times as long as it took, so that a flow of many
// parts costs a tenth of a processor. To plan 7,000 parts takes 60 ms, and some more to read
// them: what takes longer than mostRest / rest waits for the disk or for a processor, and what
// waits needs no rest.
const (
	rest     = 10
	mostRest = 2 * time.Second
)

func newFlows() *flows {
	return &flows{poke: make(chan struct{}, 1), changed: map[string]bool{}, alone: map[string]time.Time{}}
}

// Plan says that a flow is new.
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
				d.trouble(ctx, "prove answers again", err)
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

// gone says whether those who may do what an audit wants have been away for so long that they are
// not waited for any more: after a start of the server all workers are away for a moment.
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

// plan has the missing jobs of a flow done, or ends it.
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
	if err := json.Unmarshal(f.Spec, &spec); err != nil { // it would fail again
		return d.EndFlow(ctx, id, store.FlowFailed, err.Error())
	}
	step, _ := flow.Next(&spec, planned(parts)) // the step says what the error is
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
	guests, err := d.o.Store.Guests(ctx, d.o.Class) // nobody looks at what they would bring
	if err != nil {
		return err
	}
	jobs := make([]store.FlowJob, len(step.Jobs))
	for i, j := range step.Jobs {
		jobs[i] = store.FlowJob{
			Key: j.Key, Work: j.Work, Lane: j.Lane, Class: d.o.Class, Cost: j.Cost, Exclude: d.excluded(&j, guests),
			Owner: f.Owner, // many flows of one account have the share of one
		}
	}
	added, err := d.o.Store.AddJobs(ctx, id, jobs...)
	if errors.Is(err, store.ErrEnded) { // cancelled meanwhile
		return nil
	}
	if added > 0 {
		d.Poke()
	}
	return err
}

// excluded are the workers that must not do a job of a flow.
func (d *Dispatcher) excluded(j *flow.Job, guests []string) []string {
	all := slices.Concat(j.Exclude, guests)
	if j.Only != "" {
		all = append(all, d.view.but(d.o.Class, j.Only)...)
	}
	return all
}

// someone says whether a worker is here that may do a job of a flow, and whether one is known.
func (d *Dispatcher) someone(j *flow.Job) (here, known bool) {
	exclude := d.excluded(j, d.view.guests(d.o.Class))
	here, _ = d.view.others(d.o.Class, exclude...)
	return here, slices.ContainsFunc(d.view.but(d.o.Class, ""), func(w string) bool { return !slices.Contains(exclude, w) })
}

// planned are the parts of a flow as its plan wants them.
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

// Lines reads the lines that a job packed.
func (d *Dispatcher) Lines(events blob.Digest) ([][]byte, error) {
	if events == "" {
		return nil, nil
	}
	data, err := d.o.Blobs.Read(events, job.MaxEvents)
	if err != nil {
		return nil, fmt.Errorf("read what a part brought: %w", err)
	}
	return job.UnpackLines(data)
}

// EndFlow ends a flow, and stops the jobs of it that are under way.
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
