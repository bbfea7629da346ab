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

// Options configure a Keeper.
type Options struct {
	Store    *store.Store
	Dispatch *dispatch.Dispatcher
	Log      *slog.Logger
	Holder   string // see dispatch.Options
	Class    string // worker class that plays the games
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// A Keeper runs the ladders. Its methods are safe for concurrent use.
type Keeper struct {
	o    Options
	poke chan struct{}

	mu    sync.Mutex
	known map[string]*known // by ladder id
}

// A known is the in-memory state of one ladder.
type known struct {
	mu     sync.Mutex
	view   *View
	seq    int64         // number of the newest encounter in the view
	stale  bool          // games have ended since the last rating
	places map[int64]int // last recorded ranks; nil until they are read
	told   time.Time     // when places were recorded
}

// The times of a Keeper.
const (
	lookEvery = time.Second // interval without a wake-up
	rateEvery = 5 * time.Second
)

// New returns a Keeper.
func New(o Options) *Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Keeper{o: o, poke: make(chan struct{}, 1), known: map[string]*known{}}
}

// Wake signals that there may be something to do.
func (k *Keeper) Wake() {
	select {
	case k.poke <- struct{}{}:
	default:
	}
}

// Run runs the ladders until ctx is done. It does nothing while another server is the leader.
func (k *Keeper) Run(ctx context.Context) {
	lead := store.NewLead(k.o.Store, store.LaddersLead, k.o.Holder)
	defer lead.Resign(ctx)
	for {
		if _, err := lead.Hold(ctx); err == nil {
			k.Step(ctx)
		} else if !errors.Is(err, store.ErrNotLeader) && ctx.Err() == nil {
			k.o.Log.Error("take the lead of the ladders", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-k.poke:
		case <-time.After(lookEvery):
		}
	}
}

// Step does everything that is due for all ladders.
func (k *Keeper) Step(ctx context.Context) {
	all, err := k.o.Store.Ladders(ctx)
	if err != nil {
		k.trouble(ctx, "read the ladders", "", err)
		return
	}
	for _, l := range all {
		if err := k.step(ctx, l); err != nil {
			k.trouble(ctx, "keep a ladder", l.Slug, err)
		}
	}
}

func (k *Keeper) trouble(ctx context.Context, what, slug string, err error) {
	if ctx.Err() == nil {
		k.o.Log.Error(what, "ladder", slug, "error", err)
	}
}

// step does everything that is due for one ladder.
func (k *Keeper) step(ctx context.Context, l *store.Ladder) error {
	if len(l.Rules) == 0 {
		return k.rules(ctx, l)
	}
	if err := k.checks(ctx, l); err != nil {
		return err
	}
	if err := k.fold(ctx, l); err != nil {
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
	return errors.Join(k.climbs(ctx, v), k.play(ctx, v))
}

// tellEvery is the interval at which rank changes are recorded. Without it there would be too many records,
// because equally strong bots change ranks with each game.
const tellEvery = 30 * time.Second

// mostClimbs is the maximum number of rank changes that are read after a start.
const mostClimbs = 5000

// climbs records the rank changes of placed bots.
func (k *Keeper) climbs(ctx context.Context, v *View) error {
	k.mu.Lock()
	one := k.known[v.ID]
	k.mu.Unlock()
	if one.places == nil {
		before, err := k.o.Store.Climbs(ctx, v.ID, mostClimbs)
		if err != nil {
			return err
		}
		one.places = map[int64]int{}
		for _, c := range slices.Backward(before) {
			one.places[c.Bot] = int(c.Place)
		}
	}
	if k.o.Now().Sub(one.told) < tellEvery {
		return nil
	}
	var all []store.Climb
	for _, l := range v.Lines {
		if before := one.places[l.Number]; !l.Placing() && before != l.Place {
			all = append(all, store.Climb{Bot: l.Number, Before: int64(before), Place: int64(l.Place)})
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := k.o.Store.Climbed(ctx, v.ID, all); err != nil {
		return err
	}
	one.told = k.o.Now()
	for _, c := range all {
		one.places[c.Bot] = int(c.Place)
	}
	return nil
}

// View returns the current state of a ladder. Its table is at most a few seconds old.
func (k *Keeper) View(ctx context.Context, l *store.Ladder) (*View, error) {
	k.mu.Lock()
	one := k.known[l.ID]
	if one == nil {
		one = &known{}
		k.known[l.ID] = one
	}
	k.mu.Unlock()
	one.mu.Lock()
	defer one.mu.Unlock()
	now := k.o.Now()
	if one.view != nil && one.view.LastSeq >= l.LastSeq && (!one.stale || now.Sub(one.view.Rated) < rateEvery) {
		return one.view, nil
	}
	fresh, err := k.o.Store.EncountersSince(ctx, l.ID, one.seq)
	if err != nil {
		return nil, err
	}
	bots, err := k.o.Store.Bots(ctx, l.ID)
	if err != nil {
		return nil, err
	}
	v, err := newView(l, bots, fresh, one.view)
	if err != nil {
		return nil, err
	}
	one.stale = one.stale || len(fresh) > 0
	if old := one.view; old == nil || one.stale && (now.Sub(old.Rated) >= rateEvery || len(v.Encounters) < few) ||
		!slices.Equal(playing(old.Bots), playing(bots)) {
		v.rate(now)
		one.stale = false
	} else {
		v.ratings, v.index, v.Rated, v.rated, v.Lines = old.ratings, old.index, old.Rated, old.rated, slices.Clone(old.Lines)
		for i := range v.Lines {
			v.Lines[i].Bot = v.Bot(v.Lines[i].Number)
		}
	}
	if len(fresh) > 0 {
		one.seq = fresh[len(fresh)-1].Seq
	}
	one.view = v
	return v, nil
}

// few is the number of encounters up to which the bots are rated after each encounter.
const few = 200

func playing(all []*store.Bot) (numbers []int64) {
	for _, b := range all {
		if b.State == store.BotActive {
			numbers = append(numbers, b.Number)
		}
	}
	return numbers
}
