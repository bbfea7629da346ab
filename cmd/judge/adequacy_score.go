package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"assay/judge/cases/mutate"
	"assay/judge/workspace"
)

// quick is how long judge verify measures a suite that nobody has measured.
const quick = 20 * time.Second

// scoreOf is the mutation score of a problem for judge verify: as it was measured, or
// measured now if that is quick; "" where nothing can be mutated.
func scoreOf(ctx context.Context, contest *workspace.Workspace, folder *workspace.Problem) (string, error) {
	if folder.Reference == nil || folder.Kind.Interactive || folder.Kind.MultiPass || len(folder.Mutable()) == 0 {
		return "", nil
	}
	m := measuring{hunt: standardHunt}
	key, err := mutate.Key(folder.Folder, folder.Accepted(), m.hunt, false)
	if err != nil {
		return "", err
	}
	unknown := "mutation score: not measured yet; run: judge adequacy " + folder.ID
	slow := filepath.Join(contest.Cache, "adequacy", key+".slow")
	if _, err := os.Stat(slow); err == nil && mutate.Load(contest.Cache, key) == nil {
		return unknown, nil
	}
	timed, cancel := context.WithTimeout(ctx, quick)
	defer cancel()
	report, err := m.report(timed, &console{out: io.Discard, err: io.Discard}, contest, folder)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return unknown, errors.Join(os.MkdirAll(filepath.Dir(slow), 0o755), os.WriteFile(slow, nil, 0o644))
	}
	if err != nil || len(report.Programs) == 0 {
		return "", err
	}
	return report.Score(), nil
}
