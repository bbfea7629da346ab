package standings

import (
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/contests/arena"
)

// Event returns an event that reports the standings.
func (s *Standings) Event() (*judge.TournamentFinished, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the standings: %w", err)
	}
	return &judge.TournamentFinished{Standings: text}, nil
}

// GameEvents returns events that show games, with the positions that the referee saw.
func GameEvents(results *arena.Results, games []*arena.Game, byGame arena.GamePositions) (all []judge.Event, err error) {
	for _, g := range games {
		e := &judge.GameShown{First: results.Bot(g.First).Name, Second: results.Bot(g.Second).Name}
		if e.Game, err = json.Marshal(g); err == nil && byGame[g.Key()] != nil {
			e.Positions, err = json.Marshal(byGame[g.Key()])
		}
		if err != nil {
			return nil, fmt.Errorf("show a game: %w", err)
		}
		all = append(all, e)
	}
	return all, nil
}
