package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge/internal/cachedir"
)

// The cache is a folder that may be removed at any time:
//
//	programs/<key>/entry.json   what was built
//	programs/<key>/program/     shown to the program as /program
//	programs/.tmp/<random>/     builds that run now
//	keep/<language>-<origin>/   the languages' own caches
//	tools.json                  what tools said of themselves
//
// A key is the hash of all that goes into a program (see Toolbox.key), so an
// entry is never out of date. How entries come, go and heal is package cachedir's
// work.
type cache struct {
	dir      string
	programs *cachedir.Shelf
	kept     cachedir.Limits // of each of the languages' own caches
}

// cacheFormat rises when entries are made in another way.
const cacheFormat = 3

// What programs may take.
const (
	cacheBytes   = 2 << 30
	cacheFiles   = 200_000
	maxKept      = 256 << 20 // bytes of one program; some have large arrays that are not zero
	maxKeptFiles = 10_000

	keepBytes = 1 << 30 // of each of the languages' own caches, and what a build may add to one
	keepFiles = 100_000
)

// entry is a program in the cache.
type entry struct {
	Words map[string]string `json:"words"` // for the run command
	Log   string            `json:"log"`   // as the build folder's names have it

	key string
	dir string // the program folder
}

func newCache(dir string) *cache {
	limits := cachedir.Limits{Bytes: cacheBytes, Files: cacheFiles}
	return &cache{dir, cachedir.Open(filepath.Join(dir, "programs"), limits), cachedir.Limits{Bytes: keepBytes, Files: keepFiles}}
}

const entryFile = "entry.json"

// programIn is the program folder of an entry.
func programIn(dir string) string { return filepath.Join(dir, "program") }

// find finds a program.
func (c *cache) find(key string) (*entry, bool) {
	dir, ok := c.programs.Find(key)
	if !ok {
		return nil, false
	}
	e, err := readEntry(dir, key)
	return e, err == nil
}

func readEntry(dir, key string) (*entry, error) {
	e := &entry{key: key, dir: programIn(dir)}
	data, err := os.ReadFile(filepath.Join(dir, entryFile))
	if err == nil {
		err = json.Unmarshal(data, e)
	}
	if err != nil {
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	return e, nil
}

// write writes the entry beside its program.
func (e *entry) write(dir string) error {
	data, err := json.Marshal(e)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, entryFile), data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep what was built: %w", err)
	}
	return nil
}

// openFolder makes a folder that the sandbox's user can write to.
func openFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.Chmod(dir, 0o777) // whatever the umask is
}

// keep returns a language's own cache folder, which stays until done is called. A new
// one starts as a copy of the seed, if that is there. One that has grown too large is
// thrown away, unless a build uses it.
func (c *cache) keep(name, seed string) (dir string, done func(), err error) {
	dir = filepath.Join(c.dir, "keep", name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", nil, c.programs.Wrap(err)
	}
	bytes, files := cachedir.Size(dir)
	if info, err := os.Lstat(dir); err == nil && (!info.IsDir() || bytes > c.kept.Bytes || files > c.kept.Files) {
		c.programs.Discard(dir)
	}
	for range 100 { // somebody may throw it away in between
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && seed != name {
			c.seed(dir, filepath.Join(c.dir, "keep", seed))
		}
		if err := openFolder(dir); err != nil {
			return "", nil, c.programs.Wrap(err)
		}
		if done, ok := cachedir.Use(dir); ok {
			return dir, done, nil
		}
	}
	return "", nil, c.programs.Wrap(fmt.Errorf("%s cannot be locked", dir))
}

// alone returns a cache folder for one build, which starts as a copy of the seed and is
// removed by done.
func (c *cache) alone(seed string) (dir string, done func(), err error) {
	work, done, err := c.programs.Temp()
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(work, "cache")
	c.seed(dir, filepath.Join(c.dir, "keep", seed))
	if err := openFolder(dir); err != nil {
		done()
		return "", nil, c.programs.Wrap(err)
	}
	return dir, done, nil
}

// seed copies the regular files of a compiler's cache. What does not work is not
// there: it only saves time.
func (c *cache) seed(dir, from string) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return
	}
	defer root.Close()
	work, done, err := c.programs.Temp()
	if err != nil {
		return
	}
	defer done()
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
