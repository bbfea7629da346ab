package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// failing remembers the failures of machines. A job that failed on all workers waits before it is tried again,
// longer each time, so that an administrator can repair a machine. A worker is assumed to be broken if it fails at
// jobs that other workers then complete. A restart forgets all of this, which costs at most one more try per job.
type failing struct {
	mu   sync.Mutex
	jobs map[string]*failed  // pending jobs that failed, by id
	row  map[string][]string // by worker: jobs it failed and others did, since its last completed one
}

// A failed is a job that failed on at least one machine.
type failed struct {
	workers []string
	ended   []string // workers that crashed because of it
	last    time.Time
}

// retryAfter lists how long a job waits after each failure, once it has failed on all connected workers.
var retryAfter = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// mostFailures is the number of consecutive failures, at jobs that other workers complete, after which a worker is
// assumed to be broken.
const mostFailures = 3

// keepFailed is the maximum time for which a failure is remembered.
const keepFailed = 24 * time.Hour

// note records that a worker failed at a job.
func (f *failing) note(id, worker string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.jobs == nil {
		f.jobs, f.row = map[string]*failed{}, map[string][]string{}
	}
	for id, j := range f.jobs {
		if time.Since(j.last) > keepFailed {
			delete(f.jobs, id)
		}
	}
	j := f.jobs[id]
	if j == nil {
		j = &failed{}
		f.jobs[id] = j
	}
	if j.last = time.Now(); !slices.Contains(j.workers, worker) {
		j.workers = append(j.workers, worker)
	}
}

// lost records that workers took a job and returned no result. The workers in ended crashed, and those in gave
// released the job. It returns all workers that are known to have crashed because of the job.
func (f *failing) lost(id string, ended, gave []string) []string {
	for _, worker := range slices.Concat(ended, gave) {
		f.note(id, worker)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[id]
	if j == nil {
		return nil
	}
	for _, worker := range ended {
		if !slices.Contains(j.ended, worker) {
			j.ended = append(j.ended, worker)
		}
	}
	return slices.Clone(j.ended)
}

// done records that a worker completed a job. It returns the workers that failed at the job before and have now
// reached mostFailures.
func (f *failing) done(id, worker string) (broken []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.row, worker)
	j := f.jobs[id]
	if j == nil {
		return nil
	}
	delete(f.jobs, id)
	for _, w := range j.workers {
		if w == worker {
			continue
		}
		if f.row[w] = append(f.row[w], id); len(f.row[w]) >= mostFailures {
			broken = append(broken, w)
			delete(f.row, w)
		}
	}
	return broken
}

// ended forgets a job that was given up.
func (f *failing) ended(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.jobs, id)
}

// rests reports whether a failed job must still wait before its next try. The argument tries is the number of the
// job's failures. The argument after lists the waiting time after each failure; the last one applies to all
// further failures.
func (f *failing) rests(id string, tries int, after []time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[id]
	return j != nil && len(after) > 0 && time.Since(j.last) < after[min(tries, len(after))-1]
}

// learn updates the failure records of machines from a result. It drains a worker that turns out to be broken.
func (d *Dispatcher) learn(ctx context.Context, r *job.Result, f store.Folded) {
	machine := (r.State == job.Failed || r.State == job.GivenUp && !r.TooOften) && r.Blame != judge.Setter && r.Blame != judge.Caller
	switch {
	case f.Outcome == store.Retried && machine:
		d.failing.note(r.Job, r.Worker)
	case f.Outcome == store.GaveUp:
		d.failing.ended(r.Job)
	case f.Outcome == store.Counted && r.State == job.Done:
		for _, worker := range d.failing.done(r.Job, r.Worker) {
			what := fmt.Sprintf("it failed at %d consecutive jobs that other workers then completed: see its log", mostFailures)
			d.o.Log.Error("a broken worker is drained", "worker", worker)
			err := d.o.Store.Audit(ctx, store.Entry{Actor: "server", Action: "drained worker", Object: worker, Detail: what})
			if err = errors.Join(err, d.takeOut(ctx, worker, what)); err != nil && ctx.Err() == nil {
				d.o.Log.Error("drain a worker", "worker", worker, "error", err)
			}
		}
	}
}
