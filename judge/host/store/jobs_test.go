package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/fair/fairtest"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

func TestJobsGoOutAndComeBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		first, second := h.submit(), h.submit()
		specs := h.next()
		if len(specs) != 2 || specs[0].ID != first.Job || specs[1].ID != second.Job {
			t.Fatalf("got %+v", specs)
		}
		for what, is := range map[string]struct {
			priority job.Priority
			class    string
			n        int
			want     int
		}{
			"one":              {job.PracticePriority, "main", 1, 1},
			"another priority": {job.ContestPriority, "main", 9, 0},
			"another class":    {job.PracticePriority, "other", 9, 0},
		} {
			if got, err := h.NextJobs(t.Context(), is.priority, is.class, is.n); err != nil || len(got) != is.want {
				t.Errorf("%s: %d jobs, %v", what, len(got), err)
			}
		}
		waitingSince := h.clock.Now()
		h.clock.add(time.Minute)
		outSince := h.clock.Now()
		h.out(specs[0])
		want := []store.QueueCount{{Priority: job.PracticePriority, Class: "main", State: store.JobDispatched, Jobs: 1, Oldest: waitingSince},
			{Priority: job.PracticePriority, Class: "main", State: store.JobWaiting, Jobs: 1, Oldest: waitingSince.Add(time.Microsecond)}}
		queues, err := h.QueueCounts(t.Context())
		if d := cmp.Diff(want, queues); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		out, err := h.DispatchedBefore(t.Context(), outSince.Add(time.Second))
		wantOut := []store.DispatchedJob{{Running: job.Running{Job: first.Job, Generation: 1}, Priority: job.PracticePriority, Class: "main",
			At: outSince}}
		if d := cmp.Diff(wantOut, out); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if out, err := h.DispatchedBefore(t.Context(), outSince); err != nil || len(out) != 0 {
			t.Errorf("out for no time: %v, %v", out, err)
		}
		for _, is := range []struct {
			j    job.Running
			want bool
		}{
			{job.Running{Job: first.Job, Generation: 2}, false},
			{job.Running{Job: second.Job, Generation: 1}, false},
			{job.Running{Job: first.Job, Generation: 1}, true},
			{job.Running{Job: first.Job, Generation: 1}, false},
		} {
			if got, err := h.Requeue(t.Context(), is.j); err != nil || got != is.want {
				t.Errorf("%+v again: %v, %v; want %v", is.j, got, err, is.want)
			}
		}
		if specs := h.next(); len(specs) != 2 || specs[0].ID != first.Job || specs[0].Generation != 2 {
			t.Errorf("it lost its place: %+v", specs[0])
		}
	})
}

func TestWhatIsNotMarkedAsOut(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for range 4 {
			h.submit()
		}
		specs := h.next()
		var jobs []job.Running
		for _, s := range specs {
			jobs = append(jobs, job.Running{Job: s.ID, Generation: s.Generation})
		}
		if _, err := h.MarkDispatched(t.Context(), 1, jobs...); !errors.Is(err, store.ErrNotLeader) {
			t.Errorf("without a lead: %v", err)
		}
		epoch, err := h.AcquireLease(t.Context(), store.EnqueueLease, "me", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.MarkDispatched(t.Context(), epoch+1, jobs...); !errors.Is(err, store.ErrNotLeader) {
			t.Errorf("with an epoch that never was: %v", err)
		}
		if _, err := h.CancelJob(t.Context(), jobs[0].Job); err != nil {
			t.Fatal(err)
		}
		h.fold(h.result(specs[1], judge.Accepted), store.Counted)
		jobs[2].Generation = 2
		out, err := h.MarkDispatched(t.Context(), epoch, jobs...)
		if d := cmp.Diff(jobs[3:], out); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if out, err := h.MarkDispatched(t.Context(), epoch, jobs[3]); err != nil || len(out) != 0 {
			t.Errorf("twice: %v, %v", out, err)
		}
	})
}

// TestTwoFeeders checks that only one of several servers marks jobs, even if each of them believes that it is the
// leader, and that every job is marked once.
func TestTwoFeeders(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const n = 30
		for range n {
			h.submit()
		}
		marked := map[string]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, name := range []string{"a", "b", "c"} {
			s := h.Store
			if h.Store.Postgres() { // SQLite supports only one server
				s = open(t, store.Options{DSN: dsn, Now: h.clock.Now})
			}
			wg.Go(func() {
				for left := true; left; {
					h.clock.add(20 * time.Millisecond)
					epoch, err := s.AcquireLease(t.Context(), store.EnqueueLease, name, 30*time.Millisecond)
					if err != nil && !errors.Is(err, store.ErrNotLeader) {
						t.Error(err)
						return
					}
					specs, err := s.NextJobs(t.Context(), job.PracticePriority, "main", 2)
					if err != nil {
						t.Error(err)
						return
					}
					left = len(specs) > 0
					for _, spec := range specs {
						out, err := s.MarkDispatched(t.Context(), epoch, job.Running{Job: spec.ID, Generation: spec.Generation})
						if err != nil && !errors.Is(err, store.ErrNotLeader) {
							t.Error(err)
						}
						mu.Lock()
						for _, j := range out {
							marked[j.Job]++
						}
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		if len(marked) != n {
			t.Errorf("%d of %d jobs were marked", len(marked), n)
		}
		for id, times := range marked {
			if times != 1 {
				t.Errorf("job %s was marked %d times", id, times)
			}
		}
	})
}

func TestLead(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		lead := func(who string, want int64) {
			t.Helper()
			epoch, err := h.AcquireLease(t.Context(), "garbage", who, 15*time.Second)
			if epoch != want || want == 0 && !errors.Is(err, store.ErrNotLeader) || want > 0 && err != nil {
				t.Errorf("%s: epoch %d, %v; want %d", who, epoch, err, want)
			}
		}
		if _, err := h.LeaseHolder(t.Context(), "garbage"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		lead("a", 1)
		lead("b", 0)
		h.clock.add(10 * time.Second)
		lead("a", 1)
		h.clock.add(10 * time.Second)
		lead("b", 0)
		h.clock.add(5 * time.Second)
		lead("b", 2)
		lead("a", 0)
		if l, err := h.LeaseHolder(t.Context(), "garbage"); err != nil ||
			l != (store.Leader{Holder: "b", Epoch: 2, Until: h.clock.Now().Add(15 * time.Second)}) {
			t.Errorf("got %+v, %v", l, err)
		}
		for _, who := range []string{"a", "b"} { // a does not hold the lease
			if err := h.ReleaseLease(t.Context(), "garbage", who); err != nil {
				t.Error(err)
			}
			if who == "a" {
				lead("a", 0)
			}
		}
		lead("a", 3)
		h.clock.add(-20 * time.Minute) // the clock was ahead when the lease was taken
		lead("b", 4)
		lead("a", 0)
	})
}

// TestTheOrderIsThatOfPackageFair checks that SQL and package fair give the same order for random arrivals and
// departures in two priorities. It reopens the store from time to time.
func TestTheOrderIsThatOfPackageFair(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		var owners []string
		for i := range 3 {
			owners = append(owners, h.account(fmt.Sprint("o", i)).ID)
		}
		random := rand.New(rand.NewPCG(15, 0))
		priorities := map[job.Priority]*fairtest.Queue{job.ContestPriority: {}, job.PracticePriority: {}}
		next := func(priority job.Priority) bool {
			t.Helper()
			n := 1 + random.IntN(3)
			want := priorities[priority].Take(n)
			specs, err := h.NextJobs(t.Context(), priority, "main", n)
			if err != nil || len(want) != len(specs) {
				t.Fatalf("%d jobs, %v; want %v", len(specs), err, want)
			}
			for i, w := range want {
				if specs[i].ID != w.ID {
					t.Fatalf("job %d of priority %d that goes out is %s, want %+v", i, priority, specs[i].ID, w)
				}
			}
			h.out(specs...)
			return len(want) > 0
		}
		s := h.Store
		for step := range 250 {
			priority := job.Priority(random.IntN(2))
			switch random.IntN(8) {
			case 0, 1, 2, 3:
				n := h.submission("")
				n.Priority, n.Account = priority, owners[random.IntN(len(owners))]
				n.Cost = time.Duration(random.IntN(6)*(1+50*random.IntN(2))) * time.Microsecond
				a, err := s.Submit(t.Context(), n)
				if err != nil {
					t.Fatal(err)
				}
				priorities[priority].Add(n.Account, n.Cost.Microseconds(), a.Job)
			case 4, 5, 6:
				next(priority)
			case 7: // garbage collection changes nothing
				if _, err := sweep(t, s, nothing); err != nil {
					t.Fatal(err)
				}
			}
			if step%50 == 49 {
				for priority := range priorities {
					for next(priority) {
					}
				}
				s = open(t, store.Options{DSN: dsn, Now: h.clock.Now})
			}
		}
	})
}

// nothing returns no blobs for any manifest.
func nothing(blob.Digest) ([]blob.Digest, error) { return nil, nil }

// TestOneHeavyJobDoesNotHoldUpItsOwner checks that the owner of a heavy job waits for at most two turns of each
// other owner, even if more owners arrive. AheadOf must count the jobs that go before the owner's next job and
// give the reason.
func TestOneHeavyJobDoesNotHoldUpItsOwner(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		submit := func(account string, cost time.Duration) string {
			t.Helper()
			n := h.submission("")
			n.Account, n.Cost = account, cost
			a, err := h.Submit(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			return a.Job
		}
		ahead := func(id string, want store.Ahead) {
			t.Helper()
			if got, err := h.AheadOf(t.Context(), id); err != nil || got != want {
				t.Errorf("before the job go %+v, %v; want %+v", got, err, want)
			}
		}
		heavy := h.account("heavy").ID
		first := submit(heavy, 18*time.Second)
		ahead(first, store.Ahead{})
		h.out(h.next()...)
		if _, err := h.AheadOf(t.Context(), first); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a job that is out: %v", err)
		}
		others := []string{submit(h.account("a").ID, time.Second), submit(h.account("b").ID, time.Second)}
		second := submit(heavy, time.Second)
		ahead(second, store.Ahead{Jobs: 2})
		var order []string
		for i := range 8 {
			others = append(others, submit(h.account(fmt.Sprint("new", i)).ID, time.Second))
			if i == 1 {
				ahead(second, store.Ahead{Jobs: 3, Later: 2})
				ahead(others[1], store.Ahead{})
			}
			specs, err := h.NextJobs(t.Context(), job.PracticePriority, "main", 1)
			if err != nil || len(specs) != 1 {
				t.Fatal(specs, err)
			}
			h.out(specs...)
			order = append(order, specs[0].ID)
		}
		if d := cmp.Diff(slices.Concat(others[:4], []string{second}, others[4:7]), order); d != "" {
			t.Error(d)
		}
		n := h.submission("")
		n.Priority = job.ContestPriority
		if _, err := h.Submit(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		ahead(others[9], store.Ahead{Jobs: 3, HigherPriority: 1})
	})
}

// TestOneWithManyDoesNotDelayOneWithOne checks that an owner with many jobs does not delay an owner with one.
func TestOneWithManyDoesNotDelayOneWithOne(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for range 20 {
			h.submit()
		}
		h.out(h.next()[:2]...)
		n := h.submission("")
		n.Account = h.account("bob").ID
		a, err := h.Submit(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		place := slices.IndexFunc(h.next(), func(s *job.Spec) bool { return s.ID == a.Job })
		if place != 0 {
			t.Errorf("%d jobs go before", place)
		}
	})
}
