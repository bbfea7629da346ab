package worker_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/worker"
)

func TestDrained(t *testing.T) {
	run := func(ctx context.Context, id string) error {
		if id == "long" {
			return never(ctx, id)
		}
		time.Sleep(5 * time.Minute)
		return nil
	}
	bubble(t, 3, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.give("long", 1)
		s.give("short", 1)
		synctest.Wait()
		begun := time.Now()
		s.orders <- job.Control{Kind: job.Drain}
		synctest.Wait()
		s.give("late", 1)
		err := <-s.err
		if len(s.results) != 1 || s.results[0].Job != "short" || !slices.Equal(s.back, []string{"long"}) || err != nil {
			t.Errorf("%d results, given back %q, %v", len(s.results), s.back, err)
		}
		if took := time.Since(begun); took != 10*time.Minute || len(s.jobs) != 1 {
			t.Errorf("it took %v; %d jobs are left", took, len(s.jobs))
		}
		if !slices.Equal(s.said, []string{"true "}) {
			t.Errorf("said %q", s.said)
		}
		s.err <- nil
	})
}

func TestDrainedWhileTheServerIsAway(t *testing.T) {
	run := func(context.Context, string) error { return nil }
	bubble(t, 1, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.finish = func(ctx context.Context, _ *job.Result) error {
			<-ctx.Done()
			return ctx.Err()
		}
		s.give("a", 1)
		time.Sleep(time.Hour) // it waits as long as the worker need not end
		begun := time.Now()
		s.orders <- job.Control{Kind: job.Drain}
		if err := <-s.err; err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took != 10*time.Second || s.spooled(t) != 1 || len(s.back) != 0 {
			t.Errorf("it took %v; %d results are on the disk, given back %q", took, s.spooled(t), s.back)
		}
		s.err <- nil
	})
}

func TestEndedAtOnce(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		w, err := worker.New(worker.Options{Name: "w", Dir: dir, Queue: q, Runner: &judging{run: never}, Slots: 2})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		q.give("a", 1)
		q.give("b", 1)
		go func() { synctest.Wait(); end() }()
		begun := time.Now()
		if err := w.Run(ctx); err != nil || time.Since(begun) > 0 {
			t.Errorf("Run: %v, after %v", err, time.Since(begun))
		}
		if slices.Sort(q.back); !slices.Equal(q.back, []string{"a", "b"}) {
			t.Errorf("given back %q", q.back)
		}
	})
}

// TestAMachineThatIsNotWellRests checks that an unhealthy worker releases its jobs, reports the reason and takes
// no more jobs until it is healthy again.
func TestAMachineThatIsNotWellRests(t *testing.T) {
	full := &worker.UnhealthyError{Err: errors.New("the disk is full\n    really")}
	var ill atomic.Bool
	ill.Store(true)
	run := func(ctx context.Context, id string) error {
		if ill.Load() {
			return full
		}
		return nil
	}
	bubble(t, 1, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.set(full)
		s.give("a", 1)
		s.give("b", 1)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(s.back, []string{"a"}) || len(s.results) != 0 || s.said[0] != "true the disk is full" {
			t.Errorf("given back %q, %d results, said %q", s.back, len(s.results), s.said)
		}
		s.set(nil)
		ill.Store(false)
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if len(s.results) != 1 || s.said[len(s.said)-1] != "false " || !s.infos.has("taking jobs again") {
			t.Errorf("%d results, said %q: %s", len(s.results), s.said, &s.notes)
		}
		s.set(errors.New("the tools have changed")) // while no job is running
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if s.said[len(s.said)-1] != "true the tools have changed" {
			t.Errorf("said %q", s.said)
		}
	})
}

// TestAnotherToolChainEndsTheWorker checks that a changed toolchain or a removed directory ends the worker. The
// worker must end because only a restarted worker reports its toolchains and creates its directories.
func TestAnotherToolChainEndsTheWorker(t *testing.T) {
	run := func(context.Context, string) error { return nil }
	for _, changed := range []error{&worker.ToolchainChangedError{Language: "c", Old: "gcc 12", New: "gcc 13"},
		&worker.DirRemovedError{Dir: "data"}} {
		bubble(t, 2, run, func(t *testing.T, ctx context.Context, s *setup) {
			s.set(&worker.UnhealthyError{Err: changed})
			time.Sleep(61 * time.Second)
			synctest.Wait()
			select {
			case err := <-s.err:
				if !errors.Is(err, changed) {
					t.Errorf("it ended with %v", err)
				}
				s.err <- err
			default:
				t.Errorf("it goes on, and says %q", s.said)
			}
		})
	}
}

// TestAQueueThatCannotGoOn checks that an error of the queue ends the worker after its jobs have finished.
func TestAQueueThatCannotGoOn(t *testing.T) {
	run := func(ctx context.Context, id string) error { time.Sleep(time.Second); return nil }
	bubble(t, 2, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.broken = errors.New("the key is revoked")
		s.give("a", 1)
		close(s.jobs)
		if err := <-s.err; err != s.broken || len(s.results) != 1 {
			t.Errorf("Run: %v, %d results", err, len(s.results))
		}
		s.err <- nil
	})
}
