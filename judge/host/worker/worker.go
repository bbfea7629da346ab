// Package worker takes jobs and does them on this machine:
//
//	r, err := worker.NewRunner(worker.RunnerOptions{...}) // what judges
//	w, err := worker.New(worker.Options{...})             // what takes jobs, and hands results in
//	err = w.Run(ctx)
//	err = r.Close()
//
// A Runner judges as `judge submit` does: it brings what a job names from the server, lays
// it out, and has package workspace do the rest. A Worker knows nothing of judging: it
// keeps as many jobs under way as it has slots, tells how they get on, and writes a result
// to the disk before it hands it in, so that no death of a process loses one.
//
// Who is to blame decides what becomes of a job. A submission's fault is a verdict. A
// bundle that cannot be judged is a result of state Failed, with the fault. What the
// machine cannot do just now (its disk is full, its sandbox is gone, the server does not
// send what the job needs) gives the job back to others, and the worker rests until it
// can.
//
// The package knows no queue and no network: those are interfaces, Queue and Blobs.
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

// Queue is where jobs come from and results go to: FromMember makes one. Its methods are
// called by several goroutines at once.
type Queue interface {
	// Take waits for a job. It returns ctx's error when ctx ends. Any other error stops the worker.
	Take(ctx context.Context) (*Taken, error)
	// TakeBefore waits for a job of a lane before the given one that no worker with nothing to
	// do wants. Its error is as that of Take.
	TakeBefore(ctx context.Context, lane job.Lane) (*Taken, error)
	// Offer hands in the result of a job that is not held any more. It tries until the result
	// is stored, or ctx ends.
	Offer(ctx context.Context, r *job.Result) error
	// Say tells why no jobs are taken, or that they are: draining is false then.
	Say(draining bool, note string)
	// Orders are what the server wants of this worker. A nil channel gives none.
	Orders() <-chan job.Order
}

// Taken is a job that this worker holds.
type Taken struct {
	Spec       *job.Spec
	Deliveries int // how often it was given to a worker, this time included
	Lease
}

// A Lease reserves a job for this worker. Its maker renews it until Finish or Back is called;
// call exactly one.
type Lease interface {
	// Finish hands in the result and lets go of the job, in this order. It tries until the
	// result is stored, or ctx ends.
	Finish(ctx context.Context, r *job.Result) error
	// Back lets others have the job after a delay.
	Back(ctx context.Context, delay time.Duration) error
	// Progress tells of events, as package judge encodes them; first is the index of the first
	// of them in the stream. Some may get lost.
	Progress(first int, events ...[]byte)
}

// Judging does jobs: a *Runner.
type Judging interface {
	// Run does a job. What happens goes to progress as it happens, if it is not nil. The
	// result says what came of it; who it is from, and for which job, is the caller's to
	// say. An error says that the job is to be given back: Unwell where the machine is not
	// fit for others either. Where turn is not nil, each program of the job waits for its.
	Run(ctx context.Context, s *job.Spec, progress func(judge.Event), turn Turn) (*job.Result, error)
	// Well says what makes the machine unfit for judging just now, or nil.
	Well(ctx context.Context) error
}

// Warming is a Judging that can make ready what jobs will need.
type Warming interface {
	// Warm makes bundles ready. The error says which are not.
	Warm(ctx context.Context, bundles []job.Bundle) error
}

// Unwell is the error of a machine that is not fit for judging. What it says is for those
// who look after the machine.
type Unwell struct{ Err error }

// Error says what is wrong with the machine.
func (e *Unwell) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Unwell) Unwrap() error { return e.Err }

// Options are what a worker is made of.
type Options struct {
	Name    string // the worker's, in results
	Dir     string // its data folder, for results that are not handed in yet
	Queue   Queue
	Judging Judging
	Slots   int // jobs at one time; at least 1
	// Note, if it is not nil, is told what those who look after the worker should know, and
	// Info what goes as it should. They are called by several goroutines at once.
	Note, Info func(text string)
	// Measure, if it is not nil, is called now and then when there has been nothing to do for
	// a while; no job runs beside it.
	Measure func(ctx context.Context)
}

// The times of a worker.
const (
	firstMeasure = time.Minute // after the start
	measureEvery = time.Hour
	quietFor     = 10 * time.Minute // before that, but for the first time
	lookEvery    = time.Minute      // whether the machine is well
	restFor      = 10 * time.Second // until one that was not is looked at again
	drainFor     = 10 * time.Minute // what jobs may still take when the worker is to end
	handInFor    = 10 * time.Second // and how long a server is waited for then that is away, with a result that is on the disk
	backFor      = 2 * time.Second  // what giving a job back may take: else its lease runs out
	backLater    = 2 * time.Second  // before others try what this machine could not do
)

// maxTold bounds the bytes of an event that is told while a job runs. One that has more
// goes without its details, which come with the result.
const maxTold = 256 << 10

// Why a job is ended before its end.
var (
	errCancelled = errors.New("the job was cancelled")
	errLeaving   = errors.New("the worker ends")
)

// Worker takes jobs and hands results in. Its methods may be called by several goroutines
// at once.
type Worker struct {
	o      Options
	spool  *spool
	places *places       // for jobs that run
	drain  chan struct{} // closed when no more jobs are to be taken

	mu      sync.Mutex
	drained bool
	running map[*context.CancelCauseFunc]string // what ends a job that is being done, and its id
	ill     string                              // why no job is taken; "" where the machine is well
	err     error                               // what ends the worker
	worked  time.Time                           // when the last job ended
}

// New makes a worker. It makes the folder of results where it is missing.
func New(o Options) (*Worker, error) {
	if o.Slots < 1 {
		return nil, &judge.Misuse{Err: fmt.Errorf("%d slots: a worker has at least one", o.Slots)}
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
	return &Worker{o: o, spool: s, places: &places{Weighted: semaphore.NewWeighted(int64(o.Slots))}, drain: make(chan struct{}), running: map[*context.CancelCauseFunc]string{}}, nil
}

// Drain has the worker take no more jobs. Run returns when those that run have ended, or
// were given back after ten minutes.
func (w *Worker) Drain() {
	w.mu.Lock()
	first := !w.drained
	w.drained = true
	w.mu.Unlock()
	if first {
		close(w.drain)
		w.say()
	}
}

// Run does jobs until the worker is drained, or the queue cannot go on, which is the error.
// When ctx ends, it gives back at once what it holds. Results that an earlier process left
// are handed in first. It may be called once.
func (w *Worker) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(ctx) // what jobs run in
	defer stop(nil)
	aside, done := context.WithCancel(ctx)
	var others, slots sync.WaitGroup
	others.Go(func() { w.handInLeft(aside) })
	others.Go(func() { w.lookAfter(aside) })
	others.Go(func() { w.obey(aside) })
	others.Go(func() { w.measure(aside) })
	others.Go(func() {
		select {
		case <-aside.Done():
			return
		case <-w.drain:
		}
		if wait(aside, drainFor) {
			stop(errLeaving)
		}
	})
	for range w.o.Slots {
		slots.Go(func() { w.slot(work) })
	}
	slots.Wait()
	done()
	others.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// slot takes jobs and does them, one after the other.
func (w *Worker) slot(ctx context.Context) {
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
		// No job is taken that would wait for one that runs alone.
		if w.places.Acquire(taking, 1) != nil {
			return
		}
		w.places.Release(1)
		t, err := w.o.Queue.Take(taking)
		switch {
		case err != nil:
			w.lost(taking, err)
		case t.Spec.Kind.Preemptible():
			w.doBeside(ctx, taking, t)
		default:
			w.do(ctx, t)
		}
	}
}

// lost ends the worker, for no job can be taken any more, unless it is because ctx ended.
func (w *Worker) lost(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	w.err = cmp.Or(w.err, err)
	w.mu.Unlock()
	w.Drain()
}

// doBeside does a job that makes way, and jobs of lanes before its own as they come.
func (w *Worker) doBeside(ctx, taking context.Context, t *Taken) {
	taking, over := context.WithCancel(taking)
	var long sync.WaitGroup
	long.Go(func() {
		defer over()
		w.do(ctx, t)
	})
	for w.recovered(taking) {
		if next, err := w.o.Queue.TakeBefore(taking, t.Spec.Lane); err != nil {
			w.lost(taking, err)
		} else {
			w.do(ctx, next)
		}
	}
	long.Wait()
}

// do does a job that was taken.
func (w *Worker) do(ctx context.Context, t *Taken) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	w.mu.Lock()
	w.running[&end] = t.Spec.ID
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, &end)
		w.worked = time.Now()
		w.mu.Unlock()
	}()
	result, err := w.judge(ctx, t)
	switch {
	case context.Cause(ctx) != nil: // cancelled, or to be left to others
		w.back(t, 0)
	case err != nil:
		w.o.Note(fmt.Sprintf("the job %s is given back: %v", t.Spec.ID, err))
		if unwell, ok := errors.AsType[*Unwell](err); ok {
			w.rest(unwell)
		}
		w.back(t, backLater)
	default:
		result.Job, result.Generation, result.Token, result.Worker = t.Spec.ID, t.Spec.Generation, t.Spec.Token, w.o.Name
		w.finish(ctx, t, result)
	}
}

// judge has the job done, alone if that is asked for, or if it was given to a worker before:
// it may be what ended that one. From a case on that another worker may judge otherwise,
// nothing is told before the end.
func (w *Worker) judge(ctx context.Context, t *Taken) (*job.Result, error) {
	n := int64(1)
	if t.Deliveries > 1 || t.Spec.Alone {
		n = int64(w.o.Slots)
	}
	place, err := w.places.hold(ctx, n)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer place.leave()
	var turn Turn
	if t.Spec.Kind.Preemptible() {
		turn = place.turn
	}
	told, quiet := 0, t.Spec.Alone
	var limit time.Duration
	return w.o.Judging.Run(ctx, t.Spec, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.Started:
			limit = time.Duration(e.TimeMS) * time.Millisecond
		case *judge.CaseJudged:
			quiet = quiet || e.Borderline(limit)
		}
		if quiet {
			return
		}
		if data, err := encodeSmall(e); err == nil { // else the result has it, or says why not
			t.Progress(told, data)
		}
		told++
	}, turn)
}

// encodeSmall writes an event, without its details where they are too large.
func encodeSmall(e judge.Event) ([]byte, error) {
	data, err := judge.EncodeEvent(e)
	c, judged := e.(*judge.CaseJudged)
	if err != nil || len(data) <= maxTold || !judged {
		return data, err
	}
	short := *c
	short.Detail, short.Dialogue, short.Stderr = nil, "", ""
	return judge.EncodeEvent(&short)
}

// back lets go of a job without a result, also when the worker ends.
func (w *Worker) back(t *Taken, delay time.Duration) {
	ctx, end := context.WithTimeout(context.Background(), backFor)
	defer end()
	if err := t.Back(ctx, delay); err != nil {
		w.o.Note(fmt.Sprintf("could not give job %s back; others get it when its lease expires: %v", t.Spec.ID, err))
	}
}

// finish hands a result in. It is on the disk first, and stays there if the worker ends
// before it is handed in.
func (w *Worker) finish(ctx context.Context, t *Taken, result *job.Result) {
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
	w.o.Note(fmt.Sprintf("the result of job %s is kept until the worker starts again: %v", result.Job, err))
}

// endAfterDrain calls end when the worker was told to end and handInFor is over, unless ctx
// ends before.
func (w *Worker) endAfterDrain(ctx context.Context, end func()) {
	select {
	case <-ctx.Done():
		return
	case <-w.drain:
	}
	if wait(ctx, handInFor) {
		end()
	}
}

// handInLeft hands in the results that an earlier process left.
func (w *Worker) handInLeft(ctx context.Context) {
	left, notes := w.spool.left()
	for _, note := range notes {
		w.o.Note(note)
	}
	for _, l := range left {
		if w.o.Queue.Offer(ctx, l.result) == nil {
			w.spool.remove(l.file)
		}
	}
}

// lookAfter looks now and then whether the machine is well.
func (w *Worker) lookAfter(ctx context.Context) {
	for wait(ctx, lookEvery) {
		if w.illness() != "" {
			continue // it is looked at already
		}
		if err := w.o.Judging.Well(ctx); err != nil && ctx.Err() == nil {
			w.rest(err)
		}
	}
}

// measure has the machine measured when nobody is kept waiting by it.
func (w *Worker) measure(ctx context.Context) {
	if w.o.Measure == nil {
		return
	}
	for next := time.Now().Add(firstMeasure); wait(ctx, firstMeasure); {
		w.mu.Lock()
		quiet := time.Since(w.worked) >= quietFor
		w.mu.Unlock()
		if time.Now().Before(next) || !quiet || w.illness() != "" || !w.places.TryAcquire(int64(w.o.Slots)) {
			continue
		}
		w.o.Measure(ctx)
		w.places.Release(int64(w.o.Slots))
		next = time.Now().Add(measureEvery)
	}
}

// say tells the server whether jobs are taken.
func (w *Worker) say() {
	w.mu.Lock()
	draining, note := w.drained || w.ill != "", w.ill
	w.mu.Unlock()
	w.o.Queue.Say(draining, note)
}

// obey does what the server orders.
func (w *Worker) obey(ctx context.Context) {
	orders := w.o.Queue.Orders()
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
				w.o.Info("the server has this worker take no more jobs: it ends when those that run have ended")
				w.Drain()
			case o.Kind == job.Cancel:
				w.cancel(o.Job)
			case o.Kind == job.Warm:
				warm.Go(func() { w.warm(ctx, o.Bundles) })
			}
		}
	}
}

// warm makes bundles ready, beside the jobs.
func (w *Worker) warm(ctx context.Context, bundles []job.Bundle) {
	can, ok := w.o.Judging.(Warming)
	if !ok {
		return
	}
	switch err := can.Warm(ctx, bundles); {
	case ctx.Err() != nil: // nobody needs them any more
	case err != nil:
		w.o.Note(err.Error())
	default:
		w.o.Info(fmt.Sprintf("bundles ready for jobs: %d", len(bundles)))
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

// rest has no jobs taken until the machine is well again.
func (w *Worker) rest(err error) {
	w.mu.Lock()
	first := w.ill == ""
	w.ill, _, _ = strings.Cut(err.Error(), "\n")
	w.mu.Unlock()
	if first {
		w.o.Note("no jobs are taken: " + err.Error())
	}
	w.say()
	_, changed := errors.AsType[*ChangedError](err)
	if _, gone := errors.AsType[*GoneError](err); changed || gone {
		w.lost(context.Background(), err)
	}
}

func (w *Worker) illness() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ill
}

// recovered waits until the machine is well; false says that ctx ended.
func (w *Worker) recovered(ctx context.Context) bool {
	for w.illness() != "" {
		if !wait(ctx, restFor) {
			return false
		}
		if err := w.o.Judging.Well(ctx); err != nil {
			w.rest(err)
			continue
		}
		w.mu.Lock()
		first := w.ill != "" // another slot may have been faster
		w.ill = ""
		w.mu.Unlock()
		if first {
			w.o.Info("jobs are taken again")
			w.say()
		}
	}
	return ctx.Err() == nil
}
