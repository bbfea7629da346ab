package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"assay/judge/cases/gen"
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
func (p *Problem) fetch(ctx context.Context) error {
	p.w.making.Lock()
	defer p.w.making.Unlock()
	if len(gen.Unmade(p.Folder)) == 0 || p.w.Box == nil {
		return nil
	}
	return p.Maker().Fetch(ctx)
}

// Maker makes what makes the problem's cases.
func (p *Problem) Maker() *gen.Maker {
	return &gen.Maker{Folder: p.Folder, Runner: p.w.Box, Builder: p, Jobs: p.w.Jobs, Limits: p.w.Config.Setter}
}
