// Package dispatch sends the jobs of the database to the workers, and stores their results. The database is the
// truth and decides the order. The queue only knows which worker has a job at the moment, and may lose everything.
// So each operation here may be repeated.
//
// Four loops run at the same time:
//
// - feed enqueues waiting jobs in the fair order of the database: as many as there are free
// slots, and a few more;
// - fold stores results in the database, in one transaction each;
// - reconcile finds jobs that are marked as dispatched although no worker has them, and
// queues them again;
// - flowLoop asks package flow for the next jobs of work that is made of many jobs.
//
// Of several servers only one feeds at a time, and one reconciles: it holds a leader lease in the database. All of
// them store results. Packages store and queue do the work, and this package keeps them consistent. It knows no
// users.
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
	Blobs *blob.Dir // events of judgings are stored here
	Log   *slog.Logger
	// Holder identifies this process among all servers that have ever used the database.
	Holder string
	Class  string // of the workers that run the jobs of flows
	// Audit is the share of submissions that a second worker judges too, from 0 to 1.
	Audit float64
	// Workers, if not nil, is called when another server has admitted or revoked a worker.
	Workers func()
	// Ended, if not nil, is called when a flow has ended.
	Ended func()
	// At, if not nil, is called after each step of a job. Tests use it to stop the process there.
	At func(Step)
}

// A Step is a point in a job's life at which the server must survive a crash.
type Step string

// The steps, in their order.
const (
	Published Step = "published" // in the queue, but not yet marked as dispatched
	Out       Step = "out"       // marked as dispatched
	Answered  Step = "answered"  // the result is only in the queue
	Folded    Step = "folded"    // the result is in the database, and still in the queue
	Again     Step = "again"     // queued again, because no worker had the job
)

func (d *Dispatcher) at(s Step) {
	if d.o.At != nil {
		d.o.At(s)
	}
}

// A Queue is the part of queue.Queue that a Dispatcher uses; see there. Tests have one in memory that fails in many
// ways.
type Queue interface {
	Ensure(ctx context.Context, classes ...string) error
	Renew(ctx context.Context) error
	Stats(ctx context.Context) (queue.Stats, error)

	Admit(worker, class, key string, guest bool) error
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
	// idleTimeout is how long workers may sit idle while jobs are queued before that counts as a queue error. It is
	// much longer than it takes to notice that a worker was killed.
	idleTimeout time.Duration
	undone      map[string]time.Time // by class: since when jobs are queued that no worker gets; used only by Reconcile
	failing     failing
	trust       trust
	lost        chan queue.Lost
	breaks      chan queue.Broken
	retry       []time.Duration // see retryAfter
	// Submissions that must be rejudged and have no worker for it: since when that is known, and how many of a class
	// only untrusted workers have judged. Used only by attend.
	alone map[string]time.Time
	waits map[string]int
}

// The times of a Dispatcher.
const (
	feedEvery    = time.Second // without a wake-up
	reconcile    = 10 * time.Second
	graceOut     = 5 * time.Second // how long a job may be dispatched before Reconcile checks it
	catchUp      = 5 * time.Second
	retryStorage = time.Second
	warmAfter    = time.Second // by then a new worker receives control messages
)

// ahead is how many jobs more than free slots are enqueued, so that no worker waits for the next one.
const ahead = 2

// New returns a Dispatcher. The queue that Use gets must be opened with its Listener.
func New(o Options) *Dispatcher {
	return &Dispatcher{o: o, poke: make(chan struct{}, 1), view: newView(), live: newLive(), flows: newFlows(),
		idleTimeout: time.Minute, undone: map[string]time.Time{}, retry: retryAfter,
		lost: make(chan queue.Lost, 1024), breaks: make(chan queue.Broken, 64)}
}

// Listener returns the handlers for what workers send.
func (d *Dispatcher) Listener() queue.Listener {
	return queue.Listener{
		Taken: func(worker string, r job.Running) { d.view.took(worker, r) },
		Back:  func(worker string, r job.Running) { d.view.ended(worker, r.Job) },
		Beat:  d.heard,
		Progress: func(worker string, p job.Progress) {
			if d.view.telling(worker, p.Job) { // otherwise the worker was not given the job
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
			default: // its lease expires
			}
		},
		Broken: func(b queue.Broken) {
			select {
			case d.breaks <- b:
			default: // it connects again and repeats this
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

// Admit allows a worker with this key to connect, here and on the other servers.
func (d *Dispatcher) Admit(w *store.Worker) error {
	err := d.AdmitHere(w)
	d.tellPeers(queue.News{Workers: true})
	return err
}

// AdmitHere is Admit without the other servers. It may be repeated.
func (d *Dispatcher) AdmitHere(w *store.Worker) error {
	d.view.admit(w.Name, w.Class, w.Guest)
	return d.queue.Admit(w.Name, w.Class, w.Key, w.Guest)
}

// Revoke disconnects a worker and rejects its key, here and on the other servers.
func (d *Dispatcher) Revoke(worker string) {
	d.RevokeHere(worker)
	d.tellPeers(queue.News{Workers: true})
}

// RevokeHere is Revoke without the other servers. It may be repeated.
func (d *Dispatcher) RevokeHere(worker string) {
	d.view.left(worker)
	d.queue.Revoke(worker)
}

// Wake signals that there may be jobs to enqueue, to the server that does so.
func (d *Dispatcher) Wake() {
	d.wakeHere()
	d.tellPeers(queue.News{Jobs: true})
}

// wakeHere is Wake for this server.
func (d *Dispatcher) wakeHere() {
	select {
	case d.poke <- struct{}{}:
	default:
	}
}

// Use sets the queue. Call it once, before any other method except Listener.
func (d *Dispatcher) Use(q Queue) { d.queue = q }

// Run enqueues jobs, stores results and reconciles until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { d.feedLoop(ctx) })
	loops.Go(func() { _ = d.queue.Results(ctx, d.fold) }) // its error is that of ctx
	loops.Go(func() { d.reconcileLoop(ctx) })
	loops.Go(func() { d.flowLoop(ctx) })
	loops.Go(func() { d.heardOf(ctx) })
	loops.Wait()
}

// fold stores one result in the database. If it returns an error, the queue delivers the result again.
func (d *Dispatcher) fold(ctx context.Context, r *job.Result) error {
	d.at(Answered)
	events := blob.Digest("")
	work, err := d.o.Store.Given(ctx, r.Job, r.Token)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		d.trouble(ctx, "read job "+r.Job, err)
		return err
	}
	if work == nil { // keep no events of a job that was never dispatched
		r.Events = nil
	}
	if r.State == job.Done && len(r.Events) > 0 {
		if err := work.CheckEvents(r.Events); err != nil { // another worker gets the job
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
	d.count.folded(folded.Outcome) // last, for readers that compare both
	d.wakeHere()
	return nil
}

// manyLost is how many workers must have lost a job before it counts as a job that crashes workers. If only one
// worker is connected, it must have lost the job that often. Both precautions are needed: a failing queue often
// delivers jobs that workers never see, and one broken worker loses all jobs.
const manyLost = 2

// unproven decides about a job that was delivered too often. If it did not clearly crash workers, other workers than
// those that had it are asked.
func (d *Dispatcher) unproven(r *job.Result) {
	times, ended, gave := d.queue.Had(r.Job)
	if len(d.failing.lost(r.Job, ended, gave)) >= manyLost || times >= manyLost && !d.view.anotherThan(r.Worker, ended) {
		return
	}
	r.Unproven, r.Had = true, slices.Concat(ended, gave)
}

// keep stores a result in the database and removes the job from the queue. Doing says which step failed.
func (d *Dispatcher) keep(ctx context.Context, r *job.Result, events blob.Digest) (f store.Folded, doing string, err error) {
	if r.TooOften {
		d.unproven(r)
	}
	if r.State != job.Done { // between the two steps the job is queued again
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

// clear removes a job that has ended from the queue. Its worker's acknowledgement may be lost, or the job may have
// been dispatched again, and then it would run once more.
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

// Cancel cancels a job, so that its result is discarded. It reports whether the job was open.
func (d *Dispatcher) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := d.o.Store.Cancel(ctx, id)
	return d.cancelled(ctx, id, done, err)
}

// CancelUntouched cancels the first judging of a submission if no worker has it. Otherwise it returns
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

// where finds a job in the queue.
func (d *Dispatcher) where(ctx context.Context, id string) (job.Lane, string, string, error) {
	lane, class, err := d.o.Store.Place(ctx, id)
	return lane, class, d.view.doing(id), err
}

// Drain tells a worker to take no more jobs, and to stop when the running ones have ended.
func (d *Dispatcher) Drain(worker string) error {
	return d.queue.Order(worker, job.Order{Kind: job.Drain})
}

// trouble logs an error of an operation that is going to be retried.
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
