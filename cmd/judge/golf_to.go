package main

import (
	"context"
	"fmt"
	"path/filepath"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/client"
	"assay/judge/host/flow"
	"assay/judge/workspace"
)

// runTo submits to a hole on a server, and prints the results.
func (g *golfing) runTo(ctx context.Context, c *console, contest *workspace.Workspace, hole string, files []string) error {
	api, err := c.server(g.to)
	if err != nil {
		return err
	}
	var ends []*client.Answer
	told := g.tell(c, contest, hole, files, func(i int) (*golf.Result, error) {
		result, end, err := g.hand(ctx, c, contest, api, hole, files[i])
		if end != nil {
			ends = append(ends, end)
		}
		return result, err
	})
	if g.drawing.json {
		return told
	}
	for _, e := range ends {
		words := fmt.Sprintf("answer %d", e.Number)
		if e.Places != "" {
			words += ", " + e.Places
		}
		fmt.Fprintf(c.out, "%s\n    %s\n", words, e.Page)
	}
	return told
}

// hand submits one file, and waits until it has been checked.
func (g *golfing) hand(ctx context.Context, c *console, contest *workspace.Workspace, api *client.Client, hole, file string) (
	*golf.Result, *client.Answer, error,
) {
	data, err := contest.GolfFile(file, g.reading)
	if err != nil {
		return nil, nil, err
	}
	how := flow.HoleAnswer{
		Language: g.reading.Language, Flags: g.reading.Flags, As: g.proof.As, Entry: g.proof.Entry,
		Call: g.proof.Call, In: g.proof.In,
	}
	sent, err := api.SendAnswer(ctx, hole, filepath.Base(file), data, how)
	if err != nil {
		return nil, nil, err
	}
	c.notice(func() string { return file + ": the server checks it" })
	defer c.endNotices()
	var proved golfProved
	end, err := api.FollowAnswer(ctx, sent, func(p *client.Part) error {
		err := proved.read(p)
		if r := proved.result; err == nil && p.Key == flow.QuickKey && r != nil && r.Verdict == golf.Right && !g.drawing.json {
			fmt.Fprintf(c.err, "%s: right on samples and edges, %d of %d inputs; continuing ...\n", file, r.Tried, r.Domain)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, sent, err
	case proved.misuse != nil:
		return golf.NotRun(file, end.Why), end, nil
	case proved.result == nil || end.Verdict == "":
		return nil, end, &client.FlowError{Text: end.Why, Whose: judge.Machine}
	}
	proved.result.File = file
	return proved.result, end, nil
}
