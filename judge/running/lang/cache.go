package lang

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The cache is a folder that may be removed at any time:
//
//	programs/<kk>/<key>/entry.json   what was built, and which files must be there
//	programs/<kk>/<key>/program/     shown to the program as /program
//	keep/<language>-<origin>/        the languages' own caches
//	tools.json                       what tools said of themselves
//	work/<random>/                   builds that run now
//
// A key is the hash of all that goes into a program (see Toolbox.key), so an
// entry is never out of date. An entry is put together under work/ and renamed,
// so that it is there as a whole or not at all, whoever else builds the same. One
// whose files are not as they were written is built anew.
type cache struct{ dir string }

const (
	// cacheFormat rises when entries are made in another way.
	cacheFormat = 1
	// cacheSize is what the programs may take, in bytes, after a sweep.
	cacheSize = 2 << 30
	// sweepEvery is the time between sweeps.
	sweepEvery = time.Hour
	// inUse is how long an entry is safe after it was last asked for: a judge may
	// be running it.
	inUse = 6 * time.Hour
)

// entry is a program in the cache.
type entry struct {
	Format int               `json:"format"`
	Key    string            `json:"key"`
	Words  map[string]string `json:"words"` // for the run command
	Log    string            `json:"log"`   // as the build folder's names have it
	Size   int64             `json:"size_bytes"`
	Files  []entryFile       `json:"files"`

	dir string // the program folder
}

type entryFile struct {
	Name string `json:"name"`
	Size int64  `json:"size_bytes"`
	Time int64  `json:"modified_ns"`
}

func newCache(dir string) *cache { return &cache{dir} }

func (c *cache) entryDir(key string) string {
	return filepath.Join(c.dir, "programs", key[:2], key)
}

// lookup finds an entry that is whole.
func (c *cache) lookup(key string) (*entry, bool) {
	dir := c.entryDir(key)
	file := filepath.Join(dir, "entry.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	e := &entry{dir: filepath.Join(dir, "program")}
	if json.Unmarshal(data, e) != nil || e.Format != cacheFormat || e.Key != key || len(e.Files) == 0 {
		return nil, false
	}
	for _, f := range e.Files {
		info, err := os.Lstat(filepath.Join(e.dir, f.Name))
		if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size || info.ModTime().UnixNano() != f.Time {
			return nil, false
		}
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > inUse/4 {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // used just now; a sweep may otherwise come too early
	}
	return e, true
}

// work makes a folder for a build. The build folder inside is open to everybody,
// because the sandbox's user is not ours, but nobody else gets to it.
func (c *cache) work() (dir string, err error) {
	above := filepath.Join(c.dir, "work")
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", fmt.Errorf("make a build folder: %w", err)
	}
	dir, err = os.MkdirTemp(above, "build-*")
	if err != nil {
		return "", fmt.Errorf("make a build folder: %w", err)
	}
	return dir, nil
}

// open makes a folder that the sandbox's user can write to.
func openFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.Chmod(dir, 0o777) // whatever the umask is
}

// keep returns a language's own cache folder. A new one starts as a copy of the
// seed, if that is there.
func (c *cache) keep(name, seed string) (string, error) {
	dir := filepath.Join(c.dir, "keep", name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", fmt.Errorf("make a compiler's cache: %w", err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && seed != name {
		c.seed(dir, filepath.Join(c.dir, "keep", seed))
	}
	if err := openFolder(dir); err != nil {
		return "", fmt.Errorf("make a compiler's cache: %w", err)
	}
	return dir, nil
}

// seed copies the regular files of a compiler's cache. What does not work is not
// there: it only saves time.
func (c *cache) seed(dir, from string) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return
	}
	defer root.Close()
	work, err := c.work()
	if err != nil {
		return
	}
	defer os.RemoveAll(work)
	staged := filepath.Join(work, "seed")
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(staged, name)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return openFolder(to)
		case !d.Type().IsRegular():
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		copied, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		_, err = io.Copy(copied, f)
		return errors.Join(err, copied.Chmod(0o666), copied.Close())
	})
	if err == nil {
		_ = os.Rename(staged, dir) // unless another judge was faster
	}
}

// store puts an entry, whose program folder is at program, into the cache.
func (c *cache) store(e *entry, program string) error {
	work := filepath.Dir(program)
	staged := filepath.Join(work, "entry")
	if err := os.Mkdir(staged, 0o755); err != nil {
		return fmt.Errorf("store the program: %w", err)
	}
	if err := os.Rename(program, filepath.Join(staged, "program")); err != nil {
		return fmt.Errorf("store the program: %w", err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("store the program: %w", err)
	}
	if err := os.WriteFile(filepath.Join(staged, "entry.json"), data, 0o644); err != nil {
		return fmt.Errorf("store the program: %w", err)
	}
	dir := c.entryDir(e.Key)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("store the program: %w", err)
	}
	e.dir = filepath.Join(dir, "program")
	for range 3 {
		err = os.Rename(staged, dir)
		if err == nil {
			c.sweep(time.Now())
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		if other, ok := c.lookup(e.Key); ok { // another judge was faster
			*e = *other
			return nil
		}
		_ = os.Rename(dir, filepath.Join(work, "broken")) // what is there is of no use
	}
	return fmt.Errorf("store the program: %w", err)
}

// sweep removes the entries that were not used for the longest time, until the
// rest is small enough, and what crashed judges left.
func (c *cache) sweep(now time.Time) {
	mark := filepath.Join(c.dir, "swept")
	if info, err := os.Stat(mark); err == nil && now.Sub(info.ModTime()) < sweepEvery {
		return
	}
	if os.WriteFile(mark, nil, 0o644) != nil || os.Chtimes(mark, now, now) != nil {
		return
	}
	c.trim(now, cacheSize)
	left, _ := filepath.Glob(filepath.Join(c.dir, "work", "build-*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
}

// trim removes old entries until the programs take at most so many bytes.
func (c *cache) trim(now time.Time, most int64) {
	type old struct {
		dir  string
		used time.Time
		size int64
	}
	var all []old
	var total int64
	files, _ := filepath.Glob(filepath.Join(c.dir, "programs", "*", "*", "entry.json"))
	for _, file := range files {
		info, err := os.Stat(file)
		data, err2 := os.ReadFile(file)
		if err != nil || err2 != nil {
			continue
		}
		var e entry
		_ = json.Unmarshal(data, &e) // a broken one counts as empty, and gets old
		all = append(all, old{filepath.Dir(file), info.ModTime(), e.Size})
		total += e.Size
	}
	slices.SortFunc(all, func(a, b old) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.dir, b.dir)) })
	for _, o := range all {
		if total <= most || now.Sub(o.used) < inUse {
			return
		}
		if work, err := c.work(); err == nil { // gone at once for everybody, whatever happens next
			_ = os.Rename(o.dir, filepath.Join(work, "old"))
			_ = os.RemoveAll(work)
			total -= o.size
		}
	}
}
