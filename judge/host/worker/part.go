package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/workspace"
)

// parts maps the job kinds of flows to the functions that run them. Each function sets the lines and the output of
// its result.
var parts = map[job.Kind]func(*Runner, context.Context, *job.Spec, *opened, *taskOutput) error{
	job.Checks:   (*Runner).checks,
	job.Solution: (*Runner).solution,
	job.Proof:    (*Runner).proof,
	job.Lab:      (*Runner).lab,
	job.Mutants:  (*Runner).mutants,
	job.Score:    (*Runner).score,
	job.Grid:     (*Runner).grid,
	job.Opening:  (*Runner).opening,
	job.Games:    (*Runner).games,
	job.Look:     (*Runner).lookAt,
	job.Trial:    (*Runner).trial,
}

// A taskOutput collects the result of a job of a flow.
type taskOutput struct {
	lines  [][]byte
	output any // encoded as JSON, depending on the kind of job; may be nil
	// If progress is not nil, it is called with the events of the job as they happen.
	progress func(judge.Event)
	turn     Turn // for its programs; nil if the job is not preemptible
}

// tell adds events to the lines.
func (b *taskOutput) tell(events ...judge.Event) error {
	for _, e := range events {
		if _, passing := e.(*judge.Progressed); passing {
			continue
		}
		line, err := judge.EncodeEvent(e)
		if err != nil {
			return err
		}
		b.lines = append(b.lines, line)
	}
	return nil
}

// part runs a job of a flow and fills the result.
func (r *Runner) part(ctx context.Context, s *job.Spec, o *opened, b *taskOutput, result *job.Result) (err error) {
	do, known := parts[s.Kind]
	if !known {
		return fmt.Errorf("this worker does not know jobs of the kind %s", s.Kind)
	}
	if err := do(r, ctx, s, o, b); err != nil {
		return err
	}
	if s.Snapshot { // hide paths of this machine
		place := []byte(o.dir + string(filepath.Separator))
		for i, l := range b.lines {
			b.lines[i] = bytes.ReplaceAll(l, place, []byte(workspace.SnapshotWord+"/"))
		}
	}
	if b.output != nil {
		if result.Output, err = json.Marshal(b.output); err != nil {
			return err
		}
		if len(result.Output) > job.MaxOutput {
			return fmt.Errorf("the output of the job is %d bytes; the limit is %d", len(result.Output), job.MaxOutput)
		}
	}
	result.Events, err = job.PackLines(b.lines)
	return err
}

// options decodes the options of a job.
func options(s *job.Spec, into any) error {
	if err := json.Unmarshal(s.Options, into); err != nil {
		return fmt.Errorf("read the options of the job: %w", err)
	}
	return nil
}

// gather writes to a file the result lines from which a job continues, and returns the number of lines.
func (r *Runner) gather(ctx context.Context, path string, s *job.Spec) (n int, err error) {
	var all bytes.Buffer
	for _, d := range s.Lines {
		packed, err := r.fetch.read(ctx, s.Claim(), d, job.MaxEvents)
		if err != nil {
			return 0, err
		}
		lines, err := job.UnpackLines(packed)
		if err != nil {
			return 0, err
		}
		n += len(lines)
		for _, l := range lines {
			all.Write(l)
			all.WriteByte('\n')
		}
	}
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		return 0, fmt.Errorf("write the results of other jobs: %w", err)
	}
	return n, nil
}

// verification starts the verification of a problem in a snapshot.
func (r *Runner) verification(ctx context.Context, o *opened, v workspace.Verifying, problem string,
	listen func(judge.Event)) (*workspace.Verification, error) {
	l, err := o.locate(problem)
	if err != nil {
		return nil, err
	}
	verification, _, err := l.Verification(ctx, v, listen)
	return verification, err
}

// at converts a path in a snapshot to a path on this machine.
func (o *opened) at(path string) (string, error) {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("%.200q is not a path in the snapshot", path)
	}
	return filepath.Join(o.dir, local), nil
}

// locate finds the problem at a path in a snapshot.
func (o *opened) locate(path string) (*workspace.Location, error) {
	dir, err := o.at(path)
	if err != nil {
		return nil, err
	}
	return o.w.Locate(dir)
}

// checks verifies a problem without its solutions.
func (r *Runner) checks(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.VerifyOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	var events []judge.Event
	v, err := r.verification(ctx, o, workspace.Verifying{Only: asked.Only, All: asked.All, Fresh: asked.Fresh}, asked.Problem,
		func(e judge.Event) { events = append(events, e) })
	if err != nil {
		return err
	}
	checked := flow.Checked{}
	if v != nil {
		if checked.Ready, err = v.Checks(ctx, v.Hear); err != nil {
			return err
		}
	}
	if checked.Ready {
		if checked.Found, err = v.Found(ctx); err != nil {
			return err
		}
		for _, path := range v.Paths() {
			checked.Solutions = append(checked.Solutions, filepath.ToSlash(strings.TrimPrefix(path, o.dir+string(filepath.Separator))))
		}
	}
	b.output = checked
	return b.tell(events...)
}

// solution verifies one solution.
func (r *Runner) solution(ctx context.Context, s *job.Spec, o *opened, b *taskOutput) error {
	var asked flow.SolutionOptions
	if err := options(s, &asked); err != nil {
		return err
	}
	path, err := o.at(asked.Path)
	if err != nil {
		return err
	}
	how := workspace.Verifying{Only: asked.Only, All: asked.All, Fresh: asked.Fresh, Found: asked.Found}
	v, err := r.verification(ctx, o, how, asked.Problem, func(judge.Event) {})
	if err != nil {
		return err
	}
	if v == nil {
		return fmt.Errorf("this worker cannot read the problem, but the one that checked it could")
	}
	events, err := v.Solution(ctx, path)
	if err != nil {
		return err
	}
	for _, e := range events {
		if found, ok := e.(*judge.FaultFound); ok {
			v.Problem.PlaceInOriginal(found.Fault)
		}
	}
	return b.tell(events...)
}
