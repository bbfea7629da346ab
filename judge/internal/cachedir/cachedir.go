// Package cachedir keeps directories that took time to make: built programs, unpacked
// archives, filled packages. A Cache is a directory of entries. The key of an entry is
// a hash of all that it was made from, so an entry is never out of date.
//
//   - An entry exists as a whole or not at all: it is filled under .tmp and renamed.
//     The next process removes what a killed one left there. Locks show which
//     processes are alive, because process numbers mean nothing to another container.
//   - An entry is made once: other callers wait for it.
//   - An entry heals: Find compares the time, size and number of each of its files
//     and, if these differ, its content. A damaged entry is made again.
//   - The limits hold after each addition: the least recently used entries are
//     removed. Entries that a living process uses stay.
//
// The directory may be removed at any time. The package does not know what an entry is
// for, and it is not a place for what cannot be made again.
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

	"assay/judge/internal/raze"
)

// The directory of a cache has these files in addition to the entries:
const (
	tempDir  = ".tmp"   // directories that are being filled or removed, each locked by its process
	locksDir = ".locks" // a file for each key that is being made, locked by its maker
	sumsFile = ".sums"  // how much the entries take; locked while it is changed
)

// Limits bound a cache. A zero field means no limit.
type Limits struct {
	Bytes int64 // of all entries, their files counted in whole blocks
	Files int   // files and directories of all entries
}

// A Cache is a directory of entries. It is safe for concurrent use by goroutines and processes.
type Cache struct {
	dir    string
	limits Limits

	mu     sync.Mutex
	leases []lease // the latest last
}

// lease keeps an entry from being removed by others while this process may use it.
type lease struct {
	key string
	dir *os.File // locked
}

// maxLeases is how many entries a process keeps from being removed: those that it
// asked for last.
const maxLeases = 256

// Open opens the cache in a directory, which need not exist, and removes what killed
// processes left in it.
func Open(dir string, limits Limits) *Cache {
	s := &Cache{dir: dir, limits: limits}
	left, _ := os.ReadDir(filepath.Join(dir, tempDir)) // without it, nothing was left
	for _, d := range left {
		path := filepath.Join(dir, tempDir, d.Name())
		if info, err := d.Info(); !locks && (err != nil || time.Since(info.ModTime()) < 24*time.Hour) {
			continue
		}
		if f := lockPath(path, true); f != nil {
			_ = raze.All(path) // tried again by the next one
			f.Close()
		}
	}
	return s
}

// Find returns the directory of an undamaged entry.
func (s *Cache) Find(key string) (dir string, found bool) {
	dir = filepath.Join(s.dir, key)
	if !s.take(key) || !s.whole(dir) {
		return "", false
	}
	return dir, true
}

// Add returns the directory of an entry. If there is none, fill fills it. It returns an
// error of fill unchanged, and then keeps nothing.
func (s *Cache) Add(ctx context.Context, key string, fill func(dir string) error) (string, error) {
	return s.add(ctx, key, fill, s.Find)
}

// Renew is Add for an entry that may be there and yet not be good; then it is made
// again, in the same place.
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
	if dir, ok := find(key); ok { // made while we waited
		return dir, nil
	}
	tmp, done, err := s.Temp()
	if err != nil {
		return "", err
	}
	defer done()
	made := filepath.Join(tmp, "entry")
	if err := s.Wrap(makeFolder(made)); err != nil {
		return "", err
	}
	if err := fill(made); err != nil {
		return "", s.WrapFill(err)
	}
	size, err := seal(made)
	if err != nil {
		return "", s.Wrap(err)
	}
	return s.place(key, made, tmp, size)
}

// place makes room for an entry and puts it there.
func (s *Cache) place(key, made, tmp string, size sums) (string, error) {
	book, err := s.openBook()
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
	if err := os.Rename(made, dir); err != nil {
		return "", s.Wrap(err)
	}
	if !s.take(key) {
		return "", s.Wrap(fmt.Errorf("%s is gone", dir))
	}
	return dir, nil
}

// Temp creates a directory on the cache's file system for work in progress, which only
// this user can enter. Done removes it; if the process is killed, the next Open does.
func (s *Cache) Temp() (dir string, done func(), err error) {
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
				_ = raze.All(dir) // what stays is swept
				f.Close()
			}, nil
		}
	}
	return "", nil, s.Wrap(errors.New("no directory in it can be locked"))
}

// take leases an entry; false if there is none.
func (s *Cache) take(key string) bool {
	path := filepath.Join(s.dir, key)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, l := range s.leases {
		if l.key != key {
			continue
		}
		s.leases = append(s.leases[:i], s.leases[i+1:]...)
		if same(l.dir, path) {
			s.leases = append(s.leases, l)
			return true
		}
		l.dir.Close() // another one is in its place
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

// release releases the oldest lease, which is what this process has used least
// recently; false if there is none.
func (s *Cache) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leases) == 0 {
		return false
	}
	s.leases[0].dir.Close()
	s.leases = s.leases[1:]
	return true
}

// Close releases all entries: from now on others may remove them. The end of the
// process does so, too.
func (s *Cache) Close() {
	for s.release() {
	}
}

// lockPath opens a path and locks it, alone or beside others, without waiting. It returns
// nil if the path is gone or another process has the lock.
func lockPath(path string, alone bool) *os.File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	if !lock(f, alone) || !same(f, path) {
		f.Close()
		return nil
	}
	return f
}

// same reports whether the path still leads to the open file.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// lockKey waits until this process alone makes the entry.
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
		if lock(f, true) && same(f, path) {
			return func() {
				os.Remove(path) // while it is locked, so that no process has locked another one
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

// isKey reports whether a name may be a key: it ends in a hash, so that other
// files in the directory are not taken for entries.
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

func makeFolder(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return os.Chmod(dir, 0o755) // whatever the umask is
}

// Error is a cache that cannot be used: the machine's fault.
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

// Unwrap returns what the system said.
func (e *Error) Unwrap() error { return e.Err }

// errInUse says that nothing can be removed.
var errInUse = errors.New("everything in it is in use")

// Wrap says of an error that it is one of the cache.
func (s *Cache) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{s.dir, err}
}

// WrapFill adds to an error of a fill function, or of work in a directory of Temp, what it
// means for the cache.
func (s *Cache) WrapFill(err error) error {
	if IsFull(err) || errors.Is(err, syscall.EROFS) {
		return s.Wrap(err)
	}
	return err
}
