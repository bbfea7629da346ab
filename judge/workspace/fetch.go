package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"assay/judge/cases/gen"
	"assay/judge/internal/cachedir"
	"assay/judge/problem"
)

// spare is the folder of the cache for the cases of a group that are not stored: those
// of a manifest, wherever the problem is. Without a manifest nobody knows what they are,
// and each problem has a folder of its own.
func (w *Workspace) spare(f *problem.Folder, manifest []byte) string {
	if len(manifest) == 0 {
		abs, _ := filepath.Abs(f.Dir) // at worst it is the folder as it was named
		manifest = []byte(abs)
	}
	sum := sha256.Sum256(manifest)
	return filepath.Join(w.Cache, "cases", f.ID+"-"+hex.EncodeToString(sum[:8]))
}

// mostSpare bounds the cases in the cache, of all problems.
const mostSpare = 8 << 30

// fetch makes the cases that are not stored, where they are missing.
func (p *Problem) fetch(ctx context.Context) error {
	p.w.making.Lock()
	defer p.w.making.Unlock()
	if len(gen.Unmade(p.Folder)) == 0 || p.w.Box == nil {
		return nil
	}
	maker := p.Maker()
	maker.Progress = p.w.progress
	if err := maker.Fetch(ctx); err != nil {
		return err
	}
	p.w.trimCases(p.Folder)
	return nil
}

// trimCases removes the cases that were not made or fetched the longest, but for those of
// a problem.
func (w *Workspace) trimCases(f *problem.Folder) {
	now := time.Now()
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			if c.Line != "" && !f.Stored(g.Name) {
				_ = errors.Join(os.Chtimes(c.In, now, now), os.Chtimes(c.Ans, now, now)) // at worst they are made again
			}
		}
	}
	cachedir.Trim(filepath.Join(w.Cache, "cases"), cachedir.Limits{Bytes: mostSpare})
}

// Maker makes what makes the problem's cases.
func (p *Problem) Maker() *gen.Maker {
	return &gen.Maker{Folder: p.Folder, Runner: p.w.Box, Builder: p, Jobs: p.w.Jobs, Limits: p.w.Config.Setter, Spare: p.w.spare, Saved: filepath.Join(p.w.Cache, "saved")}
}
