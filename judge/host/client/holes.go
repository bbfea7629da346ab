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

// HolesPath is that of golf problems whose answers come in for as long as they are open.
const HolesPath = "/v1/holes"

// NewAnswer hands an answer to a hole in. Its bytes are a blob that was sent before.
type NewAnswer struct {
	Key  string `json:"key,omitempty"` // as that of NewSubmission
	Name string `json:"name"`          // of the file; one of a post is .md
	Blob
	How flow.HoleAnswer `json:"how"`
}

// Answer is an answer to a hole as the server knows it.
type Answer struct {
	Hole     string            `json:"hole"`
	Number   int64             `json:"number"`
	State    string            `json:"state"`          // proving, standing, greyed, refused
	Flow     string            `json:"flow,omitempty"` // that proves it now
	Verdict  judge.GolfVerdict `json:"verdict,omitempty"`
	Why      string            `json:"why,omitempty"` // where it does not stand
	Language string            `json:"language,omitempty"`
	Bytes    int               `json:"bytes,omitempty"`
	Chars    int               `json:"chars,omitempty"`
	Places   string            `json:"places,omitempty"` // where its author is on the boards, in words
	Page     string            `json:"page"`
}

// SendAnswer hands an answer to a hole in.
func (c *Client) SendAnswer(ctx context.Context, hole, name string, data []byte, how flow.HoleAnswer) (*Answer, error) {
	s := Bytes(data)
	if _, err := c.Upload(ctx, []Source{s}); err != nil {
		return nil, err
	}
	a := &Answer{}
	return a, c.call(ctx, http.MethodPost, HolesPath+"/"+url.PathEscape(hole)+"/answers", NewAnswer{rand.Text(), name, s.Blob, how}, a)
}

// FollowAnswer waits for the proof of an answer, and tells of each part as it comes. The
// proof goes on where nobody waits for it.
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
