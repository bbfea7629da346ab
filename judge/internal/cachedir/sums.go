package cachedir

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// sums are the size and number of files.
type sums struct {
	bytes int64
	files int
}

const block = 4096

func inBlocks(size int64) int64 { return (size + block - 1) / block * block }

func (s *sums) count(info fs.FileInfo) {
	s.files++
	if info.IsDir() {
		s.bytes += block
		return
	}
	s.bytes += inBlocks(info.Size())
}

func (s *sums) add(o sums) { s.bytes, s.files = s.bytes+o.bytes, s.files+o.files }
func (s *sums) sub(o sums) { s.bytes, s.files = s.bytes-o.bytes, s.files-o.files }

// fits reports whether s is within the limits.
func (s *sums) fits(l Limits) bool {
	return (l.Bytes <= 0 || s.bytes <= l.Bytes) && (l.Files <= 0 || s.files <= l.Files)
}

// totalsFile is the open file that stores the total size and the number of files of a cache. These sums may be too high
// if a user removed entries manually or a process was killed. So all entries are counted again before an entry is
// removed.
type totalsFile struct {
	cache *Cache
	file  *os.File
}

// openTotals opens and locks the file. A process holds the lock only briefly.
func (s *Cache) openTotals() (*totalsFile, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, sumsFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, s.Wrap(err)
	}
	if err := lockWaiting(f); err != nil {
		f.Close()
		return nil, s.Wrap(err)
	}
	return &totalsFile{s, f}, nil
}

func (b *totalsFile) close() { b.file.Close() }

func (b *totalsFile) read() (total sums, ok bool) {
	data, err := io.ReadAll(io.LimitReader(b.file, 100))
	if err != nil {
		return total, false
	}
	n, err := fmt.Sscanf(string(data), "%d %d\n", &total.bytes, &total.files)
	return total, n == 2 && err == nil && total.bytes >= 0 && total.files >= 0
}

func (b *totalsFile) write(total sums) error {
	text := fmt.Sprintf("%-19d %-10d\n", total.bytes, total.files) // constant length
	_, err := b.file.WriteAt([]byte(text), 0)
	return b.cache.Wrap(err)
}

// add counts a new entry, and removes other entries until the limits are met.
func (b *totalsFile) add(size sums) error {
	total, ok := b.read()
	total.add(size)
	if ok && total.fits(b.cache.limits) {
		return b.write(total)
	}
	all := b.cache.entries()
	total = size
	for _, e := range all {
		total.add(e.sums)
	}
	for !total.fits(b.cache.limits) {
		removed := slices.IndexFunc(all, func(e stored) bool { return b.cache.remove(e.key) })
		switch {
		case removed >= 0:
			total.sub(all[removed].sums)
			all = slices.Delete(all, removed, removed+1)
		case !b.cache.releaseOldest():
			return b.cache.Wrap(errInUse)
		}
	}
	return b.write(total)
}

// stored is an entry in the directory.
type stored struct {
	key  string
	used time.Time
	sums sums
}

// entries returns all entries, damaged ones first and then the others in order of their last use, oldest first.
func (s *Cache) entries() []stored {
	var all []stored
	list, _ := os.ReadDir(s.dir) // unreadable entries cannot be removed
	for _, d := range list {
		if !isKey(d.Name()) {
			continue
		}
		e := stored{key: d.Name()}
		dir := filepath.Join(s.dir, e.key)
		head, _, ok := readManifest(dir)
		if _, err := fmt.Sscanf(head, manifestHead+" %d %d", &e.sums.bytes, &e.sums.files); !ok || err != nil {
			e.sums = measure(dir)
		} else if info, err := os.Stat(filepath.Join(dir, manifestName)); err == nil {
			e.used = info.ModTime()
		}
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b stored) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.key, b.key)) })
	return all
}

// measure returns the total size below a path.
func measure(path string) (total sums) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error { // ignores unreadable entries
		if err == nil {
			if info, err := d.Info(); err == nil {
				total.count(info)
			}
		}
		return nil
	})
	return total
}

// remove removes an entry. It returns false if the entry is in use.
func (s *Cache) remove(key string) bool { return s.Discard(filepath.Join(s.dir, key)) }

// Discard atomically removes a file or directory on the cache's file system. It returns false if the file or
// directory is in use.
func (s *Cache) Discard(path string) bool {
	f := lockPath(path, true)
	if f == nil {
		return false
	}
	defer f.Close()
	tmp, done, err := s.Temp()
	if err != nil {
		return false
	}
	defer done()
	return os.Rename(path, filepath.Join(tmp, "old")) == nil
}

// Protect protects a file or directory from Discard until release is called. It returns false if the file or directory
// does not exist or is being discarded.
func Protect(path string) (release func(), ok bool) {
	f := lockPath(path, false)
	if f == nil {
		return nil, false
	}
	return func() { f.Close() }, true
}

// Size returns the size of a directory in bytes, in whole blocks, and its number of files and directories.
func Size(dir string) (bytes int64, files int) {
	total := measure(dir)
	return total.bytes, total.files
}

// Trim removes the files of a directory that have been unchanged longest, until the limits are met. It is for
// caches of plain files, and ignores hidden files.
func Trim(dir string, limits Limits) {
	type file struct {
		path string
		info fs.FileInfo
	}
	var all []file
	var total sums
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // unreadable files cannot be removed
		if err != nil || d.IsDir() || d.Name()[0] == '.' {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, file{path, info})
			total.count(info)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b file) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), cmp.Compare(a.path, b.path))
	})
	for _, f := range all {
		if total.fits(limits) {
			return
		}
		if os.Remove(f.path) == nil {
			var one sums
			one.count(f.info)
			total.sub(one)
		}
	}
}
