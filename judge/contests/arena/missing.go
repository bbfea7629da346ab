package arena

import (
	"maps"
	"slices"
)

// Todo is what an event still has to play.
type Todo struct {
	Stage int // of the schedule, from 0

	// Encounters are the encounters of the stage with missing games, in order.
	Encounters []Encounter

	// Out is the first game in the schedule's order whose fault costs its bot the event. Later games are not
	// requested. Once Encounters is empty, the bot is disqualified.
	Out *Result

	Asked int // how many games the schedule has requested so far, played or not
}

// Over reports whether the event is complete.
func (t *Todo) Over() bool { return len(t.Encounters) == 0 && t.Out == nil }

// Missing finds what is missing of an event that was opened: the games without a result of the first
// incomplete stage. It is a pure function, so that the same results always lead to the same games.
func Missing(o *Opened, so *Results, s Schedule) *Todo {
	played := map[packedKey]*Result{}
	for i := range so.Games {
		played[so.Games[i].Key().packed()] = &so.Games[i]
	}
	past := *so
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
		todo := &Todo{Stage: stage, Out: p.out, Asked: len(asked)}
		for _, g := range p.gaps {
			todo.Encounters = append(todo.Encounters, g.of)
		}
		if len(encounters) == 0 || !todo.Over() {
			return todo
		}
		past.Games = nil
		for i := range so.Games {
			if asked[so.Games[i].Key().packed()] {
				past.Games = append(past.Games, so.Games[i])
			}
		}
	}
}

// plan is what is missing of one stage.
type plan struct {
	gaps  []gap
	limit int     // index of the game from which nothing is played any more
	out   *Result // the game there, whose fault costs its bot the event
	left  int     // games of all gaps
}

// gap is an encounter with missing games. Games are counted from 1 in the order of the stage.
type gap struct {
	of    Encounter
	index int // of the game before its first one
	first int // index of its first missing game
	left  int // number of missing games
}

const noLimit = int(^uint(0) >> 1)

// plan finds what is missing of a stage. A game whose fault costs its bot the event ends the plan. Earlier
// games must still be played, because one of them may contain an earlier such fault.
func (r *Rules) plan(encounters []Encounter, game func(Key) *Result) *plan {
	p := &plan{limit: noLimit}
	index := 0
	for _, e := range encounters {
		g := gap{of: e, index: index}
		for _, k := range e.Keys() {
			index++
			switch played := game(k); {
			case played == nil:
				if g.left++; g.left == 1 {
					g.first = index
				}
			case r.costly(played) && index < p.limit:
				p.limit, p.out = index, played
			}
		}
		if g.left > 0 {
			p.gaps = append(p.gaps, g)
			p.left += g.left
		}
	}
	p.gaps = slices.DeleteFunc(p.gaps, func(g gap) bool { return g.first > p.limit })
	return p
}

// Fold computes the results of an event that was played in parts, for any order of records in the log: who is
// disqualified, how the games of the others are scored, and what is still missing. The log begins with the
// record that opened the event. All bots must be pure, because bots that remember need one history.
func (l *Log) Fold(s Schedule) (*Results, *Todo, error) {
	last := l.lastOpened()
	if last == nil {
		return nil, nil, ErrNoEvent
	}
	b := newLedger(last, l.source)
	unfit := map[int]*Disqualified{}
	var games []Result
	parts := newLedger(last, l.source) // reads the records in the order of the log
	err := l.into(parts, func(r *Record) {
		switch {
		case r.Ready != nil && parts.counts(r.Ready.Bot):
			bot := b.res.Bot(r.Ready.Bot)
			bot.Title, bot.Pure = r.Ready.Title, r.Ready.Pure
		case r.Out != nil && r.Out.Game == nil && parts.counts(r.Out.Bot):
			unfit[r.Out.Bot] = r.Out
		}
	}, func(g Result) {
		if parts.counts(g.First) && parts.counts(g.Second) && !g.learning {
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
		b.leave(unfit[id])
	}
	for {
		so := b.results(nil)
		todo := Missing(last, so, s)
		if len(todo.Encounters) > 0 || todo.Out == nil {
			return b.scheduled(s), todo, nil
		}
		played, err := so.Load(todo.Out)
		if err != nil {
			return nil, nil, err
		}
		b.leave(last.Rules.disqualified(played[0]))
	}
}

// leave records that a bot is disqualified.
func (b *ledger) leave(d *Disqualified) {
	out := *d
	out.Run = b.run
	b.out(&out)
}

// disqualified returns the disqualification that a game causes.
func (r *Rules) disqualified(g *Game) *Disqualified {
	f := g.Fault
	if f == nil || r.cost(f.Kind) != CostEvent {
		f = g.After
	}
	key := g.Key()
	return &Disqualified{Bot: [2]int{g.First, g.Second}[f.Seat-1], Game: &key, Fault: *f}
}

// only is the schedule of a part of an event.
type only []Encounter

// Stage returns the whole part at once, without bots that did not get ready.
func (o only) Stage(stage int, so *Results) []Encounter {
	if stage > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o), func(e Encounter) bool { return so.isOut(e.A) || so.isOut(e.B) })
}
