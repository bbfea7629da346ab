package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"

	"assay/judge"
	"assay/judge/host/flow"
	"assay/judge/host/job"
)

// HolesPath is the path of holes.
const HolesPath = "/v1/holes"

// A NewAnswer is a golf submission to send. Its bytes must be uploaded before.
type NewAnswer struct {
	Key  string `json:"key,omitempty"` // as in NewSubmission
	Name string `json:"name"`          // of the file; a post ends in .md
	Blob
	How flow.HoleAnswer `json:"how"`
}

// An Answer is a golf submission on the server.
type Answer struct {
	Hole     string            `json:"hole"`
	Number   int64             `json:"number"`
	State    string            `json:"state"`          // proving, standing, greyed, refused
	Flow     string            `json:"flow,omitempty"` // workflow that checks it now
	Verdict  judge.GolfVerdict `json:"verdict,omitempty"`
	Why      string            `json:"why,omitempty"` // reason if it is not valid
	Language string            `json:"language,omitempty"`
	Bytes    int               `json:"bytes,omitempty"`
	Chars    int               `json:"chars,omitempty"`
	Places   string            `json:"places,omitempty"` // the ranks of its author, as text
	Page     string            `json:"page"`
}

// SendAnswer sends a golf submission to a hole.
func (c *Client) SendAnswer(ctx context.Context, hole, name string, data []byte, how flow.HoleAnswer) (*Answer, error) {
	s := Bytes(data)
	if _, err := c.Upload(ctx, []Source{s}); err != nil {
		return nil, err
	}
	a := &Answer{}
	return a, c.call(ctx, http.MethodPost, HolesPath+"/"+url.PathEscape(hole)+"/answers", NewAnswer{rand.Text(), name, s.Blob, how}, a)
}

// FollowAnswer waits for the check of a golf submission, and calls listen with each part. The check continues even
// if the caller stops waiting.
func (c *Client) FollowAnswer(ctx context.Context, a *Answer, listen func(*Part) error) (*Answer, error) {
	told := map[string]bool{}
	var brought [][]byte
	again := func() string { brought = nil; return FlowsPath + "/" + url.PathEscape(a.Flow) + "/parts" }
	err := stream(ctx, c, again, func(l *FlowLine) (news bool, err error) {
		switch {
		case l.End != nil:
			return true, errEnded
		case l.Line != nil:
			brought = append(brought, l.Line)
		case l.Part != nil:
			if l.Part.Lines, brought = brought, nil; told[l.Part.Key] || l.Part.State != job.Done {
				return false, nil
			}
			told[l.Part.Key] = true
			return true, listen(l.Part)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	end := &Answer{}
	return end, c.call(ctx, http.MethodGet, fmt.Sprintf("%s/%s/answers/%d", HolesPath, url.PathEscape(a.Hole), a.Number), nil, end)
}
