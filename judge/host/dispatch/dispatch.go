// Package dispatch brings the jobs of the database to the workers, and their results back.
// The database decides what is true and what goes first; the queue only says who is doing
// what just now. So everything here may be done twice, and the queue may lose all it has.
//
// Four loops run beside each other:
//
//   - feed lays waiting jobs into the queue, as many as there are free slots and a few
//     more, in the fair order of the database;
//   - fold takes results into the database, one transaction each;
//   - reconcile finds jobs that are out though nobody does them, and has them done again;
//   - flowLoop asks package flow what comes next of work that is made of many jobs.
//
// Of several servers one at a time feeds: it holds a lead in the database. Package store
// and package queue do the work; this one keeps the two in agreement; it knows no users.
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

// Options are what a Dispatcher joins.
type Options struct {
	Store *store.Store
	Blobs *blob.Folder // events of judgings are kept here
	Log   *slog.Logger
	// Holder names this process among all servers that use the database, now and before.
	Holder string
	Class  string // of the workers that do the jobs of flows
	// Audit is the part of all submissions that a second worker judges as well, from 0 to 1.
	Audit float64
	// Ended, if it is not nil, is told that a flow has ended.
	Ended func()
	// At, if it is not nil, is told of each step of a job as it is reached. Tests end the
	// process there.
	At func(Step)
}

// Step is a moment in a job's life after which a server may die as well as at any other.
type Step string

// The steps, in their order.
const (
	Published Step = "published" // it is in the queue, and not marked as out
	Out       Step = "out"       // it is marked as out
	Answered  Step = "answered"  // its result is in the queue only
	Folded    Step = "folded"    // its result is in the database, and still in the queue
	Again     Step = "again"     // it waits again, for nobody did it
)

func (d *Dispatcher) at(s Step) {
	if d.o.At != nil {
		d.o.At(s)
	}
}

// Queue is what a Dispatcher has of a queue.Queue, where each method says what it does. Tests
// have another one in memory, which may be as bad as a queue can be.
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

	Results(ctx context.Context, handle func(context.Context, *job.Result) error) error
	CatchUp(ctx context.Context) error
}

// Dispatcher joins a database and a queue. All methods may be called at once by many.
type Dispatcher struct {
	o     Options
	queue Queue
	poke  chan struct{}
	view  *view
	live  *live
	flows *flows
	count counts
	// feeding is held while jobs are laid into the queue, and while one that failed is taken
	// out of it.
	feeding sync.Mutex
	// patience is how long workers may wait for jobs that are there until that counts as an
	// error of the queue. It is much longer than a lease lives whose worker was killed before
	// anybody heard of it.
	patience time.Duration
	undone   map[string]time.Time // by class: since when jobs are seen that nobody is given. Of Reconcile only.
	failing  failing
	trust    trust
	lost     chan queue.Lost
	breaks   chan queue.Broken
	retry    []time.Duration // see retryAfter
	// What is to be judged again and is not, for nobody here may do it: since when it is known,
	// and how many submissions of a class are guests'. Of attend only.
	alone map[string]time.Time
	waits map[string]int
}

// The times of a Dispatcher.
const (
	feedEvery    = time.Second // without being told that there is work
	reconcile    = 10 * time.Second
	graceOut     = 5 * time.Second // how long a job may be out before Reconcile looks for it
	catchUp      = 5 * time.Second
	retryStorage = time.Second
	warmAfter    = time.Second // a worker that has connected listens to orders by then
)

// ahead is how many jobs more than free slots are in the queue, so that no worker waits
// for the feed.
const ahead = 2

// New makes a Dispatcher. Its Listener is for the queue that Run is given.
func New(o Options) *Dispatcher {
	return &Dispatcher{o: o, poke: make(chan struct{}, 1), view: newView(), live: newLive(), flows: newFlows(), patience: time.Minute, undone: map[string]time.Time{}, retry: retryAfter,
		lost: make(chan queue.Lost, 1024), breaks: make(chan queue.Broken, 64)}
}

// Listener hears what workers say.
func (d *Dispatcher) Listener() queue.Listener {
	return queue.Listener{
		Taken: func(worker string, r job.Running) { d.view.took(worker, r) },
		Back:  func(worker string, r job.Running) { d.view.ended(worker, r.Job) },
		Beat:  d.heard,
		Progress: func(worker string, p job.Progress) {
			if d.view.telling(worker, p.Job) { // else it tells of what it was not given
				d.live.add(p)
			}
		},
		Joined: func(worker string) {
			d.o.Log.Info("worker is here", "worker", worker)
			d.view.joined(worker)
			time.AfterFunc(warmAfter, func() { d.warm(worker) })
			d.Poke()
		},
		Left: func(worker string) {
			d.o.Log.Warn("worker is gone", "worker", worker)
			d.view.left(worker)
		},
		Lost: func(l queue.Lost) {
			select {
			case d.lost <- l:
			default: // its lease runs out by itself
			}
		},
		Broken: func(b queue.Broken) {
			select {
			case d.breaks <- b:
			default: // it connects again, and does so again
			}
		},
		Trouble: func(err error) { d.o.Log.Warn("queue", "error", err) },
	}
}

func (d *Dispatcher) heard(worker string, b job.Beat) {
	if note := d.view.beat(worker, b); note != "" {
		d.o.Log.Warn("worker rests", "worker", worker, "note", note)
	}
	d.Poke()
}

// Admit lets the key of a worker in.
func (d *Dispatcher) Admit(w *store.Worker) error {
	d.view.admit(w.Name, w.Class, w.Guest)
	return d.queue.Admit(w.Name, w.Class, w.Key, w.Guest)
}

// Revoke shuts a worker out.
func (d *Dispatcher) Revoke(worker string) {
	d.view.left(worker)
	d.queue.Revoke(worker)
}

// Poke says that there may be something to feed.
func (d *Dispatcher) Poke() {
	select {
	case d.poke <- struct{}{}:
	default:
	}
}

// Use gives the Dispatcher its queue. It is called once, before anything else but Listener.
func (d *Dispatcher) Use(q Queue) { d.queue = q }

// Run feeds, folds and reconciles until ctx ends.
func (d *Dispatcher) Run(ctx context.Context) {
	var loops sync.WaitGroup
	loops.Go(func() { d.feedLoop(ctx) })
	loops.Go(func() { _ = d.queue.Results(ctx, d.fold) }) // its error is that of ctx
	loops.Go(func() { d.reconcileLoop(ctx) })
	loops.Go(func() { d.flowLoop(ctx) })
	loops.Go(func() { d.heardOf(ctx) })
	loops.Wait()
}

// fold takes one result into the database. After an error it comes again.
func (d *Dispatcher) fold(ctx context.Context, r *job.Result) error {
	d.at(Answered)
	events := blob.Digest("")
	work, err := d.o.Store.Given(ctx, r.Job, r.Token)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		d.trouble(ctx, "look for the job "+r.Job, err)
		return err
	}
	if work == nil { // of what nobody was given nothing is kept
		r.Events = nil
	}
	if r.State == job.Done && len(r.Events) > 0 {
		if err := work.CheckEvents(r.Events); err != nil { // another worker is asked
			r.Unread(err)
		}
	}
	if len(r.Events) > 0 && r.State == job.Done {
		events = blob.Of(r.Events)
		if err := d.o.Blobs.Put(events, int64(len(r.Events)), bytes.NewReader(r.Events)); err != nil {
			d.trouble(ctx, "keep the events of job "+r.Job, err)
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
		log.Error("one job has two verdicts; the first stands")
	case store.GaveUp:
		log.Error("a job failed too often", "reason", r.Reason)
	case store.Retried:
		log.Warn("a job failed and waits again", "reason", r.Reason)
	default:
		log.Debug("result")
	}
	if folded.Outcome != store.Retried {
		d.live.end(r.Job)
	}
	if folded.Outcome == store.Counted && folded.Submission != "" && !folded.Again {
		d.audit(ctx, r, folded.Submission)
		d.believe(ctx, r, folded)
	}
	if folded.Flow != "" {
		d.live.touch(folded.Flow)
		d.Plan(folded.Flow)
	}
	d.count.folded(folded.Outcome) // after all that comes of it, for those who look at both
	d.Poke()
	return nil
}

// manyLost is with how many workers it must be known that a job was lost, for it to count as
// one that ends workers; where only one is here, how often with that. A queue in trouble
// delivers jobs often to workers that never see them, and one bad worker loses all jobs.
const manyLost = 2

// unproven notes of a job that is given up, for it was delivered too often, whether workers are
// known to have ended over it, and else which of them had it: others are asked.
func (d *Dispatcher) unproven(r *job.Result) {
	times, ended, gave := d.queue.Had(r.Job)
	if len(d.failing.lost(r.Job, ended, gave)) >= manyLost || times >= manyLost && !d.view.anotherThan(r.Worker, ended) {
		return
	}
	r.Unproven, r.Had = true, slices.Concat(ended, gave)
}

// keep takes a result into the database, and the job out of the queue. It says at which of
// both it failed.
func (d *Dispatcher) keep(ctx context.Context, r *job.Result, events blob.Digest) (f store.Folded, doing string, err error) {
	if r.TooOften {
		d.unproven(r)
	}
	if r.State != job.Done { // between the two the job waits again
		d.feeding.Lock()
		defer d.feeding.Unlock()
	}
	doubt, err := d.doubt(ctx, r)
	if err != nil {
		return f, "look for who may judge again job ", err
	}
	if f, err = d.o.Store.FoldDoubtful(ctx, r, events, doubt); err != nil {
		return f, "keep the result of job ", err
	}
	d.at(Folded)
	return f, "take out of the queue the job ", d.clear(ctx, r.Job, f.Outcome)
}

// clear takes a job out of the queue that has ended: its worker's acknowledgement may have
// got lost, or it was given out anew meanwhile, and then it would be done once more. One
// that waits again would look as if it was in the queue, until its worker acknowledges it.
func (d *Dispatcher) clear(ctx context.Context, id string, o store.Outcome) error {
	if o == store.Dropped { // the sender may not hold the job, or it goes on
		return nil
	}
	lane, class, err := d.o.Store.Place(ctx, id)
	if err != nil {
		return err
	}
	return d.queue.Delete(ctx, lane, class, id)
}

// Cancel ends a job: its result is not wanted any more. It says whether the job was open.
func (d *Dispatcher) Cancel(ctx context.Context, id string) (bool, error) {
	done, err := d.o.Store.Cancel(ctx, id)
	return d.cancelled(ctx, id, done, err)
}

// CancelUntouched is Cancel for the first judging of a submission that no worker was given:
// else the error is store.ErrGiven.
func (d *Dispatcher) CancelUntouched(ctx context.Context, id string) (bool, error) {
	if d.view.doing(id) != "" { // the database notes it after the queue has it
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

// Forget cancels a rejudging, and stops the jobs of it that are under way.
func (d *Dispatcher) Forget(ctx context.Context, rejudging string) error {
	cancelled, err := d.o.Store.Forget(ctx, rejudging)
	for _, id := range cancelled {
		err = errors.Join(err, d.withdraw(ctx, id))
	}
	return err
}

// withdraw takes a job that was cancelled out of the queue, and has the worker stop that
// does it.
func (d *Dispatcher) withdraw(ctx context.Context, id string) error {
	d.live.end(id)
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

// Drain has a worker take no more jobs and end.
func (d *Dispatcher) Drain(worker string) error {
	return d.queue.Order(worker, job.Order{Kind: job.Drain})
}

// trouble tells what will be tried again.
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
