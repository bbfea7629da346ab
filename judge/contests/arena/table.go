package arena

import (
	"cmp"
	"slices"
)

// Row is a bot's row in the table that determines the tournament's result.
type Row struct {
	Bot    int     `json:"bot"` // id
	Points float64 `json:"points"`

	Games  int `json:"games"`
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`

	// Numbers of complete encounters: played, won, and drawn.
	Encounters int `json:"encounters"`
	Won        int `json:"encounters_won"`
	Drawn      int `json:"encounters_drawn"`
}

// Table returns the table of all bots that are not disqualified, the winner first. It is ordered by points, then
// by the other criteria of the rule set, then by lots. If the format determines an order, as a knockout does, that
// order precedes points.
func Table(results *Results) []Row {
	rows := map[int]*Row{}
	for _, id := range results.ActiveBots() {
		rows[id] = &Row{Bot: id}
	}
	eachEncounter(results.Games, func(games []Result) {
		a, b := rows[games[0].First], rows[games[0].Second]
		if a != nil && b != nil {
			results.Rules.count(a, b, games)
		}
	})
	place := map[int]int{}
	if make, ok := Formats()[results.Rules.Format]; ok {
		if r, ok := make(&results.Rules).(ranker); ok {
			for i, id := range r.rank(results) {
				place[id] = i
			}
		}
	}
	table := make([]Row, 0, len(rows))
	for _, id := range results.ActiveBots() {
		table = append(table, *rows[id])
	}
	lot := func(id int) int { return slices.Index(results.Lots, id) }
	slices.SortStableFunc(table, func(a, b Row) int {
		return cmp.Or(cmp.Compare(place[a.Bot], place[b.Bot]), results.Rules.Score.compare(&b, &a), cmp.Compare(lot(a.Bot), lot(b.Bot)))
	})
	return table
}

// Tied reports whether only lots decide the order of two rows.
func (s Score) Tied(a, b *Row) bool { return s.compare(a, b) == 0 }

// compare compares rows by all criteria of the rule set.
func (s Score) compare(a, b *Row) int {
	byWins := cmp.Compare(a.Wins, b.Wins)
	if s.Criterion == ByEncounter || s.Criterion == BySurplus {
		byWins = cmp.Or(cmp.Compare(a.Won, b.Won), byWins)
	}
	return cmp.Or(cmp.Compare(a.Points, b.Points), byWins)
}

// ranker is a format that determines the order of bots. Its method rank returns the ids of the bots, best first.
type ranker interface{ rank(so *Results) []int }

// eachEncounter calls f for the games of each encounter.
func eachEncounter(games []Result, f func([]Result)) {
	same := func(a, b *Result) bool {
		return a.Round == b.Round && min(a.First, a.Second) == min(b.First, b.Second) && max(a.First, a.Second) == max(b.First, b.Second)
	}
	for start := 0; start < len(games); {
		end := start + 1
		for end < len(games) && same(&games[start], &games[end]) {
			end++
		}
		f(games[start:end])
		start = end
	}
}

// count adds the games of one encounter to the rows of its two bots.
func (r *Rules) count(a, b *Row, games []Result) {
	wins := [2]int{}
	for i := range games {
		switch games[i].WinnerID() {
		case a.Bot:
			wins[0]++
		case b.Bot:
			wins[1]++
		}
	}
	complete := len(games) >= r.Games
	for side, row := range []*Row{a, b} {
		won, lost := wins[side], wins[1-side]
		drawn := len(games) - won - lost
		row.Games += len(games)
		row.Wins, row.Losses, row.Draws = row.Wins+won, row.Losses+lost, row.Draws+drawn
		if complete {
			row.Encounters++
			if won > lost {
				row.Won++
			} else if won == lost {
				row.Drawn++
			}
		}
		row.Points += r.Score.points(won, drawn, lost, complete)
		if r.Score.Criterion == ByPayoff {
			row.Points += payoff(row.Bot, games)
		}
	}
}

// points returns the points of a bot for one encounter. Only complete encounters are scored as a whole.
func (s Score) points(won, drawn, lost int, complete bool) float64 {
	switch {
	case s.Criterion == ByGame:
		return s.Win*float64(won) + s.Draw*float64(drawn) + s.Loss*float64(lost)
	case !complete || s.Criterion == ByPayoff:
		return 0
	case s.Criterion == BySurplus:
		return max(0, float64(won)-float64(won+drawn+lost)/2)
	case won > lost:
		return s.Win
	case won < lost:
		return s.Loss
	}
	return s.Draw
}

// payoff returns the total payoff of a bot in games.
func payoff(bot int, games []Result) (sum float64) {
	for i := range games {
		if g := &games[i]; g.Payoff != nil {
			if g.First == bot {
				sum += g.Payoff[0]
			} else {
				sum += g.Payoff[1]
			}
		}
	}
	return sum
}
