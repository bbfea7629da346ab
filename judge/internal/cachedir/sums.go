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

// sums are what entries take.
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

// fits reports whether the limits hold.
func (s *sums) fits(l Limits) bool {
	return (l.Bytes <= 0 || s.bytes <= l.Bytes) && (l.Files <= 0 || s.files <= l.Files)
}

// book is the open file of a cache's sums. They may be too high, if a user removed
// entries by hand or a process was killed; the entries are counted before any is
// removed.
type book struct {
	cache *Cache
	file  *os.File
}

// openBook opens and locks the file. Each process has the lock only for a moment.
func (s *Cache) openBook() (*book, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, sumsFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, s.Wrap(err)
	}
	if err := lockWaiting(f); err != nil {
		f.Close()
		return nil, s.Wrap(err)
	}
	return &book{s, f}, nil
}

func (b *book) close() { b.file.Close() }

func (b *book) read() (total sums, ok bool) {
	data, err := io.ReadAll(io.LimitReader(b.file, 100))
	if err != nil {
		return total, false
	}
	n, err := fmt.Sscanf(string(data), "%d %d\n", &total.bytes, &total.files)
	return total, n == 2 && err == nil && total.bytes >= 0 && total.files >= 0
}

func (b *book) write(total sums) error {
	text := fmt.Sprintf("%-19d %-10d\n", total.bytes, total.files) // always as long
	_, err := b.file.WriteAt([]byte(text), 0)
	return b.cache.Wrap(err)
}

// add counts a new entry, and removes as many others as the limits demand.
func (b *book) add(size sums) error {
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
		case !b.cache.release():
			return b.cache.Wrap(errInUse)
		}
	}
	return b.write(total)
}

// stored is an entry as it lies there.
type stored struct {
	key  string
	used time.Time
	sums sums
}

// entries returns all entries, those first that were not asked for the longest, and
// before them those that are damaged.
func (s *Cache) entries() []stored {
	var all []stored
	list, _ := os.ReadDir(s.dir) // what cannot be read cannot be removed
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

// measure counts what is below a path.
func measure(path string) (total sums) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error { // what cannot be read is not counted
		if err == nil {
			if info, err := d.Info(); err == nil {
				total.count(info)
			}
		}
		return nil
	})
	return total
}

// remove removes an entry that is not in use.
func (s *Cache) remove(key string) bool { return s.Discard(filepath.Join(s.dir, key)) }

// Discard removes a file or directory on the cache's file system, at once for all processes.
// It returns false if the file or directory is in use.
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

// Use keeps a file or directory from being discarded until release is called. It returns
// false if it does not exist any more, or is being discarded.
func Use(path string) (release func(), ok bool) {
	f := lockPath(path, false)
	if f == nil {
		return nil, false
	}
	return func() { f.Close() }, true
}

// Size returns how many bytes, in whole blocks, and how many files and directories a directory has.
func Size(dir string) (bytes int64, files int) {
	total := measure(dir)
	return total.bytes, total.files
}

// Trim removes the files of a directory that were not changed for longest until the
// limits hold, for caches of plain files. Hidden files are not looked at.
func Trim(dir string, limits Limits) {
	type file struct {
		path string
		info fs.FileInfo
	}
	var all []file
	var total sums
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what cannot be read cannot be removed
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
