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

// Lent lists the problems of the house that a contest of one's own does not hide by
// one of the same name; there are none where the house's own contest is used.
func (w *Workspace) Lent() ([]string, error) {
	if w.House {
		return nil, nil
	}
	root, err := w.houseRoot()
	if err != nil {
		return nil, err
	}
	ids, err := problem.List(packages.Formats, root)
	return slices.DeleteFunc(ids, func(id string) bool {
		return problem.Is(packages.Formats, filepath.Join(w.Root, "problems", id))
	}), err
}

// Known lists the problems that can be named: those of the contest, and of the house.
func (w *Workspace) Known() ([]string, error) {
	own, err := w.Own()
	if err != nil {
		return nil, err
	}
	lent, err := w.Lent()
	return append(own, lent...), err
}

// FirstTime says whether it is asked for the first time about something since the
// cache was made: so that a note is told once, and not every day.
func (w *Workspace) FirstTime(what string) bool {
	if os.MkdirAll(w.Cache, 0o755) != nil {
		return false
	}
	f, err := os.OpenFile(filepath.Join(w.Cache, "told-"+what), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// houseDir is where the problems of the house are laid out.
func (w *Workspace) houseDir() string { return filepath.Join(w.Cache, "house") }

// houseFolder lays the problems of the house out in the cache, once for each
// version of them.
func (w *Workspace) houseFolder() (string, error) {
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
		return "", fmt.Errorf("read the problems of the house: %w", err)
	}
	name := hex.EncodeToString(sum.Sum(nil)[:8])
	return w.house.Add(context.Background(), name, func(dir string) error { return os.CopyFS(dir, assay.Files) })
}
