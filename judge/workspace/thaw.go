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

// thawed is a bundle that was laid out.
type thawed struct {
	file  string // the bundle file, or what else people call it
	found *bundle.Frozen
}

const (
	blobQuota = 8 << 30             // bytes of all laid out bundles, each content once
	keepLaid  = 30 * 24 * time.Hour // how long a laid out bundle stays that nobody uses
)

// layOut makes a problem folder of a bundle file, in the cache, and has its languages and
// limits take the place of the contest's.
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
	_ = os.Chtimes(home, now, now) // in a cache that is read-only nothing is removed either
	if old, err := os.ReadDir(all); err == nil {
		for _, e := range old {
			if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keepLaid {
				_ = os.RemoveAll(filepath.Join(all, e.Name())) // at worst it stays
			}
		}
	}
	return dir, &thawed{file, b.Frozen}, nil
}

// adopt makes a bundle's languages and limits those of the workspace.
func (w *Workspace) adopt(file string, data []byte) error {
	own, err := w.Config.Portable()
	if err != nil || bytes.Equal(own, data) {
		return err
	}
	if w.Box != nil {
		return &judge.Misuse{Err: fmt.Errorf("%s has other languages or limits than what it is judged with\n    name it alone", file)}
	}
	adopted, err := config.LoadPortable(file, data, w.Config)
	if err != nil {
		return err
	}
	w.Config, w.House = adopted, false
	return nil
}

// thaw makes what was found out of a problem true of its folder again.
func (t *thawed) thaw(f *problem.Folder) {
	f.StoreAll()
	if f.Package != nil {
		f.Package.Flaws = thawFaults(f, t.found.Faults)
	}
}

// problemWord stands for the problem's folder in the texts of frozen faults.
const problemWord = "{problem}"

// thawFaults puts the problem's name where problemWord stands.
func thawFaults(f *problem.Folder, frozen judge.Faults) (faults judge.Faults) {
	for _, fault := range frozen {
		own := *fault
		own.File = path.Join(f.ID, own.File)
		own.Text, own.Hint = strings.ReplaceAll(own.Text, problemWord, f.ID), strings.ReplaceAll(own.Hint, problemWord, f.ID)
		faults = append(faults, &own)
	}
	return faults
}

// thawedBuilder stands for what builds graders: it fails as it did when the problem was
// frozen.
type thawedBuilder struct {
	found  *bundle.Frozen
	folder *problem.Folder
}

func (b thawedBuilder) Part(_ context.Context, p *judge.Part) (*judge.Program, error) {
	for i, fault := range b.found.Dropped {
		if filepath.Join(b.folder.Dir, filepath.FromSlash(fault.File)) == p.Path {
			return nil, thawFaults(b.folder, b.found.Dropped)[i]
		}
	}
	return nil, nil
}
