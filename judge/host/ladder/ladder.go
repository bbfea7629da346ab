// Package ladder runs the ladders of a server. It lets workers test new bots, uses package matchmaking to choose
// which bots play next, stores the results, pauses broken bots, and computes the table of each ladder. It does not play
// games: workers do. Package store keeps all data, so a restart loses nothing.
package ladder

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"assay/judge/host/dispatch"
	"assay/judge/host/store"
)

// Options configure a Service.
type Options struct {
	Store    *store.Store
	Dispatch *dispatch.Dispatcher
	Log      *slog.Logger
	Holder   string // see dispatch.Options
	Class    string // worker class that plays the games
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// A Service runs the ladders. Its methods are safe for concurrent use.
type Service struct {
	o    Options
	wake chan struct{}

	mu     sync.Mutex
	states map[string]*ladderState // by ladder id
}

// A ladderState is the in-memory state of one ladder.
type ladderState struct {
	mu       sync.Mutex
	view     *View
	seq      int64         // number of the newest encounter in the view
	stale    bool          // games have ended since the last rating
	ranks    map[int64]int // last recorded ranks; nil until they are read
	recorded time.Time     // when places were recorded
}

// The times of a Service.
const (
	stepEvery = time.Second // interval without a wake-up
	rateEvery = 5 * time.Second
)

// New returns a Service.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{o: o, wake: make(chan struct{}, 1), states: map[string]*ladderState{}}
}

// Wake signals that there may be something to do.
func (k *Service) Wake() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// Run runs the ladders until ctx is done. It does nothing while another server is the leader.
func (k *Service) Run(ctx context.Context) {
	lead := store.NewLeaderLease(k.o.Store, store.LaddersLease, k.o.Holder)
	defer lead.Release(ctx)
	for {
		if _, err := lead.Acquire(ctx); err == nil {
			k.Step(ctx)
		} else if !errors.Is(err, store.ErrNotLeader) && ctx.Err() == nil {
			k.o.Log.Error("take the lead of the ladders", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-k.wake:
		case <-time.After(stepEvery):
		}
	}
}

// Step does everything that is due for all ladders.
func (k *Service) Step(ctx context.Context) {
	all, err := k.o.Store.Ladders(ctx)
	if err != nil {
		k.logError(ctx, "read the ladders", "", err)
		return
	}
	for _, l := range all {
		if err := k.step(ctx, l); err != nil {
			k.logError(ctx, "keep a ladder", l.Slug, err)
		}
	}
}

func (k *Service) logError(ctx context.Context, operation, slug string, err error) {
	if ctx.Err() == nil {
		k.o.Log.Error(operation, "ladder", slug, "error", err)
	}
}

// step does everything that is due for one ladder.
func (k *Service) step(ctx context.Context, l *store.Ladder) error {
	if len(l.Rules) == 0 {
		return k.readRules(ctx, l)
	}
	if err := k.recordTrials(ctx, l); err != nil {
		return err
	}
	if err := k.recordResults(ctx, l); err != nil {
		return err
	}
	l, err := k.o.Store.Ladder(ctx, l.ID)
	if err != nil || !l.Open {
		return err
	}
	v, err := k.View(ctx, l)
	if err != nil {
		return err
	}
	return errors.Join(k.recordRankChanges(ctx, v), k.startEncounters(ctx, v))
}

// recordRanksEvery is the interval at which rank changes are recorded. Without it there would be too many records,
// because equally strong bots change ranks with each game.
const recordRanksEvery = 30 * time.Second

// maxRankChanges is the maximum number of rank changes that are read after a start.
const maxRankChanges = 5000

// recordRankChanges records the rank changes of placed bots.
func (k *Service) recordRankChanges(ctx context.Context, v *View) error {
	k.mu.Lock()
	one := k.states[v.ID]
	k.mu.Unlock()
	if one.ranks == nil {
		before, err := k.o.Store.RankChanges(ctx, v.ID, maxRankChanges)
		if err != nil {
			return err
		}
		one.ranks = map[int64]int{}
		for _, c := range slices.Backward(before) {
			one.ranks[c.Bot] = int(c.Rank)
		}
	}
	if k.o.Now().Sub(one.recorded) < recordRanksEvery {
		return nil
	}
	var climbs []store.RankChange
	for _, l := range v.Lines {
		if before := one.ranks[l.Number]; !l.Placing() && before != l.Rank {
			climbs = append(climbs, store.RankChange{Bot: l.Number, OldRank: int64(before), Rank: int64(l.Rank)})
		}
	}
	if len(climbs) == 0 {
		return nil
	}
	if err := k.o.Store.AddRankChanges(ctx, v.ID, climbs); err != nil {
		return err
	}
	one.recorded = k.o.Now()
	for _, c := range climbs {
		one.ranks[c.Bot] = int(c.Rank)
	}
	return nil
}

// View returns the current state of a ladder. Its table is at most a few seconds old.
func (k *Service) View(ctx context.Context, l *store.Ladder) (*View, error) {
	k.mu.Lock()
	one := k.states[l.ID]
	if one == nil {
		one = &ladderState{}
		k.states[l.ID] = one
	}
	k.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	now := k.o.Now()
	if one.view != nil && one.view.LastSeq >= l.LastSeq && (!one.stale || now.Sub(one.view.Rated) < rateEvery) {
		return one.view, nil
	}
	added, err := k.o.Store.EncountersSince(ctx, l.ID, one.seq)
	if err != nil {
		return nil, err
	}
	bots, err := k.o.Store.Bots(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	v, err := newView(l, bots, added, one.view)
	if err != nil {
		return nil, err
	}
	one.stale = one.stale || len(added) > 0
	if old := one.view; old == nil || one.stale && (now.Sub(old.Rated) >= rateEvery || len(v.Encounters) < rateAllUntil) ||
		!slices.Equal(activeNumbers(old.Bots), activeNumbers(bots)) {
		v.rate(now)
		one.stale = false
	} else {
		v.ratings, v.index, v.Rated, v.rated, v.Lines = old.ratings, old.index, old.Rated, old.rated, slices.Clone(old.Lines)
		for i := range v.Lines {
			v.Lines[i].Bot = v.Bot(v.Lines[i].Number)
		}
	}
	if len(added) > 0 {
		one.seq = added[len(added)-1].Seq
	}
	one.view = v
	return v, nil
}

// rateAllUntil is the number of encounters up to which the bots are rated after each encounter.
const rateAllUntil = 200

func activeNumbers(bots []*store.Bot) (numbers []int64) {
	for _, b := range bots {
		if b.State == store.BotActive {
			numbers = append(numbers, b.Number)
		}
	}
	return numbers
}
