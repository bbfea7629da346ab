package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"assay/judge/workspace"
)

// writePackage makes the cases of a package in the package itself, or with check
// says which are not as they are made now.
func writePackage(ctx context.Context, con *console, contest *workspace.Workspace, dir string, read workspace.Recipe, check bool) (bool, error) {
	filler, err := contest.Filler(dir)
	if err != nil {
		return false, err
	}
	filler.Progress = con.counter("cases made")
	stage, err := os.MkdirTemp("", "assay-recipe-")
	if err != nil {
		return false, fmt.Errorf("make a folder for programs: %w", err)
	}
	defer os.RemoveAll(stage)
	r, flaws, faults := read(stage)
	if len(faults) > 0 {
		return false, faults
	}
	w, err := filler.Write(ctx, r, dir, check)
	con.clear()
	if err != nil {
		return false, err
	}
	bad := append(flaws, w.Faults...)
	for _, f := range bad {
		fmt.Fprintln(con.err, f)
	}
	if !check {
		fmt.Fprintf(con.out, "%s: %d files made (%d changed)\n", workspace.BaseOf(dir), w.Files, len(w.Changed))
		return len(bad) == 0, nil
	}
	for _, name := range w.Changed {
		fmt.Fprintf(con.err, "%s: not as it is made now\n", filepath.Join(dir, filepath.FromSlash(name)))
	}
	if ok := len(bad) == 0 && len(w.Changed) == 0; !ok {
		return false, nil
	}
	fmt.Fprintf(con.out, "%s: %d files are as they are made\n", workspace.BaseOf(dir), w.Files)
	return true, nil
}
