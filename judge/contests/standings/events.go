package standings

import (
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/contests/arena"
)

// Event returns an event that reports the standings.
func (s *Standings) Event() (*judge.ArenaStood, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the standings: %w", err)
	}
	return &judge.ArenaStood{Standings: text}, nil
}

// Shown returns events that show games, with the positions that the referee saw.
func Shown(so *arena.Results, games []*arena.Game, seen arena.Seen) (all []judge.Event, err error) {
	for _, g := range games {
		e := &judge.GameShown{First: so.Bot(g.First).Name, Second: so.Bot(g.Second).Name}
		if e.Game, err = json.Marshal(g); err == nil && seen[g.Key()] != nil {
			e.Positions, err = json.Marshal(seen[g.Key()])
		}
		if err != nil {
			return nil, fmt.Errorf("show a game: %w", err)
		}
		all = append(all, e)
	}
	return all, nil
}
