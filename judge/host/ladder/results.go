package ladder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/judge/contests/arena"
	"assay/judge/host/store"
)

// recordResults stores the results of finished encounters.
func (k *Service) recordResults(ctx context.Context, l *store.Ladder) error {
	open, err := k.o.Store.PendingEncounters(ctx, l.ID)
	if err != nil {
		return err
	}
	var rules arena.Rules
	if err := json.Unmarshal(l.Rules, &rules); err != nil {
		return fmt.Errorf("read the rules of the ladder: %w", err)
	}
	changed := false
	for _, e := range open {
		f, err := k.o.Store.Workflow(ctx, e.Workflow)
		if errors.Is(err, store.ErrNotFound) {
			f, err = &store.Workflow{State: store.WorkflowFailed, Reason: "it is not there any more"}, nil
		}
		if err != nil {
			return err
		}
		if f.State == store.WorkflowRunning {
			continue
		}
		p, reason, err := k.taskResult(ctx, f)
		if err != nil {
			return err
		}
		if e.Reason = reason; p != nil {
			lines, err := k.o.Dispatch.ReadLines(p.Events)
			if err != nil {
				return err
			}
			e.Worker = p.Result.Worker
			records, err := arena.ReadRecords(lines)
			if err == nil {
				err = fillEncounter(e, records, rules.Games)
			}
			if err != nil {
				e.Reason = "the worker returned invalid games: " + err.Error()
				k.logError(ctx, fmt.Sprintf("take the games of encounter %d from the worker %s", e.Number, e.Worker), l.Slug, err)
			} else {
				e.Records = p.Events
			}
		}
		if err := k.o.Store.EndEncounter(ctx, e); err != nil && !errors.Is(err, store.ErrEnded) {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return k.updateAfterGames(ctx, l)
}

// fillEncounter fills in the result of an encounter from its records. The argument most is the maximum number of games in
// the records. If one of the games is not possible between these bots, take returns an error, and no game counts.
func fillEncounter(e *store.Encounter, records []*arena.Record, maxBytes int) error {
	var games []*arena.Game
	var faults [2][]string
	blame := func(bot int64, kind arena.Fault) {
		i := 0
		if bot == e.B {
			i = 1
		}
		faults[i] = append(faults[i], string(kind))
	}
	for _, r := range records {
		switch {
		case r.Game != nil:
			g := r.Game
			if a, b := int64(g.First), int64(g.Second); (a != e.A || b != e.B) && (a != e.B || b != e.A) || g.Leg < 1 || g.Leg > maxBytes {
				return fmt.Errorf("game %d of the bots %d and %d", g.Leg, a, b)
			}
			if slices.ContainsFunc(games, func(o *arena.Game) bool { return o.Leg == g.Leg }) {
				return fmt.Errorf("two games %d", g.Leg)
			}
			if first := []int64{e.B, e.A}[g.Leg%2]; int64(g.First) != first {
				return fmt.Errorf("game %d begun by the bot %d", g.Leg, g.First)
			}
			games = append(games, g)
		case r.Out != nil && int64(r.Out.Bot) != e.A && int64(r.Out.Bot) != e.B:
			return fmt.Errorf("bot %d is out", r.Out.Bot)
		case r.Out != nil:
			// The bot did not get ready, so no game was played, and it lost all games.
			e.Reason = fmt.Sprintf("bot %d did not get ready: %s", r.Out.Bot, r.Out.Fault.Kind)
			blame(int64(r.Out.Bot), arena.InitFailed)
			blame(int64(r.Out.Bot), arena.InitFailed)
		}
	}
	if e.Reason != "" {
		games = nil // the games of a bot that did not get ready do not count
	} else if len(games) > 0 && len(games) < maxBytes {
		return fmt.Errorf("%d games of %d", len(games), maxBytes)
	}
	slices.SortFunc(games, func(a, b *arena.Game) int { return a.Leg - b.Leg })
	var results []byte
	for _, g := range games {
		seats := [2]int{g.First, g.Second}
		switch {
		case g.Winner == 0:
			results = append(results, 'd')
		case int64(seats[g.Winner-1]) == e.A:
			results = append(results, 'w')
		default:
			results = append(results, 'l')
		}
		for _, f := range []*arena.GameFault{g.Fault, g.After} {
			if f != nil {
				blame(int64(seats[f.Seat-1]), f.Kind)
			}
		}
	}
	e.Results = string(results)
	for i := range faults {
		slices.Sort(faults[i])
		e.Failures[i] = joinNames(faults[i])
	}
	if e.Results == "" && e.Reason == "" {
		e.Reason = "no game was played"
	}
	return nil
}

func joinNames(words []string) (all string) {
	for i, w := range words {
		if i > 0 {
			all += ","
		}
		all += w
	}
	return all
}

// The limits for pausing a bot because of its failures in recent games. Illegal moves do not count as failures
// here.
const (
	maxFaults   = 5
	faultWindow = 20
)

// updateAfterGames updates a ladder after encounters have ended. It pauses broken bots, and records changes of ranks.
func (k *Service) updateAfterGames(ctx context.Context, l *store.Ladder) error {
	l, err := k.o.Store.Ladder(ctx, l.ID)
	if err != nil {
		return err
	}
	v, err := k.View(ctx, l)
	if err != nil {
		return err
	}
	for _, b := range v.Bots {
		if b.State != store.BotActive {
			continue
		}
		if faults := v.ProcessFailures(b); faults >= maxFaults {
			reason := fmt.Sprintf("it failed %d times in its last %d games: look at its encounters, then send a new version, "+
				"or have it play again", faults, faultWindow)
			if err := k.o.Store.SetBotState(ctx, l.ID, b.Number, store.BotActive, store.BotPaused, reason); err != nil &&
				!errors.Is(err, store.ErrEnded) {
				return err
			}
		}
	}
	return nil
}

// ProcessFailures returns the number of failures that ended a bot's process in its last games. It counts only games since
// the bot joined or was resumed.
func (v *View) ProcessFailures(b *store.Bot) (faults int) {
	games := 0
	for _, e := range slices.Backward(v.Encounters) {
		if games >= faultWindow {
			break
		}
		if e.Number <= b.JoinedAfter || e.A != b.Number && e.B != b.Number {
			continue
		}
		if games += len(e.Results); e.Results == "" {
			games += v.GameRules.Games
		}
		for _, kind := range e.FailuresOf(b.Number) {
			if arena.Fault(kind).Ends() {
				faults++
			}
		}
	}
	return faults
}
