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

// failing remembers what machines could not do. A job that failed everywhere waits before it is
// tried again, longer each time, so that somebody can mend the machine before it is given up; a
// worker that fails at what others then do is broken, whatever it says of itself. Both are forgotten
// with the process, which costs a try at most.
type failing struct {
	mu   sync.Mutex
	jobs map[string]*failed  // those that failed and have not ended, by id
	row  map[string][]string // of a worker, the jobs that it failed at and others did since it did one
}

// failed is a job that a machine could not do.
type failed struct {
	workers []string
	ended   []string // of these, the ones that ended over it
	last    time.Time
}

// retryAfter is how long a job waits that failed so often, where no worker is here that it has not
// failed on.
var retryAfter = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// mostFailures is how many jobs one after the other a worker may fail at that others then do.
const mostFailures = 3

// keepFailed is after which time a job is forgotten, whatever became of it.
const keepFailed = 24 * time.Hour

// note notes that a worker failed at a job.
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

// lost notes that workers took a job and had no result, of which some ended over it, and returns
// all that are known to have ended over it.
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

// done notes that a worker did a job, and returns the workers that failed at too many that others
// then did, this one the last.
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

// ended forgets a job that nobody did.
func (f *failing) ended(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.jobs, id)
}

// rests says whether a job that failed so often is to be left alone for now.
func (f *failing) rests(id string, tries int, after []time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[id]
	return j != nil && len(after) > 0 && time.Since(j.last) < after[min(tries, len(after))-1]
}

// learn takes from a result what it says of machines: a worker that is broken is taken out of
// service.
func (d *Dispatcher) learn(ctx context.Context, r *job.Result, f store.Folded) {
	machine := (r.State == job.Failed || r.State == job.GivenUp && !r.TooOften) && r.Blame != judge.Setter && r.Blame != judge.Asker
	switch {
	case f.Outcome == store.Retried && machine:
		d.failing.note(r.Job, r.Worker)
	case f.Outcome == store.GaveUp:
		d.failing.ended(r.Job)
	case f.Outcome == store.Counted && r.State == job.Done:
		for _, worker := range d.failing.done(r.Job, r.Worker) {
			what := fmt.Sprintf("it failed at %d jobs, one after the other, that other workers then did: its own log says why", mostFailures)
			d.o.Log.Error("a worker is broken and is drained", "worker", worker)
			err := d.o.Store.Audit(ctx, store.Entry{Actor: "server", Action: "drained worker", Object: worker, Detail: what})
			if err = errors.Join(err, d.takeOut(ctx, worker, what)); err != nil && ctx.Err() == nil {
				d.o.Log.Error("drain a worker", "worker", worker, "error", err)
			}
		}
	}
}
