package stress

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge"
)

// Options limits a search. A zero field means no limit.
type Options struct {
	Seed  uint64
	Count int           // number of inputs, including invalid ones
	Time  time.Duration // inputs that are still running at the end are not counted
}

// A SearchCounts counts the inputs that a search tried.
type SearchCounts struct {
	Tried    int // all inputs
	Invalid  int // inputs that the validator or the generator rejected
	Repeated int // repeated inputs
	Run      int // inputs on which the solution ran
}

// Search looks for an input on which the solution fails. It tries the samples first. If it finds none within the
// limits of o, it returns a nil Trial.
func (l *Tester) Search(ctx context.Context, o Options) (*Trial, *SearchCounts, error) {
	if l.failedSample != nil {
		return l.failedSample, &SearchCounts{Tried: 1, Run: 1}, nil
	}
	plan, err := l.plan(o.Seed)
	if err != nil {
		return nil, nil, err
	}
	h := &failureSearch{tester: l, plan: plan, o: o, seen: map[[sha256.Size]byte]int{}}
	h.lowest.Store(math.MaxInt64)
	timed, cancel := withTimeLimit(ctx, o.Time)
	defer cancel()
	group, timed := errgroup.WithContext(timed)
	for range max(l.Jobs, 1) {
		group.Go(func() error { return h.work(timed) })
	}
	if err := group.Wait(); err != nil {
		return nil, &h.tally, err
	}
	return h.found, &h.tally, h.fault
}

// A failureSearch is the state of Search.
type failureSearch struct {
	tester *Tester
	plan   *plan
	o      Options
	next   atomic.Int64
	lowest atomic.Int64 // lowest number of a failing input so far

	mu    sync.Mutex
	found *Trial
	fault error                     // a problem error, if the search ended with one
	seen  map[[sha256.Size]byte]int // lowest number of each input
	tally SearchCounts
}

// work tries inputs until the search ends. Workers take inputs in increasing order. So when a worker finds a
// failing input, all inputs before it are tried too, even if other workers must still finish them.
func (h *failureSearch) work(ctx context.Context) error {
	b, err := h.tester.acquire()
	if err != nil {
		return err
	}
	defer h.tester.release(b)
	for ctx.Err() == nil {
		i := int(h.next.Add(1) - 1)
		if h.o.Count > 0 && i >= h.o.Count || int64(i) > h.lowest.Load() {
			return nil
		}
		t, err := h.tryInput(ctx, b, i)
		if timeUp(ctx) && t == nil {
			return nil
		}
		if _, fault := errors.AsType[*judge.ProblemError](err); err != nil && !fault {
			return err
		}
		if t != nil || err != nil {
			h.record(i, t, err)
		}
		b.tester.tried.Add(1)
	}
	return ended(ctx)
}

// ended returns the error of ctx, or nil if only the search's time limit has expired.
func ended(ctx context.Context) error {
	if timeUp(ctx) {
		return nil
	}
	return ctx.Err()
}

// tryInput tries input i. It returns the trial if the solution fails on the input.
func (h *failureSearch) tryInput(ctx context.Context, b *worker, i int) (*Trial, error) {
	c, err := h.plan.input(ctx, b, i)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.tally.Tried++
	if c == nil {
		h.tally.Invalid++
		h.mu.Unlock()
		return nil, nil
	}
	key := sha256.Sum256(c.input)
	if k, twice := h.seen[key]; twice && k < i {
		h.tally.Repeated++
		h.mu.Unlock()
		return nil, nil
	}
	h.seen[key] = i
	h.tally.Run++
	h.mu.Unlock()

	t, err := b.run(ctx, fmt.Sprintf("stress/%d", i), c.input, nil)
	if err != nil || !t.Fails() {
		return nil, err
	}
	if again, err := b.repeats(ctx, t); err != nil || !again {
		return nil, err
	}
	t.Line, t.Seed, t.Origin = c.line, c.seed, c.origin
	return t, nil
}

// record records that the solution fails on input i, or that the input reveals a problem error.
func (h *failureSearch) record(i int, t *Trial, fault error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if int64(i) < h.lowest.Load() {
		h.lowest.Store(int64(i))
		h.found, h.fault = t, fault
	}
}

// Slowest looks for the valid input on which the solution uses the most CPU time. The result depends on the
// machine. The search starts with the large cases. Half of the inputs are modifications of the slowest input so
// far.
func (l *Tester) Slowest(ctx context.Context, o Options) (*Trial, *SearchCounts, error) {
	plan, err := l.plan(o.Seed)
	if err != nil {
		return nil, nil, err
	}
	plan.useAll = true
	s := &slowestSearch{tester: l, plan: plan, o: o}
	timed, cancel := withTimeLimit(ctx, o.Time)
	defer cancel()
	group, timed := errgroup.WithContext(timed)
	for range max(l.Jobs, 1) {
		group.Go(func() error { return s.work(timed) })
	}
	if err := group.Wait(); err != nil {
		return nil, &s.tally, err
	}
	if s.slowest == nil {
		return nil, &s.tally, nil
	}
	return s.slowest, &s.tally, s.measure(ctx)
}

// slowestSearch is the state of a search for the slowest input.
type slowestSearch struct {
	tester *Tester
	plan   *plan
	o      Options
	next   atomic.Int64

	mu      sync.Mutex
	slowest *Trial
	origin  string // origin of the slowest input
	tally   SearchCounts
}

func (s *slowestSearch) work(ctx context.Context) error {
	b, err := s.tester.acquire()
	if err != nil {
		return err
	}
	defer s.tester.release(b)
	for ctx.Err() == nil {
		i := int(s.next.Add(1) - 1)
		if s.o.Count > 0 && i >= s.o.Count {
			return nil
		}
		if err := s.tryInput(ctx, b, i); err != nil && !timeUp(ctx) {
			return err
		}
		b.tester.tried.Add(1)
	}
	return ended(ctx)
}

func (s *slowestSearch) tryInput(ctx context.Context, b *worker, i int) error {
	c, err := s.plan.input(ctx, b, i)
	s.mu.Lock()
	best, from := s.slowest, s.origin
	s.mu.Unlock()
	if i%2 == 1 && best != nil && s.plan.canChange() {
		c, err = s.plan.changeCase(ctx, b, i, base{best.Input, from})
	}
	if err != nil {
		return err
	}
	var t *Trial
	if c != nil {
		if t, err = b.time(ctx, c.input); err != nil {
			return err
		}
		t.Line, t.Origin = c.line, c.origin
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.Tried++
	if t == nil {
		s.tally.Invalid++
		return nil
	}
	s.tally.Run++
	if s.slowest == nil || t.Exec.CPU > s.slowest.Exec.CPU {
		s.slowest, s.origin = t, c.baseOrigin
	}
	return nil
}

// measure runs the slowest input again, alone, because the machine may have slowed down the first run. It keeps
// the shorter of the two times.
func (s *slowestSearch) measure(ctx context.Context) error {
	b, err := s.tester.acquire()
	if err != nil {
		return err
	}
	defer s.tester.release(b)
	for range 3 {
		t, err := b.time(ctx, s.slowest.Input)
		if err != nil {
			return err
		}
		if t.Exec.CPU < s.slowest.Exec.CPU {
			t.Line, t.Origin = s.slowest.Line, s.slowest.Origin
			s.slowest = t
		}
	}
	if s.slowest.Verdict == judge.NotJudged {
		s.slowest.Verdict = judge.Accepted // its output does not matter here
	}
	return nil
}

// time measures a run of the solution on an input, without checking the output.
func (b *worker) time(ctx context.Context, input []byte) (*Trial, error) {
	if b.tester.usesStage() {
		return b.run(ctx, "slowest", input, nil)
	}
	return b.tester.execute(ctx, b.limits, input)
}
