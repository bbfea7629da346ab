package dispatch

import (
	"slices"
	"sync"
)

// trust remembers whether others agree with the verdicts of each worker. It is forgotten with the
// process, which costs some audits.
//
// One submission says nothing of a worker: a program may be right at random, or know the machine
// that it runs on by its speed, and the first that solves a problem is always judged twice, so
// that a contestant with such a program would have one worker after the other taken out of
// service. So a worker is taken out when the programs of several accounts speak against it, and
// with two workers, of which nobody can say which is wrong, both are.
type trust struct {
	mu  sync.Mutex
	row map[string]*record // by worker
}

// record is what was found lately of a worker, the latest last.
type record struct {
	found []finding
	left  int // how many of its next judgings are to be judged again for what was found
}

type finding struct {
	account string
	wrong   bool
}

const (
	mostDiffer   = 3  // accounts with whose submissions others may disagree
	mostCompared = 20 // findings that count
)

// judged notes whether others disagree with a worker about a submission of an account, and says
// whether it is to be taken out of service: then all is forgotten, for the time when it is back.
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

// asks says whether the next judging of a worker is to be judged again, for others disagreed
// with it lately.
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

// differ is on how many accounts' submissions others disagreed with a worker lately.
func (t *trust) differ(worker string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.row[worker]; r != nil {
		return r.differ()
	}
	return 0
}
