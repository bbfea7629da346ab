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
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/workspace"
)

// reportOn measures the problem on a server, and saves the report in the same way as after a local measurement.
func (m *measuring) reportOn(
	ctx context.Context, c *console, contest *workspace.Workspace, at *workspace.Location, key string,
	roots []string,
) (*judge.AdequacyMeasured, error) {
	e, err := m.measureOn(ctx, c, at)
	c.clear()
	if err != nil {
		return nil, err
	}
	report, ok := e.(*judge.AdequacyMeasured)
	if !ok {
		return nil, errors.New("the server returned no score")
	}
	if report.Key = key; m.hunt.Time == 0 {
		err = errors.Join(mutate.Keep(contest.Cache, report, roots), mutate.DropJournal(contest.Cache, key))
	}
	return report, err
}

// measureOn measures a problem on a server, and returns the last event that the server sends.
func (m *measuring) measureOn(ctx context.Context, c *console, at *workspace.Location) (judge.Event, error) {
	api, err := c.server(m.on)
	if err != nil {
		return nil, err
	}
	snapshot, err := at.Snapshot()
	if err != nil {
		return nil, err
	}
	n := &client.NewFlow{Kind: flow.Adequacy, Problem: snapshot.ID}
	options := flow.AdequacyOptions{Problem: snapshot.Problem, Hunt: m.hunt, Thorough: m.thorough, Grid: m.grid}
	if n.Options, err = json.Marshal(options); err != nil {
		return nil, err
	}
	if err := api.Snapshot(ctx, snapshot.Bundle, n); err != nil {
		return nil, err
	}
	var events []judge.Event
	var made flow.Mutated
	done, told := 0, c.counter("mutants judged")
	err = api.Hold(ctx, n, func(p *client.Part) (err error) {
		switch {
		case p.State != job.Done:
			return nil // the last event reports it
		case p.Key == flow.LabKey:
			if err := json.Unmarshal(p.Output, &made); err != nil {
				return fmt.Errorf("read the server's events: %w", err)
			}
		case p.Key != flow.ScoreKey && p.Key != flow.GridKey:
			if done += len(p.Lines); told != nil {
				told(done, made.Count)
			}
		}
		if p.Key == flow.ScoreKey || p.Key == flow.GridKey || p.Key == flow.LabKey && made.Made == "" {
			events, err = cli.DecodeLines(p.Lines, snapshot.Here)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", at.Name, err)
	}
	var faults judge.Faults
	for _, e := range events {
		if found, ok := e.(*judge.FaultFound); ok {
			faults = append(faults, found.Fault)
		}
	}
	if err := faults.AsError(); err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("measure %s: the server returned no result", at.Name)
	}
	return events[len(events)-1], nil
}
