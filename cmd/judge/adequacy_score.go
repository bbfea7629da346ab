package main

import (
	"assay/judge/cases/mutate"
	"assay/judge/workspace"
)

// standardBudget is the search whose score judge verify reports.
var standardBudget = mutate.SearchBudget{Seed: 1, Count: 2000, Shrink: 500}

// mutationScore returns the measured mutation score of a problem for judge verify. It is empty if nothing can be
// mutated.
func mutationScore(contest *workspace.Workspace, problem *workspace.Problem) (string, error) {
	if problem.Reference == nil || problem.Kind.Interactive || problem.Kind.MultiPass || len(problem.MutablePrograms()) == 0 {
		return "", nil
	}
	roots := mutate.Roots(problem.Directory, problem.AcceptedSolutions())
	key, err := mutate.Key(roots, standardBudget, false)
	if err != nil {
		return "", err
	}
	if saved := mutate.Load(contest.Cache, key, roots); saved == nil {
		return "mutation score: not measured yet; run: judge adequacy " + problem.ID, nil
	} else if len(saved.Programs) > 0 {
		return saved.Score(), nil
	}
	return "", nil
}
