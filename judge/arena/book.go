package arena

import (
	"errors"
	"fmt"
	"slices"
)

// book knows what counts, record by record.
//
// A game counts for as long as both its bots have the hash that they had when it
// was played. A disqualification voids the games of its bot, and all games in which
// a bot that is not pure took part.
type book struct {
	res    Results
	games  map[Key]*Game
	order  []*Game // in the order of the records; some do not count any more
	opened *Opened // in whose time the record was written
	run    int
}

// newBook makes a book for the bots of an event.
func newBook(o *Opened) *book {
	b := &book{res: Results{Game: o.Game, Rules: o.Rules, Seed: o.Seed, Bots: slices.Clone(o.Bots)}, games: map[Key]*Game{}}
	slices.SortFunc(b.res.Bots, func(a, b Bot) int { return a.ID - b.ID })
	b.res.Lots = lots(o)
	return b
}

// counts says whether a bot of the record's time is one of the event.
func (b *book) counts(id int) bool {
	was, is := find(b.opened.Bots, id), b.res.Bot(id)
	return was != nil && is != nil && was.Hash == is.Hash && was.Name == is.Name
}

// add takes a record.
func (b *book) add(r *Record) error {
	if r.Opened != nil {
		b.opened = r.Opened
		return nil
	}
	if b.opened == nil {
		return errors.New("a record comes before the event begins")
	}
	switch {
	case r.Ready != nil && b.counts(r.Ready.Bot):
		bot := b.res.Bot(r.Ready.Bot)
		bot.Title, bot.Pure = r.Ready.Title, r.Ready.Pure
	case r.Game != nil && b.counts(r.Game.First) && b.counts(r.Game.Second):
		b.games[r.Game.Key()] = r.Game
		b.order = append(b.order, r.Game)
	case r.Out != nil && b.counts(r.Out.Bot):
		b.res.Out = append(b.res.Out, *r.Out)
		b.run++
		for k, g := range b.games {
			if g.First == r.Out.Bot || g.Second == r.Out.Bot || !b.res.Bot(g.First).Pure || !b.res.Bot(g.Second).Pure {
				delete(b.games, k)
			}
		}
	}
	return nil
}

// stands says whether a record of a game counts.
func (b *book) stands(g *Game) bool { return b.games[g.Key()] == g }

// results are what counts of the games that are asked for; nil asks for all.
func (b *book) results(keys func(Key) bool) *Results {
	res := b.res
	res.Bots, res.Out = slices.Clone(b.res.Bots), slices.Clone(b.res.Out)
	res.Games = nil
	for k, g := range b.games {
		if keys == nil || keys(k) {
			res.Games = append(res.Games, *g)
		}
	}
	slices.SortFunc(res.Games, func(a, b Game) int { return a.Key().Compare(b.Key()) })
	return &res
}

func (r *Results) isOut(id int) bool {
	return slices.ContainsFunc(r.Out, func(d Disqualified) bool { return d.Bot == id })
}

func find(bots []Bot, id int) *Bot {
	for i := range bots {
		if bots[i].ID == id {
			return &bots[i]
		}
	}
	return nil
}

// Replay says what counts of a log: of the bots of its last Opened, the games that
// the schedule asks for and that no later record has made void.
func (l *Log) Replay() (*Results, error) {
	last := -1
	for i := range l.Records {
		if l.Records[i].Opened != nil {
			last = i
		}
	}
	if last < 0 {
		return nil, errors.New("the log has no event")
	}
	b := newBook(l.Records[last].Opened)
	for i := range l.Records {
		if err := b.add(&l.Records[i]); err != nil {
			return nil, fmt.Errorf("the log's line %d: %w", l.Lines[i], err)
		}
	}
	format, ok := Formats()[b.res.Rules.Format]
	if !ok { // a schedule that only the event knew: all that was played
		return b.results(nil), nil
	}
	return b.scheduled(format(&b.res.Rules)), nil
}

// scheduled are the results of the games that a schedule asks for, as far as they
// were played.
func (b *book) scheduled(schedule Schedule) *Results {
	asked := map[Key]bool{}
	so := b.results(func(Key) bool { return false })
	for stage := 0; ; stage++ {
		encounters := schedule.Stage(stage, so)
		whole := true
		for _, e := range encounters {
			for _, k := range e.Keys() {
				asked[k] = true
				whole = whole && b.games[k] != nil
			}
		}
		if len(encounters) > 0 {
			so = b.results(func(k Key) bool { return asked[k] })
		}
		if len(encounters) == 0 || !whole {
			return so
		}
	}
}
