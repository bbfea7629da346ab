package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

func TestASubmissionIsReadBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		a := h.submit()
		want := &store.Submission{
			ID: a.ID, Contest: store.Practice, Number: 1, Account: h.alice.ID, Login: "alice", Display: h.alice.Display, Problem: "nim",
			Program: "a.py",
			Files:   work().Files, Size: 7, Received: h.clock.Now(), Judgement: a.Job, State: store.JobWaiting,
		}
		got, err := h.Submission(t.Context(), a.ID)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		j, err := h.Judgement(t.Context(), a.ID)
		if d := cmp.Diff(&store.Judgement{
			ID: a.Job, Submission: a.ID, Bundle: digest("nim1"), Config: digest("config"), Class: "main", Origin: "first", State: store.JobWaiting,
			Started: h.clock.Now(), Toolchains: map[string]string{},
		}, j); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		specs, err := h.NextJobs(t.Context(), job.PracticePriority, "main", 10)
		if err != nil || len(specs) != 1 || specs[0].Token == "" {
			t.Fatalf("got %+v, %v", specs, err)
		}
		spec := &job.Spec{Work: work(), ID: a.Job, Generation: 1, Priority: job.PracticePriority, Class: "main", Token: specs[0].Token,
			Exclude: []string{}}
		if d := cmp.Diff(spec, specs[0]); d != "" {
			t.Error(d)
		}
		for what, err := range map[string]error{
			"submission": func() error { _, err := h.Submission(t.Context(), "none"); return err }(),
			"judgement":  func() error { _, err := h.Judgement(t.Context(), "none"); return err }(),
		} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("no %s: %v", what, err)
			}
		}
	})
}

func TestWhatIsNotKept(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for name, tt := range map[string]struct {
			change func(*store.NewSubmission)
			want   error
		}{
			"no problem":     {func(n *store.NewSubmission) { n.Problem = "none" }, store.ErrNotFound},
			"no account":     {func(n *store.NewSubmission) { n.Account = "none" }, nil},
			"no files":       {func(n *store.NewSubmission) { n.Work.Files = nil }, nil},
			"a key with NUL": {func(n *store.NewSubmission) { n.Key, n.Work.Program = "a\x00b", "" }, nil},
		} {
			n := h.submission("")
			tt.change(&n)
			if _, err := h.Submit(t.Context(), n); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if a := h.submit(); a.Number != 1 {
			t.Errorf("what was not kept took a number: %d", a.Number)
		}
		if last, err := h.EventCount(t.Context()); err != nil || last != 1 {
			t.Errorf("the log ends with %d, %v", last, err)
		}
	})
}

func TestTheSameKeyIsTheSameSubmission(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		submit := func(n store.NewSubmission) *store.StoredSubmission {
			a, err := h.Submit(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		first := submit(h.submission("k"))
		h.clock.add(10*time.Minute - time.Second)
		same := *first
		same.Repeated = true
		if a := submit(h.submission("k")); *a != same {
			t.Errorf("got %+v, want %+v", a, same)
		}
		changed := h.submission("k")
		changed.Work.Files = slices.Clone(changed.Work.Files)
		changed.Work.Files[0].Size++
		if a, err := h.Submit(t.Context(), changed); !errors.Is(err, store.ErrKeyReused) {
			t.Errorf("another program: got %+v, %v", a, err)
		}
		other := h.submission("k")
		other.Account = h.account("bob").ID
		for what, n := range map[string]store.NewSubmission{"another account": other, "another key": h.submission("l"),
			"no key": h.submission("")} {
			if a := submit(n); a.Repeated {
				t.Errorf("%s: got %+v", what, a)
			}
		}
		h.clock.add(2 * time.Second)
		if a := submit(h.submission("k")); a.Repeated || a.Number != 5 {
			t.Errorf("after ten minutes: got %+v", a)
		}
	})
}

// TestAKeyThatComesManyTimesAtOnce checks that concurrent requests with the same key create only one submission.
func TestAKeyThatComesManyTimesAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const times = 6
		got := make(chan *store.StoredSubmission, times)
		var wg sync.WaitGroup
		for range times {
			wg.Go(func() {
				a, err := h.Submit(t.Context(), h.submission("k"))
				if err != nil {
					t.Error(err)
					return
				}
				got <- a
			})
		}
		wg.Wait()
		close(got)
		var kept int
		for a := range got {
			if !a.Repeated {
				kept++
			}
			if a.Number != 1 {
				t.Errorf("one was told number %d", a.Number)
			}
		}
		if kept != 1 {
			t.Errorf("%d of %d were kept", kept, times)
		}
		checkLog(t, h.Store, 1)
	})
}

func TestTooManyWaiting(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		s := open(t, store.Options{DSN: dsn, MaxWaiting: 2, Now: h.clock.Now})
		for range 2 {
			if _, err := s.Submit(t.Context(), h.submission("")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Submit(t.Context(), h.submission("")); !errors.Is(err, store.ErrTooManyWaiting) {
			t.Errorf("the third: %v", err)
		}
		n := h.submission("")
		n.Priority = job.ContestPriority
		if _, err := s.Submit(t.Context(), n); err != nil {
			t.Errorf("in a contest: %v", err)
		}
	})
}

// TestOneWhoSendsWithoutEnd checks the limit of pending submissions per account. Other accounts can still submit,
// repeated requests do not count, and a canceled or judged submission makes room for another.
func TestOneWhoSendsWithoutEnd(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		send := func(account, key string, want error) *store.StoredSubmission {
			t.Helper()
			n := h.submission(key)
			n.Account, n.MaxPending = account, 2
			a, err := h.Submit(t.Context(), n)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", key, err, want)
			}
			return a
		}
		bob := h.account("bob")
		first := send(h.alice.ID, "1", nil)
		send(h.alice.ID, "2", nil)
		send(h.alice.ID, "3", store.ErrTooManyPending)
		send(h.alice.ID, "2", nil) // again
		send(bob.ID, "1", nil)
		if _, err := h.CancelJob(t.Context(), first.Job); err != nil {
			t.Fatal(err)
		}
		send(h.alice.ID, "3", nil)
		send(h.alice.ID, "4", store.ErrTooManyPending)
		for _, tt := range []struct {
			account, problem string
			want             int
		}{{h.alice.ID, "", 2}, {h.alice.ID, "nim", 2}, {"", "nim", 3}, {bob.ID, "", 1}, {"", "", 3}} {
			if jobs, err := h.PendingJobs(t.Context(), tt.account, tt.problem, ""); err != nil || len(jobs) != tt.want {
				t.Errorf("open of %q, %q are %v, %v; want %d", tt.account, tt.problem, jobs, err, tt.want)
			}
		}
		if _, err := h.PendingJobs(t.Context(), "", "none", ""); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of a problem that is not there: %v", err)
		}
	})
}

// TestManySubmitAtOnce checks that the numbers, events and times of concurrent submissions have the same order and
// no gaps, and that every submission has a job.
func TestManySubmitAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const people, each = 8, 12
		var all sync.Map
		var wg sync.WaitGroup
		for p := range people {
			n := h.submission("")
			n.Account = h.account(fmt.Sprint("p", p)).ID
			wg.Go(func() {
				for i := range each {
					n.Key = fmt.Sprint(i / 2) // each twice
					a, err := h.Submit(t.Context(), n)
					if err != nil {
						t.Error(err)
						return
					}
					all.Store(a.ID, a.Number)
				}
			})
		}
		wg.Wait()
		const kept = people * each / 2
		list, err := h.Submissions(t.Context(), store.SubmissionFilter{Limit: 1000})
		if err != nil || len(list) != kept {
			t.Fatalf("%d submissions, %v; want %d", len(list), err, kept)
		}
		for i, s := range list {
			if number, said := all.Load(s.ID); !said || number != s.Number || s.Number != int64(kept-i) {
				t.Errorf("submission %d has number %d; its sender was told %v", i, s.Number, number)
			}
			if i > 0 && !s.Received.Before(list[i-1].Received) {
				t.Errorf("submission %d came at %v, the next at %v", s.Number, s.Received, list[i-1].Received)
			}
		}
		checkLog(t, h.Store, kept)
		if q, err := h.QueueCounts(t.Context()); err != nil || len(q) != 1 || q[0].Jobs != kept {
			t.Errorf("got %+v, %v", q, err)
		}
	})
}

// checkLog checks that the log has n events, without gaps and in order of time.
func checkLog(t *testing.T, s *store.Store, n int) {
	t.Helper()
	events, err := s.EventsSince(t.Context(), store.Practice, 0, n+1)
	if err != nil || len(events) != n {
		t.Fatalf("%d events, %v; want %d", len(events), err, n)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) || i > 0 && !e.At.After(events[i-1].At) {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if last, err := s.EventCount(t.Context()); err != nil || last != int64(n) {
		t.Errorf("the log ends with %d, %v", last, err)
	}
	if page, err := s.EventsSince(t.Context(), store.Practice, int64(n-1), 5); err != nil || len(page) != 1 || page[0] != events[n-1] {
		t.Errorf("the last page is %+v, %v", page, err)
	}
}

// TestTimeDoesNotGoBack checks that stored times do not go backwards if the clock does.
func TestTimeDoesNotGoBack(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		first := h.submit()
		h.clock.add(-time.Hour)
		if second := h.submit(); second.Received.Sub(first.Received) != time.Microsecond {
			t.Errorf("got %v after %v", second.Received, first.Received)
		}
	})
}

func TestPagesOfSubmissions(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		bob := h.account("bob")
		if _, err := h.PutBundle(t.Context(), bundle(bob.ID, "hex", "1")); err != nil {
			t.Fatal(err)
		}
		for i := range 12 {
			n := h.submission("")
			if i%2 == 0 {
				n.Account = bob.ID
			}
			if i%3 == 0 {
				n.Problem = "hex"
			}
			if _, err := h.Submit(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		for name, tt := range map[string]struct {
			filter store.SubmissionFilter
			want   []int64
		}{
			"all":              {store.SubmissionFilter{Limit: 3}, []int64{12, 11, 10}},
			"the next page":    {store.SubmissionFilter{Limit: 3, Before: 3}, []int64{2, 1}},
			"of an account":    {store.SubmissionFilter{Account: bob.ID, Limit: 2, Before: 7}, []int64{5, 3}},
			"of a problem":     {store.SubmissionFilter{Problem: "hex"}, []int64{10, 7, 4, 1}},
			"of both":          {store.SubmissionFilter{Problem: "hex", Account: bob.ID}, []int64{7, 1}},
			"of no account":    {store.SubmissionFilter{Account: "none"}, nil},
			"of no problem":    {store.SubmissionFilter{Problem: "none"}, nil},
			"before the first": {store.SubmissionFilter{Before: 1}, nil},
		} {
			list, err := h.Submissions(t.Context(), tt.filter)
			var got []int64
			for _, s := range list {
				got = append(got, s.Number)
			}
			if d := cmp.Diff(tt.want, got); err != nil || d != "" {
				t.Errorf("%s: %v\n%s", name, err, d)
			}
		}
	})
}

func TestCostIsTheMedianOfTheLast(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		cost := func() time.Duration {
			d, err := h.EstimateCost(t.Context(), "nim")
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		if got := cost(); got != 5*time.Second {
			t.Errorf("at first %v", got)
		}
		for _, ms := range []int64{1, 9, 4} {
			h.submit()
			r := h.result(h.next()[0], judge.Accepted)
			r.CPUUS = ms * 1000
			h.fold(r, store.Counted)
		}
		if got := cost(); got != 4*time.Millisecond {
			t.Errorf("got %v, want 4 ms", got)
		}
	})
}

// next returns the waiting jobs of the practice priority.
func (h *harness) next() []*job.Spec {
	h.tb.Helper()
	specs, err := h.NextJobs(h.tb.Context(), job.PracticePriority, "main", 1000)
	if err != nil {
		h.tb.Fatal(err)
	}
	return specs
}

// result returns a result of worker w1 for a job.
func (h *harness) result(s *job.Spec, v judge.Verdict) *job.Result {
	return &job.Result{
		Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w1", State: job.Done,
		Finished: &judge.Finished{Verdict: v, Passed: 1, Judged: 2},
		Rows:     []job.CaseRow{{Case: "a/b", Verdict: v, CPUUS: 3, WallUS: 4, Memory: 5}},
		Events:   []byte("packed"), Version: "v9", Machine: "m", IsolationLevel: "full", Toolchains: map[string]string{"c": "gcc"}, CPUUS: 7,
	}
}

// fold records a result, and fails the test unless the outcome is want.
func (h *harness) fold(r *job.Result, want store.Outcome) store.RecordedResult {
	h.tb.Helper()
	f, err := h.RecordResult(h.tb.Context(), r, blob.DigestOf(r.Events))
	if err != nil || f.Outcome != want {
		h.tb.Errorf("folding %s of %s: got %+v, %v; want %s", r.State, r.Worker, f, err, want)
	}
	return f
}
