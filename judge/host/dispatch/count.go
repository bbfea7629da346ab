package dispatch

import (
	"sync/atomic"

	"assay/judge/host/store"
)

// counters are for monitoring.
type counters struct {
	enqueued, counted, duplicates, disagreements, retried, failed, dropped, requeued, retriedErrors atomic.Int64
}

func (c *counters) add(o store.Outcome) {
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

// Counts contains event counts since the process started.
type Counts struct {
	Enqueued      int64 // jobs that were enqueued
	Counted       int64 // results that became current
	Duplicates    int64 // results with the verdict that the job already had
	Disagreements int64 // results with another verdict than the job already had
	Retried       int64 // failures after which a job was queued again
	Failed        int64 // jobs that failed too often
	Dropped       int64 // results that were discarded
	Requeued      int64 // jobs that were queued again because no worker had them
	RetriedErrors int64 // operations that failed and were retried
}

// Counts returns the counts.
func (d *Dispatcher) Counts() Counts {
	c := &d.counters
	return Counts{
		c.enqueued.Load(), c.counted.Load(), c.duplicates.Load(), c.disagreements.Load(), c.retried.Load(), c.failed.Load(),
		c.dropped.Load(), c.requeued.Load(), c.retriedErrors.Load(),
	}
}
