package worker

import (
	"context"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// QueueOf returns the worker's connection to the real queue. The caller must close m after the worker has
// ended.
func QueueOf(m *queue.Member) Queue { return member{m} }

type member struct{ *queue.Member }

func (m member) Take(ctx context.Context) (*LeasedJob, error) {
	return newLeasedJob(m.Member.Take(ctx))
}

func (m member) TakeBefore(ctx context.Context, priority job.Priority) (*LeasedJob, error) {
	return newLeasedJob(m.Member.TakeBefore(ctx, priority))
}

func newLeasedJob(l *queue.Lease, err error) (*LeasedJob, error) {
	if err != nil {
		return nil, err
	}
	return &LeasedJob{Spec: l.Spec, Deliveries: l.Deliveries, Lease: l}, nil
}
