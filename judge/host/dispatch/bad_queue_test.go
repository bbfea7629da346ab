package dispatch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// A badly is a harness that injects random failures until calm is set.
type badly struct {
	*harness
	queue *memory
	calm  atomic.Bool
	names []string // worker names
	want  map[string]judge.Verdict

	mu      sync.Mutex
	taken   map[string]int
	hurt    map[string]bool // jobs that a worker has already disrupted
	servers []*Dispatcher
}

// sometimes reports, in one of n cases on average, that a failure should happen. It returns false if calm is set.
func (b *badly) sometimes(n int) bool { return !b.calm.Load() && rand.IntN(n) == 0 }

// TestABadQueue runs jobs while the queue forgets, repeats and delays messages, workers crash, freeze, fail and
// release jobs, and the server restarts. Each job must end with the verdict of its workers and be counted once.
// After calm is set, each job must run once, however long it takes.
func TestABadQueue(t *testing.T) {
	rounds := 4
	if os.Getenv("ASSAY_SLOW") != "" {
		rounds = 60
	}
	for i := range rounds {
		t.Run(fmt.Sprint("round ", i+1), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, false)
				b := &badly{harness: h, queue: h.queue.(*memory), names: []string{"u", "v", "w"}, want: map[string]judge.Verdict{},
					taken: map[string]int{}, hurt: map[string]bool{}}
				b.queue.worse = worse{
					late: func() time.Duration {
						if !b.sometimes(3) {
							return 0
						}
						return rand.N(3 * time.Second)
					},
					lost:   func() bool { return b.sometimes(8) },
					again:  func() bool { return b.sometimes(4) },
					broken: func() bool { return b.sometimes(30) },
				}
				b.run()
			})
		})
	}
}

func (b *badly) run() {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	b.Cleanup(func() { cancel(); all.Wait() })
	all.Go(func() { b.serve(ctx) })
	for _, name := range b.names {
		all.Go(func() { b.work(ctx, name) })
	}
	all.Go(func() {
		for !b.calm.Load() {
			time.Sleep(10*time.Second + rand.N(time.Minute))
			if !b.calm.Load() {
				_ = b.queue.Recreate(ctx)
			}
		}
	})
	submit := func(n int) {
		for i := range n {
			id := b.submit(job.Priorities[i%len(job.Priorities)], class, 1)[0]
			b.mu.Lock()
			b.want[id] = []judge.Verdict{judge.Accepted, judge.WrongAnswer}[i%2]
			b.mu.Unlock()
			time.Sleep(rand.N(10 * time.Second))
		}
	}
	ended := func() {
		b.until("all has ended, and the queue is empty", func() bool {
			rows, err := b.store.QueueCounts(ctx)
			b.must(err)
			held, err := b.queue.Stats(ctx)
			b.must(err)
			return len(rows) == 0 && held.Jobs == 0 && b.queue.CatchUp(ctx) == nil
		})
	}
	submit(40)
	b.calm.Store(true)
	ended()
	b.mu.Lock()
	clear(b.taken)
	b.mu.Unlock()
	submit(10)
	ended()
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, n := range b.taken {
		if n > 1 {
			b.Errorf("nothing goes wrong, and the job %s is done %d times", id, n)
		}
	}
	for id, want := range b.want {
		if j := b.judgement(id); j.Verdict != want || j.State != store.JobDone {
			b.Errorf("the job %s is %s, %s (%s), want %s", id, j.State, j.Verdict, j.Reason, want)
		}
	}
	var counted, differ int64
	for _, d := range b.servers {
		counted, differ = counted+d.Counts().Counted, differ+d.Counts().Disagreements
	}
	if counted > int64(len(b.want)) || differ > 0 {
		b.Errorf("%d results of %d jobs count, and of %d there are two verdicts", counted, len(b.want), differ)
	}
}

// serve starts, stops and restarts a server until ctx is done.
func (b *badly) serve(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		d := b.dispatcher(fmt.Sprint("server ", n))
		d.SetQueue(b.queue)
		for _, name := range b.names {
			b.must(d.Admit(&store.Worker{Name: name, Class: class, Key: "key of " + name}))
		}
		b.mu.Lock()
		b.servers = append(b.servers, d)
		b.mu.Unlock()
		b.queue.hearBy(d.Listener())
		one, end := context.WithCancel(ctx)
		var done sync.WaitGroup
		done.Go(func() { d.Run(one) })
		for until := time.Now().Add(20*time.Second + rand.N(time.Minute)); ctx.Err() == nil && (time.Now().Before(until) || b.calm.Load()); {
			time.Sleep(time.Second)
		}
		end()
		done.Wait()
	}
}

// work runs a worker with one slot until ctx is done. Each job is disrupted at most once.
func (b *badly) work(ctx context.Context, name string) {
	for ctx.Err() == nil {
		m, err := b.queue.join(ctx, queue.JoinOptions{Worker: name, Class: class, Slots: 1, Priorities: job.Priorities})
		if err != nil { // not admitted yet
			time.Sleep(time.Second)
			continue
		}
		for err == nil {
			var l *lease
			if l, err = m.Take(ctx); err == nil {
				err = b.judge(ctx, m.(*seat), l)
			}
		}
		m.Close()
		time.Sleep(rand.N(6 * time.Second)) // it may reconnect before its absence is noticed
	}
}

func (b *badly) judge(ctx context.Context, s *seat, l *lease) error {
	if time.Sleep(rand.N(10 * time.Second)); b.calm.Load() {
		time.Sleep(15 * time.Second) // heartbeats report that the job is running
	}
	b.mu.Lock()
	b.taken[l.Spec.ID]++
	r := says(l.Spec, b.want[l.Spec.ID])
	mess := !b.hurt[l.Spec.ID] && b.sometimes(2)
	b.hurt[l.Spec.ID] = b.hurt[l.Spec.ID] || mess
	b.mu.Unlock()
	if !mess {
		return l.Finish(ctx, r)
	}
	switch rand.IntN(5) {
	case 0: // it dies
		return errBroken
	case 1: // crash before acknowledging the job
		_ = s.SendResult(ctx, r)
		return errBroken
	case 2: // freeze, and then continue
		s.freeze(true)
		time.Sleep(10*time.Second + rand.N(time.Minute))
		s.freeze(false)
		return l.Finish(ctx, r)
	case 3:
		return l.Release(ctx, rand.N(5*time.Second))
	default:
		return l.Finish(ctx, says(l.Spec, ""))
	}
}
