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
)

// An Origin stores the blobs that several machines share. A Dir can cache an Origin: see
// Dir.CacheOf. All methods may be called concurrently.
type Origin interface {
	// Has reports whether the blob exists and has this size.
	Has(d Digest, size int64) (bool, error)
	// Get opens a blob. It returns fs.ErrNotExist if there is none. The caller compares the digest, and tries
	// again if Get or the reader returns context.DeadlineExceeded.
	Get(d Digest) (io.ReadCloser, error)
	// Put stores a blob whose digest the caller has compared. When it returns, a power cut does not
	// lose the blob. It may read the bytes more than once.
	Put(d Digest, size int64, r io.ReadSeeker) error
	// Remove removes a blob. It is no error if there is none.
	Remove(d Digest) error
	// Mark returns the text that SetMark stored. If empty, the origin is not marked.
	Mark() (string, error)
	SetMark(mark string) error
}

// CacheOf makes the directory a cache of an origin. Has then asks the origin, Open and Read fetch missing blobs
// from it, and a blob is stored in the origin before it is stored here. CacheOf must be called before any other
// method.
func (f *Dir) CacheOf(o Origin) { f.origin = o }

// Shared reports whether other machines add and remove blobs, too.
func (f *Dir) Shared() bool { return f.origin != nil }

// fetch copies a blob from the origin into the directory.
func (f *Dir) fetch(d Digest) error {
	s, err := f.received(d)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.keepHere()
}

// mostLate is how often an origin may not answer in time.
const mostLate = 10

// received reads a blob from the origin, and tries again if the origin does not answer in time. If the blob is damaged
// twice, received removes it, so that a client uploads it again.
func (f *Dir) received(d Digest) (*Staged, error) {
	for late, damaged := 0, false; ; {
		s, err := f.receive(d)
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, context.DeadlineExceeded) && late < mostLate:
			late++
		case errors.Is(err, ErrDamaged) && !damaged:
			damaged = true
		case errors.Is(err, ErrDamaged):
			if err := f.origin.Remove(d); err != nil {
				return nil, fmt.Errorf("blob %s is damaged where servers share it, and cannot be removed: %w", d, err)
			}
			return nil, fmt.Errorf("blob %s: %w: it is removed where servers share it: %w", d, ErrDamaged, fs.ErrNotExist)
		default:
			return nil, fmt.Errorf("fetch blob %s: %w", d, err)
		}
	}
}

// receive reads a blob from the origin. It returns ErrDamaged if its digest is another one.
func (f *Dir) receive(d Digest) (*Staged, error) {
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

// markFile tells the directory of a SharedDir from any other.
const markFile = "assay-blobs"

// SharedDir is an Origin in a directory on a disk that several machines mount. While it has a mark, it
// does not write to a directory without it, and does not report that a blob is missing there: if a disk is
// not mounted, the directory below it is empty.
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

// Mark reads the mark. From then on the directory must have it.
func (s *SharedDir) Mark() (string, error) {
	mark, err := s.read()
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

func (s *SharedDir) read() (string, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, markFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the mark of the shared directory of blobs: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// same returns an error if the directory is not the one that was marked.
func (s *SharedDir) same() error {
	mark, err := s.read()
	if err == nil && mark != s.mark {
		err = fmt.Errorf("the shared directory of blobs %s is not the one that this server started with: its file %s is missing or differs: "+
			"mount the disk again", s.dir, markFile)
	}
	return err
}

// Has implements Origin.
func (s *SharedDir) Has(d Digest, size int64) (bool, error) {
	there, err := s.Dir.Has(d, size)
	if err == nil && !there {
		err = s.same()
	}
	return there, err
}

// Get implements Origin.
func (s *SharedDir) Get(d Digest) (io.ReadCloser, error) {
	file, err := s.Find(d)
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.same(); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Put implements Origin.
func (s *SharedDir) Put(d Digest, size int64, r io.ReadSeeker) error {
	if err := s.same(); err != nil {
		return err
	}
	return s.Dir.Put(d, size, r)
}
