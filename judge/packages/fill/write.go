package fill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"assay/judge"
)

// Written is the result of Write. With check, it describes what Write would do.
type Written struct {
	Files   int      // files that the recipe makes
	Changed []string // files that differ, relative to the package's directory
	Faults  judge.ProblemErrors
}

// Write makes the cases of the recipe in the package's own directory. Other files are kept. With check, nothing is
// written.
func (f *Filler) Write(ctx context.Context, r *Recipe, dir string, check bool) (*Written, error) {
	tmp, err := os.MkdirTemp("", "assay-fill-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the cases: %w", err)
	}
	defer os.RemoveAll(tmp)
	faults, err := f.Fill(ctx, r, tmp)
	if err != nil {
		return nil, err
	}
	w := &Written{Faults: faults}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("write the cases: %w", err)
	}
	defer root.Close()
	return w, filepath.WalkDir(tmp, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(tmp, full)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		to := path.Join("data", filepath.ToSlash(rel))
		if r.Place != nil {
			to = r.Place(filepath.ToSlash(rel))
		}
		w.Files++
		old, err := root.ReadFile(to)
		if err == nil && bytes.Equal(old, data) {
			return nil
		}
		w.Changed = append(w.Changed, to)
		if check {
			return nil
		}
		return replace(root, to, data)
	})
}

// replace writes a file. If name is a link, it replaces the link.
func replace(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write the cases: %w", err)
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the cases: %w", err)
	}
	if err := root.WriteFile(name, data, 0o644); err != nil {
		return fmt.Errorf("write the cases: %w", err)
	}
	return nil
}
