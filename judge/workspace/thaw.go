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

// thawed is an unpacked bundle.
type thawed struct {
	file  string // the bundle file, or another name for it
	found *bundle.Frozen
}

const (
	blobQuota = 8 << 30             // maximum size in bytes of all unpacked bundles; equal contents count once
	keepLaid  = 30 * 24 * time.Hour // how long an unused unpacked bundle is kept
)

// layOut unpacks a bundle file to a problem directory in the cache. The workspace's languages and limits are
// replaced by those of the bundle.
func (w *Workspace) layOut(file string) (dir string, found *thawed, err error) {
	b, err := bundle.Read(file)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := w.adopt(file, b.Config); err != nil {
		return "", nil, err
	}
	blobs, err := blob.Open(filepath.Join(w.Cache, "blobs"), blobQuota)
	if err != nil {
		return "", nil, err
	}
	all := filepath.Join(w.Cache, "bundles")
	home := filepath.Join(all, string(b.Manifest.ID())[:32])
	dir = filepath.Join(home, bundle.Name(file))
	if err := b.LayOut(blobs, dir); err != nil {
		return "", nil, err
	}
	now := time.Now()
	_ = os.Chtimes(home, now, now) // fails in a read-only cache, where nothing is removed either
	if old, err := os.ReadDir(all); err == nil {
		for _, e := range old {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keepLaid {
				_ = os.RemoveAll(filepath.Join(all, e.Name())) // on error, it stays
			}
		}
	}
	return dir, &thawed{file, b.Frozen}, nil
}

// adopt replaces the workspace's languages and limits with those of a bundle.
func (w *Workspace) adopt(file string, data []byte) error {
	own, err := w.Config.Portable()
	if err != nil || bytes.Equal(own, data) {
		return err
	}
	if w.Box != nil {
		return &judge.Misuse{Err: fmt.Errorf("%s has different languages or limits than another problem of this command\n"+
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
func (t *thawed) applyTo(f *problem.Directory) {
	f.StoreAll()
	if f.Package != nil {
		f.Package.Warnings = thawFaults(f, t.found.Faults)
	}
}

// problemWord stands for the problem's directory in the texts of frozen faults.
const problemWord = "{problem}"

// thawFaults replaces problemWord with the problem's name.
func thawFaults(f *problem.Directory, frozen judge.Faults) (faults judge.Faults) {
	for _, fault := range frozen {
		own := *fault
		own.File = path.Join(f.ID, own.File)
		own.Text, own.Hint = strings.ReplaceAll(own.Text, problemWord, f.ID), strings.ReplaceAll(own.Hint, problemWord, f.ID)
		faults = append(faults, &own)
	}
	return faults
}

// thawedBuilder replaces the builder of graders. For each grader, it returns the same error as when the bundle was
// made.
type thawedBuilder struct {
	found  *bundle.Frozen
	folder *problem.Directory
}

func (b thawedBuilder) Part(_ context.Context, p *judge.Part) (*judge.Program, error) {
	for i, fault := range b.found.Dropped {
		if filepath.Join(b.folder.Dir, filepath.FromSlash(fault.File)) == p.Path {
			return nil, thawFaults(b.folder, b.found.Dropped)[i]
		}
	}
	return nil, nil
}
