// Package dispatch sends the jobs in the database to the workers, and stores their results. The database is the
// source of truth and decides the order. The queue only knows which worker has a job at the moment, and may lose
// everything. Therefore every operation here may be repeated.
//
// Four loops run at the same time:
//
// - enqueueLoop enqueues pending jobs in the fair order of the database: one per free slot, and a few more;
// - recordResult stores results in the database, in one transaction each;
// - reconcileLoop finds jobs that are marked as dispatched although no worker has them, and enqueues them again;
// - planLoop asks package workflow for the next jobs of workflows.
//
// If there are several servers, only one of them runs enqueueLoop at a time, and only one runs reconcileLoop. Each of these
// loops has a leader lease in the database, and only the server that holds the lease runs the loop. All servers
// store results. Packages store and queue do the work, and this package keeps the database and the queue
// consistent. It does not know users.
package dispatch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// Options configure a Dispatcher.
type Options struct {
	Store *store.Store
	Blobs *blob.Dir // stores the events of judgements
	Log   *slog.Logger
	// Holder identifies this process among all servers that have ever used the database.
	Holder string
	Class  string // worker class that runs the jobs of workflows
	// Audit is the share, from 0 to 1, of submissions that a second worker also judges.
	Audit float64
	// OnWorkersChanged is called when another server has admitted or revoked a worker. It may be nil.
	OnWorkersChanged func()
	// OnWorkflowEnded is called when a workflow has ended. It may be nil.
	OnWorkflowEnded func()
	// OnStep is called after each step of a job. Tests use it to stop the process at that step. It may be nil.
	OnStep func(Step)
}

// A Step is a point in a job's life at which the server must survive a crash.
type Step string

// The steps, in order.
const (
	StepEnqueued   Step = "published"  // in the queue, but not yet marked as dispatched
	StepDispatched Step = "dispatched" // marked as dispatched
	StepReceived   Step = "answered"   // only the queue has the result
	StepRecorded   Step = "recorded"   // the database and the queue have the result
	StepRequeued   Step = "again"      // queued again, because no worker has the job
)

func (d *Dispatcher) onStep(s Step) {
	if d.o.OnStep != nil {
		d.o.OnStep(s)
	}
}

// A Queue is the subset of queue.Queue that a Dispatcher uses. Tests use an implementation in memory that fails in
// many ways.
type Queue interface {
	Ensure(ctx context.Context, classes ...string) error
	Recreate(ctx context.Context) error
	Stats(ctx context.Context) (queue.Stats, error)

	Admit(worker, class, key string, untrusted bool) error
	Revoke(worker string)
	Connected() (workers []string)
	Control(worker string, o job.Control) error

	Publish(ctx context.Context, s *job.Spec) (queue.PublishResult, error)
	Wake(class string) error
	PendingCount(ctx context.Context, priority job.Priority, class string) (int, error)
	HasJob(ctx context.Context, priority job.Priority, class, id string) (bool, error)
	DeliveryHistory(id string) (times int, ended, gave []string)
	Delete(ctx context.Context, priority job.Priority, class, id string) error

	SendNews(n queue.News) error

	Results(ctx context.Context, handle func(context.Context, *job.Result) error) error
	CatchUp(ctx context.Context) error
}

// A Dispatcher connects a database and a queue. Its methods are safe for concurrent use.
type Dispatcher struct {
	o        Options
	queue    Queue
	wake     chan struct{}
	view     *workerView
	streams  *eventStreams
	planner  *workflowPlanner
	counters counters
	// enqueueLock is held while jobs are enqueued, and while a failed job is removed from the queue.
	enqueueLock sync.Mutex
	// idleTimeout is how long workers may be idle while jobs are queued. After that, the Dispatcher assumes a
	// queue error. The timeout is much longer than it takes to notice that a worker was killed.
	idleTimeout   time.Duration
	starvedSince  map[string]time.Time // class: start of the time that no worker gets its jobs; for Reconcile
	failures      failureLog
	trust         trustLog
	lostJobs      chan queue.LostJob
	brokenWorkers chan queue.BrokenWorker
	retry         []time.Duration // see retryAfter
	// strandedSince maps each submission that must be rejudged, but that no connected worker may rejudge, to the time when
	// this was noticed. untrustedOnly maps each class to the number of such submissions that only untrusted workers have
	// judged. Only handleStranded uses both.
	strandedSince map[string]time.Time
	untrustedOnly map[string]int
}

// The intervals and time limits of a Dispatcher.
const (
	enqueueEvery   = time.Second // interval without a wake-up
	reconcileEvery = 10 * time.Second
	dispatchGrace  = 5 * time.Second // minimum time between dispatching a job and checking it
	catchUpTimeout = 5 * time.Second
	storageRetry   = time.Second
	warmDelay      = time.Second // time after which a new worker receives control messages
)

// extraJobs is the number of jobs that are enqueued in addition to one per free slot, so that no worker waits for its
// next job.
const extraJobs = 2

// New returns a Dispatcher. The queue passed to SetQueue must be opened with the Dispatcher's Listener.
func New(o Options) *Dispatcher {
	return &Dispatcher{o: o, wake: make(chan struct{}, 1), view: newWorkerView(), streams: newEventStreams(), planner: newWorkflowPlanner(),
		idleTimeout: time.Minute, starvedSince: map[string]time.Time{}, retry: retryAfter,
		lostJobs: make(chan queue.LostJob, 1024), brokenWorkers: make(chan queue.BrokenWorker, 64)}
}

// Listener returns the handlers for messages from workers.
func (d *Dispatcher) Listener() queue.Listener {
	return queue.Listener{
		Taken:     func(worker string, r job.Running) { d.view.took(worker, r) },
		Released:  func(worker string, r job.Running) { d.view.ended(worker, r.Job) },
		Heartbeat: d.recordHeartbeat,
		Progress: func(worker string, p job.Progress) {
			if d.view.recordProgress(worker, p.Job) { // ignore events of jobs that the worker was not given
				d.streams.add(p)
			}
		},
		Joined: func(worker string) {
			d.o.Log.Info("worker is online", "worker", worker)
			d.view.joined(worker)
			time.AfterFunc(warmDelay, func() { d.warmWorker(worker) })
			d.wakeLocal()
		},
		News: d.handleNews,
		Left: func(worker string) {
			d.o.Log.Warn("worker is offline", "worker", worker)
			d.view.left(worker)
		},
		Lost: func(l queue.LostJob) {
			select {
			case d.lostJobs <- l:
			default: // ignored: the lease will expire
			}
		},
		Broken: func(b queue.BrokenWorker) {
			select {
			case d.brokenWorkers <- b:
			default: // ignored: the worker reconnects and repeats it
			}
		},
		Error: func(err error) { d.o.Log.Warn("queue", "error", err) },
	}
}

func (d *Dispatcher) recordHeartbeat(worker string, b job.Heartbeat) {
	if note := d.view.heartbeat(worker, b); note != "" {
		d.o.Log.Warn("worker rests", "worker", worker, "note", note)
	}
	d.wakeLocal()
}

// Admit lets a worker connect with its key, on this server and all others.
func (d *Dispatcher) Admit(w *store.Worker) error {
	err := d.AdmitLocal(w)
	d.sendNews(queue.News{Workers: true})
	return err
}

// AdmitLocal is like Admit, but only for this server. It may be repeated.
func (d *Dispatcher) AdmitLocal(w *store.Worker) error {
	d.view.admit(w.Name, w.Class, w.Untrusted)
	return d.queue.Admit(w.Name, w.Class, w.Key, w.Untrusted)
}

// Revoke disconnects a worker and rejects its key, on this server and all others.
func (d *Dispatcher) Revoke(worker string) {
	d.RevokeLocal(worker)
	d.sendNews(queue.News{Workers: true})
}

// RevokeLocal is like Revoke, but only for this server. It may be repeated.
func (d *Dispatcher) RevokeLocal(worker string) {
	d.view.left(worker)
	d.queue.Revoke(worker)
}

// Wake signals all servers that there may be jobs to enqueue. The leader enqueues them.
func (d *Dispatcher) Wake() {
	d.wakeLocal()
	d.sendNews(queue.News{Jobs: true})
}

// wakeLocal is like Wake, but only for this server.
func (d *Dispatcher) wakeLocal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// SetQueue sets the queue. It must be called once, before all other methods except Listener.
func (d *Dispatcher) SetQueue(q Queue) { d.queue = q }

// Run enqueues jobs, stores results and reconciles until ctx is done.
func (d *Dispatcher) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { d.enqueueLoop(ctx) })
	loops.Go(func() { _ = d.queue.Results(ctx, d.recordResult) }) // returns the error of ctx
	loops.Go(func() { d.reconcileLoop(ctx) })
	loops.Go(func() { d.planLoop(ctx) })
	loops.Go(func() { d.handleLosses(ctx) })
	loops.Wait()
}

// recordResult stores a result in the database. If it returns an error, the queue delivers the result again.
func (d *Dispatcher) recordResult(ctx context.Context, r *job.Result) error {
	d.onStep(StepReceived)
	events := blob.Digest("")
	work, err := d.o.Store.AssignedWork(ctx, r.Job, r.Token)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		d.logRetry(ctx, "read job "+r.Job, err)
		return err
	}
	if work == nil { // discard the events of a job that was never dispatched
		r.Events = nil
	}
	if r.State == job.Done && len(r.Events) > 0 {
		if err := work.CheckEvents(r.Events); err != nil { // another worker will get the job
			r.MarkUnreadable(err)
		}
	}
	if len(r.Events) > 0 && r.State == job.Done {
		events = blob.DigestOf(r.Events)
		if err := d.o.Blobs.Put(events, int64(len(r.Events)), bytes.NewReader(r.Events)); err != nil {
			d.logRetry(ctx, "store the events of job "+r.Job, err)
			return err
		}
	}
	recorded, operation, err := d.storeResult(ctx, r, events)
	if err != nil {
		d.logRetry(ctx, operation+r.Job, err)
		return err
	}
	d.view.ended(r.Worker, r.Job)
	d.recordOutcome(ctx, r, recorded)
	log := d.o.Log.With("job", r.Job, "worker", r.Worker, "outcome", recorded.Outcome)
	switch recorded.Outcome {
	case store.Disagreement:
		log.Error("two workers gave different verdicts for a job; the first one counts")
	case store.GaveUp:
		log.Error("gave up a job after several failures", "reason", r.Reason)
	case store.Retried:
		log.Warn("a job failed and is queued again", "reason", r.Reason)
	default:
		log.Debug("result")
	}
	if recorded.Outcome != store.Retried {
		d.streams.end(r.Job)
		d.sendNews(queue.News{Ended: r.Job})
	}
	if recorded.Outcome == store.Counted && recorded.Submission != "" && !recorded.NeedsRepeat {
		d.audit(ctx, r, recorded.Submission)
		d.checkUntrusted(ctx, r, recorded)
	}
	if recorded.Workflow != "" {
		d.streams.wake(recorded.Workflow)
		d.PlanWorkflow(recorded.Workflow)
	}
	d.counters.add(recorded.Outcome) // counted last, for readers that compare both
	d.wakeLocal()
	return nil
}

// minLosses is the number of workers that must have lost a job before the job is assumed to crash workers. If only
// one worker is connected, that worker must have lost the job minLosses times. Two other causes must be excluded: a
// failing queue often delivers jobs that workers never receive, and one broken worker loses all jobs.
const minLosses = 2

// markUnproven sets r.Unproven unless enough workers are known to have lost the job of r. A job with an unproven
// result is retried on workers that have not had it.
func (d *Dispatcher) markUnproven(r *job.Result) {
	times, ended, gave := d.queue.DeliveryHistory(r.Job)
	if len(d.failures.recordLost(r.Job, ended, gave)) >= minLosses || times >= minLosses && !d.view.hasPeerExcept(r.Worker, ended) {
		return
	}
	r.Unproven, r.LostWorkers = true, slices.Concat(ended, gave)
}

// storeResult stores a result in the database and removes the job from the queue. If it fails, the string doing names the
// failed step.
func (d *Dispatcher) storeResult(
	ctx context.Context, r *job.Result, events blob.Digest,
) (f store.RecordedResult, operation string, err error) {
	if r.TooManyDeliveries {
		d.markUnproven(r)
	}
	if r.State != job.Done { // feed must not enqueue the job again between the two steps
		d.enqueueLock.Lock()
		defer d.enqueueLock.Unlock()
	}
	doubt, err := d.needsSecondRun(ctx, r)
	if err != nil {
		return f, "find another worker for job ", err
	}
	if f, err = d.o.Store.RecordDoubtfulResult(ctx, r, events, doubt); err != nil {
		return f, "store the result of job ", err
	}
	d.onStep(StepRecorded)
	return f, "remove from the queue job ", d.dequeue(ctx, r.Job, f.Outcome)
}

// dequeue removes a finished job from the queue. Otherwise the job would run again if the worker's acknowledgement
// was lost, or if the job was dispatched again.
func (d *Dispatcher) dequeue(ctx context.Context, id string, o store.Outcome) error {
	if o == store.Dropped { // the sender may not hold the job, or the job still runs
		return nil
	}
	priority, class, err := d.o.Store.PriorityAndClass(ctx, id)
	if err != nil {
		return err
	}
	return d.queue.Delete(ctx, priority, class, id)
}

// Cancel cancels a job, so that its result is discarded. It returns false if the job is not pending anymore.
func (d *Dispatcher) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := d.o.Store.CancelJob(ctx, id)
	return d.finishCancel(ctx, id, done, err)
}

// CancelIfUnassigned cancels the first judgement of a submission if no worker has the job. Otherwise it returns
// store.ErrAssigned.
func (d *Dispatcher) CancelIfUnassigned(ctx context.Context, id string) (bool, error) {
	if d.view.runningWorker(id) != "" { // the queue dispatches a job before the database records it
		return false, store.ErrAssigned
	}
	done, err := d.o.Store.CancelIfUnassigned(ctx, id)
	return d.finishCancel(ctx, id, done, err)
}

func (d *Dispatcher) finishCancel(ctx context.Context, id string, cancelled bool, err error) (bool, error) {
	if err != nil || !cancelled {
		return cancelled, err
	}
	d.failures.forget(id)
	return true, d.withdraw(ctx, id)
}

// CancelRejudging cancels a rejudging and stops its running jobs.
func (d *Dispatcher) CancelRejudging(ctx context.Context, rejudging string) error {
	cancelled, err := d.o.Store.CancelRejudging(ctx, rejudging)
	for _, id := range cancelled {
		err = errors.Join(err, d.withdraw(ctx, id))
	}
	return err
}

// withdraw removes a canceled job from the queue and stops the worker that runs it.
func (d *Dispatcher) withdraw(ctx context.Context, id string) error {
	d.streams.end(id)
	d.sendNews(queue.News{Ended: id})
	priority, class, worker, err := d.locateJob(ctx, id)
	if err != nil {
		return err
	}
	if err := d.queue.Delete(ctx, priority, class, id); err != nil {
		return err
	}
	if worker != "" {
		return d.queue.Control(worker, job.Control{Kind: job.Cancel, Job: id})
	}
	return nil
}

// locateJob returns the priority and the class of a job, and the worker that runs it. The worker is empty if no worker
// claims to run the job.
func (d *Dispatcher) locateJob(ctx context.Context, id string) (job.Priority, string, string, error) {
	priority, class, err := d.o.Store.PriorityAndClass(ctx, id)
	return priority, class, d.view.runningWorker(id), err
}

// Drain tells a worker to accept no more jobs, and to exit when its running jobs are done.
func (d *Dispatcher) Drain(worker string) error {
	return d.queue.Control(worker, job.Control{Kind: job.Drain})
}

// logRetry logs an error in an operation that will be retried.
func (d *Dispatcher) logRetry(ctx context.Context, operation string, err error) {
	if ctx.Err() != nil {
		return
	}
	d.counters.retriedErrors.Add(1)
	d.o.Log.Error(operation, "error", err)
	select {
	case <-ctx.Done():
	case <-time.After(storageRetry):
	}
}
