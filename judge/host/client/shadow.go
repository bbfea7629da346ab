package client

import (
	"context"
	"net/http"
	"net/url"
)

// ShadowPath is a path relative to the path of a contest, or to ContestsPath.
const ShadowPath = "/shadow"

// A NewShadow is a request to make a contest follow another judging system.
type NewShadow struct {
	URL        string `json:"url"`
	Login      string `json:"username,omitempty"`
	SecretFile string `json:"secret_file,omitempty"` // file on the server that contains the password
	// Contest is the slug of the contest on this server. If empty, the slug is the id of the contest in the other
	// system.
	Contest     string `json:"contest,omitempty"`
	OwnVerdicts bool   `json:"ours,omitempty"` // this server's verdicts count
}

// ShadowedContest names a contest that follows another judging system.
type ShadowedContest struct {
	Contest string `json:"contest"` // slug
}

// StartShadow makes a contest follow another judging system.
func (c *Client) StartShadow(ctx context.Context, n NewShadow) (s ShadowedContest, err error) {
	err = c.call(ctx, http.MethodPost, ContestsPath+ShadowPath, n, &s)
	return s, err
}

// EndShadow makes a contest stop following another judging system.
func (c *Client) EndShadow(ctx context.Context, contest string) error {
	return c.call(ctx, http.MethodDelete, ContestsPath+"/"+url.PathEscape(contest)+ShadowPath, nil, nil)
}
