package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/flow"
	"assay/judge/host/job"
)

// FlowsPath is the path of flows.
const FlowsPath = "/v1/workflows"

// A NewFlow is a workflow to start. It works on a problem of the server, or on a snapshot of a problem directory
// whose blobs have been uploaded. The kind of the workflow determines which of the two: see package flow.
type NewFlow struct {
	Kind     flow.Kind       `json:"kind"`
	Problem  string          `json:"problem"`            // a valid directory name; without a snapshot, the slug of a problem
	Manifest blob.Digest     `json:"manifest,omitempty"` // of a snapshot
	Config   blob.Digest     `json:"config,omitempty"`
	Files    []job.File      `json:"files,omitempty"` // of contestants
	Options  json.RawMessage `json:"options"`
}

// A Flow is a flow on the server.
type Flow struct {
	ID     string    `json:"id"`
	Kind   flow.Kind `json:"kind"`
	State  string    `json:"state"` // running, done, failed, cancelled
	Reason string    `json:"reason,omitempty"`
	Made   time.Time `json:"created"`
}

// A Part is the result of one job of a flow.
type Part struct {
	Key    string          `json:"key"`
	State  job.State       `json:"state"`
	Reason string          `json:"reason,omitempty"` // why it failed
	Blame  judge.Blame     `json:"blame,omitempty"`
	Worker string          `json:"worker"`
	Output json.RawMessage `json:"output,omitempty"`
	Lines  [][]byte        `json:"-"` // events, or other lines that depend on the kind of workflow
}

// A FlowLine is a line in the event stream of a workflow. The stream contains the lines of each part, then the
// part itself, and finally the workflow. A line without fields keeps the connection open.
type FlowLine struct {
	Line json.RawMessage `json:"line,omitempty"`
	Part *Part           `json:"task,omitempty"`
	End  *Flow           `json:"end,omitempty"`
}

// Snapshot uploads the files of bundle b that the server lacks, and makes b the snapshot that the workflow n uses.
func (c *Client) Snapshot(ctx context.Context, b *bundle.Bundle, n *NewFlow) error {
	manifest, config, all := sources(b)
	if _, err := c.Upload(ctx, all); err != nil {
		return err
	}
	n.Manifest, n.Config = manifest, config
	return nil
}

// Give uploads a file or a directory, and adds it to n under its own name. The parameter below is the directory in
// n to which it is added. Give returns the path in n. The parameter beside lists additional files to include, by
// their paths relative to the file's directory.
func (c *Client) Give(ctx context.Context, n *NewFlow, below, file string, beside ...string) (at string, err error) {
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	files, sources, folder, err := collect(file)
	if err != nil {
		return "", err
	}
	at = path.Join(below, filepath.Base(whole))
	for i := range files {
		if folder {
			files[i].Path = path.Join(at, files[i].Path)
		} else {
			files[i].Path = at
		}
	}
	for _, name := range beside {
		s, err := Path(filepath.Join(filepath.Dir(whole), name))
		if err != nil {
			return "", err
		}
		sources = append(sources, s)
		files = append(files, job.File{Path: path.Join(below, filepath.ToSlash(name)), Size: s.Size, Digest: s.Digest})
	}
	n.Files = append(n.Files, files...)
	if len(n.Files) > job.MaxFiles {
		return "", &judge.Misuse{Err: fmt.Errorf("with %s there are %d files; the most is %d", file, len(n.Files), job.MaxFiles)}
	}
	_, err = c.Upload(ctx, sources)
	return at, err
}

// GiveBytes uploads bytes as a file of a flow.
func (c *Client) GiveBytes(ctx context.Context, n *NewFlow, name string, data []byte) error {
	s := Bytes(data)
	n.Files = append(n.Files, job.File{Path: name, Size: s.Size, Digest: s.Digest})
	_, err := c.Upload(ctx, []Source{s})
	return err
}

// A FlowError means that a flow failed.
type FlowError struct {
	Text  string
	Whose judge.Blame
}

// Error returns why the flow failed.
func (e *FlowError) Error() string { return e.Text }

// Blame returns who caused the failure.
func (e *FlowError) Blame() judge.Blame { return e.Whose }

// Hold runs a workflow on the server and calls listen once per part. When the connection breaks, it reconnects and
// continues. If ctx is done before the workflow ends, the workflow is canceled. If a part failed, Hold returns a
// FlowError at the end.
func (c *Client) Hold(ctx context.Context, n *NewFlow, listen func(*Part) error) error {
	path := FlowsPath + "/" + rand.Text()
	if err := c.call(ctx, http.MethodPut, path, n, nil); err != nil {
		return err
	}
	var whose judge.Blame
	end, err := c.holdTo(ctx, path, func(p *Part) error {
		if p.State != job.Done {
			whose = p.Blame
		}
		return listen(p)
	})
	switch {
	case err != nil:
		return err
	case end.State == "cancelled":
		return &judge.Misuse{Err: fmt.Errorf("the work was canceled on the server: %s", cmp.Or(end.Reason, "the owner canceled it"))}
	case end.State != "done":
		return &FlowError{end.Reason, cmp.Or(whose, judge.Machine)}
	}
	return nil
}

// leaveWithin is the time limit for canceling a workflow.
const leaveWithin = 3 * time.Second

// holdTo follows a workflow until it ends.
func (c *Client) holdTo(ctx context.Context, path string, listen func(*Part) error) (end *Flow, err error) {
	listening := true
	defer func() {
		if ctx.Err() != nil || !listening {
			leave, done := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
			defer done()
			_ = c.call(leave, http.MethodDelete, path, nil, nil) // if this fails, the workflow continues
		}
	}()
	told := map[string]bool{}
	var brought [][]byte
	again := func() string { brought = nil; return path + "/parts" }
	err = stream(ctx, c, again, func(l *FlowLine) (news bool, err error) {
		switch {
		case l.End != nil:
			end = l.End
			return true, errEnded
		case l.Line != nil:
			brought = append(brought, l.Line)
		case l.Part != nil && told[l.Part.Key]:
			brought = nil
		case l.Part != nil:
			told[l.Part.Key] = true
			l.Part.Lines, brought = brought, nil
			err = listen(l.Part)
			listening = err == nil
			return true, err
		}
		return false, nil
	})
	return end, err
}
