// Package cachedir caches directories that take long to create, such as built programs, extracted archives and
// generated packages. A Cache is a directory of entries. The key of an entry is a hash of all its inputs, so an
// entry is never outdated.
//
//   - An entry appears atomically: it is filled under .tmp and renamed.
//     The next process removes what a killed one left there. Locks show which
//     processes are alive, because process ids are not unique across containers.
//   - An entry is created once. Concurrent callers wait for it.
//   - Entries are self-healing: Find compares the time, size and inode of each
//     file and, if these differ, its content. A damaged entry is created again.
//   - The limits are enforced after each addition: the least recently used entries
//     are removed, except those in use by a living process.
//
// The directory may be removed at any time. The package knows nothing of the content of entries. Do not use it for
// data that cannot be created again.
package cachedir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"assay/judge/internal/forceremove"
)

// The directory of a cache has these files in addition to the entries:
const (
	tempDir  = ".tmp"   // directories being filled or removed, each locked by its process
	locksDir = ".locks" // a file for each key being created, locked by its process
	sumsFile = ".sums"  // total size of the entries; locked during changes
)

// Limits are the limits of a cache. A zero field means no limit.
type Limits struct {
	Bytes int64 // total size of all entries in whole blocks
	Files int   // number of files and directories of all entries
}

// A Cache is a directory of entries. It is safe for concurrent use by goroutines and processes.
type Cache struct {
	dir    string
	limits Limits

	mu     sync.Mutex
	leases []lease // newest last
}

// lease protects an entry from removal by other processes while this process may use it.
type lease struct {
	key string
	dir *os.File // locked
}

// maxLeases is the maximum number of entries that a process protects: the most recently used ones.
const maxLeases = 256

// Open opens the cache in a directory, which need not exist. It removes leftovers of killed processes.
func Open(dir string, limits Limits) *Cache {
	s := &Cache{dir: dir, limits: limits}
	left, _ := os.ReadDir(filepath.Join(dir, tempDir)) // if unreadable, nothing was left
	for _, d := range left {
		path := filepath.Join(dir, tempDir, d.Name())
		if info, err := d.Info(); !locks && (err != nil || time.Since(info.ModTime()) < 24*time.Hour) {
			continue
		}
		if f := lockPath(path, true); f != nil {
			_ = forceremove.All(path) // the next Open tries again
			f.Close()
		}
	}
	return s
}

// Find returns the directory of an entry. It reports false if the entry is missing or damaged.
func (s *Cache) Find(key string) (dir string, found bool) {
	dir = filepath.Join(s.dir, key)
	if !s.acquireLease(key) || !s.isIntact(dir) {
		return "", false
	}
	return dir, true
}

// Add returns the directory of an entry. If the entry does not exist, Add calls fill to create it. It returns an
// error of fill unchanged, and then keeps nothing.
func (s *Cache) Add(ctx context.Context, key string, fill func(dir string) error) (string, error) {
	return s.add(ctx, key, fill, s.Find)
}

// Renew is like Add, but if good returns false for the directory of an existing entry, it creates the entry again
// under the same path.
func (s *Cache) Renew(ctx context.Context, key string, good func(dir string) bool, fill func(dir string) error) (string, error) {
	find := func(key string) (string, bool) {
		dir, ok := s.Find(key)
		return dir, ok && good(dir)
	}
	return s.add(ctx, key, fill, find)
}

func (s *Cache) add(ctx context.Context, key string, fill func(dir string) error, find func(key string) (string, bool)) (string, error) {
	if !isKey(key) {
		return "", fmt.Errorf("cache %s: %q is not a key", s.dir, key)
	}
	if dir, ok := find(key); ok {
		return dir, nil
	}
	unlock, err := s.lockKey(ctx, key)
	if err != nil {
		return "", err
	}
	defer unlock()
	if dir, ok := find(key); ok { // created meanwhile by another process
		return dir, nil
	}
	tmp, done, err := s.Temp()
	if err != nil {
		return "", err
	}
	defer done()
	made := filepath.Join(tmp, "entry")
	if err := s.Wrap(makeDir(made)); err != nil {
		return "", err
	}
	if err := fill(made); err != nil {
		return "", s.WrapFill(err)
	}
	size, err := seal(made)
	if err != nil {
		return "", s.Wrap(err)
	}
	return s.install(key, made, tmp, size)
}

// install moves the new entry from the path made to its final path. It moves an existing entry with the same key to
// tmp, and removes other entries if the limits require it.
func (s *Cache) install(key, filled, tmp string, size sums) (string, error) {
	book, err := s.openTotals()
	if err != nil {
		return "", err
	}
	defer book.close()
	dir := filepath.Join(s.dir, key)
	if err := os.Rename(dir, filepath.Join(tmp, "old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", s.Wrap(err)
	}
	if err := book.add(size); err != nil {
		return "", err
	}
	if err := os.Rename(filled, dir); err != nil {
		return "", s.Wrap(err)
	}
	if !s.acquireLease(key) {
		return "", s.Wrap(fmt.Errorf("%s is gone", dir))
	}
	return dir, nil
}

// Temp creates a directory for temporary files on the cache's file system, accessible only to this user. Call done
// to remove it. If the process is killed, the next Open removes it.
func (s *Cache) Temp() (dir string, remove func(), err error) {
	above := filepath.Join(s.dir, tempDir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", nil, s.Wrap(err)
	}
	for range 100 { // another Open may remove the directory before it is locked
		dir, err = os.MkdirTemp(above, "")
		if err != nil {
			return "", nil, s.Wrap(err)
		}
		if f := lockPath(dir, true); f != nil {
			return dir, func() {
				_ = forceremove.All(dir) // the next Open removes leftovers
				f.Close()
			}, nil
		}
	}
	return "", nil, s.Wrap(errors.New("no directory in it can be locked"))
}

// acquireLease leases an entry. It returns false if the entry does not exist.
func (s *Cache) acquireLease(key string) bool {
	path := filepath.Join(s.dir, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.leases {
		if l.key != key {
			continue
		}
		s.leases = append(s.leases[:i], s.leases[i+1:]...)
		if refersTo(l.dir, path) {
			s.leases = append(s.leases, l)
			return true
		}
		l.dir.Close() // the entry was replaced
		break
	}
	f := lockPath(path, false)
	if f == nil {
		return false
	}
	if len(s.leases) == maxLeases {
		s.leases[0].dir.Close()
		s.leases = s.leases[1:]
	}
	s.leases = append(s.leases, lease{key, f})
	return true
}

// releaseOldest releases the lease of the entry that this process has used least recently. It returns false if there are
// no leases.
func (s *Cache) releaseOldest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leases) == 0 {
		return false
	}
	s.leases[0].dir.Close()
	s.leases = s.leases[1:]
	return true
}

// Close releases all leases, so that other processes may remove the entries. They are also released when the
// process ends.
func (s *Cache) Close() {
	for s.releaseOldest() {
	}
}

// lockPath opens a path and locks it without waiting, exclusively if exclusive is set. It returns nil if the path does
// not exist or is locked by another process.
func lockPath(path string, exclusive bool) *os.File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	if !lock(f, exclusive) || !refersTo(f, path) {
		f.Close()
		return nil
	}
	return f
}

// refersTo reports whether path still refers to the open file.
func refersTo(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// lockKey waits for the exclusive lock on the creation of an entry.
func (s *Cache) lockKey(ctx context.Context, key string) (unlock func(), err error) {
	above := filepath.Join(s.dir, locksDir)
	if err := os.MkdirAll(above, 0o755); err != nil {
		return nil, s.Wrap(err)
	}
	path := filepath.Join(above, key)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, s.Wrap(err)
		}
		if lock(f, true) && refersTo(f, path) {
			return func() {
				os.Remove(path) // still locked, so no other process can have locked a new file
				f.Close()
			}, nil
		}
		f.Close()
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// isKey reports whether a name may be a key. A key ends in a hash, so that other files in the directory are not
// mistaken for entries.
func isKey(name string) bool {
	const digits = 16
	if len(name) < digits || name[0] == '.' || filepath.Base(name) != name {
		return false
	}
	for _, r := range name[len(name)-digits:] {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return true
}

func makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755) // regardless of the umask
}

// Error means that a cache cannot be used. The machine is to blame.
type Error struct {
	Dir string
	Err error
}

func (e *Error) Error() string {
	const another = "\n    set ASSAY_CACHE to a directory that can be written"
	switch {
	case errors.Is(e.Err, errInUse):
		return fmt.Sprintf("the cache, %s, is full of what running judges use\n    wait for one of them to end", e.Dir)
	case IsFull(e.Err):
		return fmt.Sprintf(
			"no space is left on the disk of the cache, %s\n    free some, or set ASSAY_CACHE to a directory on another disk",
			e.Dir,
		)
	case errors.Is(e.Err, syscall.EROFS):
		return fmt.Sprintf("the cache, %s, is on a disk that is read-only%s", e.Dir, another)
	case errors.Is(e.Err, fs.ErrPermission):
		return fmt.Sprintf("the cache, %s, cannot be written by this user%s", e.Dir, another)
	}
	return fmt.Sprintf("the cache, %s, cannot be used: %v%s", e.Dir, e.Err, another)
}

// Unwrap returns the system's error.
func (e *Error) Unwrap() error { return e.Err }

// errInUse means that no entry can be removed.
var errInUse = errors.New("everything in it is in use")

// Wrap converts an error to an *Error of the cache. It returns nil if err is nil.
func (s *Cache) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{s.dir, err}
}

// WrapFill converts an error of a fill function, or of work in a directory of Temp. It returns an *Error if the
// disk is full or read-only.
func (s *Cache) WrapFill(err error) error {
	if IsFull(err) || errors.Is(err, syscall.EROFS) {
		return s.Wrap(err)
	}
	return err
}
