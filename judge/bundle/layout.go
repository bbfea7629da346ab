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

// FromBlobs opens a bundle whose manifest and files are blobs, without a bundle file. It returns fs.ErrNotExist if
// the manifest or FindingsFile is missing. The other files are needed only when the bundle is laid out. The bundle
// has no Config. Error messages use name instead of a file name.
func FromBlobs(blobs *blob.Dir, id blob.Digest, name string) (*Bundle, error) {
	data, err := blobs.Read(id, MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := ParseManifest(name, data)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Manifest: m, path: name, close: func() error { return nil }, open: func(e Entry) (io.ReadCloser, error) {
		return blobs.Open(e.Digest, e.Size)
	}}
	return b, b.readFindings()
}

// StoreBlobs adds the missing files of the bundle to a directory of blobs. Bytes that do not match the manifest give a
// *judge.ProblemError.
func (b *Bundle) StoreBlobs(blobs *blob.Dir) error {
	for _, e := range b.Manifest.Blobs() {
		if err := b.storeBlob(blobs, e); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bundle) storeBlob(blobs *blob.Dir, e Entry) error {
	r, err := b.open(e)
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", e.Path, b.path, err)
	}
	defer r.Close()
	err = blobs.Put(e.Digest, e.Size, r)
	if errors.Is(err, blob.ErrDamaged) {
		return b.fault("the bytes of %s are not those of the manifest", e.Path)
	}
	return err
}

// Extract creates the problem directory at path to. Its files are read-only hard links into the directory of blobs,
// to which missing blobs are added. A directory that was laid out earlier is reused if it is unchanged, and
// otherwise replaced.
func (b *Bundle) Extract(blobs *blob.Dir, target string) error {
	if b.IsExtracted(target) {
		return nil
	}
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("lay out %s: %w", b.path, err)
	}
	tmp, err := os.MkdirTemp(parent, "tmp-*")
	if err != nil {
		return fmt.Errorf("lay out %s: %w", b.path, err)
	}
	defer os.RemoveAll(tmp)
	made := map[string]bool{}
	for _, e := range b.Manifest.Files {
		path := filepath.Join(tmp, filepath.FromSlash(e.Path))
		if dir := filepath.Dir(path); !made[dir] {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("lay out %s: %w", b.path, err)
			}
			made[dir] = true
		}
		err := blobs.Link(e.Digest, e.Size, path, e.Executable)
		if errors.Is(err, fs.ErrNotExist) {
			if err = b.storeBlob(blobs, e); err == nil {
				err = blobs.Link(e.Digest, e.Size, path, e.Executable)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := b.makeReadable(tmp); err != nil {
		return fmt.Errorf("lay out %s: %w", b.path, err)
	}
	if err := os.RemoveAll(target); err != nil {
		return fmt.Errorf("lay out %s: %w", b.path, err)
	}
	if err := os.Rename(tmp, target); err != nil && !b.IsExtracted(target) { // another process may have been faster
		return fmt.Errorf("lay out %s: %w", b.path, err)
	}
	return nil
}

// makeReadable makes the directories readable by all users, regardless of the umask. Programs in the sandbox may run
// as another user.
func (b *Bundle) makeReadable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(path, 0o755)
	})
}

// IsExtracted reports whether a directory contains exactly the files of the manifest, unchanged.
func (b *Bundle) IsExtracted(dir string) bool {
	matching := 0
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			matching++
		}
		return err
	})
	if err != nil || matching != len(b.Manifest.Files) {
		return false
	}
	for _, e := range b.Manifest.Files {
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path)))
		if err != nil || !blob.IsUnmodified(info, e.Size, e.Executable) {
			return false
		}
	}
	return true
}
