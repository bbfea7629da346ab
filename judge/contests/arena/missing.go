package arena

import (
	"maps"
	"slices"
)

// Todo is what an event still has to play.
type Todo struct {
	Stage int // of the schedule, from 0

	// Encounters are those of the stage that have games missing, in its order.
	Encounters []Encounter

	// Out is the game whose fault costs its bot the event: of several, the first in
	// the schedule's order. Nothing after it is asked for. Once Encounters is empty, the
	// bot is out.
	Out *Result

	Asked int // how many games the schedule has asked for so far, played or not
}

// Over says whether the event has come to its end.
func (t *Todo) Over() bool { return len(t.Encounters) == 0 && t.Out == nil }

// Missing finds what is missing of an event that was opened: of the first stage that is
// not whole, the games that no result is there of. It is a pure function, so that whoever
// asks it with the same results plays the same games.
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

// gap is an encounter with games that are missing. Games are counted from 1 in the
// order of the stage.
type gap struct {
	of    Encounter
	index int // of the game before its first one
	first int // index of its first game that is missing
	left  int // games that are missing
}

const noLimit = int(^uint(0) >> 1)

// plan finds what is missing of a stage. A game whose fault costs its bot the event ends
// the plan; what comes before it is still to be played, for there may be a fault that
// comes first.
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

// Fold says what counts of an event that was played in parts, whoever played them and in
// whatever order their records came to the log: who is out, what the games of the
// others are worth, and what is still missing. The log begins with the record that
// opened the event. Bots that remember anything are not for this: they need one history.
func (l *Log) Fold(s Schedule) (*Results, *Todo, error) {
	last := l.lastOpened()
	if last == nil {
		return nil, nil, ErrNoEvent
	}
	b := newBook(last, l.source)
	unfit := map[int]*Disqualified{}
	var games []Result
	parts := newBook(last, l.source) // takes the records in the order of the log
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
		if b.game(g.Key()) == nil { // one that came twice is the same
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

// leave notes that a bot is out.
func (b *book) leave(d *Disqualified) {
	out := *d
	out.Run = b.run
	b.out(&out)
}

// disqualified says who is out by a game.
func (r *Rules) disqualified(g *Game) *Disqualified {
	f := g.Fault
	if f == nil || r.cost(f.Kind) != CostEvent {
		f = g.After
	}
	key := g.Key()
	return &Disqualified{Bot: [2]int{g.First, g.Second}[f.Seat-1], Game: &key, Fault: *f}
}

// only is the schedule of one that plays a part of an event.
type only []Encounter

// Stage returns the part, all of it at once, but for bots that did not get ready.
func (o only) Stage(stage int, so *Results) []Encounter {
	if stage > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o), func(e Encounter) bool { return so.isOut(e.A) || so.isOut(e.B) })
}
