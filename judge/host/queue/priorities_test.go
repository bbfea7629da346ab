package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

func TestStreamsAndConsumersAreAsTheyMustBe(t *testing.T) {
	s := open(t, queue.Listener{})
	if monitored, listens := s.Embedded(); monitored || listens {
		t.Errorf("the embedded server: monitored %v, listens %v", monitored, listens)
	}
	jobs, err := s.JetStream().Stream(t.Context(), "JOBS")
	if err != nil {
		t.Fatal(err)
	}
	c := jobs.CachedInfo().Config
	if c.Retention != jetstream.WorkQueuePolicy || c.Storage != jetstream.FileStorage || c.Replicas != 1 || c.MaxMsgs != 20_000 ||
		c.Discard != jetstream.DiscardNew || c.AllowDirect || c.MaxMsgSize < job.MaxSpec || c.FirstSeq < 1e15 {
		t.Errorf("JOBS is %+v", c)
	}
	results, err := s.JetStream().Stream(t.Context(), "RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	if c := results.CachedInfo().Config; c.Retention != jetstream.WorkQueuePolicy || c.Storage != jetstream.FileStorage ||
		c.MaxBytes != 1<<30 || c.Discard != jetstream.DiscardNew {
		t.Errorf("RESULTS is %+v", c)
	}
	for _, want := range []jetstream.ConsumerConfig{
		{Durable: "l0-main", FilterSubject: "job.0.main.>", AckWait: 20 * time.Second, MaxAckPending: 4096},
		{Durable: "l1-main", FilterSubject: "job.1.main.>", AckWait: 20 * time.Second, MaxAckPending: 4096},
		{Durable: "l2-main", FilterSubject: "job.2.main.>", AckWait: 20 * time.Second, MaxAckPending: 4096},
		{Durable: "l5-main", FilterSubject: "job.5.main.>", AckWait: 20 * time.Second, MaxAckPending: 4096},
		{Durable: "fold", FilterSubject: "result.>", AckWait: 30 * time.Second, MaxAckPending: 64},
	} {
		stream := jobs
		if want.Durable == "fold" {
			stream = results
		}
		consumer, err := stream.Consumer(t.Context(), want.Durable)
		if err != nil {
			t.Fatal(err)
		}
		if c := consumer.CachedInfo().Config; c.FilterSubject != want.FilterSubject || c.AckWait != want.AckWait ||
			c.MaxAckPending != want.MaxAckPending || c.MaxDeliver != -1 || c.AckPolicy != jetstream.AckExplicitPolicy {
			t.Errorf("the consumer %s is %+v", want.Durable, c)
		}
	}
	// A missing stream is created again.
	if err := s.JetStream().DeleteStream(t.Context(), "JOBS"); err != nil {
		t.Fatal(err)
	}
	s.publish(spec("a"))
	if err := jobs.DeleteConsumer(t.Context(), "l1-main"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.PendingCount(t.Context(), 1, "main"); n != 0 || err != nil {
		t.Errorf("untaken after the consumer was gone: %d, %v", n, err)
	}
	s.untaken(1)
	if n, err := s.PendingCount(t.Context(), 0, "new"); n != 0 || err != nil {
		t.Errorf("untaken of a new class: %d, %v", n, err)
	}
	if stats, err := s.Stats(t.Context()); err != nil || stats.Jobs != 1 || stats.JobBytes == 0 || stats.Store == 0 {
		t.Errorf("stats %+v, %v", stats, err)
	}
}

// TestPrioritiesInOrderAndATenthForEach checks that the priorities after practice share a tenth of the jobs, and take turns.
func TestPrioritiesInOrderAndATenthForEach(t *testing.T) {
	s := open(t, queue.Listener{})
	for i := range 20 {
		for priority := range job.Priorities {
			sp := spec(fmt.Sprintf("l%d-%d", priority, i))
			sp.Priority = job.Priority(priority)
			s.publish(sp)
		}
	}
	m := s.join("w")
	var got []string
	for range 40 {
		l := take(t, m)
		got = append(got, l.Spec.ID[:2])
		if err := l.Finish(t.Context(), accepted()); err != nil {
			t.Fatal(err)
		}
	}
	ten := []string{"l0", "l0", "l0", "l1", "l0", "l0", "l2", "l0", "l0", "l0"}
	next := slices.Clone(ten)
	next[6] = "l3"
	rest := []string{"l0", "l0", "l0", "l1", "l0", "l1", "l4", "l1", "l1", "l1"} // priority 0 ends
	last := []string{"l1", "l1", "l1", "l1", "l1", "l1", "l5", "l1", "l1", "l1"}
	want := slices.Concat(ten, next, rest, last)
	if !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
	sp := spec("contest")
	s.publish(sp)
	if l, err := m.TakeBefore(t.Context(), job.PracticePriority); err != nil || l.Spec.ID != sp.ID {
		t.Errorf("before priority 1 it took %+v, %v", l, err)
	}
	if l, err := m.TakeBefore(t.Context(), job.BackgroundPriority); err != nil || l.Spec.Priority != job.PracticePriority {
		t.Errorf("before priority 2 it took %+v, %v", l, err)
	}
	only := s.join("only", func(o *queue.JoinOptions) { o.Priorities = []job.Priority{job.BackgroundPriority} })
	if l := take(t, only); l.Spec.Priority != job.BackgroundPriority {
		t.Errorf("a worker of priority 2 took %s", l.Spec.ID)
	}
}

// TestALongQueueDelaysNoOtherPriority checks that a golf check and a game get their turns even if tests of many bots are
// waiting, and that a priority without jobs does not use its turn.
func TestALongQueueDelaysNoOtherPriority(t *testing.T) {
	s := open(t, queue.Listener{})
	for i := range 10 {
		sp := spec(fmt.Sprintf("trial-%d", i))
		sp.Priority = job.TrialPriority
		s.publish(sp)
	}
	m := s.join("w")
	next := func() job.Priority {
		t.Helper()
		l := take(t, m)
		if err := l.Finish(t.Context(), accepted()); err != nil {
			t.Fatal(err)
		}
		return l.Spec.Priority
	}
	for range 3 {
		if priority := next(); priority != job.TrialPriority {
			t.Errorf("took a job of the priority %s", priority)
		}
	}
	for i, priority := range []job.Priority{job.GolfPriority, job.GamePriority, job.GamePriority} {
		sp := spec(fmt.Sprintf("other-%d", i))
		sp.Priority = priority
		s.publish(sp)
	}
	var got []job.Priority
	for range 6 {
		got = append(got, next())
	}
	if want := []job.Priority{job.GamePriority, job.GolfPriority, job.TrialPriority, job.GamePriority, job.TrialPriority,
		job.TrialPriority}; !slices.Equal(got, want) {
		t.Errorf("took jobs of the priorities %v, want %v", got, want)
	}
}

func TestExcludedWorkersGiveBack(t *testing.T) {
	s := open(t, queue.Listener{})
	s.longLeases() // otherwise a worker that keeps it would lose it eventually
	no, yes := s.join("no"), s.join("yes")
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		if l, err := no.Take(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("the excluded worker took %+v, %v", l, err)
		}
	})
	sp := spec("a")
	sp.Exclude = []string{"no"}
	s.publish(sp)
	time.Sleep(100 * time.Millisecond) // meanwhile, only the excluded worker asks for jobs
	l := take(t, yes)
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	cancel()
	done.Wait()
}

// TestRenew checks that Recreate drops all queued jobs, and that later jobs are delivered.
func TestRenew(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	s.publish(spec("a"))
	l := take(t, m)
	s.publish(spec("b"))
	if err := s.Recreate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "b"} {
		if alive, err := s.HasJob(t.Context(), 0, "main", id); alive || err != nil {
			t.Errorf("%s: alive %v, %v", id, alive, err)
		}
	}
	s.publish(spec("b"))
	if err := l.Finish(t.Context(), accepted()); err != nil { // the acknowledgement has no effect
		t.Fatal(err)
	}
	if l := take(t, m); l.Spec.ID != "b" || l.Deliveries != 1 {
		t.Errorf("took %s, delivery %d; want b, 1", l.Spec.ID, l.Deliveries)
	}
	waitUntil(t, "the result is there", func() bool { return len(s.of("a")) == 1 })
}

// TestADeafWorker checks that a worker reconnects if a request for a job gets no response. JetStream normally
// responds to each request, even if there is no job.
func TestADeafWorker(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	hear := m.Deafen(20 * time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { _, _ = m.Take(ctx) })
	waitUntil(t, "connected again", func() bool { return m.Reconnects() > 0 })
	cancel()
	done.Wait()
	hear()
	s.publish(spec("a"))
	if l := take(t, m); l.Spec.ID != "a" {
		t.Errorf("took %s", l.Spec.ID)
	}
}

func TestPoisonIsGivenUp(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*job.Spec)
		takes  int // before the job is given up
	}{
		"three deliveries":              {func(*job.Spec) {}, 3},
		"twelve for one that excludes":  {func(s *job.Spec) { s.Exclude = []string{"another"} }, 12},
		"none in generation 51":         {func(s *job.Spec) { s.Generation = 51 }, 0},
		"none for one of no known kind": {func(s *job.Spec) { s.Kind = "dance" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, queue.Listener{})
			m := s.join("w")
			sp := spec("a")
			tt.change(sp)
			s.publish(sp)
			for i := range tt.takes {
				l := take(t, m)
				if l.Deliveries != i+1 {
					t.Errorf("delivery %d is said to be %d", i+1, l.Deliveries)
				}
				if err := l.Release(t.Context(), 0); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			var done sync.WaitGroup
			done.Go(func() { _, _ = m.Take(ctx) })
			waitUntil(t, "given up", func() bool { return len(s.of("a")) == 1 })
			if r := s.of("a")[0]; r.State != job.GivenUp || r.Token != "token of a" || r.Reason == "" {
				t.Errorf("the result is %+v", r)
			}
			waitUntil(t, "gone", func() bool { alive, err := s.HasJob(t.Context(), 0, "main", "a"); return !alive && err == nil })
			cancel()
			done.Wait()
		})
	}
}

func TestCancel(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	s.publish(spec("waits"))
	if err := s.Delete(t.Context(), 0, "main", "waits"); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), 0, "main", "waits"); err != nil {
		t.Errorf("delete what is not there: %v", err)
	}
	s.publish(spec("runs"))
	l := take(t, m)
	if l.Spec.ID != "runs" {
		t.Fatalf("took %s, which was deleted", l.Spec.ID)
	}
	if err := s.Delete(t.Context(), 0, "main", "runs"); err != nil {
		t.Fatal(err)
	}
	if err := s.Control("w", job.Control{Kind: job.Cancel, Job: "runs"}); err != nil {
		t.Fatal(err)
	}
	select {
	case o := <-m.Controls():
		if o.Kind != job.Cancel || o.Job != "runs" {
			t.Errorf("the order is %+v", o)
		}
	case <-time.After(patience):
		t.Fatal("no order")
	}
	// The late result arrives like any other. Its acknowledgement does not affect a job with the same id that was
	// published again.
	s.publish(spec("runs"))
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	if alive, err := s.HasJob(t.Context(), 0, "main", "runs"); !alive || err != nil {
		t.Errorf("the job that was published after: alive %v, %v", alive, err)
	}
	if err := take(t, m).Release(t.Context(), 0); err != nil { // so that it is not redelivered earlier
		t.Fatal(err)
	}
}

// TestAJobIsFoundThatJetStreamDoesNotCount checks that jobs are found even if JetStream miscounts. Reading a
// consumer's state while a message is being deleted corrupts its count, here within a few rounds.
func TestAJobIsFoundThatJetStreamDoesNotCount(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	for round := range 100 {
		var looks sync.WaitGroup
		looks.Go(func() {
			for range 5 {
				_, _ = s.PendingCount(t.Context(), 0, "main")
			}
		})
		s.publish(spec(fmt.Sprintf("deleted%d", round)))
		if err := s.Delete(t.Context(), 0, "main", fmt.Sprintf("deleted%d", round)); err != nil {
			t.Fatal(err)
		}
		looks.Wait()
		s.publish(spec(fmt.Sprintf("waits%d", round)))
		uncounted := true
		for range 20 {
			n, err := s.PendingCount(t.Context(), 0, "main")
			if err != nil {
				t.Fatal(err)
			}
			uncounted = uncounted && n == 0
		}
		if err := take(t, m).Finish(t.Context(), accepted()); err != nil {
			t.Fatal(err)
		}
		if uncounted {
			return
		}
	}
	t.Log("all were counted")
}

// TestAStaleLeaseHarmsNoOther checks that a stale lease cannot acknowledge a job. NATS would accept the
// acknowledgement of an earlier holder.
func TestAStaleLeaseHarmsNoOther(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	s.publish(spec("a"))
	l := take(t, m)
	if l.Lost() {
		t.Error("lost at once")
	}
	l.Age(16 * time.Second)
	if !l.Lost() {
		t.Error("not lost after 16 s without a beat")
	}
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the result", func() bool { return len(s.of("a")) == 1 })
	if alive, err := s.HasJob(t.Context(), 0, "main", "a"); !alive || err != nil {
		t.Errorf("a lost lease acknowledged the job: alive %v, %v", alive, err)
	}
}

func TestResultsComeAgainUntilTheyAreTaken(t *testing.T) {
	trouble := make(chan error, 100)
	s := open(t, queue.Listener{Error: func(err error) {
		select {
		case trouble <- err:
		default:
		}
	}})
	good, err := (&job.Result{Job: "a", Generation: 1, Worker: "other", State: job.Failed}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for subject, data := range map[string]string{"result.w.a.1": string(good), "result.w.b.1": "nonsense", "result.w.c": "{}"} {
		nc, _ := raw(t, s, "w")
		if err := nc.Publish(subject, []byte(data)); err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-trouble:
			t.Log(err)
		case <-time.After(patience):
			t.Errorf("no word of a result of %s", subject)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.CatchUp(ctx); err != nil {
		t.Error(err)
	}
	if s.jobs() != 0 {
		t.Errorf("taken in: %v", s.all)
	}
}

func TestAResultThatIsRefusedComesAgain(t *testing.T) {
	s := open(t, queue.Listener{})
	s.refuse.Store(2)
	m := s.join("w")
	r := accepted()
	r.Job, r.Generation = "a", 1
	if err := m.SendResult(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.CatchUp(ctx); err != nil {
		t.Error(err)
	}
	if got := len(s.of("a")); got != 1 || s.refuse.Load() != 0 {
		t.Errorf("taken in %d times, %d refusals left", got, s.refuse.Load())
	}
	r.Rows = make([]job.CaseRow, 20_000)
	if err := m.SendResult(t.Context(), r); err == nil || !strings.Contains(err.Error(), "the most is") {
		t.Errorf("a result that is too large: %v", err)
	}
}

func TestAResultThatWasInHandComesAtOnce(t *testing.T) {
	s := open(t, queue.Listener{})
	s.stopFold() // before any result arrives
	stream, err := s.JetStream().Stream(t.Context(), "RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	c, err := stream.Consumer(t.Context(), "fold")
	if err != nil {
		t.Fatal(err)
	}
	config := c.CachedInfo().Config
	config.AckWait = time.Hour // longer than this test waits
	if c, err = stream.UpdateConsumer(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	r := accepted()
	r.Job, r.Generation = "a", 1
	if err := s.join("w").SendResult(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(); err != nil { // like a server that was killed before it stored the result
		t.Fatal(err)
	}
	s.startFold()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.CatchUp(ctx); err != nil {
		t.Error(err)
	}
	if len(s.of("a")) != 1 {
		t.Errorf("taken in: %v", s.all)
	}
}

func TestProgressIsMerged(t *testing.T) {
	var mu sync.Mutex
	var got []job.Progress
	s := open(t, queue.Listener{Progress: func(w string, p job.Progress) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, p)
	}})
	m := s.join("w")
	s.publish(spec("a"))
	l := take(t, m)
	began := time.Now()
	for i := range 100 {
		l.Progress(i, fmt.Appendf(nil, "%d", i))
		time.Sleep(5 * time.Millisecond)
	}
	events := func() (n, messages int) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range got {
			if p.Job != "a" || p.Generation != 1 || p.First != n {
				t.Fatalf("progress %+v after %d events", p.Running, n)
			}
			n += len(p.Events)
		}
		return n, len(got)
	}
	waitUntil(t, "all events", func() bool { n, _ := events(); return n == 100 })
	if _, messages := events(); messages > 2+int(time.Since(began)/(250*time.Millisecond)) {
		t.Errorf("%d messages in %v", messages, time.Since(began))
	}
}

// TestIdleWorkersAreWokenOneByOne checks that a job costs only a few requests, however many workers are idle.
func TestIdleWorkersAreWokenOneByOne(t *testing.T) {
	const workers = 100
	s := open(t, queue.Listener{})
	var pulls atomic.Int32
	if _, err := s.NATS().Subscribe("$JS.API.CONSUMER.MSG.NEXT.JOBS.>", func(*nats.Msg) { pulls.Add(1) }); err != nil {
		t.Fatal(err)
	}
	got := make(chan *queue.Lease, workers)
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	for i := range workers {
		m := s.join(fmt.Sprintf("w%d", i))
		done.Go(func() {
			for ctx.Err() == nil {
				if l, err := m.Take(ctx); err == nil {
					got <- l
				}
			}
		})
	}
	time.Sleep(time.Second)
	idle := pulls.Load()
	time.Sleep(4 * time.Second)
	perSecond := float64(pulls.Load()-idle) / 4
	before := pulls.Load()
	began := time.Now()
	const jobs = 20
	for i := range jobs {
		s.publish(spec(fmt.Sprintf("j%d", i)))
		if err := s.Wake("main"); err != nil {
			t.Fatal(err)
		}
		if l := <-got; l.Spec.ID != fmt.Sprintf("j%d", i) {
			t.Errorf("took %s", l.Spec.ID)
		}
	}
	each := (float64(pulls.Load()-before) - perSecond*time.Since(began).Seconds()) / jobs
	t.Logf("%.0f pulls a second idle, %.1f more for each job", perSecond, each)
	if each > 50 { // if all workers asked, it would be 100
		t.Errorf("%.1f pulls for each job", each)
	}
	cancel()
	done.Wait()
}
