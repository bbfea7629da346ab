package verify

import (
	"context"
	"maps"
	"slices"

	"assay/judge"
	"assay/judge/problem"
)

// pictures looks for the pictures that the statements show.
func (v *Verifier) pictures(ctx context.Context) (n int, faults judge.Faults, err error) {
	if v.Folder.Package != nil {
		n, faults, _ = v.Folder.Package.Unshown()
		return n, faults, nil
	}
	languages := v.Folder.Statements()
	for _, file := range append([]string{v.Folder.Statement()}, slices.Sorted(maps.Values(languages))...) {
		found, missing := problem.MissingPictures(v.Folder.Dir, file)
		n, faults = n+found, append(faults, missing...)
	}
	return n, faults, nil
}

// unshown tells what the statements of a package have that is not shown.
func (v *Verifier) unshown(ctx context.Context) (n int, warnings judge.Faults, err error) {
	_, _, warnings = v.Folder.Package.Unshown()
	return len(warnings), warnings, nil
}
