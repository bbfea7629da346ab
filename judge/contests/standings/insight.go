package standings

import (
	"cmp"
	"slices"

	"assay/judge/contests/arena"
	"assay/judge/kit/referee"
)

// The referee's evaluations of a position for the side to move.
const (
	won  = "won"
	lost = "lost"
)

// blunders counts the blunders of each bot.
func (s *Standings) blunders(games []*arena.Game, byGame arena.GamePositions, numbers map[int]int) {
	for _, g := range games {
		positions := byGame[g.Key()]
		if !slices.ContainsFunc(positions, func(p referee.Position) bool { return p.Exact != "" }) {
			continue // the positions were not evaluated
		}
		s.Looked++
		for _, c := range WinningPositions(g, positions) {
			b := &s.Bots[numbers[[2]int{g.First, g.Second}[c.Seat-1]]]
			b.Chances++
			if !c.Blundered {
				continue
			}
			b.Blunders++
			if b.Worst == nil || len(b.Worst.Best) == 0 && len(c.Best) > 0 {
				b.Worst = &Blunder{g.Key(), c.Move, c.Played, c.Best}
			}
		}
	}
}

// WinningPosition is a position in which the player to move could force a win.
type WinningPosition struct {
	Seat      int
	Move      int    // number of moves made before
	Played    string // empty if the player did not move any more
	Best      []string
	Blundered bool
}

// WinningPositions returns the winning positions of a game. A position after the last move is included only if the bot to
// move then lost.
func WinningPositions(g *arena.Game, positions []referee.Position) (found []WinningPosition) {
	for k, p := range positions {
		if p.Exact != won || k > len(g.Moves) {
			continue
		}
		c := WinningPosition{Move: k, Best: p.Best}
		if k == len(g.Moves) {
			c.Seat = loser(g)
			if k > 0 && c.Seat == g.Seat(k-1) || c.Seat == 0 {
				continue // it was not the loser's turn, or there was no loser
			}
			c.Blundered = true
			found = append(found, c)
			continue
		}
		c.Seat, c.Played = g.Seat(k), g.Moves[k]
		switch {
		case k+1 == len(g.Moves) && (k+1 >= len(positions) || positions[k+1].Exact == ""):
			c.Blundered = loser(g) == c.Seat
		case k+1 < len(positions):
			c.Blundered = positions[k+1].Exact == won
		}
		found = append(found, c)
	}
	return found
}

// loser returns the seat that lost, or 0 if the game was drawn.
func loser(g *arena.Game) int {
	if g.Winner == 0 {
		return 0
	}
	return 3 - g.Winner
}

// SelectGames chooses games to show. Limit is the maximum number of games. It prefers games with a fault. Next comes one
// game for each combination of pair, first player, and reason. The rest are games of all pairs in turn, from the
// last round back. SelectGames returns the games in tournament order.
func SelectGames(games []arena.Result, limit int) []*arena.Result {
	type kind struct {
		first, second int
		reason        string
	}
	type ranked struct {
		game  *arena.Result
		class int
	}
	times := map[kind]int{}
	all := make([]ranked, 0, len(games))
	for i := range slices.Backward(games) {
		g := &games[i]
		k := kind{g.First, g.Second, g.Reason}
		rank := times[k]
		times[k]++
		if !g.Faulty {
			rank++
		}
		all = append(all, ranked{g, rank})
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.class, b.class) })
	var picked []*arena.Result
	for _, r := range all[:min(limit, len(all))] {
		picked = append(picked, r.game)
	}
	slices.SortFunc(picked, func(a, b *arena.Result) int { return a.Key().Compare(b.Key()) })
	return picked
}
