package verify

import (
	"context"
	"fmt"
	"sync"

	"assay/judge"
	"assay/judge/running/trial"
)

// cachedExecutor is a bench that uses stored results instead of new runs.
//
// A stored run under one time limit is also valid under another limit in three cases: both limits are equal, the
// program exited within both limits, or the program was killed for its time and the other limit is shorter. The
// key covers everything else.
type cachedExecutor struct {
	trial.Executor
	store  *Cache
	cache  *runCache
	base   string       // hash of what is the same for all cases
	limits judge.Limits // of the runs

	mu      sync.Mutex
	pending map[*judge.Attempt]string // keys of runs whose output is yet to be checked
	known   map[*judge.Attempt]judge.Outcome
}

// run is the stored result of one run.
type run struct {
	CPU     int64          `json:"limit_us"` // time limit of the run
	Exec    judge.Exec     `json:"exec"`
	Outcome *judge.Outcome `json:"outcome,omitempty"` // nil if the output was not checked
	Settled bool           `json:"settled,omitempty"`
	Stderr  string         `json:"stderr,omitempty"`
}

// wrap wraps the bench b so that it uses stored results. The parameter words is included in the keys of all
// cases.
func (m *Cache) wrap(b trial.Executor, program string, limits judge.Limits, words ...any) trial.Executor {
	shapeless := limits
	shapeless.CPU, shapeless.Wall = 0, 0
	return &cachedExecutor{
		Executor: b, store: m, cache: m.cache(program), base: digest(append(words, shapeless)...), limits: limits,
		pending: map[*judge.Attempt]string{}, known: map[*judge.Attempt]judge.Outcome{},
	}
}

// key hashes everything that the program and the checker receive for a case.
func (r *cachedExecutor) key(c *judge.Case) (string, error) {
	in, err := r.store.hash(c.In)
	if err != nil {
		return "", err
	}
	ans, err := r.store.hash(c.Ans)
	if err != nil {
		return "", err
	}
	words := []any{r.base, in, ans, fmt.Sprintf("%q %q", c.Args, c.CheckerArgs)}
	for _, f := range c.Files {
		sum, err := r.store.hash(f.Path)
		if err != nil {
			return "", err
		}
		words = append(words, f.Name, sum, string(f.Data))
	}
	return digest(words...), nil
}

func (r *cachedExecutor) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	key, err := r.key(c)
	if err != nil { // the bench reports the error
		return r.Executor.Try(ctx, c)
	}
	var old run
	if r.cache.get(key, &old) && r.isValid(&old) {
		a := &judge.Attempt{Exec: old.Exec, Stderr: []byte(old.Stderr)}
		if old.Settled {
			a.Outcome = old.Outcome
		} else if old.Outcome != nil {
			r.mu.Lock()
			r.known[a] = *old.Outcome
			r.mu.Unlock()
		}
		return a, nil
	}
	a, err := r.Executor.Try(ctx, c)
	if err != nil || a == nil {
		return a, err
	}
	switch {
	case a.Outcome != nil:
		r.put(key, a, a.Outcome)
	case judge.Classify(a.Exec, r.limits) != judge.NotJudged:
		r.put(key, a, nil)
	default:
		r.mu.Lock()
		r.pending[a] = key
		r.mu.Unlock()
	}
	return a, nil
}

// isValid reports whether an old run is valid under the current limits.
func (r *cachedExecutor) isValid(old *run) bool {
	limit, had := r.limits.CPU.Microseconds(), old.CPU
	took := old.Exec.CPU.Microseconds()
	switch {
	case limit == had:
		return true
	case old.Exec.Killed == judge.CPUTime:
		return !old.Settled && limit <= had
	case old.Exec.Killed == judge.WallTime:
		return false
	case old.Settled, old.Outcome == nil && judge.Classify(old.Exec, r.limits) == judge.NotJudged:
		return took <= limit && took <= had && old.Outcome != nil
	}
	return took <= limit && took <= had
}

// put stores a run. It does not store a judge error, whose cause may be temporary.
func (r *cachedExecutor) put(key string, a *judge.Attempt, o *judge.Outcome) {
	if o != nil && o.Verdict == judge.JudgeError {
		return
	}
	stderr := string(a.Stderr)
	r.cache.put(key, run{CPU: r.limits.CPU.Microseconds(), Exec: a.Exec, Outcome: o, Settled: a.Outcome != nil, Stderr: stderr})
}

func (r *cachedExecutor) Check(ctx context.Context, c *judge.Case, a *judge.Attempt) (judge.Outcome, error) {
	r.mu.Lock()
	old, isKnown := r.known[a]
	key, isPending := r.pending[a]
	delete(r.known, a)
	delete(r.pending, a)
	r.mu.Unlock()
	if isKnown {
		return old, nil
	}
	o, err := r.Executor.Check(ctx, c, a)
	if err == nil && isPending {
		r.put(key, a, &o)
	}
	return o, err
}

// Explain returns nil for a stored run.
func (r *cachedExecutor) Explain(c *judge.Case, a *judge.Attempt, o judge.Outcome) *judge.Detail {
	return nil // verify shows no details
}
