package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrAway means that an origin does not respond, and that the caller can repeat the request later.
var ErrAway = errors.New("the shared files do not respond")

// An Origin stores the blobs that several machines share. A Dir can cache an Origin: see
// Dir.CacheOf. All methods may be called concurrently. They return ErrAway if the failure is temporary.
type Origin interface {
	// Has reports whether the blob exists and has this size.
	Has(d Digest, size int64) (bool, error)
	// Get opens a blob. It returns fs.ErrNotExist if the blob is missing. The caller compares the digest, and
	// retries at once if Get or the reader returns context.DeadlineExceeded without ErrAway.
	Get(d Digest) (io.ReadCloser, error)
	// Put stores a blob whose digest the caller has compared. Once Put returns, the blob survives a power failure.
	// Put may read the bytes more than once.
	Put(d Digest, size int64, r io.ReadSeeker) error
	// Remove removes a blob. It returns nil if the blob is missing.
	Remove(d Digest) error
	// Mark returns the text that SetMark stored. If empty, the origin is not marked.
	Mark() (string, error)
	SetMark(mark string) error
}

// CacheOf turns the directory into a cache of o. From then on, Has queries the origin, Open and Read fetch missing
// blobs from it, and a blob is stored in the origin before it is stored locally. CacheOf must be called before any
// other method.
func (f *Dir) CacheOf(o Origin) { f.origin = o }

// Shared reports whether other machines also add and remove blobs.
func (f *Dir) Shared() bool { return f.origin != nil }

// fetch copies a blob from the origin into the directory.
func (f *Dir) fetch(d Digest) error {
	s, err := f.fetchStaged(d)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.commitLocal()
}

// maxRetries is the maximum number of retries after an origin's timeouts.
const maxRetries = 10

// fetchStaged reads a blob from the origin, and retries after a timeout. If the blob is damaged twice, received
// removes it from the origin, so that a client uploads it again.
func (f *Dir) fetchStaged(d Digest) (*Staged, error) {
	for timeouts, damaged := 0, false; ; {
		s, err := f.fetchOnce(d)
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrAway) && timeouts < maxRetries:
			timeouts++
		case errors.Is(err, ErrDamaged) && !damaged:
			damaged = true
		case errors.Is(err, ErrDamaged):
			if err := f.origin.Remove(d); err != nil {
				return nil, fmt.Errorf("blob %s is damaged in the shared blobs, and cannot be removed there: %w", d, err)
			}
			return nil, fmt.Errorf("blob %s: %w, so it was removed from the shared blobs: %w", d, ErrDamaged, fs.ErrNotExist)
		default:
			return nil, fmt.Errorf("fetch blob %s: %w", d, err)
		}
	}
}

// fetchOnce reads a blob from the origin. It returns ErrDamaged if the bytes do not match the digest.
func (f *Dir) fetchOnce(d Digest) (*Staged, error) {
	r, err := f.origin.Get(d)
	if err != nil {
		return nil, err
	}
	s, err := f.Stage(r)
	if err = errors.Join(err, r.Close()); err == nil && s.Digest != d {
		err = ErrDamaged
	}
	if err != nil && s != nil {
		s.Close()
	}
	return s, err
}

// markFile is the name of the file that distinguishes the directory of a SharedDir from others.
const markFile = "assay-blobs"

// SharedDir is an Origin in a directory on a disk that several machines mount. If the disk is not mounted, the
// mount point is an empty directory. So once the SharedDir has a mark, a directory without that mark gives an
// error: nothing is written there, and no blob is reported as missing.
type SharedDir struct {
	*Dir
	mark string
}

// OpenSharedDir opens a directory, which must exist.
func OpenSharedDir(dir string) (*SharedDir, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the shared directory of blobs %s does not exist: mount its disk, or create the directory there", dir)
	}
	f, err := OpenDurable(dir)
	return &SharedDir{Dir: f}, err
}

// Mark reads the mark. From then on, the directory must contain this mark.
func (s *SharedDir) Mark() (string, error) {
	mark, err := s.readMark()
	s.mark = mark
	return mark, err
}

// SetMark marks the directory.
func (s *SharedDir) SetMark(mark string) error {
	text, err := s.Stage(strings.NewReader(mark + "\n"))
	if err != nil {
		return err
	}
	defer text.Close()
	if err := errors.Join(os.Rename(text.tmp, filepath.Join(s.dir, markFile)), syncDir(s.dir)); err != nil {
		return fmt.Errorf("mark the shared directory of blobs: %w", err)
	}
	s.mark = mark
	return nil
}

func (s *SharedDir) readMark() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, markFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the mark of the shared directory of blobs: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// checkMark returns ErrAway if the directory does not contain the expected mark.
func (s *SharedDir) checkMark() error {
	mark, err := s.readMark()
	if err == nil && mark == s.mark {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("its file %s is missing or differs", markFile)
	}
	return fmt.Errorf("%w: %s is not the directory that this server started with: mount the disk again: %w", ErrAway, s.dir, err)
}

// explain returns ErrAway if the directory lacks its mark, which is then the cause of err, or if err is how a disk of
// another machine fails. Otherwise it returns err.
func (s *SharedDir) explain(err error) error {
	if err == nil {
		return nil
	}
	if away := s.checkMark(); away != nil {
		return away
	}
	for _, lost := range []error{syscall.ESTALE, syscall.EIO, syscall.ETIMEDOUT} {
		if errors.Is(err, lost) {
			return fmt.Errorf("%w: %w", ErrAway, err)
		}
	}
	return err
}

// Has implements Origin.
func (s *SharedDir) Has(d Digest, size int64) (bool, error) {
	exists, err := s.Dir.Has(d, size)
	if err == nil && !exists {
		return false, s.checkMark()
	}
	return exists, s.explain(err)
}

// Get implements Origin.
func (s *SharedDir) Get(d Digest) (io.ReadCloser, error) {
	file, err := s.Find(d)
	if err != nil {
		return nil, s.explain(err)
	}
	return sharedFile{file, s}, nil
}

// A sharedFile is an open file of a SharedDir, whose disk may be lost while the file is read.
type sharedFile struct {
	io.ReadCloser
	dir *SharedDir
}

func (f sharedFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != io.EOF {
		err = f.dir.explain(err)
	}
	return n, err
}

// Put implements Origin. It compares the mark again before it stores the bytes, because the disk may be unmounted
// while they arrive.
func (s *SharedDir) Put(d Digest, size int64, r io.ReadSeeker) error {
	if err := s.checkMark(); err != nil {
		return err
	}
	return s.explain(s.put(d, size, r, s.checkMark))
}

// Remove implements Origin.
func (s *SharedDir) Remove(d Digest) error {
	if err := s.checkMark(); err != nil {
		return err
	}
	return s.explain(s.Dir.Remove(d))
}
