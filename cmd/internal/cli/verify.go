package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// VerifyOnServer verifies a problem of the contest on a server, and reports whether the problem has no errors. The
// verification in verifier must already have been started. Events arrive in the same order as in a local
// verification.
func VerifyOnServer(
	ctx context.Context, api *client.Client, location *workspace.Location, verifier *workspace.Verification,
	o workflow.VerifyOptions, listen func(judge.Event),
) (bool, error) {
	snapshot, err := location.TakeSnapshot()
	if err != nil {
		return false, err
	}
	n := &client.NewWorkflow{Kind: workflow.Verify, Problem: snapshot.ID}
	o.Problem = snapshot.Problem
	if n.Options, err = json.Marshal(o); err != nil {
		return false, err
	}
	if err := api.UploadSnapshot(ctx, snapshot.Bundle, n); err != nil {
		return false, err
	}
	t := &orderedResults{events: map[string][]judge.Event{}, listen: listen}
	err = api.RunWorkflow(ctx, n, func(p *client.TaskResult) error { return t.handleTask(p, snapshot) })
	if err != nil {
		return false, fmt.Errorf("verify %s: %w", location.Name, err)
	}
	results, err := verifier.MergeEvents(t.parts...)
	if err != nil {
		return false, err
	}
	for _, e := range results[t.sent:] {
		listen(e)
	}
	return results[len(results)-1].(*judge.VerifyFinished).OK, nil
}

// orderedResults forwards the results of verification tasks in order, even if they arrive in another order.
type orderedResults struct {
	order  []string                 // task keys, once known
	events map[string][]judge.Event // by key, of tasks that arrived before their turn
	parts  [][]judge.Event
	sent   int // number of events passed on
	listen func(judge.Event)
}

func (t *orderedResults) handleTask(p *client.TaskResult, s *workspace.Snapshot) error {
	if p.State != job.Done {
		return nil // the last event reports it
	}
	events, err := DecodeLines(p.Lines, s.Localize)
	if err != nil {
		return err
	}
	t.parts = append(t.parts, events)
	t.events[p.Key] = events
	if p.Key == workflow.ChecksKey {
		var c workflow.ChecksOutput
		if err := json.Unmarshal(p.Output, &c); err != nil {
			return fmt.Errorf("read the results of the checks: %w", err)
		}
		t.order = append(t.order, p.Key)
		for _, path := range c.Solutions {
			t.order = append(t.order, workflow.SolutionKey(path))
		}
	}
	for len(t.order) > 0 {
		next, there := t.events[t.order[0]]
		if !there {
			break
		}
		for _, e := range next {
			t.listen(e)
		}
		t.sent += len(next)
		t.order = t.order[1:]
	}
	return nil
}

// DecodeLines decodes the events that one task of a workflow has reported, one per line. If the parameter here is
// not nil, DecodeLines calls it to replace the paths in each line with paths on this machine.
func DecodeLines(lines [][]byte, localize func([]byte) []byte) (events []judge.Event, err error) {
	for _, l := range lines {
		if localize != nil {
			l = localize(l)
		}
		e, err := judge.DecodeEvent(l)
		if err != nil {
			return nil, fmt.Errorf("read the server's events: %w", err)
		}
		events = append(events, e)
	}
	return events, nil
}
