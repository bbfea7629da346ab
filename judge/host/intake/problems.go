package intake

import (
	"context"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// UsableProblems returns the problems that an account may use in a contest, a hole, a ladder or a tournament,
// sorted by slug. These are the problems that the account owns and the problems of contest c, because a contest's
// jury sees the secret data of its problems. An account with auth.AllProblems on the server may use every problem.
// The argument c may be nil.
func (d *Service) UsableProblems(ctx context.Context, a *store.Account, c *store.Contest) ([]*store.Problem, error) {
	all, err := d.Store.Problems(ctx)
	if err != nil || auth.Can(ServerRole(a), auth.AllProblems, auth.State{}) {
		return all, err
	}
	var has []*store.ContestProblem
	if c != nil {
		if has, err = d.Store.ContestProblems(ctx, c.ID); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(p *store.Problem) bool {
		return !Owns(a, p) && !slices.ContainsFunc(has, func(q *store.ContestProblem) bool { return q.ID == p.ID })
	}), nil
}

// Owns reports whether an account published the first version of a problem. It returns false if a is nil.
func Owns(a *store.Account, p *store.Problem) bool { return a != nil && p.Owner == a.ID }
