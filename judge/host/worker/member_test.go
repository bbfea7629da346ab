package worker_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/worker"
)

// TestOnTheRealQueue checks that a worker receives jobs and returns results over a connection. A canceled job has
// no result, and a drained worker leaves the remaining jobs to others.
func TestOnTheRealQueue(t *testing.T) {
	dir := t.TempDir()
	q, err := queue.Open(t.Context(), queue.Options{Dir: filepath.Join(dir, "queue"), Classes: []string{"main"}, Listener: queue.Listener{
		Error: func(err error) { t.Logf("trouble: %v", err) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	web := httptest.NewServer(q.Bridge())
	defer web.Close()
	seed, public, err := queue.ReadKey(filepath.Join(dir, "key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Admit("w", "main", public, false); err != nil {
		t.Fatal(err)
	}
	results := make(chan *job.Result, 100)
	ctx, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	all.Go(func() {
		_ = q.Results(ctx, func(_ context.Context, r *job.Result) error { results <- r; return nil })
	})
	m, err := queue.Join(t.Context(), queue.JoinOptions{Worker: "w", Class: "main", Seed: seed, URL: web.URL, Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	begun := make(chan string, 100)
	run := func(ctx context.Context, id string) error {
		begun <- id
		if id == "endless" {
			return never(ctx, id)
		}
		return nil
	}
	w, err := worker.New(worker.Options{
		Name: "w", Dir: dir, Queue: worker.QueueOf(m), Runner: &judging{run: run}, Slots: 2,
		Note: func(text string) { t.Log(text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	all.Go(func() { ended <- w.Run(ctx) })
	d := blob.DigestOf([]byte("x"))
	publish := func(id string) {
		t.Helper()
		s := &job.Spec{ID: id, Generation: 1, Class: "main", Token: "t", Work: job.Work{
			Kind: job.Submission, Bundle: d, Config: d, Problem: "p", Program: "a.py", Files: []job.File{{Path: "a.py", Size: 1, Digest: d}},
		}}
		if _, err := q.Publish(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if err := q.Wake("main"); err != nil {
			t.Fatal(err)
		}
	}
	soon := time.After(2 * time.Minute)
	next := func(from chan string) string {
		t.Helper()
		select {
		case got := <-from:
			return got
		case <-soon:
			t.Fatal("nothing comes")
			return ""
		}
	}
	publish("endless")
	if got := next(begun); got != "endless" {
		t.Fatalf("%s has begun", got)
	}
	for i := range 20 {
		publish(fmt.Sprint("job-", i))
	}
	for range 20 {
		next(begun)
		select {
		case r := <-results:
			if r.Worker != "w" || r.Token != "t" || r.Job == "endless" {
				t.Errorf("a result of %q: %+v", r.Worker, r)
			}
		case <-soon:
			t.Fatal("no result comes")
		}
	}
	if err := q.Delete(t.Context(), job.ContestPriority, "main", "endless"); err != nil {
		t.Fatal(err)
	}
	if err := q.Control("w", job.Control{Kind: job.Cancel, Job: "endless"}); err != nil {
		t.Fatal(err)
	}
	if err := q.Control("w", job.Control{Kind: job.Drain}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil || len(results) > 0 {
			t.Errorf("Run: %v, and %d results more", err, len(results))
		}
	case <-soon:
		t.Fatal("the worker does not end")
	}
}
