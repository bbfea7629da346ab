package worker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/worker"
)

func TestResultsAreHandedIn(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	run := func(context.Context, string) error {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(time.Second)
		mu.Lock()
		now--
		mu.Unlock()
		return nil
	}
	bubble(t, 3, run, func(t *testing.T, ctx context.Context, s *setup) {
		for i := range 200 {
			s.give(fmt.Sprint(i), 1)
		}
		time.Sleep(time.Minute + 7*time.Second) // 200 jobs of one second, three at a time
		synctest.Wait()
		if len(s.results) != 200 || most != 3 || s.spooled(t) != 0 {
			t.Errorf("%d results, %d jobs at one time, %d results on the disk", len(s.results), most, s.spooled(t))
		}
		seen := map[string]bool{}
		for _, r := range s.results {
			seen[r.Job] = true
			if r.Worker != "w" || r.Generation != 2 || r.Token != "token of "+r.Job {
				t.Errorf("a result of %q in generation %d for %q with %q", r.Worker, r.Generation, r.Job, r.Token)
			}
		}
		if len(seen) != 200 || !strings.HasSuffix(s.told[0], `0 {"event":"note","text":"begun"}`) || len(s.told) != 200 {
			t.Errorf("results of %d jobs; told %q first, %d in all", len(seen), s.told[0], len(s.told))
		}
	})
}

// TestAResultOutlivesItsWorker checks that a worker that is killed before its result is stored hands the result in
// after a restart. An unfinished file does not count as a result.
func TestAResultOutlivesItsWorker(t *testing.T) {
	dir := ""
	bubble(t, 1, func(context.Context, string) error { return nil }, func(t *testing.T, ctx context.Context, s *setup) {
		dir = filepath.Join(s.dir, "spool")
		s.finish = func(ctx context.Context, r *job.Result) error { // the server is offline
			<-ctx.Done()
			return ctx.Err()
		}
		s.give("a/../b", 1)
		synctest.Wait()
		if s.spooled(t) != 1 || len(s.results) != 0 {
			t.Errorf("%d on the disk while %d were stored", s.spooled(t), len(s.results))
		}
	})
	for name, text := range map[string]string{".tmp-1": `{"job":`, "bad.json": `{"job":`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		q, said := newQueue(), notes{}
		w, err := worker.New(worker.Options{Name: "w", Dir: filepath.Dir(dir), Queue: q, Runner: &judging{}, Slots: 1, Note: said.add})
		if err != nil {
			t.Fatal(err)
		}
		end := make(chan error)
		go func() { end <- w.Run(t.Context()) }()
		synctest.Wait()
		if len(q.offered) != 1 || q.offered[0].Job != "a/../b" || q.offered[0].Token != "token of a/../b" {
			t.Errorf("offered %+v", q.offered)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 || !said.has("bad.json") {
			t.Errorf("left on the disk: %v; noted: %s", left, &said)
		}
		w.Drain()
		if err := <-end; err != nil {
			t.Error(err)
		}
	})
}

func TestCancelled(t *testing.T) {
	bubble(t, 2, never, func(t *testing.T, ctx context.Context, s *setup) {
		s.give("a", 1)
		s.give("b", 1)
		synctest.Wait()
		s.orders <- job.Control{Kind: job.Cancel, Job: "b"}
		s.orders <- job.Control{Kind: job.Cancel, Job: "not here"}
		synctest.Wait()
		if !slices.Equal(s.back, []string{"b"}) || len(s.results) != 0 || s.spooled(t) != 0 {
			t.Errorf("let go of %q, %d results, %d on the disk", s.back, len(s.results), s.spooled(t))
		}
		s.give("c", 1) // the slot is free again
		synctest.Wait()
		if len(s.told) != 3 {
			t.Errorf("told of %q", s.told)
		}
	})
}

func TestWarmedByOrder(t *testing.T) {
	bubble(t, 1, never, func(t *testing.T, ctx context.Context, s *setup) {
		s.orders <- job.Control{Kind: job.Warm, Bundles: []job.Bundle{{Problem: "a"}, {Problem: "b"}}}
		s.orders <- job.Control{Kind: job.Warm, Bundles: []job.Bundle{{Problem: "bad"}}}
		synctest.Wait()
		if !s.infos.has("prepared 2 bundles") || !s.notes.has("bad is not ready") || s.notes.has("prepared") {
			t.Errorf("noted: %s; told: %s", &s.notes, &s.infos)
		}
	})
}

// TestCancelledWhileItIsHandedIn checks that the result of a canceled job does not stay on disk.
func TestCancelledWhileItIsHandedIn(t *testing.T) {
	bubble(t, 1, func(context.Context, string) error { return nil }, func(t *testing.T, ctx context.Context, s *setup) {
		s.finish = func(ctx context.Context, r *job.Result) error { <-ctx.Done(); return ctx.Err() }
		s.give("a", 1)
		synctest.Wait()
		s.orders <- job.Control{Kind: job.Cancel, Job: "a"}
		synctest.Wait()
		if s.spooled(t) != 0 {
			t.Error("it stays on the disk")
		}
	})
}

// TestASecondDeliveryRunsAlone checks that a job delivered again runs alone, because it may have crashed the first
// worker.
func TestASecondDeliveryRunsAlone(t *testing.T) {
	var mu sync.Mutex
	var now []string
	run := func(ctx context.Context, id string) error {
		mu.Lock()
		now = append(now, id)
		if len(now) > 1 && slices.Contains(now, "again") {
			mu.Unlock()
			return errors.New("beside another: " + strings.Join(now, " "))
		}
		mu.Unlock()
		time.Sleep(time.Second)
		mu.Lock()
		now = slices.DeleteFunc(now, func(other string) bool { return other == id })
		mu.Unlock()
		return nil
	}
	bubble(t, 3, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.give("a", 1)
		s.give("again", 2)
		for i := range 10 {
			s.give(fmt.Sprint(i), 1)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.results) != 12 || len(s.back) != 0 {
			t.Errorf("%d results, given back %q: %s", len(s.results), s.back, &s.notes)
		}
	})
}

// TestWhatCannotBeDoneNow checks that a job that cannot run now is released, and that the worker takes the next
// job.
func TestWhatCannotBeDoneNow(t *testing.T) {
	run := func(ctx context.Context, id string) error {
		if id == "a" {
			return errors.New("the server does not answer")
		}
		return nil
	}
	bubble(t, 1, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.give("a", 1)
		s.give("b", 1)
		synctest.Wait()
		if !slices.Equal(s.back, []string{"a"}) || len(s.results) != 1 || !s.notes.has("the server does not answer") {
			t.Errorf("given back %q, %d results: %s", s.back, len(s.results), &s.notes)
		}
	})
}

func TestAWorkerNeedsSlots(t *testing.T) {
	if _, err := worker.New(worker.Options{Dir: t.TempDir()}); judge.BlameOf(err) != judge.Caller {
		t.Errorf("New: %v", err)
	}
	if _, err := worker.NewRunner(worker.RunnerOptions{Dir: t.TempDir()}); judge.BlameOf(err) != judge.Caller {
		t.Errorf("NewRunner: %v", err)
	}
}

// TestWhatAnotherMayJudgeOtherwise checks that progress reports stop at a test case just over the time limit,
// because another worker may judge it differently. A job that repeats a judgement reports no progress and runs
// alone.
func TestWhatAnotherMayJudgeOtherwise(t *testing.T) {
	late := func(name string, cpu time.Duration) judge.Event {
		return &judge.CaseJudged{Group: "g", Case: name, Verdict: judge.TimeLimit, Exec: judge.Exec{CPU: cpu}}
	}
	var mu sync.Mutex
	running, beside := map[string]bool{}, false
	run := func(_ context.Context, id string) error {
		mu.Lock()
		running[id] = true
		beside = beside || running["again"] && len(running) > 1
		mu.Unlock()
		time.Sleep(time.Second)
		mu.Lock()
		delete(running, id)
		mu.Unlock()
		return nil
	}
	bubble(t, 2, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.judging.events = []judge.Event{
			&judge.Started{TimeMS: 1000}, late("hopeless", 1300*time.Millisecond), late("barely", 1100*time.Millisecond),
			&judge.Finished{},
		}
		for i := range 6 {
			s.give(fmt.Sprint("first", i), 1)
		}
		s.jobs <- &worker.LeasedJob{Spec: &job.Spec{ID: "again", Work: job.Work{Retime: true}}, Deliveries: 1,
			Lease: &lease{s.fakeQueue, "again"}}
		for i := range 6 {
			s.give(fmt.Sprint("then", i), 1)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(s.results) != 13 || beside {
			t.Errorf("%d results of 13; others ran beside what was to run alone: %v", len(s.results), beside)
		}
		for _, told := range s.told {
			if strings.HasPrefix(told, "again") || strings.Contains(told, "barely") || strings.Contains(told, `"finished"`) {
				t.Errorf("it is told: %s", told)
			}
		}
		if n := len(s.told); n != 12*3 {
			t.Errorf("%d events are told, want the first three of each of the others", n)
		}
	})
}

// TestTheMachineIsMeasured checks that the machine is measured a minute after the start and then hourly. Later
// measurements need a time without jobs. The machine is never measured while a job runs.
func TestTheMachineIsMeasured(t *testing.T) {
	var mu sync.Mutex
	var measured []time.Duration
	working, beside, start := 0, false, time.Time{}
	change := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		working += by
	}
	run := func(context.Context, string) error {
		change(1)
		defer change(-1)
		time.Sleep(90 * time.Minute)
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		start = time.Now()
		w, err := worker.New(worker.Options{Name: "w", Dir: t.TempDir(), Queue: q, Runner: &judging{run: run}, Slots: 2,
			Measure: func(context.Context) {
				mu.Lock()
				measured, beside = append(measured, time.Since(start).Round(time.Minute)), beside || working > 0
				mu.Unlock()
				time.Sleep(5 * time.Second)
			}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		time.Sleep(30 * time.Minute)
		q.give("long", 1)
		time.Sleep(5 * time.Hour)
		end()
		<-ended
	})
	want := []time.Duration{time.Minute, 131 * time.Minute, 192 * time.Minute, 253 * time.Minute, 314 * time.Minute}
	close := len(measured) == len(want)
	for i := range measured {
		close = close && (measured[i]-want[i]).Abs() <= 5*time.Minute
	}
	if !close || beside {
		t.Errorf("it was measured after %v, beside a job: %v; want about %v", measured, beside, want)
	}
}
