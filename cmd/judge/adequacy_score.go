package main

import (
	"assay/judge/cases/mutate"
	"assay/judge/workspace"
)

// standardHunt is the search whose score judge verify reports.
var standardHunt = mutate.Hunt{Seed: 1, Count: 2000, Shrink: 500}

// scoreOf returns the measured mutation score of a problem for judge verify. It is empty if nothing can be
// mutated.
func scoreOf(contest *workspace.Workspace, folder *workspace.Problem) (string, error) {
	if folder.Reference == nil || folder.Kind.Interactive || folder.Kind.MultiPass || len(folder.Mutable()) == 0 {
		return "", nil
	}
	roots := mutate.Roots(folder.Directory, folder.Accepted())
	key, err := mutate.Key(roots, standardHunt, false)
	if err != nil {
		return "", err
	}
	if kept := mutate.Load(contest.Cache, key, roots); kept == nil {
		return "mutation score: not measured yet; run: judge adequacy " + folder.ID, nil
	} else if len(kept.Programs) > 0 {
		return kept.Score(), nil
	}
	return "", nil
}
