package bundle

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge/blob"
)

// FromBlobs opens a bundle whose manifest and files are blobs: there is no bundle file.
// The manifest and what was found out must be there, or the error is fs.ErrNotExist;
// the files only when the bundle is laid out. It has no Config, and name stands for it in
// faults.
func FromBlobs(blobs *blob.Dir, id blob.Digest, name string) (*Bundle, error) {
	data, err := blobs.Read(id, MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(name, data)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Manifest: m, from: name, close: func() error { return nil }, open: func(e Entry) (io.ReadCloser, error) {
		return blobs.Open(e.Digest, e.Size)
	}}
	return b, b.readFrozen()
}

// Keep adds the bytes of all files to a directory of blobs, as far as they are not
// there. Bytes that are not those of the manifest are a *judge.Fault.
func (b *Bundle) Keep(blobs *blob.Dir) error {
	for _, e := range b.Manifest.Blobs() {
		if err := b.keep(blobs, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bundle) keep(blobs *blob.Dir, e Entry) error {
	r, err := b.open(e)
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", e.Path, b.from, err)
	}
	defer r.Close()
	err = blobs.Put(e.Digest, e.Size, r)
	if errors.Is(err, blob.ErrDamaged) {
		return b.fault("the bytes of %s are not those of the manifest", e.Path)
	}
	return err
}

// LayOut creates the problem directory at the path to, of read-only files: hard links into
// the directory of blobs, which gets the bytes that it lacks. A directory that was laid out
// there before is used again if it is unchanged. Otherwise it is replaced.
func (b *Bundle) LayOut(blobs *blob.Dir, to string) error {
	if b.IsLaidOut(to) {
		return nil
	}
	above := filepath.Dir(to)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return fmt.Errorf("lay out %s: %w", b.from, err)
	}
	tmp, err := os.MkdirTemp(above, "tmp-*")
	if err != nil {
		return fmt.Errorf("lay out %s: %w", b.from, err)
	}
	defer os.RemoveAll(tmp)
	made := map[string]bool{}
	for _, e := range b.Manifest.Files {
		path := filepath.Join(tmp, filepath.FromSlash(e.Path))
		if dir := filepath.Dir(path); !made[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("lay out %s: %w", b.from, err)
			}
			made[dir] = true
		}
		err := blobs.Link(e.Digest, e.Size, path, e.Executable)
		if errors.Is(err, fs.ErrNotExist) {
			if err = b.keep(blobs, e); err == nil {
				err = blobs.Link(e.Digest, e.Size, path, e.Executable)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := b.openToAll(tmp); err != nil {
		return fmt.Errorf("lay out %s: %w", b.from, err)
	}
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("lay out %s: %w", b.from, err)
	}
	if err := os.Rename(tmp, to); err != nil && !b.IsLaidOut(to) { // another process may have been faster
		return fmt.Errorf("lay out %s: %w", b.from, err)
	}
	return nil
}

// openToAll lets every user read the directories, whatever the umask is: programs in the
// sandbox may run as another one.
func (b *Bundle) openToAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o755)
	})
}

// IsLaidOut reports whether a directory has the files of the manifest, unchanged, and no
// others.
func (b *Bundle) IsLaidOut(dir string) bool {
	have := 0
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			have++
		}
		return err
	})
	if err != nil || have != len(b.Manifest.Files) {
		return false
	}
	for _, e := range b.Manifest.Files {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if err != nil || !blob.Untouched(info, e.Size, e.Executable) {
			return false
		}
	}
	return true
}
