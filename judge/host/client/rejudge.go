package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"assay/judge"
)

// RejudgingsPath is the path of one rejudging. The rejudgings of a contest are below the path of the contest.
const RejudgingsPath = "/v1/rejudgings"

// A NewRejudging is a request to rejudge the submissions that match the fields from Problem to Version. If one of
// these fields is empty, it matches all submissions.
type NewRejudging struct {
	Problem  string `json:"problem,omitempty"`  // label or name
	Who      string `json:"who,omitempty"`      // username, team name or number, or #n for submission n
	Group    string `json:"group,omitempty"`    // the name of a group of teams
	Verdict  string `json:"verdict,omitempty"`  // such as WA, or not-accepted
	Language string `json:"language,omitempty"` // id
	Time     string `json:"time,omitempty"`     // contest times, such as 1:00-2:30; either end may be omitted
	Worker   string `json:"worker,omitempty"`   // the name of the worker that judged them
	Version  string `json:"version,omitempty"`  // start of the digest of the version that judged them
	All      bool   `json:"all,omitempty"`      // required if no other field is set
	Against  string `json:"against,omitempty"`  // version to judge with; if empty, each problem's active version
	Repeats  int    `json:"repeats,omitempty"`  // how often each submission is judged, from 1 to 10; zero means 1
	Why      string `json:"why"`
}

// A Rejudging describes what a rejudging would change.
type Rejudging struct {
	ID          string     `json:"id"`
	Why         string     `json:"why"`
	By          string     `json:"by"`    // a username
	State       string     `json:"state"` // running, applied, cancelled
	Made        time.Time  `json:"created"`
	Version     string     `json:"version,omitempty"` // digest of the version; if empty, each problem's active version
	Repeats     int        `json:"repeats"`
	Submissions int        `json:"submissions"`
	Open        int        `json:"open"`               // number of submissions without a new verdict
	Left        int        `json:"left_out,omitempty"` // only in the response that creates the rejudging
	Rejudged    []Rejudged `json:"rejudged,omitempty"` // not in lists
	Moves       []Move     `json:"moves,omitempty"`    // not in lists, and only while it runs
}

// A Rejudged is a submission in a rejudging.
type Rejudged struct {
	Number   int64         `json:"number"`
	Problem  string        `json:"problem"`
	Login    string        `json:"username"`
	Was      judge.Verdict `json:"was"`
	WasScore string        `json:"was_score,omitempty"`
	Done     bool          `json:"done"`
	Now      judge.Verdict `json:"now,omitempty"`
	NowScore string        `json:"now_score,omitempty"`
	Changed  bool          `json:"changed"`
	Reason   string        `json:"reason,omitempty"` // why the judge gave no verdict
	Runs     []string      `json:"runs,omitempty"`   // verdicts of the runs, if they differ
}

// A Move is a team whose rank or score would change.
type Move struct {
	Team    string `json:"team"`
	WasRank int    `json:"was_rank"` // 0 if it was unranked
	NowRank int    `json:"now_rank"`
	Was     Reach  `json:"was"`
	Now     Reach  `json:"now"`
}

// A Reach is the result of a team.
type Reach struct {
	Solved int     `json:"solved"`
	Points float64 `json:"points,omitempty"`
	TimeS  int64   `json:"time_s"`
}

// A SetRejudging applies or cancels a rejudging.
type SetRejudging struct {
	State string `json:"state"` // applied, cancelled
}

func rejudgingsOf(contest string) string {
	return ContestsPath + "/" + url.PathEscape(contest) + "/rejudgings"
}

// Rejudge begins a rejudging. It does not retry.
func (c *Client) Rejudge(ctx context.Context, contest string, n NewRejudging) (r *Rejudging, err error) {
	err = c.once().call(ctx, http.MethodPost, rejudgingsOf(contest), n, &r)
	return r, err
}

// Rejudgings returns the rejudgings of a contest, newest first.
func (c *Client) Rejudgings(ctx context.Context, contest string) (all []Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, rejudgingsOf(contest), nil, &all)
	return all, err
}

// Rejudging returns what a rejudging would change, or has changed.
func (c *Client) Rejudging(ctx context.Context, id string) (r *Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, RejudgingsPath+"/"+url.PathEscape(id), nil, &r)
	return r, err
}

// EndRejudging applies a rejudging completely, or cancels it.
func (c *Client) EndRejudging(ctx context.Context, id string, s SetRejudging) error {
	return c.call(ctx, http.MethodPut, RejudgingsPath+"/"+url.PathEscape(id), s, &struct{}{})
}
