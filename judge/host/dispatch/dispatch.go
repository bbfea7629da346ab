// Package dispatch sends the jobs in the database to the workers, and stores their results. The database is the
// source of truth and decides the order. The queue only knows which worker has a job at the moment, and may lose
// everything. Therefore every operation here may be repeated.
//
// Four loops run at the same time:
//
// - feed enqueues pending jobs in the fair order of the database: one per free slot, and a few more;
// - fold stores results in the database, in one transaction each;
// - reconcile finds jobs that are marked as dispatched although no worker has them, and enqueues them again;
// - flowLoop asks package flow for the next jobs of workflows.
//
// If there are several servers, only one of them runs feed at a time, and only one runs reconcile. Each of these
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
	// Workers is called when another server has admitted or revoked a worker. It may be nil.
	Workers func()
	// Ended is called when a workflow has ended. It may be nil.
	Ended func()
	// At is called after each step of a job. Tests use it to stop the process at that step. It may be nil.
	At func(Step)
}

// A Step is a point in a job's life at which the server must survive a crash.
type Step string

// The steps, in order.
const (
	Published Step = "published" // in the queue, but not yet marked as dispatched
	Out       Step = "out"       // marked as dispatched
	Answered  Step = "answered"  // only the queue has the result
	Folded    Step = "folded"    // the database and the queue have the result
	Again     Step = "again"     // queued again, because no worker has the job
)

func (d *Dispatcher) at(s Step) {
	if d.o.At != nil {
		d.o.At(s)
	}
}

// A Queue is the subset of queue.Queue that a Dispatcher uses. Tests use an implementation in memory that fails in
// many ways.
type Queue interface {
	Ensure(ctx context.Context, classes ...string) error
	Renew(ctx context.Context) error
	Stats(ctx context.Context) (queue.Stats, error)

	Admit(worker, class, key string, untrusted bool) error
	Revoke(worker string)
	Connected() (workers []string)
	Order(worker string, o job.Order) error

	Publish(ctx context.Context, s *job.Spec) (queue.Published, error)
	Wake(class string) error
	Untaken(ctx context.Context, lane job.Lane, class string) (int, error)
	Alive(ctx context.Context, lane job.Lane, class, id string) (bool, error)
	Had(id string) (times int, ended, gave []string)
	Delete(ctx context.Context, lane job.Lane, class, id string) error

	Tell(n queue.News) error

	Results(ctx context.Context, handle func(context.Context, *job.Result) error) error
	CatchUp(ctx context.Context) error
}

// A Dispatcher connects a database and a queue. Its methods are safe for concurrent use.
type Dispatcher struct {
	o     Options
	queue Queue
	poke  chan struct{}
	view  *view
	live  *live
	flows *flows
	count counts
	// feeding is held while jobs are enqueued, and while a failed job is removed from the queue.
	feeding sync.Mutex
	// idleTimeout is how long workers may be idle while jobs are queued. After that, the Dispatcher assumes a
	// queue error. The timeout is much longer than it takes to notice that a worker was killed.
	idleTimeout time.Duration
	undone      map[string]time.Time // class: start of the time that no worker gets its jobs; for Reconcile
	failing     failing
	trust       trust
	lost        chan queue.Lost
	breaks      chan queue.Broken
	retry       []time.Duration // see retryAfter
	// alone maps each submission that must be rejudged, but that no connected worker may rejudge, to the time when
	// this was noticed. waits maps each class to the number of such submissions that only untrusted workers have
	// judged. Only attend uses alone and waits.
	alone map[string]time.Time
	waits map[string]int
}

// The intervals and time limits of a Dispatcher.
const (
	feedEvery    = time.Second // interval without a wake-up
	reconcile    = 10 * time.Second
	graceOut     = 5 * time.Second // minimum time between dispatching a job and checking it
	catchUp      = 5 * time.Second
	retryStorage = time.Second
	warmAfter    = time.Second // time after which a new worker receives control messages
)

// ahead is the number of jobs that are enqueued in addition to one per free slot, so that no worker waits for its
// next job.
const ahead = 2

// New returns a Dispatcher. The queue passed to Use must be opened with the Dispatcher's Listener.
func New(o Options) *Dispatcher {
	return &Dispatcher{o: o, poke: make(chan struct{}, 1), view: newView(), live: newLive(), flows: newFlows(),
		idleTimeout: time.Minute, undone: map[string]time.Time{}, retry: retryAfter,
		lost: make(chan queue.Lost, 1024), breaks: make(chan queue.Broken, 64)}
}

// Listener returns the handlers for messages from workers.
func (d *Dispatcher) Listener() queue.Listener {
	return queue.Listener{
		Taken: func(worker string, r job.Running) { d.view.took(worker, r) },
		Back:  func(worker string, r job.Running) { d.view.ended(worker, r.Job) },
		Beat:  d.heard,
		Progress: func(worker string, p job.Progress) {
			if d.view.telling(worker, p.Job) { // ignore events of jobs that the worker was not given
				d.live.add(p)
			}
		},
		Joined: func(worker string) {
			d.o.Log.Info("worker is online", "worker", worker)
			d.view.joined(worker)
			time.AfterFunc(warmAfter, func() { d.warm(worker) })
			d.wakeHere()
		},
		News: d.hearPeers,
		Left: func(worker string) {
			d.o.Log.Warn("worker is offline", "worker", worker)
			d.view.left(worker)
		},
		Lost: func(l queue.Lost) {
			select {
			case d.lost <- l:
			default: // ignored: the lease will expire
			}
		},
		Broken: func(b queue.Broken) {
			select {
			case d.breaks <- b:
			default: // ignored: the worker reconnects and repeats it
			}
		},
		Trouble: func(err error) { d.o.Log.Warn("queue", "error", err) },
	}
}

func (d *Dispatcher) heard(worker string, b job.Beat) {
	if note := d.view.beat(worker, b); note != "" {
		d.o.Log.Warn("worker rests", "worker", worker, "note", note)
	}
	d.wakeHere()
}

// Admit lets a worker connect with its key, on this server and all others.
func (d *Dispatcher) Admit(w *store.Worker) error {
	err := d.AdmitHere(w)
	d.tellPeers(queue.News{Workers: true})
	return err
}

// AdmitHere is like Admit, but only for this server. It may be repeated.
func (d *Dispatcher) AdmitHere(w *store.Worker) error {
	d.view.admit(w.Name, w.Class, w.Guest)
	return d.queue.Admit(w.Name, w.Class, w.Key, w.Guest)
}

// Revoke disconnects a worker and rejects its key, on this server and all others.
func (d *Dispatcher) Revoke(worker string) {
	d.RevokeHere(worker)
	d.tellPeers(queue.News{Workers: true})
}

// RevokeHere is like Revoke, but only for this server. It may be repeated.
func (d *Dispatcher) RevokeHere(worker string) {
	d.view.left(worker)
	d.queue.Revoke(worker)
}

// Wake signals all servers that there may be jobs to enqueue. The leader enqueues them.
func (d *Dispatcher) Wake() {
	d.wakeHere()
	d.tellPeers(queue.News{Jobs: true})
}

// wakeHere is like Wake, but only for this server.
func (d *Dispatcher) wakeHere() {
	select {
	case d.poke <- struct{}{}:
	default:
	}
}

// Use sets the queue. It must be called once, before all other methods except Listener.
func (d *Dispatcher) Use(q Queue) { d.queue = q }

// Run enqueues jobs, stores results and reconciles until ctx is done.
func (d *Dispatcher) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { d.feedLoop(ctx) })
	loops.Go(func() { _ = d.queue.Results(ctx, d.fold) }) // returns the error of ctx
	loops.Go(func() { d.reconcileLoop(ctx) })
	loops.Go(func() { d.flowLoop(ctx) })
	loops.Go(func() { d.heardOf(ctx) })
	loops.Wait()
}

// fold stores a result in the database. If it returns an error, the queue delivers the result again.
func (d *Dispatcher) fold(ctx context.Context, r *job.Result) error {
	d.at(Answered)
	events := blob.Digest("")
	work, err := d.o.Store.Given(ctx, r.Job, r.Token)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		d.trouble(ctx, "read job "+r.Job, err)
		return err
	}
	if work == nil { // discard the events of a job that was never dispatched
		r.Events = nil
	}
	if r.State == job.Done && len(r.Events) > 0 {
		if err := work.CheckEvents(r.Events); err != nil { // another worker will get the job
			r.Unread(err)
		}
	}
	if len(r.Events) > 0 && r.State == job.Done {
		events = blob.Of(r.Events)
		if err := d.o.Blobs.Put(events, int64(len(r.Events)), bytes.NewReader(r.Events)); err != nil {
			d.trouble(ctx, "store the events of job "+r.Job, err)
			return err
		}
	}
	folded, doing, err := d.keep(ctx, r, events)
	if err != nil {
		d.trouble(ctx, doing+r.Job, err)
		return err
	}
	d.view.ended(r.Worker, r.Job)
	d.learn(ctx, r, folded)
	log := d.o.Log.With("job", r.Job, "worker", r.Worker, "outcome", folded.Outcome)
	switch folded.Outcome {
	case store.Disagreement:
		log.Error("two workers gave different verdicts for a job; the first one counts")
	case store.GaveUp:
		log.Error("gave up a job after several failures", "reason", r.Reason)
	case store.Retried:
		log.Warn("a job failed and is queued again", "reason", r.Reason)
	default:
		log.Debug("result")
	}
	if folded.Outcome != store.Retried {
		d.live.end(r.Job)
		d.tellPeers(queue.News{Ended: r.Job})
	}
	if folded.Outcome == store.Counted && folded.Submission != "" && !folded.Again {
		d.audit(ctx, r, folded.Submission)
		d.believe(ctx, r, folded)
	}
	if folded.Flow != "" {
		d.live.touch(folded.Flow)
		d.Plan(folded.Flow)
	}
	d.count.folded(folded.Outcome) // counted last, for readers that compare both
	d.wakeHere()
	return nil
}

// manyLost is the number of workers that must have lost a job before the job is assumed to crash workers. If only
// one worker is connected, that worker must have lost the job manyLost times. Two other causes must be excluded: a
// failing queue often delivers jobs that workers never receive, and one broken worker loses all jobs.
const manyLost = 2

// unproven sets r.Unproven unless enough workers are known to have lost the job of r. A job with an unproven
// result is retried on workers that have not had it.
func (d *Dispatcher) unproven(r *job.Result) {
	times, ended, gave := d.queue.Had(r.Job)
	if len(d.failing.lost(r.Job, ended, gave)) >= manyLost || times >= manyLost && !d.view.anotherThan(r.Worker, ended) {
		return
	}
	r.Unproven, r.Had = true, slices.Concat(ended, gave)
}

// keep stores a result in the database and removes the job from the queue. If it fails, the string doing names the
// failed step.
func (d *Dispatcher) keep(ctx context.Context, r *job.Result, events blob.Digest) (f store.Folded, doing string, err error) {
	if r.TooOften {
		d.unproven(r)
	}
	if r.State != job.Done { // feed must not enqueue the job again between the two steps
		d.feeding.Lock()
		defer d.feeding.Unlock()
	}
	doubt, err := d.doubt(ctx, r)
	if err != nil {
		return f, "find another worker for job ", err
	}
	if f, err = d.o.Store.FoldDoubtful(ctx, r, events, doubt); err != nil {
		return f, "store the result of job ", err
	}
	d.at(Folded)
	return f, "remove from the queue job ", d.clear(ctx, r.Job, f.Outcome)
}

// clear removes a finished job from the queue. Otherwise the job would run again if the worker's acknowledgement
// was lost, or if the job was dispatched again.
func (d *Dispatcher) clear(ctx context.Context, id string, o store.Outcome) error {
	if o == store.Dropped { // the sender may not hold the job, or the job still runs
		return nil
	}
	lane, class, err := d.o.Store.Place(ctx, id)
	if err != nil {
		return err
	}
	return d.queue.Delete(ctx, lane, class, id)
}

// Cancel cancels a job, so that its result is discarded. It returns false if the job is not pending anymore.
func (d *Dispatcher) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := d.o.Store.Cancel(ctx, id)
	return d.cancelled(ctx, id, done, err)
}

// CancelUntouched cancels the first judgement of a submission if no worker has the job. Otherwise it returns
// store.ErrGiven.
func (d *Dispatcher) CancelUntouched(ctx context.Context, id string) (bool, error) {
	if d.view.doing(id) != "" { // the queue dispatches a job before the database records it
		return false, store.ErrGiven
	}
	done, err := d.o.Store.CancelUntouched(ctx, id)
	return d.cancelled(ctx, id, done, err)
}

func (d *Dispatcher) cancelled(ctx context.Context, id string, done bool, err error) (bool, error) {
	if err != nil || !done {
		return done, err
	}
	d.failing.ended(id)
	return true, d.withdraw(ctx, id)
}

// Forget cancels a rejudging and stops its running jobs.
func (d *Dispatcher) Forget(ctx context.Context, rejudging string) error {
	cancelled, err := d.o.Store.Forget(ctx, rejudging)
	for _, id := range cancelled {
		err = errors.Join(err, d.withdraw(ctx, id))
	}
	return err
}

// withdraw removes a canceled job from the queue and stops the worker that runs it.
func (d *Dispatcher) withdraw(ctx context.Context, id string) error {
	d.live.end(id)
	d.tellPeers(queue.News{Ended: id})
	lane, class, worker, err := d.where(ctx, id)
	if err != nil {
		return err
	}
	if err := d.queue.Delete(ctx, lane, class, id); err != nil {
		return err
	}
	if worker != "" {
		return d.queue.Order(worker, job.Order{Kind: job.Cancel, Job: id})
	}
	return nil
}

// where returns the lane and the class of a job, and the worker that runs it. The worker is empty if no worker
// claims to run the job.
func (d *Dispatcher) where(ctx context.Context, id string) (job.Lane, string, string, error) {
	lane, class, err := d.o.Store.Place(ctx, id)
	return lane, class, d.view.doing(id), err
}

// Drain tells a worker to accept no more jobs, and to exit when its running jobs are done.
func (d *Dispatcher) Drain(worker string) error {
	return d.queue.Order(worker, job.Order{Kind: job.Drain})
}

// trouble logs an error in an operation that will be retried.
func (d *Dispatcher) trouble(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	d.count.troubles.Add(1)
	d.o.Log.Error(what, "error", err)
	select {
	case <-ctx.Done():
	case <-time.After(retryStorage):
	}
}
