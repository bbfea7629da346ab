// Package blob stores byte strings (blobs) under their SHA-256, each as a read-only file in a directory. The same
// bytes are stored once.
//
//   - A blob is written to a temporary file, compared with its digest, and renamed. A killed process leaves at most
//     a temporary file. Writing a blob removes such files if they are a day old.
//   - A blob gets a fixed modification time. A file with that time and the expected size is not read again. Any
//     other file is compared with its digest. A damaged file is removed, so that a client uploads the blob again.
//   - If a directory exceeds its quota, the least recently used blobs are removed. A blob with other hard links is
//     in use and is not removed.
//   - A directory can cache an Origin, which several machines share.
//
// Several processes may share a directory. The package does not interpret the bytes, and does not know which blobs
// are still needed.
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

// A Dir is a directory of blobs. Its methods may be called concurrently.
type Dir struct {
	dir     string
	quota   int64
	durable bool
	origin  Origin // if nil, there is no other source of blobs

	mu      sync.Mutex
	counted bool
	used    int64     // bytes of all blobs, as far as this process knows; valid once counted
	cleaned time.Time // of the last search for abandoned temporary files
}

// ErrDamaged means that bytes do not match their digest. Put returns it for such bytes. Open returns it for a
// damaged blob, after removing the blob.
var ErrDamaged = errors.New("the bytes do not match their digest")

// unmodifiedTime is the modification time of an unchanged blob.
var unmodifiedTime = time.Unix(0, 0)

const tempName = ".tmp-"

// staleAfter is the age at which a temporary file is considered abandoned.
const staleAfter = 24 * time.Hour

// cleanInterval is the minimum time between two searches for abandoned temporary files.
const cleanInterval = time.Hour

// Open opens a directory of blobs, and creates it if it does not exist. Quota is the maximum total size of the
// blobs in bytes. Zero means no limit.
func Open(dir string, quota int64) (*Dir, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("the blob directory %s is a file: remove it", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the blob directory: %w", err)
	}
	return &Dir{dir: dir, quota: quota}, nil
}

// OpenDurable opens a directory without a quota in which stored blobs survive a power failure. Storing a blob
// waits for the disk twice.
func OpenDurable(dir string) (*Dir, error) {
	f, err := Open(dir, 0)
	if err == nil {
		f.durable = true
	}
	return f, err
}

// path returns the file of a blob.
func (f *Dir) path(d Digest) string { return filepath.Join(f.dir, string(d[:2]), string(d[2:])) }

// Has reports whether the blob exists and is undamaged. It removes a damaged blob. If Has returns an error, the
// state is unknown.
func (f *Dir) Has(d Digest, size int64) (bool, error) {
	if f.origin != nil { // another machine may have removed the cached blob
		return f.origin.Has(d, size)
	}
	file, err := f.openLocal(d, size)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	return true, file.Close()
}

// Open opens a blob for reading. It returns fs.ErrNotExist if the blob is missing, is damaged, or has another
// size. It removes a damaged blob, and leaves a blob of another size in place.
func (f *Dir) Open(d Digest, size int64) (*os.File, error) {
	file, err := f.openLocal(d, size)
	if f.origin == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := f.fetch(d); err != nil {
		return nil, err
	}
	return f.openLocal(d, size)
}

// openLocal is Open without the origin.
func (f *Dir) openLocal(d Digest, size int64) (*os.File, error) {
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
	if !info.ModTime().Equal(unmodifiedTime) || info.Size() != size {
		sum := sha256.New()
		n, err := io.Copy(sum, file)
		if err == nil && digestOf(sum) != d {
			file.Close()
			return nil, f.discard(d)
		}
		if err == nil && n != size {
			file.Close()
			return nil, fmt.Errorf("no complete blob %s: %d bytes instead of %d: %w", d, n, size, fs.ErrNotExist)
		}
		if err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("read blob %s: %w", d, err)
		}
	}
	// In a read-only directory, this fails. That does no harm, because no blob is removed there.
	_ = os.Chtimes(path, time.Now(), unmodifiedTime)
	return file, nil
}

// Find opens a blob of unknown size. It returns fs.ErrNotExist if the blob is missing, or if it was damaged and
// has been removed.
func (f *Dir) Find(d Digest) (*os.File, error) {
	file, err := f.findLocal(d)
	if f.origin == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if err := f.fetch(d); err != nil {
		return nil, err
	}
	return f.findLocal(d)
}

// findLocal is Find without the origin.
func (f *Dir) findLocal(d Digest) (*os.File, error) {
	info, err := os.Lstat(f.path(d))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.Mode().IsRegular():
		return nil, fmt.Errorf("blob %s: %w", d, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("look at blob %s: %w", d, err)
	}
	return f.openLocal(d, info.Size())
}

// Read returns the bytes of a blob of unknown size. MaxSize is the maximum size in bytes; a larger blob is an error.
// Read returns fs.ErrNotExist if the blob is missing, or if it was damaged and has been removed.
func (f *Dir) Read(d Digest, maxSize int64) ([]byte, error) {
	file, err := f.Find(d)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", d, err)
	}
	if int64(len(data)) > maxSize {
		return nil, fmt.Errorf("blob %s has more than the %d bytes that are read at most", d, maxSize)
	}
	if DigestOf(data) != d {
		return nil, f.discard(d)
	}
	return data, nil
}

// Remove removes a blob. It does nothing if there is none.
func (f *Dir) Remove(d Digest) error {
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

// discard removes a file whose bytes do not match the blob that it is named after. It returns ErrDamaged.
func (f *Dir) discard(d Digest) error {
	if err := os.RemoveAll(f.path(d)); err != nil {
		return fmt.Errorf("blob %s is damaged and cannot be removed: %w", d, err)
	}
	return fmt.Errorf("blob %s: %w, so it was removed: %w", d, ErrDamaged, fs.ErrNotExist)
}

// Put stores the bytes of r. It returns ErrDamaged unless r has size bytes with the digest d. If the blob exists,
// Put does not read r.
func (f *Dir) Put(d Digest, size int64, r io.Reader) error {
	return f.put(d, size, r, func() error { return nil })
}

// put is Put. It calls check between reading the bytes and storing them.
func (f *Dir) put(d Digest, size int64, r io.Reader, check func() error) error {
	if exists, err := f.Has(d, size); exists || err != nil {
		return err
	}
	s, err := f.Stage(io.LimitReader(r, size+1))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := errors.Join(s.Verify(d, size), check()); err != nil {
		return err
	}
	return s.Commit()
}

// Add stores the bytes of r, and returns their digest and count.
func (f *Dir) Add(r io.Reader) (Digest, int64, error) {
	s, err := f.Stage(r)
	if err != nil {
		return "", 0, err
	}
	defer s.Close()
	return s.Digest, s.Size, s.Commit()
}

// A Staged is a temporary file in a Dir that can become a blob.
type Staged struct {
	Digest Digest
	Size   int64

	f   *Dir
	tmp string
}

// Stage writes the bytes of r to a temporary file. The caller must call Close.
func (f *Dir) Stage(r io.Reader) (*Staged, error) {
	f.removeAbandoned()
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

// Close removes the temporary file, unless it has become a blob.
func (s *Staged) Close() { os.Remove(s.tmp) } // after the rename, the file is already gone

// Verify returns ErrDamaged unless the bytes have this digest and size.
func (s *Staged) Verify(d Digest, size int64) error {
	if s.Digest != d || s.Size != size {
		return fmt.Errorf("blob %s: %w", d, ErrDamaged)
	}
	return nil
}

// Commit turns the staged bytes into a blob.
func (s *Staged) Commit() error {
	if err := s.upload(); err != nil {
		return err
	}
	return s.commitLocal()
}

// upload stores the bytes in the origin.
func (s *Staged) upload() error {
	if s.f.origin == nil {
		return nil
	}
	if exists, err := s.f.origin.Has(s.Digest, s.Size); exists || err != nil {
		return err
	}
	file, err := os.Open(s.tmp)
	if err != nil {
		return fmt.Errorf("store blob %s: %w", s.Digest, err)
	}
	defer file.Close()
	return s.f.origin.Put(s.Digest, s.Size, file)
}

// commitLocal is Commit without the origin.
func (s *Staged) commitLocal() error {
	f, d := s.f, s.Digest
	if file, err := f.openLocal(d, s.Size); err == nil {
		file.Close()
		if f.durable { // the process that stored the blob may not have synced the directory
			return syncDir(filepath.Dir(f.path(d)))
		}
		return nil
	}
	if err := f.install(s.tmp, d); err != nil {
		return fmt.Errorf("keep blob %s: %w", d, err)
	}
	// This must come after the rename, because a temporary file with such an old time would be removed as
	// abandoned. If the process is killed before this, the blob is compared with its digest when it is next
	// opened.
	if err := os.Chtimes(f.path(d), time.Now(), unmodifiedTime); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep blob %s: %w", d, err)
	}
	return f.recordGrowth(d, s.Size)
}

// install renames a temporary file to the name of its blob. It removes anything else that has the name of the blob
// or of the blob's directory.
func (f *Dir) install(tmp string, d Digest) error {
	path := f.path(d)
	parent := filepath.Dir(path)
	if info, err := os.Lstat(parent); err == nil && !info.IsDir() {
		if err := os.Remove(parent); err != nil {
			return err
		}
	}
	_, missing := os.Stat(parent)
	if err := os.Mkdir(parent, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { // if f.dir is away, it stays away
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
		if err := syncDir(f.dir); err != nil {
			return err
		}
	}
	return syncDir(parent)
}

// syncDir waits until the entries of a directory are on disk. It does nothing on systems that cannot sync a
// directory.
func syncDir(dir string) error {
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

// Link makes a blob available as a read-only file at path, which must not exist. The file is a hard link, or a copy
// if the link fails. An executable file is always a copy, because links share their mode.
func (f *Dir) Link(d Digest, size int64, path string, executable bool) error {
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
		err = os.Chtimes(path, time.Now(), unmodifiedTime)
	}
	if err != nil {
		return fmt.Errorf("lay out blob %s: %w", d, err)
	}
	return nil
}

// CopyTo stores a blob of f in another directory as well, by a hard link, or by a copy if the link fails. It
// returns fs.ErrNotExist if the blob is missing, or if it was damaged and has been removed.
func (f *Dir) CopyTo(d Digest, to *Dir) error {
	from, err := f.findLocal(d)
	if f.origin != nil && errors.Is(err, fs.ErrNotExist) { // bypass the cache, which may be too small
		s, err := f.fetchStaged(d)
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

// IsUnmodified reports whether a file created by Link is unchanged, judging by its size, mode, and time.
func IsUnmodified(info fs.FileInfo, size int64, executable bool) bool {
	return info.Mode().IsRegular() && info.Size() == size && info.ModTime().Equal(unmodifiedTime) && (info.Mode()&0o100 != 0) == executable
}

func digestOf(sum hash.Hash) Digest { return Digest(hex.EncodeToString(sum.Sum(nil))) }
