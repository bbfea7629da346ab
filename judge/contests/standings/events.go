package standings

import (
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/contests/arena"
)

// Event returns the standings as a report hears of them.
func (s *Standings) Event() (*judge.ArenaStood, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the standings: %w", err)
	}
	return &judge.ArenaStood{Standings: text}, nil
}

// Shown are games as a report hears of them, with what the referee saw in them.
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
