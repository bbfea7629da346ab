package arena

import (
	"errors"
	"maps"
	"slices"
)

// ledger determines which games count. It processes the records of a log one by one.
//
// A game counts as long as both its bots have the same hash as when the game was played. A disqualification voids
// all games of the disqualified bot, and all games of bots that are not pure.
type ledger struct {
	res    Results
	games  []Result            // in record order; some may be void
	index  map[packedKey]int32 // maps the keys of valid games to indices in games
	opened *Opened             // the Opened record that applies to the current record
	run    int
}

// packedKey is a Key in half the space.
type packedKey [4]int32

func (k Key) packed() packedKey {
	return packedKey{int32(k.Round), int32(k.First), int32(k.Second), int32(k.Leg)}
}

// newLedger returns a ledger for the bots of a tournament.
func newLedger(o *Opened, log *source) *ledger {
	b := &ledger{
		res:   Results{Game: o.Game, Rules: o.Rules, Seed: o.Seed, Bots: slices.Clone(o.Bots), log: log},
		index: map[packedKey]int32{},
	}
	slices.SortFunc(b.res.Bots, func(a, b Bot) int { return a.ID - b.ID })
	b.res.Lots = lots(o)
	return b
}

// isCurrent reports whether a bot has the same hash and name in the current Opened record as in the results.
func (b *ledger) isCurrent(id int) bool {
	was, is := find(b.opened.Bots, id), b.res.Bot(id)
	return was != nil && is != nil && was.Hash == is.Hash && was.Name == is.Name
}

var errNotOpened = errors.New("a record precedes the opening of the tournament")

// add adds a record that is not a game.
func (b *ledger) add(r *Record) error {
	if r.Opened != nil {
		b.opened = r.Opened
		return nil
	}
	if b.opened == nil {
		return errNotOpened
	}
	switch {
	case r.Ready != nil && b.isCurrent(r.Ready.Bot):
		bot := b.res.Bot(r.Ready.Bot)
		bot.Title, bot.Pure = r.Ready.Title, r.Ready.Pure
	case r.Out != nil && b.isCurrent(r.Out.Bot):
		b.addDisqualified(r.Out)
	}
	return nil
}

// addDisqualified adds a disqualification.
func (b *ledger) addDisqualified(d *Disqualified) {
	b.res.Disqualified = append(b.res.Disqualified, *d)
	b.run++
	for k, i := range b.index {
		g := &b.games[i]
		if g.First == d.Bot || g.Second == d.Bot || !b.res.Bot(g.First).Pure || !b.res.Bot(g.Second).Pure {
			delete(b.index, k)
		}
	}
}

// reserve reserves space for n more games, to avoid copies.
func (b *ledger) reserve(n int) {
	b.games = slices.Grow(b.games, n)
	at := make(map[packedKey]int32, len(b.index)+n)
	maps.Copy(at, b.index)
	b.index = at
}

// addGame adds a game.
func (b *ledger) addGame(r Result) {
	if !b.isCurrent(r.First) || !b.isCurrent(r.Second) {
		return
	}
	b.index[r.Key().packed()] = int32(len(b.games))
	b.games = append(b.games, r)
}

// game returns the valid game with the key, or nil if there is none.
func (b *ledger) game(k Key) *Result {
	if i, is := b.index[k.packed()]; is {
		return &b.games[i]
	}
	return nil
}

// isValid reports whether the game with index i counts.
func (b *ledger) isValid(i int) bool {
	at, is := b.index[b.games[i].Key().packed()]
	return is && int(at) == i
}

// results returns the valid games whose key satisfies keys, or all valid games if keys is nil.
func (b *ledger) results(keys func(Key) bool) *Results {
	res := b.res
	res.Bots, res.Disqualified = slices.Clone(b.res.Bots), slices.Clone(b.res.Disqualified)
	count := 0
	wanted := func(i int) bool { return b.isValid(i) && (keys == nil || keys(b.games[i].Key())) }
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

// emptyResults returns the results of a tournament before its first game.
func (b *ledger) emptyResults() *Results { return b.results(func(Key) bool { return false }) }

func (r *Results) isDisqualified(id int) bool {
	return slices.ContainsFunc(r.Disqualified, func(d Disqualified) bool { return d.Bot == id })
}

func find(bots []Bot, id int) *Bot {
	for i := range bots {
		if bots[i].ID == id {
			return &bots[i]
		}
	}
	return nil
}

// ErrNoTournament means that a file does not contain the record that opens a tournament. The file is not a log, or
// contains only the beginning of a log.
var ErrNoTournament = errors.New("the log has no event")

// Replay returns the results of a log. They contain the games that the schedule requests between bots of the last
// Opened record, except games that a later record has voided.
func (l *Log) Replay() (*Results, error) {
	last := l.lastOpened()
	if last == nil {
		return nil, ErrNoTournament
	}
	b := newLedger(last, l.source)
	if err := l.replay(b, true); err != nil {
		return nil, err
	}
	format, ok := Formats()[b.res.Rules.Format]
	if !ok { // the schedule is unknown here, so return all games
		return b.results(nil), nil
	}
	return b.scheduled(format(&b.res.Rules)), nil
}

// scheduled returns the results of the games that a schedule requests, up to its first incomplete stage.
func (b *ledger) scheduled(schedule Schedule) *Results {
	asked := map[packedKey]bool{}
	so := b.emptyResults()
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
