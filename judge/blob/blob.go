// Package blob keeps bytes by their SHA-256, each as a read-only file of a directory.
// The same bytes are kept once, and what is read under a digest are the bytes that
// have it:
//
//   - A blob comes into being by a rename, after its digest was compared. So a killed
//     process leaves a temporary file at most, which is removed a day later.
//   - A blob gets a fixed modification time. One with that time and the expected size is
//     taken as it is; any other is read and compared as a whole. A damaged one is removed
//     and then counts as missing, so that whoever needs it brings it again.
//   - Over its quota the directory drops what was not used for longest. A blob that has
//     other hard links is in use, and stays.
//   - A directory can be the cache of an Origin, which several machines share.
//
// Several processes may share a directory. The package does not know what the bytes mean,
// nor which of them are still needed.
package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Folder is a directory of blobs.
type Folder struct {
	dir     string
	quota   int64
	durable bool
	origin  Origin // if nil, the folder has all blobs

	mu    sync.Mutex
	known bool
	used  int64 // bytes of all blobs, as far as this process knows, once it is known
}

// ErrDamaged is wrapped by the error of Put for bytes that are not those of the
// digest, and by that of Open for a blob that is missing from now on.
var ErrDamaged = errors.New("the bytes do not have the digest that they should have")

// untouched is the modification time of a blob that nobody changed.
var untouched = time.Unix(0, 0)

const tempName = ".tmp-"

// staleAfter is how old a temporary file is that nobody is writing any more.
const staleAfter = 24 * time.Hour

// Open opens a directory of blobs, and makes it where it is missing. Quota is how many
// bytes the blobs may have together; 0 means no limit.
func Open(dir string, quota int64) (*Folder, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("the blob directory %s is a file: remove it", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the blob directory: %w", err)
	}
	return &Folder{dir: dir, quota: quota}, nil
}

// OpenDurable opens a directory without a quota in which a blob survives a power cut from the
// moment that it is there: it costs two waits for the disk.
func OpenDurable(dir string) (*Folder, error) {
	f, err := Open(dir, 0)
	if err == nil {
		f.durable = true
	}
	return f, err
}

// path is where a blob stands.
func (f *Folder) path(d Digest) string { return filepath.Join(f.dir, string(d[:2]), string(d[2:])) }

// Has reports whether the blob is there, undamaged. A damaged one is removed. The error says that
// nothing is known.
func (f *Folder) Has(d Digest, size int64) (bool, error) {
	if f.origin != nil { // another machine may have removed what is cached here
		return f.origin.Has(d, size)
	}
	file, err := f.openHere(d, size)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	return true, file.Close()
}

// Open opens a blob for reading. Where it is missing, or was damaged and is removed, the
// error is fs.ErrNotExist; so it is where it has another size, and then it stays.
func (f *Folder) Open(d Digest, size int64) (*os.File, error) {
	file, err := f.openHere(d, size)
	if f.origin == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := f.fetch(d); err != nil {
		return nil, err
	}
	return f.openHere(d, size)
}

// openHere is Open without the origin.
func (f *Folder) openHere(d Digest, size int64) (*os.File, error) {
	path := f.path(d)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("blob %s: %w", d, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("look at blob %s: %w", d, err)
	}
	if !info.Mode().IsRegular() {
		return nil, f.discard(d)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", d, err)
	}
	if !info.ModTime().Equal(untouched) || info.Size() != size {
		sum := sha256.New()
		n, err := io.Copy(sum, file)
		if err == nil && digestOf(sum) != d {
			file.Close()
			return nil, f.discard(d)
		}
		if err == nil && n != size {
			file.Close()
			return nil, fmt.Errorf("blob %s has %d bytes, and not %d: %w", d, n, size, fs.ErrNotExist)
		}
		if err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("read blob %s: %w", d, err)
		}
	}
	// Where the directory is read-only the time stays as it is, and so does the blob.
	_ = os.Chtimes(path, time.Now(), untouched)
	return file, nil
}

// Find opens a blob whose size is not known. Where it is missing, or was damaged and is
// removed, the error is fs.ErrNotExist.
func (f *Folder) Find(d Digest) (*os.File, error) {
	file, err := f.findHere(d)
	if f.origin == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := f.fetch(d); err != nil {
		return nil, err
	}
	return f.findHere(d)
}

// findHere is Find without the origin.
func (f *Folder) findHere(d Digest) (*os.File, error) {
	info, err := os.Lstat(f.path(d))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("blob %s: %w", d, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("look at blob %s: %w", d, err)
	}
	return f.openHere(d, info.Size())
}

// Read returns the bytes of a blob whose size is not known, of at most so many bytes.
// Where it is missing, or was damaged and is removed, the error is fs.ErrNotExist.
func (f *Folder) Read(d Digest, most int64) ([]byte, error) {
	file, err := f.Find(d)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", d, err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("blob %s has more than the %d bytes that are read at most", d, most)
	}
	if Of(data) != d {
		return nil, f.discard(d)
	}
	return data, nil
}

// Remove removes a blob; one that is not there is no error.
func (f *Folder) Remove(d Digest) error {
	if f.origin != nil {
		if err := f.origin.Remove(d); err != nil {
			return err
		}
	}
	if err := os.Remove(f.path(d)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove blob %s: %w", d, err)
	}
	return nil
}

// discard removes what stands in the place of a blob and is not the blob.
func (f *Folder) discard(d Digest) error {
	if err := os.RemoveAll(f.path(d)); err != nil {
		return fmt.Errorf("blob %s is damaged and cannot be removed: %w", d, err)
	}
	return fmt.Errorf("blob %s: %w: it is removed: %w", d, ErrDamaged, fs.ErrNotExist)
}

// Put keeps the bytes of r, which must be size bytes with the digest d; else the error
// wraps ErrDamaged. What is there already is not read.
func (f *Folder) Put(d Digest, size int64, r io.Reader) error {
	if has, err := f.Has(d, size); has || err != nil {
		return err
	}
	s, err := f.Stage(io.LimitReader(r, size+1))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Is(d, size); err != nil {
		return err
	}
	return s.Keep()
}

// Add keeps the bytes of r and returns their digest and number.
func (f *Folder) Add(r io.Reader) (Digest, int64, error) {
	s, err := f.Stage(r)
	if err != nil {
		return "", 0, err
	}
	defer s.Close()
	return s.Digest, s.Size, s.Keep()
}

// Staged are bytes that lie beside the blobs, and may become one.
type Staged struct {
	Digest Digest
	Size   int64

	f   *Folder
	tmp string
}

// Stage writes the bytes of r beside the blobs. The caller must call Close.
func (f *Folder) Stage(r io.Reader) (*Staged, error) {
	tmp, err := os.CreateTemp(f.dir, tempName+"*")
	if err != nil {
		return nil, fmt.Errorf("keep a blob: %w", err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(tmp, sum), r)
	if err == nil {
		err = tmp.Chmod(0o444)
	}
	if err == nil && f.durable {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		os.Remove(tmp.Name())
		return nil, fmt.Errorf("keep a blob in %s: %w", f.dir, err)
	}
	return &Staged{Digest: digestOf(sum), Size: n, f: f, tmp: tmp.Name()}, nil
}

// Close removes the bytes, unless they have become a blob.
func (s *Staged) Close() { os.Remove(s.tmp) } // after the rename there is nothing to remove

// Is says whether the bytes are those of a blob; else the error wraps ErrDamaged.
func (s *Staged) Is(d Digest, size int64) error {
	if s.Digest != d || s.Size != size {
		return fmt.Errorf("blob %s: %w", d, ErrDamaged)
	}
	return nil
}

// Keep makes a blob of the bytes.
func (s *Staged) Keep() error {
	if err := s.send(); err != nil {
		return err
	}
	return s.keepHere()
}

// send stores the bytes in the origin.
func (s *Staged) send() error {
	if s.f.origin == nil {
		return nil
	}
	if has, err := s.f.origin.Has(s.Digest, s.Size); has || err != nil {
		return err
	}
	file, err := os.Open(s.tmp)
	if err != nil {
		return fmt.Errorf("store blob %s: %w", s.Digest, err)
	}
	defer file.Close()
	return s.f.origin.Put(s.Digest, s.Size, file)
}

// keepHere is Keep without the origin.
func (s *Staged) keepHere() error {
	f, d := s.f, s.Digest
	if file, err := f.openHere(d, s.Size); err == nil {
		file.Close()
		if f.durable { // whoever put it there may be about to
			return syncFolder(filepath.Dir(f.path(d)))
		}
		return nil
	}
	if err := f.place(s.tmp, d); err != nil {
		return fmt.Errorf("keep blob %s: %w", d, err)
	}
	// Not before the rename: a temporary file that is so old would be swept away. A blob
	// without the time is read as a whole when it is next opened.
	if err := os.Chtimes(f.path(d), time.Now(), untouched); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep blob %s: %w", d, err)
	}
	return f.grown(d, s.Size)
}

// place renames a file to the blob's place. What stands in the way there, or where its
// directory should be, is not a blob, and goes.
func (f *Folder) place(tmp string, d Digest) error {
	path := f.path(d)
	above := filepath.Dir(path)
	if info, err := os.Lstat(above); err == nil && !info.IsDir() {
		if err := os.Remove(above); err != nil {
			return err
		}
	}
	_, missing := os.Stat(above)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp, path); err != nil || !f.durable {
		return err
	}
	if missing != nil {
		if err := syncFolder(f.dir); err != nil {
			return err
		}
	}
	return syncFolder(above)
}

// syncFolder has the names in a directory be on the disk. Where a system cannot say so of a
// directory, its file system sees to it.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Link makes a blob a read-only file at path, which must not exist: by a hard link, or
// by a copy where there can be none. An executable file is always a copy, for links
// share their mode.
func (f *Folder) Link(d Digest, size int64, path string, executable bool) error {
	from, err := f.Open(d, size)
	if err != nil {
		return err
	}
	defer from.Close()
	if !executable && os.Link(f.path(d), path) == nil {
		return nil
	}
	mode := fs.FileMode(0o444)
	if executable {
		mode = 0o555
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("lay out blob %s: %w", d, err)
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Chmod(mode)
	}
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Chtimes(path, time.Now(), untouched)
	}
	if err != nil {
		return fmt.Errorf("lay out blob %s: %w", d, err)
	}
	return nil
}

// Share puts a blob into another directory as well: by a hard link, or by a copy where there can
// be none. Where it is missing, or was damaged and is removed, the error is fs.ErrNotExist.
func (f *Folder) Share(d Digest, to *Folder) error {
	from, err := f.findHere(d)
	if f.origin != nil && errors.Is(err, fs.ErrNotExist) { // past the cache, for which it may be too much
		s, err := f.received(d)
		if err != nil {
			return err
		}
		defer s.Close()
		file, err := os.Open(s.tmp)
		if err != nil {
			return fmt.Errorf("read blob %s: %w", d, err)
		}
		defer file.Close()
		return to.Put(d, s.Size, file)
	}
	if err != nil {
		return err
	}
	defer from.Close()
	path := to.path(d)
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil && os.Link(f.path(d), path) == nil {
		return nil
	}
	info, err := from.Stat()
	if err != nil {
		return fmt.Errorf("look at blob %s: %w", d, err)
	}
	return to.Put(d, info.Size(), from)
}

// Untouched says whether a file that Link made is as Link made it, by its size, its
// mode and its time.
func Untouched(info fs.FileInfo, size int64, executable bool) bool {
	return info.Mode().IsRegular() && info.Size() == size && info.ModTime().Equal(untouched) && (info.Mode()&0o100 != 0) == executable
}

func digestOf(sum hash.Hash) Digest { return Digest(hex.EncodeToString(sum.Sum(nil))) }
