package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/worker"
)

// fakeQueue is a queue that hands out the jobs sent to it, and records its calls.
type fakeQueue struct {
	jobs   chan *worker.LeasedJob
	before chan *worker.LeasedJob // handed out beside a preempted job
	orders chan job.Control
	broken error // returned by Take after jobs is closed
	finish func(ctx context.Context, r *job.Result) error

	mu      sync.Mutex
	results []*job.Result
	offered []*job.Result
	back    []string // ids of jobs
	said    []string
	told    []string // by Progress
}

func newQueue() *fakeQueue {
	return &fakeQueue{jobs: make(chan *worker.LeasedJob, 1000), before: make(chan *worker.LeasedJob, 1000), orders: make(chan job.Control)}
}

func (q *fakeQueue) Take(ctx context.Context) (*worker.LeasedJob, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case t, open := <-q.jobs:
		if !open {
			return nil, q.broken
		}
		return t, nil
	}
}

func (q *fakeQueue) TakeBefore(ctx context.Context, priority job.Priority) (*worker.LeasedJob, error) {
	if priority != job.BackgroundPriority {
		return nil, fmt.Errorf("the priority %d is that of no job here", priority)
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case t := <-q.before:
		return t, nil
	}
}

func (q *fakeQueue) SendResult(ctx context.Context, r *job.Result) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.offered = append(q.offered, r)
	return nil
}

func (q *fakeQueue) SetStatus(draining bool, note string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.said = append(q.said, fmt.Sprint(draining, " ", note))
}

func (q *fakeQueue) Controls() <-chan job.Control { return q.orders }

// lease is the lease of one job.
type lease struct {
	q  *fakeQueue
	id string
}

func (l *lease) Finish(ctx context.Context, r *job.Result) error {
	if l.q.finish != nil {
		if err := l.q.finish(ctx, r); err != nil {
			return err
		}
	}
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	l.q.results = append(l.q.results, r)
	return nil
}

func (l *lease) Release(ctx context.Context, delay time.Duration) error {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	l.q.back = append(l.q.back, l.id)
	return ctx.Err()
}

func (l *lease) Progress(first int, events ...[]byte) {
	l.q.mu.Lock()
	defer l.q.mu.Unlock()
	l.q.told = append(l.q.told, fmt.Sprintf("%s %d %s", l.id, first, events[0]))
}

// give queues a job for the worker.
func (q *fakeQueue) give(id string, deliveries int) {
	q.jobs <- &worker.LeasedJob{Spec: &job.Spec{ID: id, Generation: 2, Token: "token of " + id}, Deliveries: deliveries, Lease: &lease{q, id}}
}

// judging runs jobs as the test specifies.
type judging struct {
	run    func(ctx context.Context, id string) error
	long   func(ctx context.Context, turn worker.TurnFunc) error // for a preemptible job
	events []judge.Event                                         // of each job

	mu  sync.Mutex
	ill error
}

func (j *judging) Run(ctx context.Context, s *job.Spec, progress func(judge.Event), turn worker.TurnFunc) (*job.Result, error) {
	progress(&judge.Noted{Text: "begun"})
	for _, e := range j.events {
		progress(e)
	}
	var err error
	if turn != nil {
		err = j.long(ctx, turn)
	} else {
		err = j.run(ctx, s.ID)
	}
	if err != nil {
		return nil, err
	}
	return &job.Result{State: job.Done, Finished: &judge.Finished{Verdict: judge.Accepted}}, nil
}

func (j *judging) CheckHealth(context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ill
}

// Warm returns an error for the problem "bad".
func (j *judging) Warm(_ context.Context, bundles []job.Bundle) error {
	for _, b := range bundles {
		if b.Problem == "bad" {
			return errors.New("bad is not ready")
		}
	}
	return nil
}

func (j *judging) set(ill error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ill = ill
}

// setup is a worker in a synctest bubble, with the components that it uses.
type setup struct {
	*worker.Worker
	*fakeQueue
	*judging
	notes notes // reported problems
	infos notes
	dir   string
	err   chan error // result of Run
}

// bubble runs a test with a running worker in a synctest bubble, which has its own time.
func bubble(t *testing.T, slots int, run func(ctx context.Context, id string) error,
	test func(t *testing.T, ctx context.Context, s *setup)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &setup{fakeQueue: newQueue(), judging: &judging{run: run}, dir: dir, err: make(chan error, 1)}
		var err error
		s.Worker, err = worker.New(worker.Options{
			Name: "w", Dir: dir, Queue: s.fakeQueue, Runner: s.judging, Slots: slots, Note: s.notes.add, Info: s.infos.add,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		go func() { s.err <- s.Worker.Run(ctx) }()
		synctest.Wait()
		test(t, ctx, s)
		end()
		synctest.Wait()
		select {
		case <-s.err:
		default:
			t.Error("the worker did not end")
		}
	})
}

// spooled returns the number of results on disk.
func (s *setup) spooled(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// never runs a job that ends only when it is canceled.
func never(ctx context.Context, _ string) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
