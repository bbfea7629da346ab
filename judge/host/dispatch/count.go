package dispatch

import (
	"sync/atomic"

	"assay/judge/host/store"
)

// counts are for those who watch a server.
type counts struct {
	fed, counted, duplicates, disagreements, retried, failed, dropped, again, troubles atomic.Int64
}

func (c *counts) folded(o store.Outcome) {
	switch o {
	case store.Counted:
		c.counted.Add(1)
	case store.Duplicate:
		c.duplicates.Add(1)
	case store.Disagreement:
		c.disagreements.Add(1)
	case store.Retried:
		c.retried.Add(1)
	case store.GaveUp:
		c.failed.Add(1)
	case store.Dropped:
		c.dropped.Add(1)
	}
}

// Counts are what happened since the start of this process.
type Counts struct {
	Fed           int64 // jobs laid into the queue
	Counted       int64 // results that were taken
	Duplicates    int64 // results of jobs that had the same verdict already
	Disagreements int64 // results of jobs that had another verdict
	Retried       int64 // failures after which a job waited again
	Failed        int64 // jobs that failed too often
	Dropped       int64 // results that nobody wanted
	Again         int64 // jobs that were out though nobody did them
	Troubles      int64 // what had to be tried again
}

// Counts reads the counts.
func (d *Dispatcher) Counts() Counts {
	c := &d.count
	return Counts{
		c.fed.Load(), c.counted.Load(), c.duplicates.Load(), c.disagreements.Load(), c.retried.Load(), c.failed.Load(),
		c.dropped.Load(), c.again.Load(), c.troubles.Load(),
	}
}
