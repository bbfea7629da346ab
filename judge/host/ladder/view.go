package ladder

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/host/matchmaking"
	"assay/judge/host/store"
)

// A View is the state of a ladder at one point in time. It never changes.
type View struct {
	*store.Ladder
	GameRules arena.Rules // the rules; zero until a worker has read them
	Bots      []*store.Bot
	Lines     []Standing // active bots, strongest first
	// Encounters lists all finished encounters in the order in which they ended.
	Encounters []*store.Encounter
	Rated      time.Time

	rated   int // number of encounters at the last rating
	ratings *rating.Ratings
	index   map[int64]int // active bots to their index in the ratings
	pairs   map[[2]int64]rating.Tally
}

// A Standing is a line of the table for an active bot.
type Standing struct {
	*store.Bot
	Rank             int
	Elo              float64
	Low, High        float64 // 95% confidence interval
	Flag             rating.Flag
	Record           Record  // against active bots; the rating depends on it
	ScoredEncounters int     // scored encounters, including those against retired bots
	Superiority      float64 // likelihood of superiority over the next bot
}

// Placing reports whether the bot is still being placed.
func (l *Standing) Placing() bool { return l.ScoredEncounters < matchmaking.Placement }

// IsScored reports whether the games of an encounter count. It returns false if a bot did not get ready, or if the
// worker returned invalid games.
func IsScored(e *store.Encounter) bool { return e.Reason == "" && e.Results != "" }

// A Record counts the results of a bot in all games, or in the games against one opponent.
type Record struct {
	Encounters, Wins, Draws, Losses int
}

// Games returns the number of games.
func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns the points divided by the number of games. Without games it returns 0.5.
func (r Record) Score() float64 {
	if r.Games() == 0 {
		return 0.5
	}
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(r.Games())
}

// add adds the results of an encounter, from the bot's point of view.
func (r *Record) add(results string) {
	r.Encounters++
	for i := range len(results) {
		switch results[i] {
		case 'w':
			r.Wins++
		case 'l':
			r.Losses++
		default:
			r.Draws++
		}
	}
}

// ResultsFor returns the results of an encounter from the point of view of one of its bots.
func ResultsFor(e *store.Encounter, bot int64) string {
	if bot == e.A {
		return e.Results
	}
	seen := []byte(e.Results)
	for i, c := range seen {
		switch c {
		case 'w':
			seen[i] = 'l'
		case 'l':
			seen[i] = 'w'
		}
	}
	return string(seen)
}

// tallyPairs counts the results of an encounter in pairs of games. In each pair, each bot moves first once.
func tallyPairs(results string) (t rating.Tally) {
	halves := func(c byte) int { return map[byte]int{'w': 2, 'd': 1}[c] }
	for len(results) >= 2 {
		t.Pairs[halves(results[0])+halves(results[1])]++
		results = results[2:]
	}
	if results != "" {
		t.Games[halves(results[0])]++
	}
	return t
}

// newView returns the view that follows the view before, whose results it reuses. The argument fresh lists the
// encounters that have ended since that view. If previous is nil, fresh lists all finished encounters.
func newView(l *store.Ladder, bots []*store.Bot, added []*store.Encounter, previous *View) (*View, error) {
	v := &View{Ladder: l, Bots: bots, pairs: map[[2]int64]rating.Tally{}}
	if len(l.Rules) > 0 {
		if err := json.Unmarshal(l.Rules, &v.GameRules); err != nil {
			return nil, fmt.Errorf("read the rules of the ladder %s: %w", l.Slug, err)
		}
	}
	if previous != nil {
		v.Encounters = previous.Encounters
		for pair, t := range previous.pairs {
			v.pairs[pair] = t
		}
	}
	v.Encounters = append(v.Encounters[:len(v.Encounters):len(v.Encounters)], added...)
	for _, e := range added {
		if !IsScored(e) {
			continue
		}
		t, pair := tallyPairs(e.Results), [2]int64{e.A, e.B}
		if e.A > e.B {
			t, pair = t.Reversed(), [2]int64{e.B, e.A}
		}
		v.pairs[pair] = v.pairs[pair].Plus(t)
	}
	return v, nil
}

// rate rates the active bots, and sorts them.
func (v *View) rate(now time.Time) {
	v.Rated, v.rated, v.index = now, len(v.Encounters), map[int64]int{}
	var lines []Standing
	for _, b := range v.Bots {
		if b.State == store.BotActive {
			v.index[b.Number] = len(lines)
			lines = append(lines, Standing{Bot: b})
		}
	}
	var duels []rating.Duel
	for pair, t := range v.pairs {
		a, ok := v.index[pair[0]]
		if b, both := v.index[pair[1]]; ok && both {
			duels = append(duels, rating.Duel{A: a, B: b, Tally: t})
		}
	}
	slices.SortFunc(duels, func(a, b rating.Duel) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	v.ratings = rating.Rate(len(lines), duels)
	for _, e := range v.Encounters {
		for _, bot := range []int64{e.A, e.B} {
			if i, plays := v.index[bot]; plays && IsScored(e) {
				lines[i].ScoredEncounters++
				if v.countsInTable(e) {
					lines[i].Record.add(ResultsFor(e, bot))
				}
			}
		}
	}
	for i, p := range v.ratings.Players {
		lines[i].Elo, lines[i].Low, lines[i].High, lines[i].Flag = p.Elo, p.Low, p.High, p.Flag
	}
	slices.SortFunc(lines, func(a, b Standing) int { return a.ranked().Compare(b.ranked()) })
	for i := range lines {
		lines[i].Rank = i + 1
		if i+1 < len(lines) {
			lines[i].Superiority = v.ratings.Superiority(v.index[lines[i].Number], v.index[lines[i+1].Number])
		}
	}
	v.Lines = lines
}

func (l *Standing) ranked() rating.RankedPlayer {
	return rating.RankedPlayer{Elo: l.Elo, Games: l.Record.Games(), ID: l.Number}
}

// countsInTable reports whether the games of an encounter are part of the table: they count, and both bots are active.
func (v *View) countsInTable(e *store.Encounter) bool {
	_, a := v.index[e.A]
	_, b := v.index[e.B]
	return a && b && IsScored(e)
}

// TableEncounters returns the encounters on which Lines and Cross are based.
func (v *View) TableEncounters() (encounters []*store.Encounter) {
	for _, e := range v.Encounters[:v.rated] {
		if v.countsInTable(e) {
			encounters = append(encounters, e)
		}
	}
	return encounters
}

// Games returns the number of games on which the table is based.
func (v *View) Games() (n int) {
	for _, e := range v.TableEncounters() {
		n += len(e.Results)
	}
	return n
}

// Bot returns the bot with the given number. It returns nil if there is none.
func (v *View) Bot(number int64) *store.Bot {
	i, found := slices.BinarySearchFunc(v.Bots, number, func(b *store.Bot, n int64) int { return cmp.Compare(b.Number, n) })
	if !found {
		return nil
	}
	return v.Bots[i]
}

// Standing returns the line of an active bot. It returns nil if the bot is not active.
func (v *View) Standing(number int64) *Standing {
	for i := range v.Lines {
		if v.Lines[i].Number == number {
			return &v.Lines[i]
		}
	}
	return nil
}

// A HeadToHead is the record of a bot against an opponent.
type HeadToHead struct {
	Opponent *store.Bot
	Record
}

// Opponents returns the opponents of a bot, most frequent first.
func (v *View) Opponents(number int64) (records []HeadToHead) {
	by := map[int64]*Record{}
	for _, e := range v.Encounters {
		if !IsScored(e) || e.A != number && e.B != number {
			continue
		}
		opponent := e.A + e.B - number
		if by[opponent] == nil {
			by[opponent] = &Record{}
		}
		by[opponent].add(ResultsFor(e, number))
	}
	for opponent, r := range by {
		if b := v.Bot(opponent); b != nil {
			records = append(records, HeadToHead{b, *r})
		}
	}
	slices.SortFunc(records, func(a, b HeadToHead) int {
		return cmp.Or(cmp.Compare(b.Games(), a.Games()), cmp.Compare(a.Opponent.Number, b.Opponent.Number))
	})
	return records
}

// EncountersOf returns the encounters of a bot, newest first.
func (v *View) EncountersOf(number int64) (encounters []*store.Encounter) {
	for _, e := range slices.Backward(v.Encounters) {
		if e.A == number || e.B == number {
			encounters = append(encounters, e)
		}
	}
	return encounters
}

// Cross returns the head-to-head results in the order of Lines.
func (v *View) Cross() [][]Record {
	indexes := map[int64]int{}
	for i, l := range v.Lines {
		indexes[l.Number] = i
	}
	cross := make([][]Record, len(v.Lines))
	for i := range cross {
		cross[i] = make([]Record, len(v.Lines))
	}
	for _, e := range v.TableEncounters() {
		a, b := indexes[e.A], indexes[e.B]
		cross[a][b].add(ResultsFor(e, e.A))
		cross[b][a].add(ResultsFor(e, e.B))
	}
	return cross
}

// A FormPoint is the strength of a bot during a sequence of games.
type FormPoint struct {
	Encounter int64 // newest encounter in the sequence
	Games     int
	Score     float64
	Elo       float64 // rating at which this score against these opponents is expected
}

// Form returns the strength of a bot over time. It divides the bot's games into sequences of equal length.
func (v *View) Form(number int64) (points []FormPoint) {
	const stretches, least = 24, 5 // at most 24 sequences of at least 5 encounters
	mine := v.EncountersOf(number)
	slices.Reverse(mine)
	mine = slices.DeleteFunc(mine, func(e *store.Encounter) bool { return !IsScored(e) })
	for length := max(least, (len(mine)+stretches-1)/stretches); len(mine) > 0; {
		part := mine[:min(length, len(mine))]
		mine = mine[len(part):]
		var r Record
		var opponents []float64 // rating of the opponent, per game
		for _, e := range part {
			r.add(ResultsFor(e, number))
			elo := 0.0
			if i, plays := v.index[e.A+e.B-number]; plays {
				elo = v.ratings.Players[i].Elo
			}
			for range len(e.Results) {
				opponents = append(opponents, elo)
			}
		}
		points = append(
			points,
			FormPoint{part[len(part)-1].Number, r.Games(), r.Score(), performanceRating(r.Score()*float64(r.Games()), opponents)},
		)
	}
	return points
}

// performanceRating returns the rating at which a bot is expected to get the given points against opponents with the
// ratings in against. It is bounded, as ratings are: zero points count as half a point, and the maximum as half a
// point less.
func performanceRating(points float64, opponents []float64) float64 {
	if len(opponents) == 0 {
		return 0
	}
	points = min(max(points, 0.5), float64(len(opponents))-0.5)
	low, high := slices.Min(opponents)-1200, slices.Max(opponents)+1200
	for range 40 {
		mid, expected := (low+high)/2, 0.0
		for _, elo := range opponents {
			expected += rating.Expected(mid - elo)
		}
		if expected < points {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}
