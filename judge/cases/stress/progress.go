package stress

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Progress is the state of a running search.
type Progress struct {
	Tried               int // number of inputs, including invalid ones
	Evaluations         int // number of inputs evaluated while shrinking; see Shrunk
	Reference, Solution Runs
}

// Runs counts the completed runs of a program.
type Runs struct {
	Count int
	Time  time.Duration // total wall time
}

// Bottleneck returns a text with the name and the time per input of the program that slows the search down: the
// solution or the reference solution. It returns "" if both are fast.
func (p Progress) Bottleneck() string {
	const long = time.Second / 2
	name, r := "the solution", p.Solution
	if p.Reference.Time > p.Solution.Time {
		name, r = "the reference", p.Reference
	}
	if r.Count == 0 || r.Time < time.Duration(r.Count)*long {
		return ""
	}
	return fmt.Sprintf("%s takes %.1f s an input", name, r.Time.Seconds()/float64(r.Count))
}

// Progress returns the state of the current search. It is safe for concurrent use.
func (l *Tester) Progress() Progress {
	return Progress{
		Tried: int(l.tried.Load()), Evaluations: int(l.evaluated.Load()), Reference: l.answering.runs(),
		Solution: l.solving.runs(),
	}
}

// A runTimer accumulates the number and the time of a program's runs.
type runTimer struct{ count, time atomic.Int64 }

// start begins a run, and returns the function that ends it.
func (c *runTimer) start() (end func()) {
	began := time.Now()
	return func() {
		c.count.Add(1)
		c.time.Add(int64(time.Since(began)))
	}
}

func (c *runTimer) runs() Runs { return Runs{int(c.count.Load()), time.Duration(c.time.Load())} }
