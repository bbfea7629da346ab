package api

import (
	"net/http"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
)

// board responds with the scoreboard of a contest.
func (a *api) board(w http.ResponseWriter, r *http.Request, who *caller) error {
	slug, staff := r.PathValue("slug"), r.URL.Query().Get("view") == "jury"
	seat, err := a.seatIn(r, who, slug)
	if err != nil {
		return err
	}
	c := seat.Contest
	switch {
	case c.ID == store.Practice:
		return noContest(slug)
	case staff && !seat.Can(auth.SeeAll):
		return &status{http.StatusForbidden, "the staff's board is not for you", "ask without --staff"}
	case !seat.Can(auth.SeeBoard):
		return seat.NotBegun()
	}
	l, err := a.Boards.Board(r.Context(), c.ID)
	if err != nil {
		return err
	}
	s, places, columns := l.Scores(staff)
	b := client.Board{
		Contest: slug, Name: c.Name, Kind: string(s.Rules.Kind), Notes: l.Notes(staff),
		Rows: make([]client.BoardRow, 0, len(places)),
	}
	for _, col := range columns {
		b.Problems = append(b.Problems, client.BoardProblem{Label: col.Label, Title: col.Title, Solved: col.Solved, Tried: col.Tried})
	}
	for _, p := range places {
		row := client.BoardRow{Rank: p.Rank, Name: p.Team.Name, Solved: p.Solved, Points: p.Points, TimeS: int64(p.Time / time.Second)}
		for _, cell := range p.Cells {
			row.Cells = append(row.Cells, client.BoardCell{
				Tries: cell.Tries, Pending: cell.Pending, Solved: cell.Solved, First: cell.First, TimeS: int64(cell.Time / time.Second),
				Points: cell.Points,
			})
		}
		b.Rows = append(b.Rows, row)
	}
	return ok(w, b)
}
