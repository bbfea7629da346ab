package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// A harness is a server's database and queue, with a Dispatcher that runs only what a test calls.
type harness struct {
	*testing.T
	*Dispatcher
	dir, owner string
	store      *store.Store
	queue      testQueue
	behind     atomic.Int64 // how far the database's clock is behind
	slow       atomic.Int64 // how long the database takes for each write with a time
	step       func(Step)   // called for the dispatcher's steps
}

// A testQueue is a queue together with its worker side.
type testQueue interface {
	Queue
	join(context.Context, queue.JoinOptions) (testMember, error)
	Close()
}

// A testMember is the connection of a worker to a queue.
type testMember interface {
	Take(context.Context) (*lease, error)
	SendResult(context.Context, *job.Result) error
	SetStatus(draining bool, note string)
	Controls() <-chan job.Control
	Close()
}

// A lease is the worker side of a job.
type lease struct {
	Spec *job.Spec
	answers
}

type answers interface {
	Finish(context.Context, *job.Result) error
	Release(ctx context.Context, delay time.Duration) error
	GiveUp(ctx context.Context, reason string, tooOften bool) error
	Progress(first int, events ...[]byte)
}

// served is a queue with a server.
type served struct {
	*queue.Queue
	web *httptest.Server
}

func (q *served) join(ctx context.Context, o queue.JoinOptions) (testMember, error) {
	o.URL = q.web.URL + queue.Path
	m, err := queue.Join(ctx, o)
	return &servedMember{m}, err
}

func (q *served) Close() {
	q.web.Close()
	q.Queue.Close()
}

type servedMember struct{ *queue.Member }

func (m *servedMember) Take(ctx context.Context) (*lease, error) {
	l, err := m.Member.Take(ctx)
	if err != nil {
		return nil, err
	}
	return &lease{l.Spec, l}, nil
}

// run runs a test with a queue in memory and a simulated clock. With ASSAY_SLOW it also runs the test with a queue
// that has a server.
func run(t *testing.T, test func(t *testing.T, h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newHarness(t, false)) })
	if os.Getenv("ASSAY_SLOW") != "" {
		t.Run("with a server", func(t *testing.T) { test(t, newHarness(t, true)) })
	}
}

// class is the worker class in these tests.
const class = "main"

func newHarness(t *testing.T, server bool) *harness {
	t.Helper()
	h := &harness{T: t, dir: storetest.Dir(t), step: func(Step) {}}
	var err error
	h.store, err = store.Open(t.Context(), store.Options{
		Dir: h.dir, Version: "test", Now: func() time.Time {
			time.Sleep(time.Duration(h.slow.Load()))
			return time.Now().Add(-time.Duration(h.behind.Load()))
		},
	})
	h.must(err)
	t.Cleanup(func() { _ = h.store.Close() })
	a, err := h.store.NewAccount(t.Context(), "ann", "Ann", store.PersonAccount, "")
	h.must(err)
	h.owner = a.ID
	_, err = h.store.PutBundle(t.Context(), store.NewBundle{Problem: "sum", Title: "Sum", Owner: a.ID, ID: digest, Manifest: digest,
		Config: digest, MadeBy: a.ID})
	h.must(err)
	h.Dispatcher = h.dispatcher("first")
	h.retry = nil // retry jobs that failed everywhere immediately
	h.queue = newMemory(h.Listener())
	if server {
		q, err := queue.Open(t.Context(), queue.Options{Dir: filepath.Join(h.dir, "queue"), Classes: []string{class}, Listener: h.Listener()})
		h.must(err)
		h.queue = &served{q, httptest.NewServer(q.Bridge())}
	}
	t.Cleanup(h.queue.Close)
	h.SetQueue(h.queue)
	return h
}

// dispatcher returns another Dispatcher with the harness's database. The argument holder is its name for leader
// leases.
func (h *harness) dispatcher(holder string) *Dispatcher {
	h.Helper()
	blobs, err := blob.Open(filepath.Join(h.dir, "blobs"), 0)
	h.must(err)
	return New(Options{Store: h.store, Blobs: blobs, Log: slog.New(slog.DiscardHandler), Holder: holder, OnStep: func(s Step) { h.step(s) }})
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

var digest = blob.DigestOf([]byte("program"))

// submit stores n submissions and returns the ids of their jobs.
func (h *harness) submit(priority job.Priority, class string, n int) (ids []string) {
	h.Helper()
	for range n {
		a, err := h.store.Submit(h.Context(), store.NewSubmission{Account: h.owner, Problem: "sum", Priority: priority, Class: class,
			Cost: time.Second, Work: job.Work{
				Kind: job.Submission, Bundle: digest, Config: digest, Problem: "sum", Program: "a.py",
				Files: []job.File{{Path: "a.py", Size: 7, Digest: digest}},
			}})
		h.must(err)
		ids = append(ids, a.Job)
	}
	return ids
}

// lead acquires the leader lease and returns its epoch.
func (h *harness) lead(holder string) int64 {
	h.Helper()
	epoch, err := h.store.AcquireLease(h.Context(), store.EnqueueLease, holder, store.LeaseTerm)
	h.must(err)
	return epoch
}

// give calls feed once, and waits until the number of untaken jobs of the priority and class in the queue equals the
// argument untaken.
func (h *harness) give(priority job.Priority, class string, untaken int) {
	h.Helper()
	h.must(h.enqueueAll(h.Context(), h.lead("first")))
	h.until(fmt.Sprintf("%d jobs of priority %s and class %s wait in the queue", untaken, priority, class),
		func() bool { return h.untaken(priority, class) == untaken })
}

func (h *harness) untaken(priority job.Priority, class string) int {
	h.Helper()
	n, err := h.queue.PendingCount(h.Context(), priority, class)
	h.must(err)
	return n
}

// states returns the numbers of pending and dispatched jobs in a priority and class.
func (h *harness) states(priority job.Priority, class string) (waiting, out int) {
	h.Helper()
	all, err := h.store.QueueCounts(h.Context())
	h.must(err)
	for _, q := range all {
		switch {
		case q.Priority != priority || q.Class != class:
		case q.State == store.JobWaiting:
			waiting = q.Jobs
		default:
			out = q.Jobs
		}
	}
	return waiting, out
}

// patience is the timeout for actions that take only a moment on an idle machine.
const patience = 5 * time.Minute

// until waits until `is()` returns true. If that takes too long, the test fails with a message that contains the
// text what.
func (h *harness) until(what string, is func() bool) {
	h.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.Fatalf("it does not come to pass that %s", what)
		}
	}
}

// A fake is a worker controlled by a test.
type fake struct {
	testMember
	h    *harness
	name string
}

// join connects a worker, and waits until the Dispatcher knows its number of slots.
func (h *harness) join(name, class string, slots int) *fake {
	h.Helper()
	return h.joins(name, class, false, slots)
}

func (h *harness) joins(name, class string, guest bool, slots int) *fake {
	h.Helper()
	seed, key, err := queue.ReadKey(filepath.Join(h.dir, "key of "+name))
	h.must(err)
	h.must(h.Admit(&store.Worker{Name: name, Class: class, Key: key, Untrusted: guest}))
	priorities := job.Priorities
	if guest {
		priorities = []job.Priority{job.PracticePriority, job.BackgroundPriority}
	}
	m, err := h.queue.join(h.Context(), queue.JoinOptions{Worker: name, Class: class, Seed: seed, Slots: slots, Priorities: priorities})
	h.must(err)
	h.Cleanup(m.Close)
	h.until(name+" is here", func() bool { p := h.WorkerStatus(name); return p.Connected && p.Slots == slots })
	return &fake{m, h, name}
}

// take receives the next job for f, and waits until the Dispatcher knows that f runs the job.
func (f *fake) take() *lease {
	f.h.Helper()
	ctx, cancel := context.WithTimeout(f.h.Context(), patience)
	defer cancel()
	l, err := f.Take(ctx)
	f.h.must(err)
	f.h.until(f.name+" is known to do its job", func() bool { return f.h.view.runningWorker(l.Spec.ID) == f.name })
	return l
}

// none checks that there is no job for the worker.
func (f *fake) none(why string) {
	f.h.Helper()
	ctx, cancel := context.WithTimeout(f.h.Context(), 300*time.Millisecond)
	defer cancel()
	if l, err := f.Take(ctx); err == nil {
		f.h.Errorf("%s, and %s takes the job %s of generation %d", why, f.name, l.Spec.ID, l.Spec.Generation)
	}
}

// says returns a result with verdict v. If v is empty, the result is a failure of the worker's machine.
func says(s *job.Spec, v judge.Verdict) *job.Result {
	r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, State: job.Done, Finished: &judge.Finished{Verdict: v},
		Version: "test"}
	if v == "" {
		r.State, r.Finished, r.Reason = job.Failed, nil, "no disk"
	}
	return r
}

// spec returns a pending job from the database.
func (h *harness) spec(id string) *job.Spec {
	h.Helper()
	for _, priority := range job.Priorities {
		specs, err := h.store.NextJobs(h.Context(), priority, class, 1000)
		h.must(err)
		if i := slices.IndexFunc(specs, func(s *job.Spec) bool { return s.ID == id }); i >= 0 {
			return specs[i]
		}
	}
	h.Fatalf("the job %s does not wait", id)
	return nil
}

// judgement returns the judgement of a job.
func (h *harness) judgement(id string) *store.Judgement {
	h.Helper()
	all, err := h.store.Submissions(h.Context(), store.SubmissionFilter{Limit: 1000})
	h.must(err)
	for _, s := range all {
		if s.Judgement == id {
			j, err := h.store.Judgement(h.Context(), s.ID)
			h.must(err)
			return j
		}
	}
	h.Fatalf("there is no judgement %s", id)
	return nil
}

// folding stores results until the test ends.
func (h *harness) folding() {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { _ = h.queue.Results(ctx, h.recordResult) })
	h.Cleanup(func() { cancel(); done.Wait() })
}
