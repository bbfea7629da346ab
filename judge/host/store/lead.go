package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// TakeLead takes or renews a leader lease, which only one server holds, for a term from now. The epoch rises with
// each new holder. It returns ErrNotLeader if another server holds the lease. No other process may ever use the same
// holder name.
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

// A Leader is the holder of a leader lease. If Until is over, it no longer holds it.
type Leader struct {
	Holder string
	Epoch  int64
	Until  time.Time
}

// Leading returns the holder of a leader lease. It returns ErrNotFound if there never was one.
func (s *Store) Leading(ctx context.Context, name string) (Leader, error) {
	l, err := s.read.GetLeader(ctx, name)
	return Leader{l.Holder, l.Epoch, instant(l.Until)}, failed("read who leads "+name, err)
}

// Resign releases the leader lease, so that another server need not wait for its end.
func (s *Store) Resign(ctx context.Context, name, holder string) error {
	return failed("give back the lead of "+name, s.write.ResignLead(ctx, name, holder))
}

// The times of a Lead.
const (
	LeadTerm  = 15 * time.Second
	LeadRenew = 5 * time.Second // not at each Hold, because the database syncs its disk for it
)

// A Lead is a leader lease during the life of a server. Its methods must not be called concurrently.
type Lead struct {
	s            *Store
	name, holder string
	epoch        int64 // 0: another server holds it
	renewed      time.Time
}

// NewLead returns a leader lease that is not held yet. For holder, see Store.TakeLead.
func NewLead(s *Store, name, holder string) *Lead {
	return &Lead{s: s, name: name, holder: holder}
}

// Hold takes the lease for LeadTerm, or renews it after LeadRenew; see also Options.Alone. Call it before each
// action that only the leader may do. It returns the errors of Store.TakeLead.
func (l *Lead) Hold(ctx context.Context) (epoch int64, err error) {
	now := time.Now()
	if l.epoch != 0 && (l.s.options.Alone || now.Sub(l.renewed) <= LeadRenew) {
		return l.epoch, nil
	}
	epoch, err = l.s.TakeLead(ctx, l.name, l.holder, LeadTerm)
	if err != nil {
		return 0, err
	}
	l.epoch, l.renewed = epoch, now
	return epoch, nil
}

// Lost records that another server holds the lease, after ErrNotLeader. The next Hold asks for it again.
func (l *Lead) Lost() { l.epoch = 0 }

// Resign releases the lease, if it is held. It works also after ctx has ended.
func (l *Lead) Resign(ctx context.Context) {
	if l.epoch == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = l.s.Resign(ctx, l.name, l.holder) // if it fails, another server waits for the end of the term
	l.epoch = 0
}
