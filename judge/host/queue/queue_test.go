package queue_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// spec returns a valid job.
func spec(id string) *job.Spec {
	d := blob.DigestOf([]byte("x"))
	return &job.Spec{
		Work: job.Work{Kind: job.Submission, Bundle: d, Config: d, Problem: "wythoff", Program: "a.py",
			Files: []job.File{{Path: "a.py", Size: 1, Digest: d}}},
		ID: id, Generation: 1, Class: "main", Token: "token of " + id,
	}
}

func accepted() *job.Result {
	return &job.Result{State: job.Done, Finished: &judge.Finished{Verdict: judge.Accepted}, Version: "test"}
}

// key creates an nkey and returns its public half and its seed.
func key(t testing.TB) (public string, seed []byte) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		t.Fatal(err)
	}
	if seed, err = pair.Seed(); err != nil {
		t.Fatal(err)
	}
	return public, seed
}

// A site is a queue whose bridge listens on a port.
type site struct {
	t testing.TB
	*queue.Queue
	*results
	web    *httptest.Server
	folder string
	seeds  map[string][]byte
	keys   map[string]string
	// stopFold stops the handler of results, and waits until it has returned.
	stopFold func()
	cluster  string // address for workers if the queue is an external cluster
}

// A results contains the results that a server received. The map all is keyed by job id.
type results struct {
	mu  sync.Mutex
	all map[string][]*job.Result
	new chan struct{}
	// refuse is the number of results to reject before one is accepted.
	refuse atomic.Int32
}

func (r *results) take(_ context.Context, res *job.Result) error {
	if r.refuse.Load() > 0 {
		r.refuse.Add(-1)
		return errors.New("not now")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[res.Job] = append(r.all[res.Job], res)
	select {
	case r.new <- struct{}{}:
	default:
	}
	return nil
}

func (r *results) of(id string) []*job.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[id]
}

func (r *results) jobs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

// open opens a queue in a directory of the test, with a running handler of results.
func open(t testing.TB, listen queue.Listener) *site {
	t.Helper()
	leaks(t)
	if listen.Error == nil {
		listen.Error = func(err error) { t.Logf("trouble: %v", err) }
	}
	s := &site{t: t, folder: t.TempDir(), seeds: map[string][]byte{}, keys: map[string]string{},
		results: &results{all: map[string][]*job.Result{}, new: make(chan struct{}, 1)}}
	s.open(listen)
	return s
}

func (s *site) open(listen queue.Listener) {
	s.t.Helper()
	q, err := queue.Open(s.t.Context(), queue.Options{Dir: s.folder, Classes: []string{"main"}, Listener: listen})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Queue, s.web = q, httptest.NewServer(q.Bridge())
	s.startFold()
	s.t.Cleanup(func() { s.stopFold(); q.Close(); s.web.Close() })
}

// startFold handles results until stopFold is called, at the latest at the end of the test.
func (s *site) startFold() {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	q := s.Queue
	done.Go(func() { _ = q.Results(ctx, s.take) })
	s.stopFold = func() { cancel(); done.Wait() }
}

// join admits a worker and connects it.
func (s *site) join(name string, change ...func(*queue.JoinOptions)) *queue.Member {
	s.t.Helper()
	m, err := queue.Join(s.t.Context(), s.options(name, change...))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(m.Close)
	return m
}

// options admits a worker with the given name, and returns the options with which it can join. The functions in
// change may modify the options. The worker named guest is untrusted.
func (s *site) options(name string, change ...func(*queue.JoinOptions)) queue.JoinOptions {
	s.t.Helper()
	if s.seeds[name] == nil {
		s.keys[name], s.seeds[name] = key(s.t)
	}
	opts := queue.JoinOptions{Worker: name, Class: "main", URL: s.cluster, Seed: s.seeds[name], Slots: 1,
		OnRetry: func(err error) { s.t.Logf("%s: %v", name, err) }}
	if s.cluster == "" {
		opts.URL = s.web.URL + queue.Path
	}
	for _, c := range change {
		c(&opts)
	}
	if err := s.Admit(name, opts.Class, s.keys[name], name == "guest"); err != nil {
		s.t.Fatal(err)
	}
	return opts
}

func (s *site) publish(sp *job.Spec) {
	s.t.Helper()
	if what, err := s.Publish(s.t.Context(), sp); err != nil || what != queue.NewlyStored {
		s.t.Fatalf("publish %s: %q, %v", sp.ID, what, err)
	}
}

// untaken waits until the number of pending jobs in priority 0 equals want.
func (s *site) untaken(want int) {
	s.t.Helper()
	waitUntil(s.t, fmt.Sprintf("%d jobs wait", want), func() bool {
		n, err := s.PendingCount(s.t.Context(), 0, "main")
		return n == want && err == nil
	})
}

// patience is the timeout for actions that take only a moment on an idle machine.
const patience = 2 * time.Minute

// waitUntil waits until `is()` returns true. If that takes too long, the test fails with a message that contains the
// text what.
func waitUntil(t testing.TB, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > patience {
			t.Fatalf("%s: not within %v", what, patience)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return time.Since(began)
}

// leaks checks that the test leaves no goroutine behind.
func leaks(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		var now int
		for began := time.Now(); time.Since(began) < patience; {
			if now = runtime.NumGoroutine(); now <= before+2 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, now, stacks[:runtime.Stack(stacks, true)])
	})
}

// longLeases makes later leases last longer than any test.
func (s *site) longLeases() {
	s.t.Helper()
	jobs, err := s.JetStream().Stream(s.t.Context(), "JOBS")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, priority := range job.Priorities {
		c, err := jobs.Consumer(s.t.Context(), fmt.Sprintf("l%d-main", priority))
		if err != nil {
			s.t.Fatal(err)
		}
		config := c.CachedInfo().Config
		config.AckWait = time.Hour
		if _, err := jobs.UpdateConsumer(s.t.Context(), config); err != nil {
			s.t.Fatal(err)
		}
	}
}

func take(t testing.TB, m *queue.Member) *queue.Lease {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l, err := m.Take(ctx)
	if err != nil {
		t.Fatalf("take: %v", err)
	}
	return l
}

// Example shows the life of one job, with both sides in one process.
func Example() {
	ctx := context.Background()
	say := func(err error) {
		if err != nil {
			fmt.Println(err)
		}
	}
	folder, err := os.MkdirTemp("", "queue")
	say(err)
	defer os.RemoveAll(folder)
	pair, err := nkeys.CreateUser()
	say(err)
	public, err := pair.PublicKey()
	say(err)
	seed, err := pair.Seed()
	say(err)
	q, err := queue.Open(ctx, queue.Options{Dir: folder, Listener: queue.Listener{
		Taken: func(worker string, r job.Running) { fmt.Println(worker, "took", r.Job) },
	}})
	say(err)
	defer q.Close()
	web := httptest.NewServer(q.Bridge())
	defer web.Close()

	// The server admits a worker, which connects.
	say(q.Admit("lab3", "main", public, false))
	m, err := queue.Join(ctx, queue.JoinOptions{Worker: "lab3", Class: "main", Seed: seed, URL: web.URL})
	say(err)
	defer m.Close()

	// The server publishes a job, marks it as dispatched in its database, and wakes a worker.
	what, err := q.Publish(ctx, spec("job1"))
	say(err)
	say(q.Wake("main"))
	fmt.Println(what)

	// The worker takes the job and returns a result, which the server stores.
	lease, err := m.Take(ctx)
	say(err)
	say(lease.Finish(ctx, accepted()))
	ctx, stop := context.WithCancel(ctx)
	err = q.Results(ctx, func(_ context.Context, r *job.Result) error {
		fmt.Println(r.Worker, "says", r.Finished.Verdict)
		stop()
		return nil
	})
	fmt.Println(errors.Is(err, context.Canceled))

	// Output:
	// stored
	// lab3 took job1
	// lab3 says AC
	// true
}

func TestAJobIsDoneOnce(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	s.publish(spec("a"))
	if what, err := s.Publish(t.Context(), spec("a")); what != queue.AlreadyStored || err != nil {
		t.Errorf("published twice: %q, %v; want alive", what, err)
	}
	l := take(t, m)
	if l.Spec.ID != "a" || l.Deliveries != 1 || l.Spec.Token != "token of a" {
		t.Errorf("took %+v, delivery %d", l.Spec, l.Deliveries)
	}
	if alive, err := s.HasJob(t.Context(), 0, "main", "a"); !alive || err != nil {
		t.Errorf("a job that is taken: alive %v, %v", alive, err)
	}
	if what, err := s.Publish(t.Context(), spec("a")); what != queue.AlreadyStored || err != nil {
		t.Errorf("published while taken: %q, %v; want alive", what, err)
	}
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	if alive, err := s.HasJob(t.Context(), 0, "main", "a"); alive || err != nil {
		t.Errorf("a job that is done: alive %v, %v", alive, err)
	}
	waitUntil(t, "the result", func() bool { return len(s.of("a")) == 1 })
	if r := s.of("a")[0]; r.Worker != "w" || r.Token != "token of a" || r.Generation != 1 {
		t.Errorf("the result is %+v", r)
	}
	s.publish(spec("a")) // accepted again immediately, not dropped as a duplicate
	if l := take(t, m); l.Spec.ID != "a" {
		t.Errorf("took %s", l.Spec.ID)
	}
}

func TestNamesThatMakeNoSubject(t *testing.T) {
	s := open(t, queue.Listener{})
	for _, id := range []string{"", "a.b", "*", ">", "a b", strings.Repeat("x", 65)} {
		if _, err := s.Publish(t.Context(), spec(id)); err == nil {
			t.Errorf("the job %q was published", id)
		}
		sp := spec("a")
		if sp.Class = id; id != "" {
			if _, err := s.Publish(t.Context(), sp); err == nil {
				t.Errorf("a job of class %q was published", id)
			}
		}
		public, _ := key(t)
		if s.Admit(id, "main", public, false) == nil {
			t.Errorf("the worker %q was admitted", id)
		}
	}
	sp := spec("a")
	sp.Priority = job.Priority(len(job.Priorities))
	if _, err := s.Publish(t.Context(), sp); err == nil {
		t.Error("a job of a priority that is none was published")
	}
	if s.Admit("w", "main", "nonsense", false) == nil {
		t.Error("a key that is none was admitted")
	}
}
