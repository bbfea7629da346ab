package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"assay/judge"
)

// RejudgingsPath is that of one; those of a contest are below it and the contest's name.
const RejudgingsPath = "/v1/rejudgings"

// NewRejudging asks that submissions are judged again, beside what stands. What is empty is
// for all.
type NewRejudging struct {
	Problem  string `json:"problem,omitempty"`  // label or name
	Who      string `json:"who,omitempty"`      // a login, the name or the number of a team, or #n for the submission n
	Group    string `json:"group,omitempty"`    // the name of a group of teams
	Verdict  string `json:"verdict,omitempty"`  // as WA, or not-accepted
	Language string `json:"language,omitempty"` // id
	Time     string `json:"time,omitempty"`     // contest times, such as 1:00-2:30; each end may be missing
	Worker   string `json:"worker,omitempty"`   // the name of the worker that judged them
	Version  string `json:"version,omitempty"`  // with which they were judged: how its digest begins
	All      bool   `json:"all,omitempty"`      // must be said where nothing else is
	Against  string `json:"against,omitempty"`  // version to judge with; if empty, the active one of each problem
	Repeats  int    `json:"repeats,omitempty"`  // how often each submission is judged, from 1 to 10; zero means 1
	Why      string `json:"why"`
}

// Rejudging says what would change.
type Rejudging struct {
	ID          string     `json:"id"`
	Why         string     `json:"why"`
	By          string     `json:"by"`    // a login
	State       string     `json:"state"` // running, applied, cancelled
	Made        time.Time  `json:"made"`
	Version     string     `json:"version,omitempty"` // digest of the version; if empty, the active one of each problem
	Repeats     int        `json:"repeats"`
	Submissions int        `json:"submissions"`
	Open        int        `json:"open"`               // that are not judged yet
	Left        int        `json:"left_out,omitempty"` // in the answer that begins it
	Rejudged    []Rejudged `json:"rejudged,omitempty"` // not in lists
	Moves       []Move     `json:"moves,omitempty"`    // likewise, while it runs
}

// Rejudged is a submission that was judged again.
type Rejudged struct {
	Number   int64         `json:"number"`
	Problem  string        `json:"problem"`
	Login    string        `json:"login"`
	Was      judge.Verdict `json:"was"`
	WasScore string        `json:"was_score,omitempty"`
	Done     bool          `json:"done"`
	Now      judge.Verdict `json:"now,omitempty"`
	NowScore string        `json:"now_score,omitempty"`
	Changed  bool          `json:"changed"`
	Reason   string        `json:"reason,omitempty"` // why there is no verdict of a judge
	Runs     []string      `json:"runs,omitempty"`   // verdicts of the runs, if they differ
}

// Move is a team whose place or score would change.
type Move struct {
	Team    string `json:"team"`
	WasRank int    `json:"was_rank"` // 0 for none
	NowRank int    `json:"now_rank"`
	Was     Reach  `json:"was"`
	Now     Reach  `json:"now"`
}

// Reach is what a team has.
type Reach struct {
	Solved int     `json:"solved"`
	Points float64 `json:"points,omitempty"`
	TimeS  int64   `json:"time_s"`
}

// SetRejudging ends a rejudging.
type SetRejudging struct {
	State string `json:"state"` // applied, cancelled
}

func rejudgingsOf(contest string) string {
	return ContestsPath + "/" + url.PathEscape(contest) + "/rejudgings"
}

// Rejudge begins a rejudging. It is asked for once.
func (c *Client) Rejudge(ctx context.Context, contest string, n NewRejudging) (r *Rejudging, err error) {
	err = c.once().call(ctx, http.MethodPost, rejudgingsOf(contest), n, &r)
	return r, err
}

// Rejudgings lists the rejudgings of a contest, the latest first.
func (c *Client) Rejudgings(ctx context.Context, contest string) (all []Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, rejudgingsOf(contest), nil, &all)
	return all, err
}

// Rejudging says what a rejudging would change, or has changed.
func (c *Client) Rejudging(ctx context.Context, id string) (r *Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, RejudgingsPath+"/"+url.PathEscape(id), nil, &r)
	return r, err
}

// EndRejudging applies a rejudging, all at once, or cancels it.
func (c *Client) EndRejudging(ctx context.Context, id string, s SetRejudging) error {
	return c.call(ctx, http.MethodPut, RejudgingsPath+"/"+url.PathEscape(id), s, &struct{}{})
}
