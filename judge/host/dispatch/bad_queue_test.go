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

// badly is a harness in which all goes wrong that can, until it is calm.
type badly struct {
	*harness
	queue *memory
	calm  atomic.Bool
	names []string // of the workers
	want  map[string]judge.Verdict

	mu      sync.Mutex
	taken   map[string]int
	hurt    map[string]bool // jobs of which a worker made a mess already
	servers []*Dispatcher
}

// sometimes says, until it is calm, in one of n cases that something goes wrong.
func (b *badly) sometimes(n int) bool { return !b.calm.Load() && rand.IntN(n) == 0 }

// TestABadQueue: the queue forgets, repeats and delays, workers die, freeze, fail and give back, and
// the server starts anew. Each job comes to its end, with what its workers say, and counts once.
// When it is calm again, each is done once, however long it takes.
func TestABadQueue(t *testing.T) {
	rounds := 4
	if os.Getenv("ASSAY_SLOW") != "" {
		rounds = 60
	}
	for i := range rounds {
		t.Run(fmt.Sprint("round ", i+1), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, false)
				b := &badly{harness: h, queue: h.queue.(*memory), names: []string{"u", "v", "w"}, want: map[string]judge.Verdict{}, taken: map[string]int{}, hurt: map[string]bool{}}
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
				_ = b.queue.Renew(ctx)
			}
		}
	})
	submit := func(n int) {
		for i := range n {
			id := b.submit(job.Lanes[i%len(job.Lanes)], class, 1)[0]
			b.mu.Lock()
			b.want[id] = []judge.Verdict{judge.Accepted, judge.WrongAnswer}[i%2]
			b.mu.Unlock()
			time.Sleep(rand.N(10 * time.Second))
		}
	}
	ended := func() {
		b.until("all has ended, and the queue is empty", func() bool {
			rows, err := b.store.Queues(ctx)
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
		if j := b.judgement(id); j.Verdict != want || j.State != store.Done {
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

// serve has a server run, end and start anew.
func (b *badly) serve(ctx context.Context) {
	for n := 1; ctx.Err() == nil; n++ {
		d := b.dispatcher(fmt.Sprint("server ", n))
		d.Use(b.queue)
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

// work is a worker of one slot, which makes a mess of each job once at most.
func (b *badly) work(ctx context.Context, name string) {
	for ctx.Err() == nil {
		m, err := b.queue.join(ctx, queue.JoinOptions{Worker: name, Class: class, Slots: 1, Lanes: job.Lanes})
		if err != nil { // it is not admitted yet
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
		time.Sleep(rand.N(6 * time.Second)) // it may be back before it is missed
	}
}

func (b *badly) judge(ctx context.Context, s *seat, l *lease) error {
	if time.Sleep(rand.N(10 * time.Second)); b.calm.Load() {
		time.Sleep(15 * time.Second) // beats say that it is being done
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
	case 1: // it dies before it has acknowledged the job
		_ = s.Offer(ctx, r)
		return errBroken
	case 2: // it is frozen, and goes on
		s.freeze(true)
		time.Sleep(10*time.Second + rand.N(time.Minute))
		s.freeze(false)
		return l.Finish(ctx, r)
	case 3:
		return l.Back(ctx, rand.N(5*time.Second))
	default:
		return l.Finish(ctx, says(l.Spec, ""))
	}
}
