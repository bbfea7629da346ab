package arena

import (
	"strings"

	"assay/judge"
)

// Event is the progress as a report hears of it.
func (p *Progress) Event() *judge.ArenaProgressed {
	so := p.Results()
	e := &judge.ArenaProgressed{Done: p.Done, Of: p.Of, Played: p.Played, Moves: p.Moves, TookMS: p.Took.Milliseconds(), Out: len(p.Out)}
	for _, row := range Table(so) {
		e.Table = append(e.Table, judge.ArenaLine{Name: so.Bot(row.Bot).Name, Points: row.Points, Games: row.Games, Wins: row.Wins, Draws: row.Draws, Losses: row.Losses})
	}
	return e
}

// LateNote says why an event to which bots came late has other games than one that begins
// with all of them; "" where it has the same.
func (o *Outcome) LateNote() string {
	if len(o.Late) == 0 {
		return ""
	}
	names := joined(o.Late)
	if o.Renumbered {
		return names + " joined when the event had begun. Bots are numbered in the order in which they come, and who begins a game depends on their numbers: an event that begins anew with all of them has other games, and may end otherwise"
	}
	for i := range o.Results.Bots {
		if !o.Results.Bots[i].Pure {
			return names + " joined when the event had begun. Bots that remember have played in another order than in an event that begins anew with all of them, which may end otherwise"
		}
	}
	return ""
}

func joined(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
