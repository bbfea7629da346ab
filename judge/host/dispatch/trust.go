package dispatch

import (
	"slices"
	"sync"
)

// A trust remembers whether others agree with the verdicts of each worker. A restart forgets this, which costs a
// few audits.
//
// One submission is not enough to drain a worker. A program may behave randomly, or detect its machine by the
// speed, and the first solution of a problem is always judged twice. With such a program, a contestant could drain
// one worker after the other. Therefore a worker is drained only if submissions of several accounts speak against
// it. If there are only two workers, it is not clear which one is wrong, and both are drained.
type trust struct {
	mu  sync.Mutex
	row map[string]*record // by worker
}

// A record contains the recent findings about a worker, oldest first.
type record struct {
	found []finding
	left  int // number of its next judgements to audit because of a finding
}

type finding struct {
	account string
	wrong   bool
}

const (
	mostDiffer   = 3  // maximum number of accounts with disputed submissions
	mostCompared = 20 // number of recent findings that count
)

// judged records whether others disagree with a worker about a submission of an account. It reports whether the
// worker must be drained. If so, it also forgets the worker's record.
func (t *trust) judged(worker, account string, wrong bool) (out bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.row[worker]
	if r == nil {
		r = &record{}
		if t.row == nil {
			t.row = map[string]*record{}
		}
		t.row[worker] = r
	}
	if wrong {
		r.left = mostCompared
		if slices.Contains(r.found, finding{account, true}) {
			return false
		}
	}
	r.found = append(r.found, finding{account, wrong})
	r.found = r.found[max(len(r.found)-mostCompared, 0):]
	if r.differ() < mostDiffer {
		return false
	}
	delete(t.row, worker)
	return true
}

func (r *record) differ() (n int) {
	for _, f := range r.found {
		if f.wrong {
			n++
		}
	}
	return n
}

// asks reports whether the next judgement of a worker must be audited because others recently disagreed with it.
func (t *trust) asks(worker string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.row[worker]
	if r == nil || r.left == 0 {
		return false
	}
	r.left--
	return true
}

// differ returns the number of accounts on whose submissions other workers recently disagreed with a worker.
func (t *trust) differ(worker string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.row[worker]; r != nil {
		return r.differ()
	}
	return 0
}
