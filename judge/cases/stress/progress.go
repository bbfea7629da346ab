package stress

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Progress is how far a search came.
type Progress struct {
	Looked              int // inputs, invalid ones among them
	Evaluations         int // of inputs that might be smaller; see Shrunk
	Reference, Solution Runs
}

// Runs are those of one program that have ended.
type Runs struct {
	Count int
	Time  time.Duration // of all together, as the clock has it
}

// Waits returns which of the two programs keeps a search waiting, and for how long with each
// input; "" if neither takes long.
func (p Progress) Waits() string {
	const long = time.Second / 2
	who, r := "the solution", p.Solution
	if p.Reference.Time > p.Solution.Time {
		who, r = "the reference", p.Reference
	}
	if r.Count == 0 || r.Time < time.Duration(r.Count)*long {
		return ""
	}
	return fmt.Sprintf("%s takes %.1f s an input", who, r.Time.Seconds()/float64(r.Count))
}

// Progress returns how far the search of the lab came. It may be called while it continues.
func (l *Lab) Progress() Progress {
	return Progress{
		Looked: int(l.looked.Load()), Evaluations: int(l.evaluated.Load()), Reference: l.answering.runs(),
		Solution: l.solving.runs(),
	}
}

// clock adds up the runs of a program.
type clock struct{ count, time atomic.Int64 }

// start begins a run; what it returns is called at its end.
func (c *clock) start() (end func()) {
	began := time.Now()
	return func() {
		c.count.Add(1)
		c.time.Add(int64(time.Since(began)))
	}
}

func (c *clock) runs() Runs { return Runs{int(c.count.Load()), time.Duration(c.time.Load())} }
