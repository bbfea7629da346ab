package main

import (
	"context"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/flow"
	"assay/judge/workspace"
)

// eachOn verifies problems on a server.
func (v *verification) eachOn(ctx context.Context, c *console, names []string, listen func(judge.Event)) error {
	api, err := c.server(v.on)
	if err != nil {
		return err
	}
	return v.each(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
		return v.oneOn(ctx, api, contest, at, listen)
	})
}

// oneOn verifies one problem on a server and reports whether the problem has no errors.
func (v *verification) oneOn(
	ctx context.Context, api *client.Client, c *workspace.Workspace, at *workspace.Location,
	listen func(judge.Event),
) (bool, error) {
	var opening []judge.Event
	verifier, faults, err := v.begin(ctx, c, at, func(e judge.Event) { opening = append(opening, e) })
	if err != nil {
		return false, err
	}
	if faults > 0 { // without a request to the server
		for _, e := range append(opening, &judge.VerifyFinished{Faults: faults}) {
			listen(e)
		}
		return false, nil
	}
	return cli.VerifyOn(ctx, api, at, verifier, flow.VerifyOptions{Only: v.only, All: v.all, Fresh: v.fresh}, listen)
}
