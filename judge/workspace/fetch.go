package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"assay/judge/cases/gen"
	"assay/judge/problem"
)

// spare is the folder of the cache for the cases of a problem that are not stored.
func (w *Workspace) spare(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(w.Cache, "cases", filepath.Base(dir)+"-"+hex.EncodeToString(sum[:6]))
}

// fetch makes the cases that are not stored, where they are missing.
func (w *Workspace) fetch(ctx context.Context, f *problem.Folder) error {
	if f == nil || len(gen.Unmade(f)) == 0 || w.Box == nil {
		return nil
	}
	maker := &gen.Maker{Folder: f, Runner: w.Box, Build: w.Part, Jobs: w.Jobs, Limits: w.Config.Setter}
	return maker.Fetch(ctx)
}
