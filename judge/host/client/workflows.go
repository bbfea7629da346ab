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
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// WorkflowsPath is the path of workflows.
const WorkflowsPath = "/v1/workflows"

// A NewWorkflow is a workflow to start. It works on a problem of the server, or on a snapshot of a problem directory
// whose blobs have been uploaded. The kind of the workflow determines which of the two: see package workflow.
type NewWorkflow struct {
	Kind     workflow.Kind   `json:"kind"`
	Problem  string          `json:"problem"`            // a valid directory name; without a snapshot, the slug of a problem
	Manifest blob.Digest     `json:"manifest,omitempty"` // of a snapshot
	Config   blob.Digest     `json:"config,omitempty"`
	Files    []job.File      `json:"files,omitempty"` // of contestants
	Options  json.RawMessage `json:"options"`
}

// A Workflow is a workflow that a server runs.
type Workflow struct {
	ID     string        `json:"id"`
	Kind   workflow.Kind `json:"kind"`
	State  string        `json:"state"` // running, done, failed, cancelled
	Reason string        `json:"reason,omitempty"`
	Made   time.Time     `json:"created"`
}

// A TaskResult is the result of one job of a workflow.
type TaskResult struct {
	Key    string          `json:"key"`
	State  job.State       `json:"state"`
	Reason string          `json:"reason,omitempty"` // why it failed
	Blame  judge.Blame     `json:"blame,omitempty"`
	Worker string          `json:"worker"`
	Output json.RawMessage `json:"output,omitempty"`
	Lines  [][]byte        `json:"-"` // events, or other lines that depend on the kind of workflow
}

// A WorkflowLine is a line in the event stream of a workflow. The stream contains the lines of each task, then the
// result of the task, and finally the workflow. A line without fields keeps the connection open.
type WorkflowLine struct {
	Line json.RawMessage `json:"line,omitempty"`
	Task *TaskResult     `json:"task,omitempty"`
	End  *Workflow       `json:"end,omitempty"`
}

// UploadSnapshot uploads the files of bundle b that the server lacks, and makes b the snapshot that the workflow n uses.
func (c *Client) UploadSnapshot(ctx context.Context, b *bundle.Bundle, n *NewWorkflow) error {
	manifest, config, all := bundleSources(b)
	if _, err := c.Upload(ctx, all); err != nil {
		return err
	}
	n.Manifest, n.Config = manifest, config
	return nil
}

// AddFile uploads a file or a directory, and adds it to n under its own name. The parameter below is the directory in
// n to which it is added. AddFile returns the path in n. The parameter beside lists additional files to include, by
// their paths relative to the file's directory.
func (c *Client) AddFile(ctx context.Context, n *NewWorkflow, dir, file string, companions ...string) (relative string, err error) {
	whole, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	files, sources, folder, err := collectFiles(file)
	if err != nil {
		return "", err
	}
	relative = path.Join(dir, filepath.Base(whole))
	for i := range files {
		if folder {
			files[i].Path = path.Join(relative, files[i].Path)
		} else {
			files[i].Path = relative
		}
	}
	for _, name := range companions {
		s, err := FileSource(filepath.Join(filepath.Dir(whole), name))
		if err != nil {
			return "", err
		}
		sources = append(sources, s)
		files = append(files, job.File{Path: path.Join(dir, filepath.ToSlash(name)), Size: s.Size, Digest: s.Digest})
	}
	n.Files = append(n.Files, files...)
	if len(n.Files) > job.MaxFiles {
		return "", &judge.UsageError{Err: fmt.Errorf("with %s there are %d files; the most is %d", file, len(n.Files), job.MaxFiles)}
	}
	_, err = c.Upload(ctx, sources)
	return relative, err
}

// AddBytes uploads bytes as a file of a workflow.
func (c *Client) AddBytes(ctx context.Context, n *NewWorkflow, name string, data []byte) error {
	s := BytesSource(data)
	n.Files = append(n.Files, job.File{Path: name, Size: s.Size, Digest: s.Digest})
	_, err := c.Upload(ctx, []Source{s})
	return err
}

// A WorkflowError means that a workflow failed.
type WorkflowError struct {
	Text    string
	BlameOf judge.Blame
}

// Error returns why the workflow failed.
func (e *WorkflowError) Error() string { return e.Text }

// Blame returns who caused the failure.
func (e *WorkflowError) Blame() judge.Blame { return e.BlameOf }

// RunWorkflow runs a workflow on the server and calls listen once per task. When the connection breaks, it reconnects and
// continues. If ctx is done before the workflow ends, the workflow is canceled. If a task failed, RunWorkflow returns a
// WorkflowError at the end.
func (c *Client) RunWorkflow(ctx context.Context, n *NewWorkflow, listen func(*TaskResult) error) error {
	path := WorkflowsPath + "/" + rand.Text()
	if err := c.call(ctx, http.MethodPut, path, n, nil); err != nil {
		return err
	}
	var whose judge.Blame
	end, err := c.followWorkflow(ctx, path, func(p *TaskResult) error {
		if p.State != job.Done {
			whose = p.Blame
		}
		return listen(p)
	})
	switch {
	case err != nil:
		return err
	case end.State == "cancelled":
		return &judge.UsageError{Err: fmt.Errorf("the work was canceled on the server: %s", cmp.Or(end.Reason, "the owner canceled it"))}
	case end.State != "done":
		return &WorkflowError{end.Reason, cmp.Or(whose, judge.Machine)}
	}
	return nil
}

// cancelTimeout is the time limit for canceling a workflow.
const cancelTimeout = 3 * time.Second

// followWorkflow follows a workflow until it ends.
func (c *Client) followWorkflow(ctx context.Context, path string, listen func(*TaskResult) error) (end *Workflow, err error) {
	listening := true
	defer func() {
		if ctx.Err() != nil || !listening {
			leave, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
			defer done()
			_ = c.call(leave, http.MethodDelete, path, nil, nil) // if this fails, the workflow continues
		}
	}()
	told := map[string]bool{}
	var brought [][]byte
	again := func() string { brought = nil; return path + "/tasks" }
	err = stream(ctx, c, again, func(l *WorkflowLine) (news bool, err error) {
		switch {
		case l.End != nil:
			end = l.End
			return true, errStreamEnded
		case l.Line != nil:
			brought = append(brought, l.Line)
		case l.Task != nil && told[l.Task.Key]:
			brought = nil
		case l.Task != nil:
			told[l.Task.Key] = true
			l.Task.Lines, brought = brought, nil
			err = listen(l.Task)
			listening = err == nil
			return true, err
		}
		return false, nil
	})
	return end, err
}
