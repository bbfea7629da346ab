package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/problem"
	"assay/judge/running/config"
)

// unpackedBundle is an unpacked bundle.
type unpackedBundle struct {
	file     string // the bundle file, or another name for it
	findings *bundle.Findings
}

const (
	blobQuota        = 8 << 30             // maximum size in bytes of all unpacked bundles; equal contents count once
	unpackedLifetime = 30 * 24 * time.Hour // how long an unused unpacked bundle is kept
)

// unpackBundle unpacks a bundle file to a problem directory in the cache. The workspace's languages and limits are
// replaced by those of the bundle.
func (w *Workspace) unpackBundle(file string) (dir string, unpacked *unpackedBundle, err error) {
	b, err := bundle.Read(file)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := w.useBundleConfig(file, b.Config); err != nil {
		return "", nil, err
	}
	blobs, err := blob.Open(filepath.Join(w.Cache, "blobs"), blobQuota)
	if err != nil {
		return "", nil, err
	}
	all := filepath.Join(w.Cache, "bundles")
	home := filepath.Join(all, string(b.Manifest.ID())[:32])
	dir = filepath.Join(home, bundle.ProblemName(file))
	if err := b.Extract(blobs, dir); err != nil {
		return "", nil, err
	}
	now := time.Now()
	_ = os.Chtimes(home, now, now) // fails in a read-only cache, where nothing is removed either
	if old, err := os.ReadDir(all); err == nil {
		for _, e := range old {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > unpackedLifetime {
				_ = os.RemoveAll(filepath.Join(all, e.Name())) // on error, it stays
			}
		}
	}
	return dir, &unpackedBundle{file, b.Findings}, nil
}

// useBundleConfig replaces the workspace's languages and limits with those of a bundle.
func (w *Workspace) useBundleConfig(file string, data []byte) error {
	own, err := w.Config.Portable()
	if err != nil || bytes.Equal(own, data) {
		return err
	}
	if w.Sandbox != nil {
		return &judge.UsageError{Err: fmt.Errorf("%s has different languages or limits than another problem of this command\n"+
			"    run the command for it alone", file)}
	}
	adopted, err := config.LoadPortable(file, data, w.Config)
	if err != nil {
		return err
	}
	w.Config, w.IsBundled = adopted, false
	return nil
}

// applyTo applies the recorded findings about a problem to its directory.
func (t *unpackedBundle) applyTo(f *problem.Directory) {
	f.StoreAll()
	if f.Package != nil {
		f.Package.Warnings = localFaults(f, t.findings.Faults)
	}
}

// dirPlaceholder stands for the problem's directory in the texts of frozen faults.
const dirPlaceholder = "{problem}"

// localFaults replaces dirPlaceholder with the problem's name.
func localFaults(f *problem.Directory, frozen judge.ProblemErrors) (faults judge.ProblemErrors) {
	for _, fault := range frozen {
		own := *fault
		own.File = path.Join(f.ID, own.File)
		own.Text, own.Hint = strings.ReplaceAll(own.Text, dirPlaceholder, f.ID), strings.ReplaceAll(own.Hint, dirPlaceholder, f.ID)
		faults = append(faults, &own)
	}
	return faults
}

// bundleBuilder replaces the builder of graders. For each grader, it returns the same error as when the bundle was
// made.
type bundleBuilder struct {
	findings *bundle.Findings
	folder   *problem.Directory
}

func (b bundleBuilder) BuildProgram(_ context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	for i, fault := range b.findings.Dropped {
		if filepath.Join(b.folder.Dir, filepath.FromSlash(fault.File)) == p.Path {
			return nil, localFaults(b.folder, b.findings.Dropped)[i]
		}
	}
	return nil, nil
}
