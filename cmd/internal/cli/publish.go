package cli

import (
	"cmp"
	"context"
	"errors"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/client"
	"assay/judge/workspace"
)

// BundleProblem bundles a problem of the contest. It starts the workspace and generates missing test cases.
func BundleProblem(ctx context.Context, contest *workspace.Workspace, location *workspace.Location, r workspace.RunOptions) (
	*workspace.Problem, *bundle.Bundle, error,
) {
	problem, err := location.OpenForJudging(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	if err := contest.Start(r); err != nil {
		return nil, nil, err
	}
	if _, err := problem.Pick(nil, nil); err != nil { // every case must exist
		return nil, nil, err
	}
	b, err := contest.Bundle(ctx, problem)
	return problem, b, err
}

// Publish uploads a problem of the contest to a server, under the problem's own name or another one. It returns
// the bundle id and the number of uploaded blobs.
func Publish(
	ctx context.Context, api *client.Client, contest *workspace.Workspace, location *workspace.Location,
	slug string, n client.NewProblem, r workspace.RunOptions,
) (id blob.Digest, sent int, err error) {
	problem, b, err := BundleProblem(ctx, contest, location, r)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	shown, err := problemInfo(ctx, contest, problem)
	if err != nil {
		return "", 0, err
	}
	sent, err = api.Publish(ctx, cmp.Or(slug, problem.ID), n, shown, b)
	return b.Manifest.ID(), sent, err
}
