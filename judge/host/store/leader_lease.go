package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// AcquireLease takes or renews the leader lease with the given name for the given term. Only one server holds a lease
// at a time. The epoch increases with each new holder. AcquireLease returns ErrNotLeader if another server holds the
// lease. No other process may ever use the same holder name.
func (s *Store) AcquireLease(ctx context.Context, name, holder string, term time.Duration) (epoch int64, err error) {
	now := s.now()
	err = s.tx(ctx, "take the lead of "+name, func(q *query.Queries) error {
		epoch, err = q.Lead(ctx, query.LeadParams{
			Name: name, Holder: holder, Until: now + term.Microseconds(), Now: now, Beyond: now + 10*term.Microseconds(),
		})
		return ifNoRows(err, ErrNotLeader)
	})
	return epoch, err
}

// A Leader is the holder of a leader lease, which expires at Until.
type Leader struct {
	Holder string
	Epoch  int64
	Until  time.Time
}

// LeaseHolder returns the holder of a leader lease. It returns ErrNotFound if the lease was never held.
func (s *Store) LeaseHolder(ctx context.Context, name string) (Leader, error) {
	l, err := s.read.GetLeader(ctx, name)
	return Leader{l.Holder, l.Epoch, fromMicros(l.Until)}, wrapError("read who leads "+name, err)
}

// ReleaseLease releases the leader lease, so that another server need not wait until it expires.
func (s *Store) ReleaseLease(ctx context.Context, name, holder string) error {
	return wrapError("give back the lead of "+name, s.write.ResignLead(ctx, name, holder))
}

// The times of a Lead.
const (
	LeaseTerm          = 15 * time.Second
	LeaseRenewInterval = 5 * time.Second // not on each Acquire, because each renewal makes the database sync its disk
)

// A LeaderLease keeps a leader lease for the life of a server. Its methods must not be called concurrently.
type LeaderLease struct {
	s            *Store
	name, holder string
	term, renew  time.Duration
	epoch        int64 // zero if the lease is not held
	renewed      time.Time
}

// NewLeaderLease returns a Lead that does not hold the lease yet. For holder, see Store.AcquireLease.
func NewLeaderLease(s *Store, name, holder string) *LeaderLease {
	return &LeaderLease{s: s, name: name, holder: holder, term: LeaseTerm, renew: LeaseRenewInterval}
}

// NewLeaderLeaseWithTerm returns a Lead for rare work, with the given term. After the last call of Acquire, another server
// cannot take the lease before the term has passed.
func NewLeaderLeaseWithTerm(s *Store, name, holder string, term time.Duration) *LeaderLease {
	return &LeaderLease{s: s, name: name, holder: holder, term: term, renew: term / 4}
}

// Acquire takes the lease, or renews it if the last renewal is older than LeaseRenewInterval (for
// NewLeaderLeaseWithTerm, a quarter of the term). If Options.SingleServer is set, Acquire never renews the lease.
// Call Acquire before each action that only the leader may perform. It returns the errors of Store.AcquireLease.
func (l *LeaderLease) Acquire(ctx context.Context) (epoch int64, err error) {
	now := time.Now()
	if l.epoch != 0 && (l.s.options.SingleServer || now.Sub(l.renewed) <= l.renew) {
		return l.epoch, nil
	}
	epoch, err = l.s.AcquireLease(ctx, l.name, l.holder, l.term)
	if err != nil {
		return 0, err
	}
	l.epoch, l.renewed = epoch, now
	return epoch, nil
}

// MarkLost records that another server holds the lease. Call it after a method has returned ErrNotLeader. The next
// Acquire requests the lease again.
func (l *LeaderLease) MarkLost() { l.epoch = 0 }

// Release releases the lease if it is held. It also works after ctx has ended.
func (l *LeaderLease) Release(ctx context.Context) {
	if l.epoch == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = l.s.ReleaseLease(ctx, l.name, l.holder) // if it fails, another server waits until the lease expires
	l.epoch = 0
}
