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
	Problem       string `json:"problem,omitempty"`  // label or name
	Author        string `json:"who,omitempty"`      // username, team name or number, or #n for submission n
	Group         string `json:"group,omitempty"`    // the name of a group of teams
	Verdict       string `json:"verdict,omitempty"`  // such as WA, or not-accepted
	Language      string `json:"language,omitempty"` // id
	Time          string `json:"time,omitempty"`     // contest times, such as 1:00-2:30; either end may be omitted
	Worker        string `json:"worker,omitempty"`   // the name of the worker that judged them
	Version       string `json:"version,omitempty"`  // start of the digest of the version that judged them
	All           bool   `json:"all,omitempty"`      // required if no other field is set
	TargetVersion string `json:"against,omitempty"`  // version to judge with; if empty, each problem's active version
	Repeats       int    `json:"repeats,omitempty"`  // how often each submission is judged, from 1 to 10; zero means 1
	Reason        string `json:"reason"`
}

// A Rejudging describes what a rejudging would change.
type Rejudging struct {
	ID          string               `json:"id"`
	Reason      string               `json:"reason"`
	Author      string               `json:"by"`    // a username
	State       string               `json:"state"` // running, applied, cancelled
	Created     time.Time            `json:"created"`
	Version     string               `json:"version,omitempty"` // digest of the version; if empty, each problem's active version
	Repeats     int                  `json:"repeats"`
	Submissions int                  `json:"submissions"`
	Pending     int                  `json:"open"`               // number of submissions without a new verdict
	LeftOut     int                  `json:"left_out,omitempty"` // only in the response that creates the rejudging
	Rejudged    []RejudgedSubmission `json:"rejudged,omitempty"` // not in lists
	RankChanges []RankChange         `json:"moves,omitempty"`    // not in lists, and only while it runs
}

// A RejudgedSubmission is a submission in a rejudging.
type RejudgedSubmission struct {
	Number     int64         `json:"number"`
	Problem    string        `json:"problem"`
	Login      string        `json:"username"`
	OldVerdict judge.Verdict `json:"was"`
	OldScore   string        `json:"was_score,omitempty"`
	Done       bool          `json:"done"`
	NewVerdict judge.Verdict `json:"now,omitempty"`
	NewScore   string        `json:"now_score,omitempty"`
	Changed    bool          `json:"changed"`
	Reason     string        `json:"reason,omitempty"` // why the judge gave no verdict
	Runs       []string      `json:"runs,omitempty"`   // verdicts of the runs, if they differ
}

// A RankChange is a team whose rank or score would change.
type RankChange struct {
	Team      string     `json:"team"`
	OldRank   int        `json:"was_rank"` // 0 if it was unranked
	NewRank   int        `json:"now_rank"`
	OldResult TeamResult `json:"was"`
	NewResult TeamResult `json:"now"`
}

// A TeamResult is the result of a team.
type TeamResult struct {
	Solved int     `json:"solved"`
	Points float64 `json:"points,omitempty"`
	TimeS  int64   `json:"time_s"`
}

// A RejudgingUpdate applies or cancels a rejudging.
type RejudgingUpdate struct {
	State string `json:"state"` // applied, cancelled
}

func rejudgingsPath(contest string) string {
	return ContestsPath + "/" + url.PathEscape(contest) + "/rejudgings"
}

// Rejudge begins a rejudging. It does not retry.
func (c *Client) Rejudge(ctx context.Context, contest string, n NewRejudging) (r *Rejudging, err error) {
	err = c.withoutRetry().call(ctx, http.MethodPost, rejudgingsPath(contest), n, &r)
	return r, err
}

// Rejudgings returns the rejudgings of a contest, newest first.
func (c *Client) Rejudgings(ctx context.Context, contest string) (rejudgings []Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, rejudgingsPath(contest), nil, &rejudgings)
	return rejudgings, err
}

// Rejudging returns what a rejudging would change, or has changed.
func (c *Client) Rejudging(ctx context.Context, id string) (r *Rejudging, err error) {
	err = c.call(ctx, http.MethodGet, RejudgingsPath+"/"+url.PathEscape(id), nil, &r)
	return r, err
}

// EndRejudging applies a rejudging completely, or cancels it.
func (c *Client) EndRejudging(ctx context.Context, id string, s RejudgingUpdate) error {
	return c.call(ctx, http.MethodPut, RejudgingsPath+"/"+url.PathEscape(id), s, &struct{}{})
}
