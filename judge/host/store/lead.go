package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// TakeLead takes the lead of what only one server may do, or renews it, for a term from now.
// The epoch rises with each holder; ErrNotLeader says that somebody else has the lead. Holder
// must be a name that no other process has, and none had.
func (s *Store) TakeLead(ctx context.Context, name, holder string, term time.Duration) (epoch int64, err error) {
	now := s.now()
	err = s.tx(ctx, "take the lead of "+name, func(q *query.Queries) error {
		epoch, err = q.Lead(ctx, query.LeadParams{Name: name, Holder: holder, Until: now + term.Microseconds(), Now: now, Beyond: now + 10*term.Microseconds()})
		return none(err, ErrNotLeader)
	})
	return epoch, err
}

// Leader is who has a lead. It had it if Until is over.
type Leader struct {
	Holder string
	Epoch  int64
	Until  time.Time
}

// Leading says who has the lead; ErrNotFound says that nobody ever had it.
func (s *Store) Leading(ctx context.Context, name string) (Leader, error) {
	l, err := s.read.GetLeader(ctx, name)
	return Leader{l.Holder, l.Epoch, instant(l.Until)}, failed("read who leads "+name, err)
}

// Resign gives the lead back, so that another server need not wait for its end.
func (s *Store) Resign(ctx context.Context, name, holder string) error {
	return failed("give back the lead of "+name, s.write.ResignLead(ctx, name, holder))
}

// The times of a Lead.
const (
	LeadTerm  = 15 * time.Second
	LeadRenew = 5 * time.Second // not at each Hold: the database syncs its disk for it
)

// Lead is the lead of what one server does for as long as it lives. Its methods are called
// one at a time.
type Lead struct {
	s            *Store
	name, holder string
	term, renew  time.Duration
	epoch        int64 // 0: it is somebody else's
	renewed      time.Time
}

// NewLead is a lead that nobody has asked for yet; of its holder see Store.TakeLead.
func NewLead(s *Store, name, holder string) *Lead {
	return &Lead{s: s, name: name, holder: holder, term: LeadTerm, renew: LeadRenew}
}

// NewLongLead is NewLead for what is done rarely: another server takes it over only after a term without
// Hold.
func NewLongLead(s *Store, name, holder string, term time.Duration) *Lead {
	return &Lead{s: s, name: name, holder: holder, term: term, renew: term / 4}
}

// Hold takes the lead for its term, LeadTerm, or renews it after LeadRenew, see also Options.Alone: a holder
// calls it before each thing that only the leader may do. The errors are those of Store.TakeLead.
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

// Lost says that somebody else has the lead, as ErrNotLeader tells: the next Hold asks for it.
func (l *Lead) Lost() { l.epoch = 0 }

// Resign gives back the lead, if it is held, when its holder ends: also after ctx has.
func (l *Lead) Resign(ctx context.Context) {
	if l.epoch == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = l.s.Resign(ctx, l.name, l.holder) // at worst another waits for the end of the term
	l.epoch = 0
}
