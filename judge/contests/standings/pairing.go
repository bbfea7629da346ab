package standings

import (
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
)

// Duels converts games to duels for package rating. For two bots, a game and the next one in which the other bot
// goes first form a pair. Numbers maps the ids of bots to player numbers.
func Duels(games []arena.Result, numbers map[int]int) []rating.Duel {
	p := newDuelCounter(numbers)
	for i := range games {
		p.add(&games[i])
	}
	return p.duels()
}

// duelCounter counts games as they are added.
type duelCounter struct {
	numbers map[int]int
	pairs   []unpairedDuel // results of players a < b, at index a*n + b
}

// unpairedDuel contains the results of two players. A game that is not part of a pair yet waits for a game in which the
// other player goes first.
type unpairedDuel struct {
	tally  rating.Tally
	halves int // points of the first player in the waiting game, in halves
	first  int // id of the bot that went first in the waiting game; zero if no game waits
}

func newDuelCounter(numbers map[int]int) *duelCounter {
	return &duelCounter{numbers, make([]unpairedDuel, len(numbers)*len(numbers))}
}

func (p *duelCounter) add(g *arena.Result) {
	a, b, halves := p.numbers[g.First], p.numbers[g.Second], 1
	switch g.Winner {
	case 1:
		halves = 2
	case 2:
		halves = 0
	}
	if a > b {
		a, b, halves = b, a, 2-halves
	}
	m := &p.pairs[a*len(p.numbers)+b]
	switch m.first {
	case 0:
		m.first, m.halves = g.First, halves
	case g.First:
		m.tally.Games[m.halves]++
		m.halves = halves
	default:
		m.tally.Pairs[m.halves+halves]++
		m.first = 0
	}
}

// duels returns the duels so far. A waiting game counts as a single game.
func (p *duelCounter) duels() (duels []rating.Duel) {
	n := len(p.numbers)
	for a := range n {
		for b := a + 1; b < n; b++ {
			m := p.pairs[a*n+b]
			if m.first != 0 {
				m.tally.Games[m.halves]++
			}
			if m.tally != (rating.Tally{}) {
				duels = append(duels, rating.Duel{A: a, B: b, Tally: m.tally})
			}
		}
	}
	return duels
}
