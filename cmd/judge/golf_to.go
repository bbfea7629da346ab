package main

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/client"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// submitToHole submits to a hole on a server, and prints the results.
func (g *golfOptions) submitToHole(ctx context.Context, c *console, contest *workspace.Workspace, hole string, files []string) error {
	api, err := c.server(g.holeServer)
	if err != nil {
		return err
	}
	var ends []*client.GolfSubmission
	told := g.checkAndShow(c, contest, hole, files, func(i int) (*golf.Result, error) {
		result, end, err := g.submitFile(ctx, c, contest, api, hole, files[i])
		if end != nil {
			ends = append(ends, end)
		}
		return result, err
	})
	if g.outputOptions.json {
		return told
	}
	for _, e := range ends {
		words := fmt.Sprintf("answer %d", e.Number)
		if e.Ranks != "" {
			words += ", " + e.Ranks
		}
		fmt.Fprintf(c.out, "%s\n    %s\n", words, e.Page)
	}
	return told
}

// submitFile submits one file, and waits until it has been checked.
func (g *golfOptions) submitFile(ctx context.Context, c *console, contest *workspace.Workspace, api *client.Client, hole, file string) (
	*golf.Result, *client.GolfSubmission, error,
) {
	data, err := contest.GolfFile(file, g.reading)
	if err != nil {
		return nil, nil, err
	}
	how := workflow.GolfSubmissionOptions{
		Language: g.reading.Language, Flags: g.reading.Flags, Reading: g.checks.Kind, Entry: g.checks.Entry,
		Call: g.checks.Call, In: g.checks.InputForm,
	}
	sent, err := api.SubmitGolf(ctx, hole, filepath.Base(file), data, how)
	if err != nil {
		return nil, nil, err
	}
	c.notice(func() string { return file + ": the server checks it" })
	defer c.endNotices()
	var proved golfResult
	end, err := api.FollowGolf(ctx, sent, func(p *client.TaskResult) error {
		err := proved.read(p)
		if r := proved.result; err == nil && p.Key == workflow.SamplesKey && r != nil && r.Verdict == golf.Correct && !g.outputOptions.json {
			fmt.Fprintf(c.err, "%s: right on samples and edges, %d of %d inputs; continuing ...\n", file, r.Tried, r.Domain)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, sent, err
	case proved.misuse != nil:
		return golf.CannotRunResult(file, end.Reason), end, nil
	case proved.result == nil || end.Verdict == "":
		return nil, end, &client.WorkflowError{Text: end.Reason, BlameOf: judge.Machine}
	}
	proved.result.File = file
	return proved.result, end, nil
}
