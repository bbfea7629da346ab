// Package worker takes jobs and runs them on this machine:
//
//	r, err := worker.NewRunner(worker.RunnerOptions{...}) // judges
//	w, err := worker.New(worker.Options{...})             // takes jobs and hands in results
//	err = w.Run(ctx)
//	err = r.Close()
//
// A Runner judges like `judge submit`. It fetches the blobs of a job from the server, extracts them, and calls
// package workspace. A Worker runs as many jobs as it has slots, and reports their progress. It writes each result
// to disk before it hands it in, so that results survive if the process is killed.
//
// The blame for an error determines what happens to a job. An error in a submission gives a verdict. A bundle that
// cannot be judged gives a result with state Failed. If the machine cannot judge, the worker releases the job to
// other workers and takes no jobs until the machine has recovered. Reasons are a full disk, a missing sandbox, or
// a server that does not send a required blob.
//
// The package does not access the queue or the network itself, but through the interfaces Queue and Blobs.
package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"assay/judge"
	"assay/judge/host/job"
)

// A Queue supplies jobs and accepts results; see QueueOf. Its methods may be called concurrently.
type Queue interface {
	// Take waits for a job. It returns ctx's error when ctx ends. Any other error stops the worker.
	Take(ctx context.Context) (*LeasedJob, error)
	// TakeBefore waits for a job of higher priority than running. It takes only jobs that no idle worker wants. Its
	// errors are the same as those of Take.
	TakeBefore(ctx context.Context, running job.Priority) (*LeasedJob, error)
	// SendResult hands in the result of a job whose lease is no longer held. It retries until the result is stored or
	// ctx ends.
	SendResult(ctx context.Context, r *job.Result) error
	// SetStatus tells the server whether the worker is draining, and why.
	SetStatus(draining bool, note string)
	// Controls returns the channel of control messages from the server. If nil, there are none.
	Controls() <-chan job.Control
}

// A LeasedJob is a job leased to this worker.
type LeasedJob struct {
	Spec       *job.Spec
	Deliveries int // number of deliveries to workers, including this one
	Lease
}

// A Lease reserves a job for this worker. The queue renews it until Finish or Release is called. Call exactly one of
// them.
type Lease interface {
	// Finish hands in the result and then releases the job. It retries until the result is stored or ctx ends.
	Finish(ctx context.Context, r *job.Result) error
	// Release releases the job to other workers after the given delay.
	Release(ctx context.Context, delay time.Duration) error
	// Progress sends events of the job, encoded by package judge. The parameter first is the index of the first of
	// them among all events of the job. Events may get lost.
	Progress(first int, events ...[]byte)
}

// JobRunner runs jobs. A *Runner is one.
type JobRunner interface {
	// Run runs a job, and calls progress, if not nil, with each event. The caller sets the job and the worker in
	// the result. If Run returns an error, the job must be released. An *UnhealthyError means that the machine
	// cannot judge other jobs either. If turn is not nil, it is called before each program of the job.
	Run(ctx context.Context, s *job.Spec, progress func(judge.Event), turn TurnFunc) (*job.Result, error)
	// CheckHealth returns nil if the machine can judge. Otherwise it returns the reason.
	CheckHealth(ctx context.Context) error
}

// BundleWarmer is a Judging that can prepare bundles for later jobs.
type BundleWarmer interface {
	// Warm prepares bundles. The error names the bundles that could not be prepared.
	Warm(ctx context.Context, bundles []job.Bundle) error
}

// An UnhealthyError is the error of a machine that cannot judge. Its text is for administrators.
type UnhealthyError struct{ Err error }

// Error returns the text of the wrapped error.
func (e *UnhealthyError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *UnhealthyError) Unwrap() error { return e.Err }

// Options configure a Worker.
type Options struct {
	Name   string // name of the worker in results
	Dir    string // data directory, for results that the server has not stored yet
	Queue  Queue
	Runner JobRunner
	Slots  int // jobs that run at once; at least 1
	// Note and Info, if not nil, are called with messages for the worker's administrator: Note with problems, and
	// Info with normal events. They may be called concurrently.
	Note, Info func(text string)
	// Measure, if not nil, is called about once an hour, after a time without jobs. No job runs meanwhile.
	Measure func(ctx context.Context)
}

// The times of a worker.
const (
	firstMeasureAfter = time.Minute // after the start
	measureEvery      = time.Hour
	idleBeforeMeasure = 10 * time.Minute // time without jobs before a measurement, except for the first
	healthCheckEvery  = time.Minute      // interval of health checks
	unhealthyPause    = 10 * time.Second // interval of health checks on an unhealthy machine
	drainTimeout      = 10 * time.Minute // how long jobs may run when the worker is draining
	sendTimeout       = 10 * time.Second // how long a draining worker waits for an offline server, with its result on disk
	releaseTimeout    = 2 * time.Second  // timeout for releasing a job; afterwards its lease expires
	releaseDelay      = 2 * time.Second  // delay before other workers try a job that failed here
)

// maxProgressEvent is the maximum size in bytes of a progress event. A larger event is sent without its details, which are
// in the result.
const maxProgressEvent = 256 << 10

// Reasons for stopping a job.
var (
	errCancelled = errors.New("the job was cancelled")
	errStopping  = errors.New("the worker is stopping")
)

// A Worker takes jobs and hands in results. Its methods are safe for concurrent use.
type Worker struct {
	o     Options
	spool *resultSpool
	slots *slotPool     // for running jobs
	drain chan struct{} // closed when the worker drains

	mu              sync.Mutex
	drained         bool
	running         map[*context.CancelCauseFunc]string // maps cancel functions of running jobs to job ids
	unhealthyReason string                              // why the machine cannot judge; empty if it can
	err             error                               // the error that ended the worker
	lastJobEnded    time.Time                           // when the last job ended
}

// New returns a Worker. It creates the directory for results if needed.
func New(o Options) (*Worker, error) {
	if o.Slots < 1 {
		return nil, &judge.UsageError{Err: fmt.Errorf("%d slots: a worker has at least one", o.Slots)}
	}
	for _, tell := range []*func(string){&o.Note, &o.Info} {
		if *tell == nil {
			*tell = func(string) {}
		}
	}
	s, err := openSpool(filepath.Join(o.Dir, "spool"))
	if err != nil {
		return nil, err
	}
	return &Worker{o: o, spool: s, slots: &slotPool{Weighted: semaphore.NewWeighted(int64(o.Slots))}, drain: make(chan struct{}),
		running: map[*context.CancelCauseFunc]string{}}, nil
}

// Drain stops the worker from taking jobs. Run returns when the running jobs have ended. After ten minutes, it
// releases them.
func (w *Worker) Drain() {
	w.mu.Lock()
	first := !w.drained
	w.drained = true
	w.mu.Unlock()
	if first {
		close(w.drain)
		w.reportStatus()
	}
}

// Run takes and runs jobs until the worker is drained or the queue fails, and returns the queue's error. It first
// hands in results left by an earlier process. When ctx ends, it releases its jobs at once. Call Run only once.
func (w *Worker) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(ctx) // for jobs
	defer stop(nil)
	aside, done := context.WithCancel(ctx)
	var others, slots sync.WaitGroup
	others.Go(func() { w.sendPending(aside) })
	others.Go(func() { w.watchHealth(aside) })
	others.Go(func() { w.handleControls(aside) })
	others.Go(func() { w.measure(aside) })
	others.Go(func() {
		select {
		case <-aside.Done():
			return
		case <-w.drain:
		}
		if sleep(aside, drainTimeout) {
			stop(errStopping)
		}
	})
	for range w.o.Slots {
		slots.Go(func() { w.runSlot(work) })
	}
	slots.Wait()
	done()
	others.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// runSlot takes jobs and runs them one after another.
func (w *Worker) runSlot(ctx context.Context) {
	taking, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-w.drain:
			stop()
		case <-taking.Done():
		}
	}()
	for w.recovered(taking) {
		// Take no job that would have to wait for a job that runs alone.
		if w.slots.Acquire(taking, 1) != nil {
			return
		}
		w.slots.Release(1)
		t, err := w.o.Queue.Take(taking)
		switch {
		case err != nil:
			w.fail(taking, err)
		case t.Spec.Kind.Preemptible():
			w.runPreemptible(ctx, taking, t)
		default:
			w.runJob(ctx, t)
		}
	}
}

// fail records err and drains the worker. If ctx is done, it does nothing.
func (w *Worker) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	w.err = cmp.Or(w.err, err)
	w.mu.Unlock()
	w.Drain()
}

// runPreemptible runs the preemptible job t. Until t has ended, it also takes and runs jobs of higher priority.
func (w *Worker) runPreemptible(ctx, takeCtx context.Context, t *LeasedJob) {
	takeCtx, over := context.WithCancel(takeCtx)
	var long sync.WaitGroup
	long.Go(func() {
		defer over()
		w.runJob(ctx, t)
	})
	for w.recovered(takeCtx) {
		if next, err := w.o.Queue.TakeBefore(takeCtx, t.Spec.Priority); err != nil {
			w.fail(takeCtx, err)
		} else {
			w.runJob(ctx, next)
		}
	}
	long.Wait()
}

// runJob runs a job.
func (w *Worker) runJob(ctx context.Context, t *LeasedJob) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w.mu.Lock()
	w.running[&end] = t.Spec.ID
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, &end)
		w.lastJobEnded = time.Now()
		w.mu.Unlock()
	}()
	result, err := w.judge(ctx, t)
	switch {
	case context.Cause(ctx) != nil: // canceled, or to be released
		w.release(t, 0)
	case err != nil:
		w.o.Note(fmt.Sprintf("released job %s: %v", t.Spec.ID, err))
		if unhealthy, ok := errors.AsType[*UnhealthyError](err); ok {
			w.rest(unhealthy)
		}
		w.release(t, releaseDelay)
	default:
		result.Job, result.Generation, result.Token, result.Worker = t.Spec.ID, t.Spec.Generation, t.Spec.Token, w.o.Name
		w.sendResult(ctx, t, result)
	}
}

// judge runs a job. The job runs alone if it requires that. It also runs alone if it was delivered before, because
// it may have crashed the earlier worker. After a test case near the time limit, judge reports no more progress.
func (w *Worker) judge(ctx context.Context, t *LeasedJob) (*job.Result, error) {
	n := int64(1)
	if t.Deliveries > 1 || t.Spec.Retime {
		n = int64(w.o.Slots)
	}
	place, err := w.slots.acquire(ctx, n)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer place.release()
	var turn TurnFunc
	if t.Spec.Kind.Preemptible() {
		turn = place.waitTurn
	}
	told, quiet := 0, t.Spec.Retime
	var limit time.Duration
	return w.o.Runner.Run(ctx, t.Spec, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.Started:
			limit = time.Duration(e.TimeMS) * time.Millisecond
		case *judge.CaseJudged:
			quiet = quiet || e.NearTimeLimit(limit)
		}
		if quiet {
			return
		}
		if data, err := encodeEvent(e); err == nil { // otherwise the result has the event or a note about it
			t.Progress(told, data)
		}
		told++
	}, turn)
}

// encodeEvent encodes an event. It omits the details if they are too large.
func encodeEvent(e judge.Event) ([]byte, error) {
	data, err := judge.EncodeEvent(e)
	c, judged := e.(*judge.CaseJudged)
	if err != nil || len(data) <= maxProgressEvent || !judged {
		return data, err
	}
	short := *c
	short.Detail, short.Dialogue, short.Stderr = nil, "", ""
	return judge.EncodeEvent(&short)
}

// release releases a job without a result, even while the worker is stopping.
func (w *Worker) release(t *LeasedJob, delay time.Duration) {
	ctx, end := context.WithTimeout(context.Background(), releaseTimeout)
	defer end()
	if err := t.Release(ctx, delay); err != nil {
		w.o.Note(fmt.Sprintf("release job %s: %v; other workers get it when its lease expires", t.Spec.ID, err))
	}
}

// sendResult hands in a result. It first writes the result to disk, where it stays if the worker stops before the
// server has stored it.
func (w *Worker) sendResult(ctx context.Context, t *LeasedJob, result *job.Result) {
	file, err := w.spool.put(result)
	if err != nil {
		w.o.Note(err.Error())
	}
	handing, end := context.WithCancel(ctx)
	defer end()
	if err == nil {
		go w.endAfterDrain(handing, end)
	}
	err = t.Finish(handing, result)
	if err == nil || errors.Is(context.Cause(ctx), errCancelled) {
		w.spool.remove(file)
		return
	}
	w.o.Note(fmt.Sprintf("the result of job %s stays on the disk until the worker starts again: %v", result.Job, err))
}

// endAfterDrain waits until the worker is drained and sendTimeout has passed, and then calls end. If ctx ends first,
// it does nothing.
func (w *Worker) endAfterDrain(ctx context.Context, end func()) {
	select {
	case <-ctx.Done():
		return
	case <-w.drain:
	}
	if sleep(ctx, sendTimeout) {
		end()
	}
}

// sendPending hands in results left by an earlier process.
func (w *Worker) sendPending(ctx context.Context) {
	left, notes := w.spool.pending()
	for _, note := range notes {
		w.o.Note(note)
	}
	for _, l := range left {
		if w.o.Queue.SendResult(ctx, l.result) == nil {
			w.spool.remove(l.file)
		}
	}
}

// watchHealth regularly checks the health of the machine.
func (w *Worker) watchHealth(ctx context.Context) {
	for sleep(ctx, healthCheckEvery) {
		if w.healthProblem() != "" {
			continue // slots check it
		}
		if err := w.o.Runner.CheckHealth(ctx); err != nil && ctx.Err() == nil {
			w.rest(err)
		}
	}
}

// measure calls Measure when no job is running or waiting.
func (w *Worker) measure(ctx context.Context) {
	if w.o.Measure == nil {
		return
	}
	for next := time.Now().Add(firstMeasureAfter); sleep(ctx, firstMeasureAfter); {
		w.mu.Lock()
		quiet := time.Since(w.lastJobEnded) >= idleBeforeMeasure
		w.mu.Unlock()
		if time.Now().Before(next) || !quiet || w.healthProblem() != "" || !w.slots.TryAcquire(int64(w.o.Slots)) {
			continue
		}
		w.o.Measure(ctx)
		w.slots.Release(int64(w.o.Slots))
		next = time.Now().Add(measureEvery)
	}
}

// reportStatus tells the server whether the worker takes jobs.
func (w *Worker) reportStatus() {
	w.mu.Lock()
	draining, note := w.drained || w.unhealthyReason != "", w.unhealthyReason
	w.mu.Unlock()
	w.o.Queue.SetStatus(draining, note)
}

// handleControls handles the control messages of the server.
func (w *Worker) handleControls(ctx context.Context) {
	orders := w.o.Queue.Controls()
	var warm sync.WaitGroup
	defer warm.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case o, open := <-orders:
			switch {
			case !open:
				orders = nil
			case o.Kind == job.Drain:
				w.o.Info("the server drains this worker: it takes no more jobs, and stops when the running ones have ended")
				w.Drain()
			case o.Kind == job.Cancel:
				w.cancel(o.Job)
			case o.Kind == job.Warm:
				warm.Go(func() { w.warm(ctx, o.Bundles) })
			}
		}
	}
}

// warm prepares bundles while jobs run.
func (w *Worker) warm(ctx context.Context, bundles []job.Bundle) {
	can, ok := w.o.Runner.(BundleWarmer)
	if !ok {
		return
	}
	switch err := can.Warm(ctx, bundles); {
	case ctx.Err() != nil: // no longer needed
	case err != nil:
		w.o.Note(err.Error())
	default:
		w.o.Info(fmt.Sprintf("prepared %d bundles", len(bundles)))
	}
}

func (w *Worker) cancel(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for end, running := range w.running {
		if running == id {
			(*end)(errCancelled)
		}
	}
}

// rest stops the worker from taking jobs until the machine is healthy again.
func (w *Worker) rest(err error) {
	w.mu.Lock()
	first := w.unhealthyReason == ""
	w.unhealthyReason, _, _ = strings.Cut(err.Error(), "\n")
	w.mu.Unlock()
	if first {
		w.o.Note("taking no jobs: " + err.Error())
	}
	w.reportStatus()
	_, changed := errors.AsType[*ToolchainChangedError](err)
	if _, gone := errors.AsType[*DirRemovedError](err); changed || gone {
		w.fail(context.Background(), err)
	}
}

func (w *Worker) healthProblem() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unhealthyReason
}

// recovered waits until the machine is healthy. It returns false if ctx ends first.
func (w *Worker) recovered(ctx context.Context) bool {
	for w.healthProblem() != "" {
		if !sleep(ctx, unhealthyPause) {
			return false
		}
		if err := w.o.Runner.CheckHealth(ctx); err != nil {
			w.rest(err)
			continue
		}
		w.mu.Lock()
		first := w.unhealthyReason != "" // otherwise another slot was first
		w.unhealthyReason = ""
		w.mu.Unlock()
		if first {
			w.o.Info("taking jobs again")
			w.reportStatus()
		}
	}
	return ctx.Err() == nil
}
