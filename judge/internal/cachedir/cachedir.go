// Package cachedir keeps folders that took time to make: built programs, unpacked
// archives, filled packages. A Shelf is a folder of entries, each under a key that
// is a hash of all that it was made from, so an entry is never out of date.
//
//   - An entry is there as a whole or not at all: it is filled under .tmp and
//     renamed. What a killed process left there is swept by the next one; a lock
//     tells whose process is alive, for process numbers mean nothing to another
//     container.
//   - An entry is made once: others that want it wait.
//   - An entry heals: Find looks at the time, size and number of each of its files,
//     and where these differ at its content. What is damaged is made again.
//   - The limits hold after each addition: the entries that nobody has asked for the
//     longest go. Those that a living process was given stay.
//
// The folder may be removed at any time. It does not know what an entry is for, and it
// is not a place for what cannot be made again.
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

// A shelf's folder holds, beside the entries:
const (
	tempDir  = ".tmp"   // folders that are being filled or removed, each locked by the one that does
	locksDir = ".locks" // a file for each key that is being made, locked by its maker
	sumsFile = ".sums"  // how much the entries take; locked while it is changed
)

// Limits bound a shelf. A zero field means no limit.
type Limits struct {
	Bytes int64 // of all entries, their files counted in whole blocks
	Files int   // files and folders of all entries
}

// Shelf is a folder of entries. It is safe for concurrent use, by many processes too.
type Shelf struct {
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

// Open opens the shelf in a folder, which need not be there, and sweeps what killed
// processes left in it.
func Open(dir string, limits Limits) *Shelf {
	s := &Shelf{dir: dir, limits: limits}
	left, _ := os.ReadDir(filepath.Join(dir, tempDir)) // none: nothing to sweep
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

// Find returns the folder of an entry that is there as it was made.
func (s *Shelf) Find(key string) (dir string, found bool) {
	dir = filepath.Join(s.dir, key)
	if !s.take(key) || !s.whole(dir) {
		return "", false
	}
	return dir, true
}

// Add returns the folder of an entry, which fill fills if it is not there. An error
// of fill's is returned as it is, and then nothing is kept.
func (s *Shelf) Add(ctx context.Context, key string, fill func(dir string) error) (string, error) {
	return s.add(ctx, key, fill, s.Find)
}

// Renew is Add for an entry that may be there and yet not be good; then it is made
// again, in the same place.
func (s *Shelf) Renew(ctx context.Context, key string, good func(dir string) bool, fill func(dir string) error) (string, error) {
	find := func(key string) (string, bool) {
		dir, ok := s.Find(key)
		return dir, ok && good(dir)
	}
	return s.add(ctx, key, fill, find)
}

func (s *Shelf) add(ctx context.Context, key string, fill func(dir string) error, find func(key string) (string, bool)) (string, error) {
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
func (s *Shelf) place(key, made, tmp string, size sums) (string, error) {
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

// Temp makes a folder on the shelf's file system for work in progress, which only
// this user can enter. Done removes it; if the process is killed, the next Open does.
func (s *Shelf) Temp() (dir string, done func(), err error) {
	above := filepath.Join(s.dir, tempDir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", nil, s.Wrap(err)
	}
	for range 100 { // a sweep may come between the folder and its lock
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
	return "", nil, s.Wrap(errors.New("no folder in it can be locked"))
}

// take leases an entry; false where there is none.
func (s *Shelf) take(key string) bool {
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
		l.dir.Close() // another one stands in its place
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

// release gives back the oldest lease, which is what this process has used least
// recently; false where there is none.
func (s *Shelf) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.leases) == 0 {
		return false
	}
	s.leases[0].dir.Close()
	s.leases = s.leases[1:]
	return true
}

// Close gives back all entries: from now on others may remove them. The end of the
// process does so, too.
func (s *Shelf) Close() {
	for s.release() {
	}
}

// lockPath opens a path and locks it, alone or beside others, without waiting. It is
// nil if the path is gone or somebody else has it.
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

// same says whether the path still leads to the open file.
func same(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Lstat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// lockKey waits until this process alone makes the entry.
func (s *Shelf) lockKey(ctx context.Context, key string) (unlock func(), err error) {
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
				os.Remove(path) // while it is locked, so that nobody has locked another one
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

// isKey says whether a name may be a key: it ends in a hash, so that what else a
// user keeps in the folder is not taken for an entry.
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
	const another = "\n    set ASSAY_CACHE to a folder that can be written"
	switch {
	case errors.Is(e.Err, errInUse):
		return fmt.Sprintf("the cache, %s, is full of what running judges use\n    wait for one of them to end", e.Dir)
	case IsFull(e.Err):
		return fmt.Sprintf("no space is left on the disk of the cache, %s\n    free some, or set ASSAY_CACHE to a folder on another disk", e.Dir)
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
func (s *Shelf) Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &Error{s.dir, err}
}

// WrapFill says of an error of a fill function, or of work in a folder of Temp's, what it
// means for the cache.
func (s *Shelf) WrapFill(err error) error {
	if IsFull(err) || errors.Is(err, syscall.EROFS) {
		return s.Wrap(err)
	}
	return err
}
