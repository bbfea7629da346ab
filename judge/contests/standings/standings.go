// Package standings computes a report from the results of a tournament: who won by the rules, the strength of each
// bot and its uncertainty, the results of each pair, the reasons for losses, blunders, and the time used.
//
// Compute computes all of this from the valid games of a log. Pick chooses the games that a report can show. SPRT and
// UntilSettled are schedules that continue until the statistics of package rating are conclusive.
//
// The package renders nothing, and knows no game. Information about blunders comes from the referee
// (referee.Position).
package standings

import (
	"cmp"
	"slices"
	"strings"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
)

// Version is the version of the JSON encoding of Standings. It increases when a field changes its meaning.
const Version = 2 // version 1 had the times of the rules in nanoseconds

// Standings contains everything that is reported about a tournament.
type Standings struct {
	Version int         `json:"version"`
	Game    string      `json:"game"`
	Title   string      `json:"title,omitempty"`
	Rules   arena.Rules `json:"rules"`
	Seed    uint64      `json:"seed"`
	Games   int         `json:"games"`
	Over    bool        `json:"over"`                // whether every game was played
	Verdict string      `json:"verdict,omitempty"`   // result of a test of two bots or of the ranking
	Looked  int         `json:"looked_at,omitempty"` // number of games in which Chances and Blunders are counted

	Bots         []Bot            `json:"bots"`  // best first
	Cross        [][]HeadToHead   `json:"cross"` // results of the row's bot against the column's bot
	History      []RatingSnapshot `json:"history,omitempty"`
	Disqualified []Disqualified   `json:"disqualified,omitempty"`
}

// Bot is the row of one bot.
type Bot struct {
	Place    int    `json:"place"`
	ByLots   bool   `json:"by_lots,omitempty"` // only lots determine the order relative to a neighbor
	Name     string `json:"name"`
	Title    string `json:"title,omitempty"`
	Language string `json:"language,omitempty"`
	arena.Row

	Elo    float64     `json:"elo"` // relative to the average
	Low    float64     `json:"elo_low"`
	High   float64     `json:"elo_high"`
	Flag   rating.Flag `json:"flag,omitempty"`
	Better float64     `json:"better"` // likelihood of superiority over the next bot in the table

	Reasons []ReasonCount `json:"loss_reasons,omitempty"` // reasons for losses, most frequent first

	Moves     int     `json:"moves"`
	UsedMS    float64 `json:"used_ms,omitempty"`    // total CPU time in all games
	SlowestMS float64 `json:"slowest_ms,omitempty"` // wall time of the longest answer

	Chances  int      `json:"chances"`  // number of winning positions with the bot to move
	Blunders int      `json:"blunders"` // number of these that were no longer winning after its move
	Worst    *Blunder `json:"worst,omitempty"`
}

// ReasonCount is how often something happened.
type ReasonCount struct {
	What  string `json:"what"`
	Times int    `json:"times"`
}

// HeadToHead contains the results of one bot against another.
type HeadToHead struct {
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Superior float64 `json:"superior"` // likelihood of superiority
}

// Score returns the share of the points that the bot got, where a draw is half a point. Without games, it returns
// 0.5.
func (m HeadToHead) Score() float64 {
	games := m.Wins + m.Draws + m.Losses
	if games == 0 {
		return 0.5
	}
	return (float64(m.Wins) + float64(m.Draws)/2) / float64(games)
}

// Games returns the number of games between the two bots.
func (m HeadToHead) Games() int { return m.Wins + m.Draws + m.Losses }

// RatingSnapshot contains the ratings after rounds 1 to Round, in the order of Standings.Bots.
type RatingSnapshot struct {
	Round int       `json:"round"`
	Elo   []float64 `json:"elo"`
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
}

// Disqualified is a bot that was disqualified.
type Disqualified struct {
	Name  string          `json:"name"`
	Fault arena.GameFault `json:"fault"`
	Game  *arena.Key      `json:"in_game,omitempty"`
}

// Blunder is a move that gave away a winning position.
type Blunder struct {
	Game   arena.Key `json:"game"`
	Move   int       `json:"move"`             // number of moves made before
	Played string    `json:"played,omitempty"` // empty if the bot did not move any more
	Best   []string  `json:"best,omitempty"`   // winning moves
}

// Compute computes the standings. It counts winning positions and blunders in the games in looked, using the
// positions in seen.
func Compute(results *arena.Results, games []*arena.Game, byGame arena.GamePositions) *Standings {
	s := &Standings{Version: Version, Game: results.Game, Rules: results.Rules, Seed: results.Seed, Games: len(results.Games)}
	table := arena.Table(results)
	if results.Rules.Format == arena.OpenLadder {
		byRating(table, results.Games)
	}
	at := map[int]int{} // id -> line
	for i, row := range table {
		at[row.Bot] = i
		b := results.Bot(row.Bot)
		line := Bot{Place: i + 1, Name: b.Name, Language: b.Language, Row: row}
		if !strings.EqualFold(b.Title, b.Name) {
			line.Title = b.Title
		}
		s.Bots = append(s.Bots, line)
	}
	for i := 1; i < len(table); i++ {
		if results.Rules.Score.Tied(&table[i-1], &table[i]) && !results.Rules.DeterminesOrder() &&
			results.Rules.Format != arena.OpenLadder {
			s.Bots[i-1].ByLots, s.Bots[i].ByLots = true, true
		}
	}
	for i := range results.Games {
		s.count(&results.Games[i], at)
	}
	for i := range s.Bots {
		s.Bots[i].Reasons = sorted(s.Bots[i].Reasons)
	}
	s.rate(results, at)
	s.blunders(games, byGame, at)
	if enough := StoppingScheduleOf(&results.Rules); enough != nil {
		s.Verdict = enough.Verdict(results)
	}
	for _, d := range results.Disqualified {
		if b := results.Bot(d.Bot); b != nil {
			s.Disqualified = append(s.Disqualified, Disqualified{b.Name, d.Fault, d.Game})
		}
	}
	return s
}

// byRating orders a table by rating, as a ladder on a server does.
func byRating(table []arena.Row, games []arena.Result) {
	at, elo := map[int]int{}, map[int]float64{}
	for i, row := range table {
		at[row.Bot] = i
	}
	for i, p := range rating.Rate(len(table), Duels(games, at)).Players {
		elo[table[i].Bot] = p.Elo
	}
	ranked := func(r arena.Row) rating.RankedPlayer {
		return rating.RankedPlayer{Elo: elo[r.Bot], Games: r.Games, ID: int64(r.Bot)}
	}
	slices.SortFunc(table, func(a, b arena.Row) int { return ranked(a).Compare(ranked(b)) })
}

// WithoutTimes returns the standings without the fields that differ from run to run. The remaining fields depend
// only on the bots, the rules and the seed.
func (s *Standings) WithoutTimes() *Standings {
	without := *s
	without.Bots = slices.Clone(s.Bots)
	for i := range without.Bots {
		without.Bots[i].UsedMS, without.Bots[i].SlowestMS = 0, 0
	}
	return &without
}

// count adds the times and results of one game to its bots.
func (s *Standings) count(g *arena.Result, numbers map[int]int) {
	for seat, id := range []int{g.First, g.Second} {
		b := &s.Bots[numbers[id]]
		b.UsedMS += g.Used[seat]
		if g.Winner == 2-seat {
			k := slices.IndexFunc(b.Reasons, func(c ReasonCount) bool { return c.What == g.Reason })
			if k < 0 {
				b.Reasons, k = append(b.Reasons, ReasonCount{What: g.Reason}), len(b.Reasons)
			}
			b.Reasons[k].Times++
		}
		b.Moves += int(g.Moves[seat])
		b.SlowestMS = max(b.SlowestMS, float64(g.Slowest[seat])/1000)
	}
}

func sorted(counts []ReasonCount) []ReasonCount {
	slices.SortFunc(counts, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.What, b.What))
	})
	return counts
}

// rate adds ratings, the cross table and the history.
func (s *Standings) rate(results *arena.Results, numbers map[int]int) {
	n := len(s.Bots)
	duels := Duels(results.Games, numbers)
	r := rating.Rate(n, duels)
	for i, p := range r.Players {
		b := &s.Bots[i]
		b.Elo, b.Low, b.High, b.Flag = p.Elo, p.Low, p.High, p.Flag
		if i+1 < n {
			b.Better = r.Superiority(i, i+1)
		}
	}
	s.Cross = make([][]HeadToHead, n)
	for i := range n {
		s.Cross[i] = make([]HeadToHead, n)
		for j := range n {
			s.Cross[i][j].Superior = r.Superiority(i, j)
		}
	}
	for i := range results.Games {
		g := &results.Games[i]
		a, b := &s.Cross[numbers[g.First]][numbers[g.Second]], &s.Cross[numbers[g.Second]][numbers[g.First]]
		switch g.Winner {
		case 1:
			a.Wins, b.Losses = a.Wins+1, b.Losses+1
		case 2:
			a.Losses, b.Wins = a.Losses+1, b.Wins+1
		default:
			a.Draws, b.Draws = a.Draws+1, b.Draws+1
		}
	}
	s.History = history(results.Games, numbers)
}

// maxSnapshots is the maximum number of points in the history.
const maxSnapshots = 40

func history(games []arena.Result, numbers map[int]int) (snapshots []RatingSnapshot) {
	if len(games) == 0 {
		return nil
	}
	last := games[len(games)-1].Round // games are sorted by round
	p := newDuelCounter(numbers)
	for k := range min(maxSnapshots, last) {
		round := (k + 1) * last / min(maxSnapshots, last)
		for len(games) > 0 && games[0].Round <= round {
			p.add(&games[0])
			games = games[1:]
		}
		then := RatingSnapshot{Round: round}
		for _, r := range rating.Rate(len(numbers), p.duels()).Players {
			then.Elo, then.Low, then.High = append(then.Elo, r.Elo), append(then.Low, r.Low), append(then.High, r.High)
		}
		snapshots = append(snapshots, then)
	}
	return snapshots
}
