package api

import (
	"net/http"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
)

// contestScoreboard responds with the scoreboard of a contest.
func (a *api) contestScoreboard(w http.ResponseWriter, r *http.Request, caller *caller) error {
	slug, jury := r.PathValue("slug"), r.URL.Query().Get("view") == "jury"
	contestAccess, err := a.accessTo(r, caller, slug)
	if err != nil {
		return err
	}
	c := contestAccess.Contest
	switch {
	case c.ID == store.Practice:
		return noContest(slug)
	case jury && !contestAccess.Can(auth.SeeAll):
		return &status{http.StatusForbidden, "the staff's board is not for you", "ask without --staff"}
	case !contestAccess.Can(auth.SeeScoreboard):
		return contestAccess.NotStarted()
	}
	l, err := a.Scoreboards.Scoreboard(r.Context(), c.ID)
	if err != nil {
		return err
	}
	s, places, columns := l.Scores(jury)
	b := client.Scoreboard{
		Contest: slug, Name: c.Name, Kind: string(s.Rules.Kind), Notes: l.Notes(jury),
		Rows: make([]client.ScoreboardRow, 0, len(places)),
	}
	for _, col := range columns {
		b.Problems = append(
			b.Problems,
			client.ScoreboardProblem{Label: col.Label, Title: col.Title, Solved: col.Solved, Attempted: col.Attempted},
		)
	}
	for _, p := range places {
		row := client.ScoreboardRow{Rank: p.Rank, Name: p.Team.Name, Solved: p.Solved, Points: p.Points, TimeS: int64(p.Time / time.Second)}
		for _, cell := range p.Cells {
			row.Cells = append(row.Cells, client.ScoreboardCell{
				Attempts: cell.Attempts, Pending: cell.Pending, Solved: cell.Solved, First: cell.First,
				TimeS:  int64(cell.Time / time.Second),
				Points: cell.Points,
			})
		}
		b.Rows = append(b.Rows, row)
	}
	return writeOK(w, b)
}
