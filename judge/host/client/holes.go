package client

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// HolesPath is the path of holes.
const HolesPath = "/v1/holes"

// A NewGolfSubmission is a golf submission to send. Its bytes must be uploaded before.
type NewGolfSubmission struct {
	Key  string `json:"key,omitempty"` // as in NewSubmission
	Name string `json:"name"`          // of the file; a post ends in .md
	Blob
	Options workflow.GolfSubmissionOptions `json:"options"`
}

// An GolfSubmission is a golf submission on the server.
type GolfSubmission struct {
	Hole     string            `json:"hole"`
	Number   int64             `json:"number"`
	State    string            `json:"state"`              // checking, valid, invalidated, rejected
	Workflow string            `json:"workflow,omitempty"` // workflow that checks it now
	Verdict  judge.GolfVerdict `json:"verdict,omitempty"`
	Reason   string            `json:"reason,omitempty"` // reason if it is not valid
	Language string            `json:"language,omitempty"`
	Bytes    int               `json:"bytes,omitempty"`
	Chars    int               `json:"chars,omitempty"`
	Ranks    string            `json:"ranks,omitempty"` // the ranks of its author, as text
	Page     string            `json:"page"`
}

// SubmitGolf sends a golf submission to a hole.
func (c *Client) SubmitGolf(
	ctx context.Context, hole, name string, data []byte, options workflow.GolfSubmissionOptions,
) (*GolfSubmission, error) {
	s := BytesSource(data)
	if _, err := c.Upload(ctx, []Source{s}); err != nil {
		return nil, err
	}
	a := &GolfSubmission{}
	return a, c.call(
		ctx, http.MethodPost, HolesPath+"/"+url.PathEscape(hole)+"/answers",
		NewGolfSubmission{rand.Text(), name, s.Blob, options}, a,
	)
}

// FollowGolf waits for the check of a golf submission, and calls listen with each task result. The check continues even
// if the caller stops waiting.
func (c *Client) FollowGolf(ctx context.Context, a *GolfSubmission, listen func(*TaskResult) error) (*GolfSubmission, error) {
	told := map[string]bool{}
	var brought [][]byte
	again := func() string { brought = nil; return WorkflowsPath + "/" + url.PathEscape(a.Workflow) + "/tasks" }
	err := stream(ctx, c, again, func(l *WorkflowLine) (news bool, err error) {
		switch {
		case l.End != nil:
			return true, errStreamEnded
		case l.Line != nil:
			brought = append(brought, l.Line)
		case l.Task != nil:
			if l.Task.Lines, brought = brought, nil; told[l.Task.Key] || l.Task.State != job.Done {
				return false, nil
			}
			told[l.Task.Key] = true
			return true, listen(l.Task)
		}
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	end := &GolfSubmission{}
	return end, c.call(ctx, http.MethodGet, fmt.Sprintf("%s/%s/answers/%d", HolesPath, url.PathEscape(a.Hole), a.Number), nil, end)
}
