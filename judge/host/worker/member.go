package worker

import (
	"context"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// FromMember returns the worker's connection to the real queue. The caller must close m after the worker has
// ended.
func FromMember(m *queue.Member) Queue { return member{m} }

type member struct{ *queue.Member }

func (m member) Take(ctx context.Context) (*Taken, error) {
	return taken(m.Member.Take(ctx))
}

func (m member) TakeBefore(ctx context.Context, lane job.Lane) (*Taken, error) {
	return taken(m.Member.TakeBefore(ctx, lane))
}

func taken(l *queue.Lease, err error) (*Taken, error) {
	if err != nil {
		return nil, err
	}
	return &Taken{Spec: l.Spec, Deliveries: l.Deliveries, Lease: l}, nil
}
