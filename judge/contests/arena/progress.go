package arena

import (
	"strings"

	"assay/judge"
)

// Event returns an event that reports the progress.
func (p *Progress) Event() *judge.TournamentProgressed {
	so := p.Results()
	e := &judge.TournamentProgressed{
		Done: p.Done, Total: p.Total, Played: p.Played, Moves: p.Moves, TookMS: p.Took.Milliseconds(),
		Disqualified: len(p.Disqualified),
	}
	for _, row := range Table(so) {
		e.Table = append(
			e.Table,
			judge.TournamentRow{
				Name: so.Bot(row.Bot).Name, Points: row.Points, Games: row.Games, Wins: row.Wins, Draws: row.Draws,
				Losses: row.Losses,
			},
		)
	}
	return e
}

// LateNote explains how a tournament that bots joined late may differ from a new tournament with all of these
// bots. It returns "" if the games are the same.
func (o *Outcome) LateNote() string {
	if len(o.JoinedLate) == 0 {
		return ""
	}
	names := joined(o.JoinedLate)
	if o.Renumbered {
		return names + " joined after the event had begun. Which bot goes first depends on the order in which bots join, " +
			"so a new event with all of these bots has other games and may have another result"
	}
	for i := range o.Results.Bots {
		if !o.Results.Bots[i].Pure {
			return names + " joined after the event had begun. Bots that remember have played their games in another order " +
				"than in a new event with all of these bots, which may have another result"
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
