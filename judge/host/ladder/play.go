package ladder

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"assay/judge/contests/rating"
	"assay/judge/host/matchmaking"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// extraEncounters is how many encounters of a ladder are queued in addition to one per slot of the workers.
const extraEncounters = 2

// startEncounters starts as many encounters as room allows.
func (k *Service) startEncounters(ctx context.Context, v *View) error {
	if len(v.Lines) < 2 {
		return nil
	}
	if settled, err := k.isSettled(ctx, v); settled || err != nil {
		return err
	}
	slots := k.o.Dispatch.Slots(k.o.Class)
	if slots == 0 {
		return nil
	}
	open, err := k.o.Store.PendingEncounters(ctx, v.ID)
	if err != nil {
		return err
	}
	for range k.capacity(v, open, slots) {
		if open, err = k.startNext(ctx, v, open); err != nil {
			if errors.Is(err, store.ErrEnded) {
				return nil
			}
			return err
		}
	}
	return nil
}

// capacity returns how many encounters may start now. Slots is the total number of slots of the workers.
func (k *Service) capacity(v *View, open []*store.Encounter, slots int) int {
	room := slots + extraEncounters - len(open)
	if v.PerMinute > 0 {
		room = min(room, k.rateCapacity(v, open))
	}
	return max(room, 0)
}

// rateCapacity returns how many encounters may start now within the ladder's limit on games per minute.
func (k *Service) rateCapacity(v *View, open []*store.Encounter) int {
	begun, since := 0, k.o.Now().Add(-time.Minute)
	for _, e := range open {
		if e.Made.After(since) {
			begun++
		}
	}
	for _, e := range slices.Backward(v.Encounters) {
		if e.Ended.Before(since) {
			break
		}
		if e.Made.After(since) {
			begun++
		}
	}
	return max(int(v.PerMinute)/v.GameRules.Games, 1) - begun
}

// startNext starts an encounter, and returns all running encounters.
func (k *Service) startNext(ctx context.Context, v *View, open []*store.Encounter) ([]*store.Encounter, error) {
	e := k.choosePair(v, open)
	err := k.o.Store.NewEncounter(ctx, e, string(workflow.Encounter), v.Owner, func(e *store.Encounter) ([]byte, error) {
		a, b := playerFor(v.Bot(e.A)), playerFor(v.Bot(e.B))
		spec, err := workflow.NewEncounterSpec(baseWork(v.Ladder), v.GameRules, v.Seed, e.Number, a, b)
		if err != nil {
			return nil, err
		}
		return json.Marshal(spec)
	})
	if err != nil {
		return nil, err
	}
	k.o.Dispatch.PlanWorkflow(e.Workflow)
	return append(open, e), nil
}

// choosePair chooses the bots that play next.
func (k *Service) choosePair(v *View, open []*store.Encounter) *store.Encounter {
	bots, numbers, number := v.played(open)
	// The random seed combines the ladder's seed with the number of the encounter.
	a, b := matchmaking.ChoosePair(bots, v.ratings, rand.NewPCG(v.Seed, uint64(number)+1).Uint64())
	return &store.Encounter{Ladder: v.ID, A: numbers[a], B: numbers[b]}
}

// played returns what the active bots have played, including the running encounters, and their numbers, both in the order
// of the ratings. It also returns the number of the newest encounter.
func (v *View) played(open []*store.Encounter) (bots []matchmaking.Bot, numbers []int64, number int64) {
	bots, numbers = make([]matchmaking.Bot, len(v.index)), make([]int64, len(v.index))
	number = v.Ladder.Encounters
	if len(open) > 0 {
		number = max(number, open[len(open)-1].Number)
	}
	for n, i := range v.index {
		numbers[i] = n
		bots[i].Waited = int(number - v.Bot(n).JoinedAfter)
	}
	see := func(e *store.Encounter) {
		a, plays := v.index[e.A]
		b, both := v.index[e.B]
		for _, one := range []struct {
			is       bool
			at, with int
		}{{plays, a, b}, {both, b, a}} {
			if !one.is {
				continue
			}
			bot := &bots[one.at]
			bot.Encounters++
			bot.Waited = min(bot.Waited, int(number-e.Number))
			if plays && both && len(bot.Opponents) < matchmaking.Neighbors {
				bot.Opponents = append(bot.Opponents, one.with)
			}
		}
	}
	for _, e := range slices.Backward(open) {
		see(e)
	}
	for _, e := range slices.Backward(v.Encounters) {
		see(e)
	}
	return bots, numbers, number
}

// isSettled reports whether the ranking is settled. It checks this after as many encounters as there are bots, then
// after twice as many, and so on. A bot that joins or leaves restarts the count.
func (k *Service) isSettled(ctx context.Context, v *View) (bool, error) {
	if v.Settled {
		return true, nil
	}
	l := *v.Ladder
	ended := int64(len(v.Encounters))
	if l.RankingTests == 0 && l.NextRankingTest <= ended { // the set of bots has changed
		placed := true
		for i := range v.Lines {
			placed = placed && !v.Lines[i].Placing()
		}
		if !placed {
			return false, nil
		}
	}
	if ended < l.NextRankingTest {
		return false, nil
	}
	l.RankingTests++
	l.Settled = v.ratings.Settled(rating.SettlingRule{}, l.RankingTests)
	l.NextRankingTest = ended + int64(len(v.Lines))<<min(l.RankingTests, 20)
	return l.Settled, k.o.Store.SetRankingTest(ctx, &l)
}
