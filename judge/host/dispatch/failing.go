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

// failureLog remembers the failures of machines. A job that failed on all workers waits before it is tried again,
// longer each time, so that an administrator can repair a machine. A worker is assumed to be broken if it fails at
// jobs that other workers then complete. A restart forgets all of this, which costs at most one more try per job.
type failureLog struct {
	mu      sync.Mutex
	jobs    map[string]*failedJob // pending jobs that failed, by id
	streaks map[string][]string   // by worker: jobs it failed and others did, since its last completed one
}

// A failedJob is a job that failed on at least one machine.
type failedJob struct {
	workers []string
	crashed []string // workers that crashed because of it
	last    time.Time
}

// retryAfter lists how long a job waits after each failure, once it has failed on all connected workers.
var retryAfter = []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// maxFailures is the number of consecutive failures, at jobs that other workers complete, after which a worker is
// assumed to be broken.
const maxFailures = 3

// failureLifetime is the maximum time for which a failure is remembered.
const failureLifetime = 24 * time.Hour

// record records that a worker failed at a job.
func (f *failureLog) record(id, worker string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.jobs == nil {
		f.jobs, f.streaks = map[string]*failedJob{}, map[string][]string{}
	}
	for id, j := range f.jobs {
		if time.Since(j.last) > failureLifetime {
			delete(f.jobs, id)
		}
	}
	j := f.jobs[id]
	if j == nil {
		j = &failedJob{}
		f.jobs[id] = j
	}
	if j.last = time.Now(); !slices.Contains(j.workers, worker) {
		j.workers = append(j.workers, worker)
	}
}

// recordLost records that workers took a job and returned no result. The workers in ended crashed, and those in gave
// released the job. It returns all workers that are known to have crashed because of the job.
func (f *failureLog) recordLost(id string, crashed, released []string) []string {
	for _, worker := range slices.Concat(crashed, released) {
		f.record(id, worker)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[id]
	if j == nil {
		return nil
	}
	for _, worker := range crashed {
		if !slices.Contains(j.crashed, worker) {
			j.crashed = append(j.crashed, worker)
		}
	}
	return slices.Clone(j.crashed)
}

// recordDone records that a worker completed a job. It returns the workers that failed at the job before and have now
// reached maxFailures.
func (f *failureLog) recordDone(id, worker string) (broken []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.streaks, worker)
	j := f.jobs[id]
	if j == nil {
		return nil
	}
	delete(f.jobs, id)
	for _, w := range j.workers {
		if w == worker {
			continue
		}
		if f.streaks[w] = append(f.streaks[w], id); len(f.streaks[w]) >= maxFailures {
			broken = append(broken, w)
			delete(f.streaks, w)
		}
	}
	return broken
}

// forget forgets a job that was given up.
func (f *failureLog) forget(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.jobs, id)
}

// mustWait reports whether a failed job must still wait before its next try. The argument tries is the number of the
// job's failures. The argument after lists the waiting time after each failure; the last one applies to all
// further failures.
func (f *failureLog) mustWait(id string, tries int, delays []time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.jobs[id]
	return j != nil && len(delays) > 0 && time.Since(j.last) < delays[min(tries, len(delays))-1]
}

// recordOutcome updates the failure records of machines from a result. It drains a worker that turns out to be broken.
func (d *Dispatcher) recordOutcome(ctx context.Context, r *job.Result, f store.RecordedResult) {
	machine := (r.State == job.Failed || r.State == job.GivenUp && !r.TooManyDeliveries) && r.Blame != judge.Setter &&
		r.Blame != judge.Caller
	switch {
	case f.Outcome == store.Retried && machine:
		d.failures.record(r.Job, r.Worker)
	case f.Outcome == store.GaveUp:
		d.failures.forget(r.Job)
	case f.Outcome == store.Counted && r.State == job.Done:
		for _, worker := range d.failures.recordDone(r.Job, r.Worker) {
			what := fmt.Sprintf("it failed at %d consecutive jobs that other workers then completed: see its log", maxFailures)
			d.o.Log.Error("a broken worker is drained", "worker", worker)
			err := d.o.Store.Audit(ctx, store.AuditEntry{Actor: "server", Action: "drained worker", Object: worker, Detail: what})
			if err = errors.Join(err, d.drainWorker(ctx, worker, what)); err != nil && ctx.Err() == nil {
				d.o.Log.Error("drain a worker", "worker", worker, "error", err)
			}
		}
	}
}
