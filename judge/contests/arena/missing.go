package arena

import (
	"maps"
	"slices"
)

// RemainingGames describes what remains to be played in a tournament.
type RemainingGames struct {
	Stage int // stage of the schedule, from 0

	// Encounters lists the encounters of the stage that have missing games, in order.
	Encounters []Encounter

	// Disqualifying is the first game in schedule order whose fault disqualifies its bot. Later games are not requested.
	// When no earlier game is missing, Encounters is empty and the bot is disqualified.
	Disqualifying *Result

	Requested int // number of games that the schedule has requested, including those played
}

// IsComplete reports whether the tournament is complete.
func (t *RemainingGames) IsComplete() bool { return len(t.Encounters) == 0 && t.Disqualifying == nil }

// FindRemaining determines what remains to be played in an opened tournament: the games without a result in the first
// incomplete stage. It is a pure function, so the same results always give the same games.
func FindRemaining(o *Opened, results *Results, s Schedule) *RemainingGames {
	played := map[packedKey]*Result{}
	for i := range results.Games {
		played[results.Games[i].Key().packed()] = &results.Games[i]
	}
	past := *results
	past.Games = nil
	asked := map[packedKey]bool{}
	for stage := 0; ; stage++ {
		encounters := s.Stage(stage, &past)
		for _, e := range encounters {
			for _, k := range e.Keys() {
				asked[k.packed()] = true
			}
		}
		p := o.Rules.plan(encounters, func(k Key) *Result { return played[k.packed()] })
		todo := &RemainingGames{Stage: stage, Disqualifying: p.out, Requested: len(asked)}
		for _, g := range p.gaps {
			todo.Encounters = append(todo.Encounters, g.encounter)
		}
		if len(encounters) == 0 || !todo.IsComplete() {
			return todo
		}
		past.Games = nil
		for i := range results.Games {
			if asked[results.Games[i].Key().packed()] {
				past.Games = append(past.Games, results.Games[i])
			}
		}
	}
}

// plan describes the missing games of one stage.
type plan struct {
	gaps    []gap
	limit   int     // index of the first game that is not played any more
	out     *Result // game with that index, whose fault disqualifies its bot
	missing int     // number of games in all gaps
}

// gap is an encounter with missing games. Games are numbered from 1 in the order of the stage.
type gap struct {
	encounter Encounter
	index     int // index of the game before its first one
	first     int // index of its first missing game
	missing   int // number of missing games
}

const noLimit = int(^uint(0) >> 1)

// plan determines the missing games of a stage. A game whose fault disqualifies its bot ends the plan. Earlier
// games must still be played, because one of them may contain an earlier fault of this kind.
func (r *Rules) plan(encounters []Encounter, game func(Key) *Result) *plan {
	p := &plan{limit: noLimit}
	index := 0
	for _, e := range encounters {
		g := gap{encounter: e, index: index}
		for _, k := range e.Keys() {
			index++
			switch played := game(k); {
			case played == nil:
				if g.missing++; g.missing == 1 {
					g.first = index
				}
			case r.disqualifies(played) && index < p.limit:
				p.limit, p.out = index, played
			}
		}
		if g.missing > 0 {
			p.gaps = append(p.gaps, g)
			p.missing += g.missing
		}
	}
	p.gaps = slices.DeleteFunc(p.gaps, func(g gap) bool { return g.first > p.limit })
	return p
}

// Evaluate computes the results of a tournament that was played in parts: disqualifications, the valid games of the
// other bots, and what remains to be played. The records in the log may be in any order, after the record that
// opened the tournament. All bots must be pure, because bots that remember need a single history.
func (l *Log) Evaluate(s Schedule) (*Results, *RemainingGames, error) {
	last := l.lastOpened()
	if last == nil {
		return nil, nil, ErrNoTournament
	}
	b := newLedger(last, l.source)
	unfit := map[int]*Disqualified{}
	var games []Result
	parts := newLedger(last, l.source) // processes the records in log order
	err := l.forEachRecord(parts, func(r *Record) {
		switch {
		case r.Ready != nil && parts.isCurrent(r.Ready.Bot):
			bot := b.res.Bot(r.Ready.Bot)
			bot.Title, bot.Pure = r.Ready.Title, r.Ready.Pure
		case r.Out != nil && r.Out.Game == nil && parts.isCurrent(r.Out.Bot):
			unfit[r.Out.Bot] = r.Out
		}
	}, func(g Result) {
		if parts.isCurrent(g.First) && parts.isCurrent(g.Second) && !g.learning {
			games = append(games, g)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	b.opened = last
	slices.SortStableFunc(games, func(a, b Result) int { return a.Key().Compare(b.Key()) })
	for _, g := range games {
		if b.game(g.Key()) == nil { // duplicates are equal
			b.addGame(g)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(unfit)) {
		b.disqualify(unfit[id])
	}
	for {
		so := b.results(nil)
		todo := FindRemaining(last, so, s)
		if len(todo.Encounters) > 0 || todo.Disqualifying == nil {
			return b.scheduled(s), todo, nil
		}
		played, err := so.Load(todo.Disqualifying)
		if err != nil {
			return nil, nil, err
		}
		b.disqualify(last.Rules.disqualified(played[0]))
	}
}

// disqualify records the disqualification of a bot.
func (b *ledger) disqualify(d *Disqualified) {
	out := *d
	out.Run = b.run
	b.addDisqualified(&out)
}

// disqualified returns the disqualification that a game causes, or nil if it causes none.
func (r *Rules) disqualified(g *Game) *Disqualified {
	f := g.Fault
	if f == nil || r.cost(f.Kind) != CostTournament {
		f = g.After
	}
	key := g.Key()
	return &Disqualified{Bot: [2]int{g.First, g.Second}[f.Seat-1], Game: &key, Fault: *f}
}

// fixedEncounters is the schedule of a part of a tournament.
type fixedEncounters []Encounter

// Stage returns the encounters in o as stage 0, except those of bots that did not become ready. Later stages are
// empty.
func (o fixedEncounters) Stage(stage int, results *Results) []Encounter {
	if stage > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o), func(e Encounter) bool { return results.isDisqualified(e.A) || results.isDisqualified(e.B) })
}
