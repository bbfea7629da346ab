package main

import (
	"context"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// verifyAllOnServer verifies problems on a server.
func (v *verifyOptions) verifyAllOnServer(ctx context.Context, c *console, names []string, listen func(judge.Event)) error {
	api, err := c.server(v.server)
	if err != nil {
		return err
	}
	return v.eachProblem(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
		return v.verifyOnServer(ctx, api, contest, at, listen)
	})
}

// verifyOnServer verifies one problem on a server and reports whether the problem has no errors.
func (v *verifyOptions) verifyOnServer(
	ctx context.Context, api *client.Client, c *workspace.Workspace, location *workspace.Location,
	listen func(judge.Event),
) (bool, error) {
	var opening []judge.Event
	verifier, faults, err := v.startVerification(ctx, c, location, func(e judge.Event) { opening = append(opening, e) })
	if err != nil {
		return false, err
	}
	if faults > 0 { // without a request to the server
		for _, e := range append(opening, &judge.VerifyFinished{Faults: faults}) {
			listen(e)
		}
		return false, nil
	}
	return cli.VerifyOnServer(ctx, api, location, verifier, workflow.VerifyOptions{Only: v.only, All: v.all, Fresh: v.fresh}, listen)
}
