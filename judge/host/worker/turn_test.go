package worker_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/worker"
)

// makesWay gives a worker a preemptible job.
func (q *fakeQueue) makesWay(id string, deliveries int) {
	q.jobs <- &worker.LeasedJob{
		Spec: &job.Spec{ID: id, Priority: job.BackgroundPriority, Work: job.Work{Kind: job.GolfCheck}}, Deliveries: deliveries,
		Lease: &lease{q, id},
	}
}

// short gives a worker n jobs that preempt others.
func (q *fakeQueue) short(n int) {
	for i := range n {
		id := fmt.Sprint("short ", i)
		q.before <- &worker.LeasedJob{Spec: &job.Spec{ID: id}, Deliveries: 1, Lease: &lease{q, id}}
	}
}

// programs counts the programs that run at once.
type programs struct {
	mu        sync.Mutex
	now, most int
}

func (p *programs) run(d time.Duration) {
	p.start()
	time.Sleep(d)
	p.stop()
}

func (p *programs) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now++
	p.most = max(p.most, p.now)
}

func (p *programs) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now--
}

// inTurns runs n programs of one second each, one after another.
func (p *programs) inTurns(n int) func(ctx context.Context, turn worker.TurnFunc) error {
	return func(ctx context.Context, turn worker.TurnFunc) error {
		for range n {
			ended, err := turn(ctx, nil)
			if err != nil {
				return err
			}
			p.run(time.Second)
			ended()
		}
		return nil
	}
}

// TestPreemptible checks that a preemptible job lets other jobs run between its programs, and that the worker
// never runs more programs than it has slots.
func TestPreemptible(t *testing.T) {
	for _, tt := range []struct {
		name         string
		slots, short int           // jobs of 3 s that arrive after 50.5 s
		first, last  time.Duration // when the first short job and the long job ended
	}{
		{"no other job comes", 1, 0, 0, 100 * time.Second},
		{"a short one goes first", 1, 1, 54 * time.Second, 103 * time.Second},
		{"a free slot takes nothing away", 2, 1, 53500 * time.Millisecond, 100 * time.Second},
		{"many have half of the time", 1, 1000, 54 * time.Second, 201 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p programs
			run := func(context.Context, string) error { p.run(3 * time.Second); return nil }
			bubble(t, tt.slots, run, func(t *testing.T, ctx context.Context, s *setup) {
				s.judging.long = p.inTurns(100)
				begun := time.Now()
				var mu sync.Mutex
				ended := map[string]time.Duration{}
				s.finish = func(_ context.Context, r *job.Result) error {
					mu.Lock()
					defer mu.Unlock()
					ended[r.Job] = time.Since(begun)
					return nil
				}
				s.makesWay("long", 1)
				time.Sleep(50500 * time.Millisecond)
				s.short(tt.short)
				for range 250 {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				if got := ended["short 0"]; got != tt.first {
					t.Errorf("the first short job was done after %v, want %v", got, tt.first)
				}
				if got := ended["long"]; got < tt.last || got > tt.last+3*time.Second {
					t.Errorf("the long job was done after %v, want %v", got, tt.last)
				}
				if p.most > tt.slots {
					t.Errorf("%d programs ran at one time", p.most)
				}
			})
		})
	}
}

// restarting runs n programs of 20 s each, which restart when they are interrupted.
func (p *programs) restarting(n int) func(ctx context.Context, turn worker.TurnFunc) error {
	return func(ctx context.Context, turn worker.TurnFunc) error {
		for n > 0 {
			stop := make(chan struct{})
			ended, err := turn(ctx, sync.OnceFunc(func() { close(stop) }))
			if err != nil {
				return err
			}
			p.start()
			select {
			case <-stop:
			case <-time.After(20 * time.Second):
				n--
			}
			p.stop()
			ended()
		}
		return nil
	}
}

// TestInterrupted checks that a restartable program stops for other jobs. It also checks that each restart may run
// longer than the one before, so that the program ends however many jobs arrive.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		short int // jobs of 3 s that arrive after 50 s, during the third program
		last  time.Duration
		about time.Duration
	}{
		{"no other job comes", 0, 100 * time.Second, 0},
		{"one comes", 1, 100*time.Second + 10*time.Second + 3*time.Second, time.Second},
		{"many come", 1000, 220 * time.Second, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p programs
			run := func(context.Context, string) error { p.run(3 * time.Second); return nil }
			bubble(t, 1, run, func(t *testing.T, ctx context.Context, s *setup) {
				s.judging.long = p.restarting(5)
				begun := time.Now()
				var mu sync.Mutex
				ended := map[string]time.Duration{}
				s.finish = func(_ context.Context, r *job.Result) error {
					mu.Lock()
					defer mu.Unlock()
					ended[r.Job] = time.Since(begun)
					return nil
				}
				s.makesWay("long", 1)
				time.Sleep(50 * time.Second)
				s.short(tt.short)
				for range 400 {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				if got := ended["short 0"]; got > 54*time.Second || tt.short > 0 && got == 0 {
					t.Errorf("the first short job was done after %v", got)
				}
				if got := ended["long"]; got < tt.last-tt.about || got > tt.last+tt.about {
					t.Errorf("the long job was done after %v, want %v", got, tt.last)
				}
				if p.most > 1 {
					t.Errorf("%d programs ran at one time", p.most)
				}
			})
		})
	}
}

// TestPreemptibleForOneThatRunsAlone checks that a job that must run alone begins only when the preemptible jobs
// in all slots have stopped.
func TestPreemptibleForOneThatRunsAlone(t *testing.T) {
	var p programs
	alone := 0
	run := func(context.Context, string) error {
		p.mu.Lock()
		alone = p.now
		p.mu.Unlock()
		p.run(3 * time.Second)
		return nil
	}
	bubble(t, 2, run, func(t *testing.T, ctx context.Context, s *setup) {
		s.judging.long = p.inTurns(20)
		s.makesWay("long", 1)
		time.Sleep(500 * time.Millisecond)
		s.makesWay("another", 1)
		time.Sleep(9 * time.Second)
		s.before <- &worker.LeasedJob{Spec: &job.Spec{ID: "second", Work: job.Work{Retime: true}}, Deliveries: 1,
			Lease: &lease{s.fakeQueue, "second"}}
		time.Sleep(time.Minute)
		synctest.Wait()
		if alone != 0 || p.most != 2 || len(s.results) != 3 || s.results[0].Job != "second" {
			t.Errorf("beside %d others, %d at one time, results %d", alone, p.most, len(s.results))
		}
	})
}

// TestPreemptibleAndEnds checks that a worker that stops releases its jobs, including a preemptible job that is
// waiting to continue. A drained worker finishes its job first.
func TestPreemptibleAndEnds(t *testing.T) {
	var p programs
	bubble(t, 1, never, func(t *testing.T, ctx context.Context, s *setup) {
		s.judging.long = p.inTurns(1000)
		s.makesWay("long", 1)
		time.Sleep(5 * time.Second)
		s.short(1)
		time.Sleep(5 * time.Second)
		s.orders <- job.Control{Kind: job.Drain}
		time.Sleep(time.Hour)
		synctest.Wait()
		slices.Sort(s.back)
		if !slices.Equal(s.back, []string{"long", "short 0"}) || len(s.results) > 0 {
			t.Errorf("given back %q, %d results", s.back, len(s.results))
		}
	})
	bubble(t, 1, never, func(t *testing.T, ctx context.Context, s *setup) {
		s.judging.long = p.inTurns(100)
		s.makesWay("long", 1)
		time.Sleep(5 * time.Second)
		s.orders <- job.Control{Kind: job.Drain}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(s.results) != 1 {
			t.Errorf("given back %q, %d results", s.back, len(s.results))
		}
	})
}

// TestPreemptibleWithAllItsPrograms checks that a preemptible job with two concurrent programs runs as many of
// them as it has slots, and none while another job runs.
func TestPreemptibleWithAllItsPrograms(t *testing.T) {
	var p programs
	beside := 0
	run := func(context.Context, string) error {
		p.mu.Lock()
		beside = max(beside, p.now)
		p.mu.Unlock()
		p.run(5 * time.Second)
		return nil
	}
	for _, slots := range []int{1, 2} {
		bubble(t, slots, run, func(t *testing.T, ctx context.Context, s *setup) {
			s.judging.long = func(ctx context.Context, turn worker.TurnFunc) error {
				var both sync.WaitGroup
				for k := range 2 {
					both.Go(func() {
						time.Sleep(time.Duration(k) * 300 * time.Millisecond)
						_ = p.inTurns(50)(ctx, turn)
					})
				}
				both.Wait()
				return nil
			}
			s.makesWay("long", 2)
			time.Sleep(20 * time.Second)
			s.before <- &worker.LeasedJob{Spec: &job.Spec{ID: "short"}, Deliveries: 2, Lease: &lease{s.fakeQueue, "short"}}
			time.Sleep(time.Hour)
			synctest.Wait()
			if beside != 0 || p.most != slots || len(s.results) != 2 {
				t.Errorf("beside %d programs, %d at one time, %d results", beside, p.most, len(s.results))
			}
		})
	}
}
