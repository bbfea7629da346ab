package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ContestsPath is the path of contests. ScoreboardPath and ExportPath are relative to the path of a contest.
const (
	ContestsPath   = "/v1/contests"
	ScoreboardPath = "/scoreboard"
	ExportPath     = "/export"
)

// A Scoreboard is a contest's scoreboard for the public or the jury.
type Scoreboard struct {
	Contest  string              `json:"contest"`
	Name     string              `json:"name"`
	Kind     string              `json:"kind"`            // icpc, ioi, points
	Notes    []string            `json:"notes,omitempty"` // sentences, such as that the scoreboard is frozen
	Problems []ScoreboardProblem `json:"problems"`
	Rows     []ScoreboardRow     `json:"rows"` // in order
}

// A ScoreboardProblem is a column.
type ScoreboardProblem struct {
	Label     string `json:"label"`
	Title     string `json:"title"`
	Solved    int    `json:"solved"` // number of teams that solved it
	Attempted int    `json:"tried"`
}

// A ScoreboardRow is a team.
type ScoreboardRow struct {
	Rank   int              `json:"rank,omitempty"` // 0 if unranked
	Name   string           `json:"name"`
	Solved int              `json:"solved"`
	Points float64          `json:"points,omitempty"` // not for icpc
	TimeS  int64            `json:"time_s"`           // penalty time for icpc; time of the score for points
	Cells  []ScoreboardCell `json:"cells"`            // by problem
}

// A ScoreboardCell is the result of a team in a problem.
type ScoreboardCell struct {
	Attempts int     `json:"attempts,omitempty"`
	Pending  int     `json:"pending,omitempty"`
	Solved   bool    `json:"solved,omitempty"`
	First    bool    `json:"first_to_solve,omitempty"`
	TimeS    int64   `json:"time_s,omitempty"`
	Points   float64 `json:"points,omitempty"`
}

// Time returns the time of the row.
func (r *ScoreboardRow) Time() time.Duration { return time.Duration(r.TimeS) * time.Second }

// Scoreboard returns the scoreboard of a contest: for the jury if jury is set, otherwise for the public.
func (c *Client) Scoreboard(ctx context.Context, contest string, jury bool) (b *Scoreboard, err error) {
	path := ContestsPath + "/" + url.PathEscape(contest) + ScoreboardPath
	if jury {
		path += "?view=jury"
	}
	err = c.call(ctx, http.MethodGet, path, nil, &b)
	return b, err
}
