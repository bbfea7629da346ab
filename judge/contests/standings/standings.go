// Package standings makes of an event's results what people want to know: who won by
// the rules, how strong everybody is and how sure that is, who did what to whom, why
// games were lost, who threw away a won game, and how much time it took.
//
// Make computes all of it from what counts of a log; Pick chooses the games that a
// report has room for. SPRT and UntilSettled are schedules that continue until the
// statistics of package rating say that it is enough.
//
// The package draws nothing, and it knows no game: what it says of mistakes comes from
// the referee (referee.Position).
package standings

import (
	"cmp"
	"slices"
	"strings"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
)

// Version is that of Standings as JSON. It rises when a field changes its meaning.
const Version = 2 // 1 had the times of the rules in nanoseconds

// Standings are all that there is to say of an event.
type Standings struct {
	Version int         `json:"version"`
	Game    string      `json:"game"`
	Title   string      `json:"title,omitempty"`
	Rules   arena.Rules `json:"rules"`
	Seed    uint64      `json:"seed"`
	Games   int         `json:"games"`
	Over    bool        `json:"over"`                // whether every game was played
	Verdict string      `json:"verdict,omitempty"`   // what a test of two bots, or of the ranking, came to
	Looked  int         `json:"looked_at,omitempty"` // games that Chances and Blunders are counted in

	Bots    []Bot   `json:"bots"`  // best first
	Cross   [][]Met `json:"cross"` // what the bot in the row did against that in the column
	History []Then  `json:"history,omitempty"`
	Out     []Out   `json:"disqualified,omitempty"`
}

// Bot is the line of one bot.
type Bot struct {
	Place    int    `json:"place"`
	ByLots   bool   `json:"by_lots,omitempty"` // only lots put it before or after a neighbor
	Name     string `json:"name"`
	Title    string `json:"title,omitempty"`
	Language string `json:"language,omitempty"`
	arena.Row

	Elo    float64     `json:"elo"` // above the average
	Low    float64     `json:"elo_low"`
	High   float64     `json:"elo_high"`
	Flag   rating.Flag `json:"flag,omitempty"`
	Better float64     `json:"better"` // likelihood that it is stronger than the next one in the table

	Reasons []Count `json:"loss_reasons,omitempty"` // why it lost, the most frequent first

	Moves     int     `json:"moves"`
	UsedMS    float64 `json:"used_ms,omitempty"`    // CPU time in all games
	SlowestMS float64 `json:"slowest_ms,omitempty"` // the longest answer, on the clock

	Chances  int      `json:"chances"`  // times that it was to move and could have won by force
	Blunders int      `json:"blunders"` // times that it could not any more afterwards
	Worst    *Blunder `json:"worst,omitempty"`
}

// Count is how often something happened.
type Count struct {
	What  string `json:"what"`
	Times int    `json:"times"`
}

// Met is what one bot did against another.
type Met struct {
	Wins     int     `json:"wins"`
	Draws    int     `json:"draws"`
	Losses   int     `json:"losses"`
	Superior float64 `json:"superior"` // likelihood that it is stronger
}

// Score returns the share of the points, a draw being half a win; 0.5 without games.
func (m Met) Score() float64 {
	games := m.Wins + m.Draws + m.Losses
	if games == 0 {
		return 0.5
	}
	return (float64(m.Wins) + float64(m.Draws)/2) / float64(games)
}

// Games returns how often they met.
func (m Met) Games() int { return m.Wins + m.Draws + m.Losses }

// Then are the ratings after the games of the first rounds, in the order of Bots.
type Then struct {
	Round int       `json:"round"`
	Elo   []float64 `json:"elo"`
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
}

// Out is a bot that was disqualified.
type Out struct {
	Name  string          `json:"name"`
	Fault arena.GameFault `json:"fault"`
	Game  *arena.Key      `json:"in_game,omitempty"`
}

// Blunder is a move that threw a won game away.
type Blunder struct {
	Game   arena.Key `json:"game"`
	Move   int       `json:"move"`             // how many moves had been made before
	Played string    `json:"played,omitempty"` // "" if it did not move any more
	Best   []string  `json:"best,omitempty"`   // what would have won
}

// Make computes the standings. Chances and blunders are counted in the games that were
// looked at, by what the referee has seen there.
func Make(so *arena.Results, looked []*arena.Game, seen arena.Seen) *Standings {
	s := &Standings{Version: Version, Game: so.Game, Rules: so.Rules, Seed: so.Seed, Games: len(so.Games)}
	table := arena.Table(so)
	if so.Rules.Format == arena.OpenLadder {
		byRating(table, so.Games)
	}
	at := map[int]int{} // id -> line
	for i, row := range table {
		at[row.Bot] = i
		b := so.Bot(row.Bot)
		line := Bot{Place: i + 1, Name: b.Name, Language: b.Language, Row: row}
		if !strings.EqualFold(b.Title, b.Name) {
			line.Title = b.Title
		}
		s.Bots = append(s.Bots, line)
	}
	for i := 1; i < len(table); i++ {
		if so.Rules.Score.Tied(&table[i-1], &table[i]) && !so.Rules.Ranks() && so.Rules.Format != arena.OpenLadder {
			s.Bots[i-1].ByLots, s.Bots[i].ByLots = true, true
		}
	}
	for i := range so.Games {
		s.count(&so.Games[i], at)
	}
	for i := range s.Bots {
		s.Bots[i].Reasons = sorted(s.Bots[i].Reasons)
	}
	s.rate(so, at)
	s.blunders(looked, seen, at)
	if enough := EnoughOf(&so.Rules); enough != nil {
		s.Verdict = enough.Verdict(so)
	}
	for _, d := range so.Out {
		if b := so.Bot(d.Bot); b != nil {
			s.Out = append(s.Out, Out{b.Name, d.Fault, d.Game})
		}
	}
	return s
}

// byRating orders a table as a ladder on a server does.
func byRating(table []arena.Row, games []arena.Result) {
	at, elo := map[int]int{}, map[int]float64{}
	for i, row := range table {
		at[row.Bot] = i
	}
	for i, p := range rating.Rate(len(table), Duels(games, at)).Players {
		elo[table[i].Bot] = p.Elo
	}
	ranked := func(r arena.Row) rating.Ranked {
		return rating.Ranked{Elo: elo[r.Bot], Games: r.Games, ID: int64(r.Bot)}
	}
	slices.SortFunc(table, func(a, b arena.Row) int { return ranked(a).Compare(ranked(b)) })
}

// WithoutTimes omits what differs from run to run: all the rest depends on nothing
// but the bots, the rules and the seed.
func (s *Standings) WithoutTimes() *Standings {
	without := *s
	without.Bots = slices.Clone(s.Bots)
	for i := range without.Bots {
		without.Bots[i].UsedMS, without.Bots[i].SlowestMS = 0, 0
	}
	return &without
}

// count adds what one game says of its bots.
func (s *Standings) count(g *arena.Result, at map[int]int) {
	for seat, id := range []int{g.First, g.Second} {
		b := &s.Bots[at[id]]
		b.UsedMS += g.Used[seat]
		if g.Winner == 2-seat {
			k := slices.IndexFunc(b.Reasons, func(c Count) bool { return c.What == g.Reason })
			if k < 0 {
				b.Reasons, k = append(b.Reasons, Count{What: g.Reason}), len(b.Reasons)
			}
			b.Reasons[k].Times++
		}
		b.Moves += int(g.Moves[seat])
		b.SlowestMS = max(b.SlowestMS, float64(g.Slowest[seat])/1000)
	}
}

func sorted(counts []Count) []Count {
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.What, b.What))
	})
	return counts
}

// rate adds ratings, the cross table and the history.
func (s *Standings) rate(so *arena.Results, at map[int]int) {
	n := len(s.Bots)
	duels := Duels(so.Games, at)
	r := rating.Rate(n, duels)
	for i, p := range r.Players {
		b := &s.Bots[i]
		b.Elo, b.Low, b.High, b.Flag = p.Elo, p.Low, p.High, p.Flag
		if i+1 < n {
			b.Better = r.Superior(i, i+1)
		}
	}
	s.Cross = make([][]Met, n)
	for i := range n {
		s.Cross[i] = make([]Met, n)
		for j := range n {
			s.Cross[i][j].Superior = r.Superior(i, j)
		}
	}
	for i := range so.Games {
		g := &so.Games[i]
		a, b := &s.Cross[at[g.First]][at[g.Second]], &s.Cross[at[g.Second]][at[g.First]]
		switch g.Winner {
		case 1:
			a.Wins, b.Losses = a.Wins+1, b.Losses+1
		case 2:
			a.Losses, b.Wins = a.Losses+1, b.Wins+1
		default:
			a.Draws, b.Draws = a.Draws+1, b.Draws+1
		}
	}
	s.History = history(so.Games, at)
}

// moments is how many points the history has at most.
const moments = 40

func history(games []arena.Result, at map[int]int) (all []Then) {
	if len(games) == 0 {
		return nil
	}
	last := games[len(games)-1].Round // games are sorted by round
	p := newPairing(at)
	for k := range min(moments, last) {
		round := (k + 1) * last / min(moments, last)
		for len(games) > 0 && games[0].Round <= round {
			p.add(&games[0])
			games = games[1:]
		}
		then := Then{Round: round}
		for _, r := range rating.Rate(len(at), p.duels()).Players {
			then.Elo, then.Low, then.High = append(then.Elo, r.Elo), append(then.Low, r.Low), append(then.High, r.High)
		}
		all = append(all, then)
	}
	return all
}
