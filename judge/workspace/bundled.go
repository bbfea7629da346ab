package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"assay"
	"assay/judge/packages"
	"assay/judge/problem"
)

// Own lists the problems of the contest.
func (w *Workspace) Own() ([]string, error) { return problem.List(packages.Formats, w.Root) }

// Bundled lists the bundled problems that are visible in the contest: those whose names differ from all problems
// of the contest. If the contest is the bundled one, there are none.
func (w *Workspace) Bundled() ([]string, error) {
	if w.IsBundled {
		return nil, nil
	}
	root, err := w.rootOfBundled()
	if err != nil {
		return nil, err
	}
	ids, err := problem.List(packages.Formats, root)
	return slices.DeleteFunc(ids, func(id string) bool {
		return problem.Is(packages.Formats, filepath.Join(w.Root, "problems", id))
	}), err
}

// Known lists the names of all available problems: those of the contest, and bundled ones.
func (w *Workspace) Known() ([]string, error) {
	own, err := w.Own()
	if err != nil {
		return nil, err
	}
	lent, err := w.Bundled()
	return append(own, lent...), err
}

// FirstTime reports whether FirstTime has not been called with the same argument since the cache was created. It
// is used to print a note only once.
func (w *Workspace) FirstTime(what string) bool {
	if os.MkdirAll(w.Cache, 0o755) != nil {
		return false
	}
	f, err := os.OpenFile(filepath.Join(w.Cache, "noted-"+what), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// bundledDir returns the directory that contains the unpacked bundled problems.
func (w *Workspace) bundledDir() string { return filepath.Join(w.Cache, "house") }

// bundledRoot unpacks the bundled problems into the cache, once per version.
func (w *Workspace) bundledRoot() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(assay.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assay.Files.ReadFile(path)
		fmt.Fprintf(sum, "%q %d\n", path, len(data))
		sum.Write(data)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the bundled problems: %w", err)
	}
	name := hex.EncodeToString(sum.Sum(nil)[:8])
	return w.house.Add(context.Background(), name, func(dir string) error { return os.CopyFS(dir, assay.Files) })
}
