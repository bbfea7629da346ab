package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/mutate"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// storedReportOnServer measures the problem on a server, and saves the report in the same way as after a local measurement.
func (m *adequacyOptions) storedReportOnServer(
	ctx context.Context, c *console, contest *workspace.Workspace, location *workspace.Location, key string,
	roots []string,
) (*judge.AdequacyMeasured, error) {
	e, err := m.measureOnServer(ctx, c, location)
	c.clear()
	if err != nil {
		return nil, err
	}
	report, ok := e.(*judge.AdequacyMeasured)
	if !ok {
		return nil, errors.New("the server returned no score")
	}
	if report.Key = key; m.budget.Time == 0 {
		err = errors.Join(mutate.Save(contest.Cache, report, roots), mutate.DropJournal(contest.Cache, key))
	}
	return report, err
}

// measureOnServer measures a problem on a server, and returns the last event that the server sends.
func (m *adequacyOptions) measureOnServer(ctx context.Context, c *console, location *workspace.Location) (judge.Event, error) {
	api, err := c.server(m.server)
	if err != nil {
		return nil, err
	}
	snapshot, err := location.TakeSnapshot()
	if err != nil {
		return nil, err
	}
	n := &client.NewWorkflow{Kind: workflow.Adequacy, Problem: snapshot.ID}
	options := workflow.AdequacyOptions{Problem: snapshot.Problem, Budget: m.budget, Thorough: m.thorough, Grid: m.grid}
	if n.Options, err = json.Marshal(options); err != nil {
		return nil, err
	}
	if err := api.UploadSnapshot(ctx, snapshot.Bundle, n); err != nil {
		return nil, err
	}
	var events []judge.Event
	var mutants workflow.MutantSet
	done, told := 0, c.counter("mutants judged")
	err = api.RunWorkflow(ctx, n, func(p *client.TaskResult) (err error) {
		switch {
		case p.State != job.Done:
			return nil // the last event reports it
		case p.Key == workflow.MutantGenerationKey:
			if err := json.Unmarshal(p.Output, &mutants); err != nil {
				return fmt.Errorf("read the server's events: %w", err)
			}
		case p.Key != workflow.ScoreKey && p.Key != workflow.GridKey:
			if done += len(p.Lines); told != nil {
				told(done, mutants.Count)
			}
		}
		if p.Key == workflow.ScoreKey || p.Key == workflow.GridKey || p.Key == workflow.MutantGenerationKey && mutants.Digest == "" {
			events, err = cli.DecodeLines(p.Lines, snapshot.Localize)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", location.Name, err)
	}
	var faults judge.ProblemErrors
	for _, e := range events {
		if found, ok := e.(*judge.ProblemErrorFound); ok {
			faults = append(faults, found.Fault)
		}
	}
	if err := faults.AsError(); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("measure %s: the server returned no result", location.Name)
	}
	return events[len(events)-1], nil
}
