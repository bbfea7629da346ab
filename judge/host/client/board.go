package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ContestsPath is where contests are; BoardPath and ExportPath are below it and the contest's name.
const (
	ContestsPath = "/v1/contests"
	BoardPath    = "/board"
	ExportPath   = "/export"
)

// Board is the board of a contest, as the public sees it or the staff.
type Board struct {
	Contest  string         `json:"contest"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`            // icpc, ioi, points
	Notes    []string       `json:"notes,omitempty"` // sentences, such as that it is frozen
	Problems []BoardProblem `json:"problems"`
	Rows     []BoardRow     `json:"rows"` // in their order
}

// BoardProblem is a column.
type BoardProblem struct {
	Label  string `json:"label"`
	Title  string `json:"title"`
	Solved int    `json:"solved"` // by so many teams
	Tried  int    `json:"tried"`
}

// BoardRow is a team.
type BoardRow struct {
	Rank   int         `json:"rank,omitempty"` // 0 for those who are not ranked
	Name   string      `json:"name"`
	Solved int         `json:"solved"`
	Points float64     `json:"points,omitempty"` // not of icpc
	TimeS  int64       `json:"time_s"`           // of icpc the penalty, of points the time
	Cells  []BoardCell `json:"cells"`            // by problem
}

// BoardCell is what a team has reached in a problem.
type BoardCell struct {
	Tries   int     `json:"tries,omitempty"`
	Pending int     `json:"pending,omitempty"`
	Solved  bool    `json:"solved,omitempty"`
	First   bool    `json:"first_to_solve,omitempty"`
	TimeS   int64   `json:"time_s,omitempty"`
	Points  float64 `json:"points,omitempty"`
}

// Time is the row's time.
func (r *BoardRow) Time() time.Duration { return time.Duration(r.TimeS) * time.Second }

// Board asks for the board of a contest; staff sees it as it is, others as it is shown.
func (c *Client) Board(ctx context.Context, contest string, staff bool) (b *Board, err error) {
	path := ContestsPath + "/" + url.PathEscape(contest) + BoardPath
	if staff {
		path += "?view=staff"
	}
	err = c.call(ctx, http.MethodGet, path, nil, &b)
	return b, err
}
