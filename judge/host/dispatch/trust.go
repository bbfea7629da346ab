package dispatch

import (
	"slices"
	"sync"
)

// A trustLog remembers whether others agree with the verdicts of each worker. A restart forgets this, which costs a
// few audits.
//
// One submission is not enough to drain a worker. A program may behave randomly, or detect its machine by the
// speed, and the first solution of a problem is always judged twice. With such a program, a contestant could drain
// one worker after the other. Therefore a worker is drained only if submissions of several accounts speak against
// it. If there are only two workers, it is not clear which one is wrong, and both are drained.
type trustLog struct {
	mu      sync.Mutex
	records map[string]*workerRecord // by worker
}

// A workerRecord contains the recent findings about a worker, oldest first.
type workerRecord struct {
	findings   []finding
	auditsLeft int // number of its next judgements to audit because of a finding
}

type finding struct {
	account string
	wrong   bool
}

const (
	maxDisagreements = 3  // maximum number of accounts with disputed submissions
	maxFindings      = 20 // number of recent findings that count
)

// record records whether others disagree with a worker about a submission of an account. It reports whether the
// worker must be drained. If so, it also forgets the worker's record.
func (t *trustLog) record(worker, account string, disagrees bool) (drain bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.records[worker]
	if r == nil {
		r = &workerRecord{}
		if t.records == nil {
			t.records = map[string]*workerRecord{}
		}
		t.records[worker] = r
	}
	if disagrees {
		r.auditsLeft = maxFindings
		if slices.Contains(r.findings, finding{account, true}) {
			return false
		}
	}
	r.findings = append(r.findings, finding{account, disagrees})
	r.findings = r.findings[max(len(r.findings)-maxFindings, 0):]
	if r.disagreements() < maxDisagreements {
		return false
	}
	delete(t.records, worker)
	return true
}

func (r *workerRecord) disagreements() (n int) {
	for _, f := range r.findings {
		if f.wrong {
			n++
		}
	}
	return n
}

// needsAudit reports whether the next judgement of a worker must be audited because others recently disagreed with it.
func (t *trustLog) needsAudit(worker string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.records[worker]
	if r == nil || r.auditsLeft == 0 {
		return false
	}
	r.auditsLeft--
	return true
}

// disagreements returns the number of accounts on whose submissions other workers recently disagreed with a worker.
func (t *trustLog) disagreements(worker string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.records[worker]; r != nil {
		return r.disagreements()
	}
	return 0
}
