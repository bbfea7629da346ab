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

// OwnProblems lists the problems of the contest.
func (w *Workspace) OwnProblems() ([]string, error) { return problem.List(packages.Formats, w.Root) }

// BundledProblems lists the bundled problems that are visible in the contest: those whose names differ from all problems
// of the contest. If the contest is the bundled one, there are none.
func (w *Workspace) BundledProblems() ([]string, error) {
	if w.IsBundled {
		return nil, nil
	}
	root, err := w.findBundledRoot()
	if err != nil {
		return nil, err
	}
	ids, err := problem.List(packages.Formats, root)
	return slices.DeleteFunc(ids, func(id string) bool {
		return problem.Is(packages.Formats, filepath.Join(w.Root, "problems", id))
	}), err
}

// KnownProblems lists the names of all available problems: those of the contest, and bundled ones.
func (w *Workspace) KnownProblems() ([]string, error) {
	own, err := w.OwnProblems()
	if err != nil {
		return nil, err
	}
	lent, err := w.BundledProblems()
	return append(own, lent...), err
}

// MarkFirstTime reports whether MarkFirstTime has not been called with the same argument since the cache was created. It
// is used to print a note only once.
func (w *Workspace) MarkFirstTime(key string) bool {
	if os.MkdirAll(w.Cache, 0o755) != nil {
		return false
	}
	f, err := os.OpenFile(filepath.Join(w.Cache, "noted-"+key), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
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
	return w.bundledCache.Add(context.Background(), name, func(dir string) error { return os.CopyFS(dir, assay.Files) })
}
