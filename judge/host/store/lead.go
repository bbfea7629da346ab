package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// TakeLead takes or renews the leader lease with the given name for the given term. Only one server holds a lease
// at a time. The epoch increases with each new holder. TakeLead returns ErrNotLeader if another server holds the
// lease. No other process may ever use the same holder name.
func (s *Store) TakeLead(ctx context.Context, name, holder string, term time.Duration) (epoch int64, err error) {
	now := s.now()
	err = s.tx(ctx, "take the lead of "+name, func(q *query.Queries) error {
		epoch, err = q.Lead(ctx, query.LeadParams{
			Name: name, Holder: holder, Until: now + term.Microseconds(), Now: now, Beyond: now + 10*term.Microseconds(),
		})
		return none(err, ErrNotLeader)
	})
	return epoch, err
}

// A Leader is the holder of a leader lease, which expires at Until.
type Leader struct {
	Holder string
	Epoch  int64
	Until  time.Time
}

// Leading returns the holder of a leader lease. It returns ErrNotFound if the lease was never held.
func (s *Store) Leading(ctx context.Context, name string) (Leader, error) {
	l, err := s.read.GetLeader(ctx, name)
	return Leader{l.Holder, l.Epoch, instant(l.Until)}, failed("read who leads "+name, err)
}

// Resign releases the leader lease, so that another server need not wait until it expires.
func (s *Store) Resign(ctx context.Context, name, holder string) error {
	return failed("give back the lead of "+name, s.write.ResignLead(ctx, name, holder))
}

// The times of a Lead.
const (
	LeadTerm  = 15 * time.Second
	LeadRenew = 5 * time.Second // not on each Hold, because each renewal makes the database sync its disk
)

// A Lead keeps a leader lease for the life of a server. Its methods must not be called concurrently.
type Lead struct {
	s            *Store
	name, holder string
	term, renew  time.Duration
	epoch        int64 // zero if the lease is not held
	renewed      time.Time
}

// NewLead returns a Lead that does not hold the lease yet. For holder, see Store.TakeLead.
func NewLead(s *Store, name, holder string) *Lead {
	return &Lead{s: s, name: name, holder: holder, term: LeadTerm, renew: LeadRenew}
}

// NewLongLead returns a Lead for rare work, with the given term. After the last call of Hold, another server
// cannot take the lease before the term has passed.
func NewLongLead(s *Store, name, holder string, term time.Duration) *Lead {
	return &Lead{s: s, name: name, holder: holder, term: term, renew: term / 4}
}

// Hold takes the lease, or renews it if the last renewal is older than LeadRenew (for NewLongLead, a quarter of
// the term). If Options.Alone is set, Hold never renews the lease. Call Hold before each action that only the
// leader may perform. It returns the errors of Store.TakeLead.
func (l *Lead) Hold(ctx context.Context) (epoch int64, err error) {
	now := time.Now()
	if l.epoch != 0 && (l.s.options.Alone || now.Sub(l.renewed) <= l.renew) {
		return l.epoch, nil
	}
	epoch, err = l.s.TakeLead(ctx, l.name, l.holder, l.term)
	if err != nil {
		return 0, err
	}
	l.epoch, l.renewed = epoch, now
	return epoch, nil
}

// Lost records that another server holds the lease. Call it after a method has returned ErrNotLeader. The next
// Hold requests the lease again.
func (l *Lead) Lost() { l.epoch = 0 }

// Resign releases the lease if it is held. It also works after ctx has ended.
func (l *Lead) Resign(ctx context.Context) {
	if l.epoch == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = l.s.Resign(ctx, l.name, l.holder) // if it fails, another server waits until the lease expires
	l.epoch = 0
}
