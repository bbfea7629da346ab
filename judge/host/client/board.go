package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ContestsPath is the path of contests. BoardPath and ExportPath are relative to the path of a contest.
const (
	ContestsPath = "/v1/contests"
	BoardPath    = "/scoreboard"
	ExportPath   = "/export"
)

// A Board is a contest's scoreboard for the public or the jury.
type Board struct {
	Contest  string         `json:"contest"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`            // icpc, ioi, points
	Notes    []string       `json:"notes,omitempty"` // sentences, such as that the scoreboard is frozen
	Problems []BoardProblem `json:"problems"`
	Rows     []BoardRow     `json:"rows"` // in order
}

// A BoardProblem is a column.
type BoardProblem struct {
	Label  string `json:"label"`
	Title  string `json:"title"`
	Solved int    `json:"solved"` // number of teams that solved it
	Tried  int    `json:"tried"`
}

// A BoardRow is a team.
type BoardRow struct {
	Rank   int         `json:"rank,omitempty"` // 0 if unranked
	Name   string      `json:"name"`
	Solved int         `json:"solved"`
	Points float64     `json:"points,omitempty"` // not for icpc
	TimeS  int64       `json:"time_s"`           // penalty time for icpc; time of the score for points
	Cells  []BoardCell `json:"cells"`            // by problem
}

// A BoardCell is the result of a team in a problem.
type BoardCell struct {
	Tries   int     `json:"attempts,omitempty"`
	Pending int     `json:"pending,omitempty"`
	Solved  bool    `json:"solved,omitempty"`
	First   bool    `json:"first_to_solve,omitempty"`
	TimeS   int64   `json:"time_s,omitempty"`
	Points  float64 `json:"points,omitempty"`
}

// Time returns the time of the row.
func (r *BoardRow) Time() time.Duration { return time.Duration(r.TimeS) * time.Second }

// Board returns the scoreboard of a contest: for the jury if staff is set, otherwise for the public.
func (c *Client) Board(ctx context.Context, contest string, staff bool) (b *Board, err error) {
	path := ContestsPath + "/" + url.PathEscape(contest) + BoardPath
	if staff {
		path += "?view=jury"
	}
	err = c.call(ctx, http.MethodGet, path, nil, &b)
	return b, err
}
