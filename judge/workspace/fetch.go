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

// casesCacheDir returns the cache directory for those cases of a group that the problem's directory does not contain.
// Groups with the same manifest share a cache directory. Without a manifest, it is unknown what the cases must be,
// so each problem has its own cache directory.
func (w *Workspace) casesCacheDir(f *problem.Directory, manifest []byte) string {
	if len(manifest) == 0 {
		abs, _ := filepath.Abs(f.Dir) // on error, it is the directory as given
		manifest = []byte(abs)
	}
	sum := sha256.Sum256(manifest)
	return filepath.Join(w.Cache, "cases", f.ID+"-"+hex.EncodeToString(sum[:8]))
}

// maxCasesCache is the maximum total size of the cases in the cache, in bytes.
const maxCasesCache = 8 << 30

// makeMissingCases makes the cases that are missing in the problem's directory and in the cache.
func (p *Problem) makeMissingCases(ctx context.Context) error {
	p.w.makeLock.Lock()
	defer p.w.makeLock.Unlock()
	if len(gen.MissingCases(p.Directory)) == 0 || p.w.Sandbox == nil {
		return nil
	}
	maker := p.Maker()
	maker.Progress = p.w.onProgress
	if err := maker.GenerateMissing(ctx); err != nil {
		return err
	}
	p.w.trimCases(p.Directory)
	return nil
}

// trimCases removes the cases that were made or fetched longest ago, except those of problem f.
func (w *Workspace) trimCases(f *problem.Directory) {
	now := time.Now()
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			if c.Line != "" && !f.Stored(g.Name) {
				_ = errors.Join(os.Chtimes(c.In, now, now), os.Chtimes(c.Ans, now, now)) // on error, the cases are made again later
			}
		}
	}
	cachedir.Trim(filepath.Join(w.Cache, "cases"), cachedir.Limits{Bytes: maxCasesCache})
}

// Maker returns the generator for the problem's cases.
func (p *Problem) Maker() *gen.CaseGenerator {
	return &gen.CaseGenerator{
		Directory: p.Directory, Runner: p.w.Sandbox, Builder: p, Jobs: p.w.Jobs, Limits: p.w.Config.Setter,
		SpareDir: p.w.casesCacheDir, SavedDir: filepath.Join(p.w.Cache, "saved"),
	}
}
