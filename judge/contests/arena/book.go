package arena

import (
	"errors"
	"maps"
	"slices"
)

// book knows what counts, record by record.
//
// A game counts for as long as both its bots have the hash that they had when it
// was played. A disqualification voids the games of its bot, and all games in which
// a bot that is not pure took part.
type book struct {
	res    Results
	games  []Result            // in the order of the records; some do not count any more
	at     map[packedKey]int32 // of those that count, the index in games
	opened *Opened             // in whose time the record was written
	run    int
}

// packedKey is a Key in half the space.
type packedKey [4]int32

func (k Key) packed() packedKey {
	return packedKey{int32(k.Round), int32(k.First), int32(k.Second), int32(k.Leg)}
}

// newBook makes a book for the bots of an event.
func newBook(o *Opened, log *source) *book {
	b := &book{
		res: Results{Game: o.Game, Rules: o.Rules, Seed: o.Seed, Bots: slices.Clone(o.Bots), log: log},
		at:  map[packedKey]int32{},
	}
	slices.SortFunc(b.res.Bots, func(a, b Bot) int { return a.ID - b.ID })
	b.res.Lots = lots(o)
	return b
}

// counts says whether a bot of the record's time is one of the event.
func (b *book) counts(id int) bool {
	was, is := find(b.opened.Bots, id), b.res.Bot(id)
	return was != nil && is != nil && was.Hash == is.Hash && was.Name == is.Name
}

var errNotOpened = errors.New("a record comes before the event begins")

// add takes a record that is not of a game.
func (b *book) add(r *Record) error {
	if r.Opened != nil {
		b.opened = r.Opened
		return nil
	}
	if b.opened == nil {
		return errNotOpened
	}
	switch {
	case r.Ready != nil && b.counts(r.Ready.Bot):
		bot := b.res.Bot(r.Ready.Bot)
		bot.Title, bot.Pure = r.Ready.Title, r.Ready.Pure
	case r.Out != nil && b.counts(r.Out.Bot):
		b.out(r.Out)
	}
	return nil
}

// out takes a disqualification.
func (b *book) out(d *Disqualified) {
	b.res.Out = append(b.res.Out, *d)
	b.run++
	for k, i := range b.at {
		g := &b.games[i]
		if g.First == d.Bot || g.Second == d.Bot || !b.res.Bot(g.First).Pure || !b.res.Bot(g.Second).Pure {
			delete(b.at, k)
		}
	}
}

// expect makes room for so many games more, so that none is copied while they come.
func (b *book) expect(n int) {
	b.games = slices.Grow(b.games, n)
	at := make(map[packedKey]int32, len(b.at)+n)
	maps.Copy(at, b.at)
	b.at = at
}

// addGame takes a game.
func (b *book) addGame(r Result) {
	if !b.counts(r.First) || !b.counts(r.Second) {
		return
	}
	b.at[r.Key().packed()] = int32(len(b.games))
	b.games = append(b.games, r)
}

// game is the game with a key, nil if it was not played.
func (b *book) game(k Key) *Result {
	if i, is := b.at[k.packed()]; is {
		return &b.games[i]
	}
	return nil
}

// stands says whether the game with an index counts.
func (b *book) stands(i int) bool {
	at, is := b.at[b.games[i].Key().packed()]
	return is && int(at) == i
}

// results are what counts of the games that are asked for; nil asks for all.
func (b *book) results(keys func(Key) bool) *Results {
	res := b.res
	res.Bots, res.Out = slices.Clone(b.res.Bots), slices.Clone(b.res.Out)
	count := 0
	wanted := func(i int) bool { return b.stands(i) && (keys == nil || keys(b.games[i].Key())) }
	for i := range b.games {
		if wanted(i) {
			count++
		}
	}
	res.Games = make([]Result, 0, count)
	for i := range b.games {
		if wanted(i) {
			res.Games = append(res.Games, b.games[i])
		}
	}
	slices.SortFunc(res.Games, func(a, b Result) int { return a.Key().Compare(b.Key()) })
	return &res
}

// nothing are the results of an event of which nothing was played.
func (b *book) nothing() *Results { return b.results(func(Key) bool { return false }) }

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

// ErrNoEvent says that a file is not a log of an event, or only the beginning of one.
var ErrNoEvent = errors.New("the log has no event")

// Replay says what counts of a log: of the bots of its last Opened, the games that
// the schedule asks for and that no later record has made void.
func (l *Log) Replay() (*Results, error) {
	last := l.lastOpened()
	if last == nil {
		return nil, ErrNoEvent
	}
	b := newBook(last, l.source)
	if err := l.replay(b, true); err != nil {
		return nil, err
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
	asked := map[packedKey]bool{}
	so := b.nothing()
	for stage := 0; ; stage++ {
		encounters := schedule.Stage(stage, so)
		whole := true
		for _, e := range encounters {
			for _, k := range e.Keys() {
				asked[k.packed()] = true
				whole = whole && b.game(k) != nil
			}
		}
		if len(encounters) > 0 {
			so = b.results(func(k Key) bool { return asked[k.packed()] })
		}
		if len(encounters) == 0 || !whole {
			return so
		}
	}
}
