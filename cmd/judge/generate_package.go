package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// writePackage generates the cases of a package inside the package. If check is set, it only lists the cases that
// would change.
func writePackage(ctx context.Context, con *console, location *workspace.Location, check bool, tell func(judge.Event)) (bool, error) {
	filler, err := location.Filler()
	if err != nil {
		return false, err
	}
	filler.Progress = con.counter("cases made")
	stage, err := os.MkdirTemp("", "assay-recipe-")
	if err != nil {
		return false, fmt.Errorf("make a directory for programs: %w", err)
	}
	defer os.RemoveAll(stage)
	r, flaws, faults := location.Recipe(stage)
	if len(faults) > 0 {
		return false, faults
	}
	w, err := filler.Write(ctx, r, location.Dir, check)
	con.clear()
	if err != nil {
		return false, err
	}
	bad := append(flaws, w.Faults...)
	if check {
		for _, name := range w.Changed {
			bad = append(
				bad,
				&judge.ProblemError{File: filepath.Join(location.Dir, filepath.FromSlash(name)), Text: "would be generated differently"},
			)
		}
	}
	for _, f := range bad {
		tell(&judge.ProblemErrorFound{Fault: f})
	}
	tell(&judge.FilesGenerated{
		Format: judge.EventFormat, Problem: problem.ID(location.Dir), Check: check, Files: w.Files,
		Changed: w.Changed, Faults: len(bad),
	})
	return len(bad) == 0, nil
}
