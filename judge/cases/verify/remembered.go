package verify

import (
	"context"
	"fmt"
	"sync"

	"assay/judge"
	"assay/judge/running/trial"
)

// remembered is a bench that asks the memory before it runs anything.
//
// A run under one time limit answers for another where it ended by itself, within
// both; where it was killed for its time, for every shorter limit; and where the
// limits are the same. All else is in the key.
type remembered struct {
	trial.Bench
	memory *Memory
	cache  *runCache
	base   string       // hash of what is the same for all cases
	limits judge.Limits // of the runs

	mu      sync.Mutex
	pending map[*judge.Attempt]string // key of a run whose output is to be checked
	known   map[*judge.Attempt]judge.Outcome
}

// run is what is remembered of one run.
type run struct {
	CPU     int64          `json:"limit_us"` // the time limit that it had
	Exec    judge.Exec     `json:"exec"`
	Outcome *judge.Outcome `json:"outcome,omitempty"` // nil if the run's end says it all
	Settled bool           `json:"settled,omitempty"`
	Stderr  string         `json:"stderr,omitempty"`
}

// remember wraps a bench. The words are hashed together with what a case is.
func (m *Memory) remember(b trial.Bench, program string, limits judge.Limits, words ...any) trial.Bench {
	shapeless := limits
	shapeless.CPU, shapeless.Wall = 0, 0
	return &remembered{
		Bench: b, memory: m, cache: m.cache(program), base: digest(append(words, shapeless)...), limits: limits,
		pending: map[*judge.Attempt]string{}, known: map[*judge.Attempt]judge.Outcome{},
	}
}

// key returns the hash of a case: of what the program and the checker are given.
func (r *remembered) key(c *judge.Case) (string, error) {
	in, err := r.memory.hash(c.In)
	if err != nil {
		return "", err
	}
	ans, err := r.memory.hash(c.Ans)
	if err != nil {
		return "", err
	}
	words := []any{r.base, in, ans, fmt.Sprintf("%q %q", c.Args, c.CheckerArgs)}
	for _, f := range c.Files {
		sum, err := r.memory.hash(f.Path)
		if err != nil {
			return "", err
		}
		words = append(words, f.Name, sum, string(f.Data))
	}
	return digest(words...), nil
}

func (r *remembered) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	key, err := r.key(c)
	if err != nil { // the bench says what is wrong with the file
		return r.Bench.Try(ctx, c)
	}
	var old run
	if r.cache.get(key, &old) && r.answers(&old) {
		a := &judge.Attempt{Exec: old.Exec, Stderr: []byte(old.Stderr)}
		if old.Settled {
			a.Settled = old.Outcome
		} else if old.Outcome != nil {
			r.mu.Lock()
			r.known[a] = *old.Outcome
			r.mu.Unlock()
		}
		return a, nil
	}
	a, err := r.Bench.Try(ctx, c)
	if err != nil || a == nil {
		return a, err
	}
	switch {
	case a.Settled != nil:
		r.put(key, a, a.Settled)
	case judge.Classify(a.Exec, r.limits) != judge.NotJudged:
		r.put(key, a, nil)
	default:
		r.mu.Lock()
		r.pending[a] = key
		r.mu.Unlock()
	}
	return a, nil
}

// answers reports whether an old run answers for the present limits.
func (r *remembered) answers(old *run) bool {
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

// put remembers a run. A judge error is not remembered: its cause may be the
// machine, and may be gone the next time.
func (r *remembered) put(key string, a *judge.Attempt, o *judge.Outcome) {
	if o != nil && o.Verdict == judge.JudgeError {
		return
	}
	stderr := string(a.Stderr)
	r.cache.put(key, run{CPU: r.limits.CPU.Microseconds(), Exec: a.Exec, Outcome: o, Settled: a.Settled != nil, Stderr: stderr})
}

func (r *remembered) Check(ctx context.Context, c *judge.Case, a *judge.Attempt) (judge.Outcome, error) {
	r.mu.Lock()
	old, isKnown := r.known[a]
	key, isPending := r.pending[a]
	delete(r.known, a)
	delete(r.pending, a)
	r.mu.Unlock()
	if isKnown {
		return old, nil
	}
	o, err := r.Bench.Check(ctx, c, a)
	if err == nil && isPending {
		r.put(key, a, &o)
	}
	return o, err
}

// Explain has nothing to show of a run that was remembered.
func (r *remembered) Explain(c *judge.Case, a *judge.Attempt, o judge.Outcome) *judge.Detail {
	return nil // verify shows no details
}
