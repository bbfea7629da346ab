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
	"assay/judge/host/job"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// taskFuncs maps the job kinds of workflows to the functions that run them. Each function sets the lines and the output of
// its result.
var taskFuncs = map[job.Kind]func(*Runner, context.Context, *job.Spec, *openProblem, *taskOutput) error{
	job.Checks:           (*Runner).runChecks,
	job.Solution:         (*Runner).verifySolution,
	job.GolfCheck:        (*Runner).checkGolf,
	job.MutantGeneration: (*Runner).makeMutants,
	job.Mutants:          (*Runner).judgeMutants,
	job.Score:            (*Runner).scoreMutants,
	job.Grid:             (*Runner).measureGrid,
	job.Opening:          (*Runner).openTournament,
	job.Games:            (*Runner).playGames,
	job.Analysis:         (*Runner).analyzeGames,
	job.Trial:            (*Runner).runTrial,
}

// A taskOutput collects the result of a job of a workflow.
type taskOutput struct {
	lines  [][]byte
	output any // encoded as JSON, depending on the kind of job; may be nil
	// If progress is not nil, it is called with the events of the job as they happen.
	progress func(judge.Event)
	turn     TurnFunc // for its programs; nil if the job is not preemptible
}

// addEvents adds events to the lines.
func (b *taskOutput) addEvents(events ...judge.Event) error {
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

// runTask runs a job of a workflow and fills the result.
func (r *Runner) runTask(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput, result *job.Result) (err error) {
	do, known := taskFuncs[s.Kind]
	if !known {
		return fmt.Errorf("this worker does not know jobs of the kind %s", s.Kind)
	}
	if err := do(r, ctx, s, o, b); err != nil {
		return err
	}
	if s.Snapshot { // hide paths of this machine
		place := []byte(o.dir + string(filepath.Separator))
		for i, l := range b.lines {
			b.lines[i] = bytes.ReplaceAll(l, place, []byte(workspace.SnapshotPlaceholder+"/"))
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

// decodeOptions decodes the options of a job.
func decodeOptions(s *job.Spec, target any) error {
	if err := json.Unmarshal(s.Options, target); err != nil {
		return fmt.Errorf("read the options of the job: %w", err)
	}
	return nil
}

// writePriorLines writes to a file the result lines from which a job continues, and returns the number of lines.
func (r *Runner) writePriorLines(ctx context.Context, path string, s *job.Spec) (n int, err error) {
	var all bytes.Buffer
	for _, d := range s.Lines {
		packed, err := r.fetch.fetchBytes(ctx, s.Claim(), d, job.MaxEvents)
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

// startVerification starts the verification of a problem in a snapshot.
func (r *Runner) startVerification(ctx context.Context, o *openProblem, v workspace.VerifyOptions, problem string,
	listen func(judge.Event)) (*workspace.Verification, error) {
	l, err := o.locate(problem)
	if err != nil {
		return nil, err
	}
	verification, _, err := l.StartVerification(ctx, v, listen)
	return verification, err
}

// localPath converts a path in a snapshot to a path on this machine.
func (o *openProblem) localPath(path string) (string, error) {
	local := filepath.FromSlash(path)
	if !filepath.IsLocal(local) {
		return "", fmt.Errorf("%.200q is not a path in the snapshot", path)
	}
	return filepath.Join(o.dir, local), nil
}

// locate finds the problem at a path in a snapshot.
func (o *openProblem) locate(path string) (*workspace.Location, error) {
	dir, err := o.localPath(path)
	if err != nil {
		return nil, err
	}
	return o.w.Locate(dir)
}

// runChecks verifies a problem without its solutions.
func (r *Runner) runChecks(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.VerifyOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	var events []judge.Event
	v, err := r.startVerification(
		ctx, o, workspace.VerifyOptions{Only: taskOptions.Only, All: taskOptions.All, Fresh: taskOptions.Fresh},
		taskOptions.Problem,
		func(e judge.Event) { events = append(events, e) },
	)
	if err != nil {
		return err
	}
	checked := workflow.ChecksOutput{}
	if v != nil {
		if checked.Ready, err = v.Checks(ctx, v.Handle); err != nil {
			return err
		}
	}
	if checked.Ready {
		if checked.Findings, err = v.Findings(ctx); err != nil {
			return err
		}
		for _, path := range v.Paths() {
			checked.Solutions = append(checked.Solutions, filepath.ToSlash(strings.TrimPrefix(path, o.dir+string(filepath.Separator))))
		}
	}
	b.output = checked
	return b.addEvents(events...)
}

// verifySolution verifies one solution.
func (r *Runner) verifySolution(ctx context.Context, s *job.Spec, o *openProblem, b *taskOutput) error {
	var taskOptions workflow.SolutionOptions
	if err := decodeOptions(s, &taskOptions); err != nil {
		return err
	}
	path, err := o.localPath(taskOptions.Path)
	if err != nil {
		return err
	}
	how := workspace.VerifyOptions{Only: taskOptions.Only, All: taskOptions.All, Fresh: taskOptions.Fresh, Findings: taskOptions.Findings}
	v, err := r.startVerification(ctx, o, how, taskOptions.Problem, func(judge.Event) {})
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
		if found, ok := e.(*judge.ProblemErrorFound); ok {
			v.Problem.RestorePosition(found.Fault)
		}
	}
	return b.addEvents(events...)
}
