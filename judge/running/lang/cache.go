package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"assay/judge/internal/cachedir"
)

// The cache is a directory that may be removed at any time:
//
//	programs/<key>/entry.json   description of the built program
//	programs/<key>/program/     visible to the program as /program
//	programs/.tmp/<random>/     current builds
//	prepared/<key>/cache/       cache made by the prepare commands of a language
//	keep/<language>-<origin>/   the languages' own caches
//	tools.json                  output of tools about themselves
//
// A key is the hash of everything that affects a program (see Toolbox.key), so an entry is never out of date.
// Package cachedir adds, removes and repairs entries.
type cache struct {
	dir       string
	programs  *cachedir.Cache
	prepared  *cachedir.Cache
	ownLimits cachedir.Limits // limits of each language's own cache
}

// cacheFormat is incremented when the way in which entries are made changes.
const cacheFormat = 3

// Limits for the cached programs.
const (
	cacheBytes   = 2 << 30
	cacheFiles   = 200_000
	maxKept      = 256 << 20 // bytes per program; some contain large arrays with nonzero values
	maxKeptFiles = 10_000

	keepBytes = 1 << 30 // for each language's own cache, and for what one build may add to it
	keepFiles = 100_000

	preparedBytes = 2 << 30
	preparedFiles = 200_000
)

// entry is a program in the cache.
type entry struct {
	Words map[string]string `json:"words"` // values for the placeholders of the run command
	Log   string            `json:"log"`   // file names are those in the build directory

	key string
	dir string // the program directory
}

func newCache(dir string) *cache {
	limits := cachedir.Limits{Bytes: cacheBytes, Files: cacheFiles}
	return &cache{
		dir:       dir,
		programs:  cachedir.Open(filepath.Join(dir, "programs"), limits),
		prepared:  cachedir.Open(filepath.Join(dir, "prepared"), cachedir.Limits{Bytes: preparedBytes, Files: preparedFiles}),
		ownLimits: cachedir.Limits{Bytes: keepBytes, Files: keepFiles},
	}
}

const entryFile = "entry.json"

// programIn returns the program directory of an entry.
func programIn(dir string) string { return filepath.Join(dir, "program") }

// find looks up a program.
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
		return fmt.Errorf("save what was built: %w", err)
	}
	return nil
}

// makeWritable creates a directory that is writable for the sandbox's user.
func makeWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.Chmod(dir, 0o777) // regardless of the umask
}

// ownCacheLifetime is how long a language's own cache is used after it was prepared. Compilers remove files that were
// unused for a few days (Go: five), possibly including a part of the standard library.
const ownCacheLifetime = 3 * 24 * time.Hour

// ownCache returns a language's own cache directory, which is not removed until done is called. A new directory starts
// as a copy of the prepared cache, if there is one. If the directory has grown too large or was made from another
// prepared cache, keep discards it, unless a build uses it.
func (c *cache) ownCache(name string, from seed, now time.Time) (dir string, release func(), err error) {
	above := filepath.Join(c.dir, "keep")
	dir = filepath.Join(above, name)
	if from.dir != "" {
		dir += fmt.Sprintf("@%.16s-%d", from.key, now.Unix()/int64(ownCacheLifetime/time.Second))
	}
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", nil, c.programs.Wrap(err)
	}
	bytes, files := cachedir.Size(dir)
	if info, err := os.Lstat(dir); err == nil && (!info.IsDir() || bytes > c.ownLimits.Bytes || files > c.ownLimits.Files) {
		c.programs.Discard(dir)
	}
	for range 100 { // the directory may be discarded in between
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			if err := c.copySeed(dir, from); err != nil {
				return "", nil, err
			}
			others, _ := filepath.Glob(filepath.Join(above, name+"@*"))
			for _, other := range append(others, filepath.Join(above, name)) {
				if other != dir {
					c.programs.Discard(other)
				}
			}
		}
		if err := makeWritable(dir); err != nil {
			return "", nil, c.programs.Wrap(err)
		}
		if release, ok := cachedir.Protect(dir); ok {
			return dir, release, nil
		}
	}
	return "", nil, c.programs.Wrap(fmt.Errorf("%s cannot be locked", dir))
}

// privateCache returns a cache directory for a single build. It starts as a copy of the prepared cache, and done removes
// it.
func (c *cache) privateCache(from seed) (dir string, remove func(), err error) {
	work, remove, err := c.programs.Temp()
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(work, "cache")
	err = c.copySeed(dir, from)
	if err == nil {
		err = c.programs.Wrap(makeWritable(dir))
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// seed is a prepared cache: its directory, and the hash of everything that affects its content. If nothing was
// prepared, both are empty.
type seed struct{ dir, key string }

// copySeed creates dir and copies the regular files of the prepared cache to it. If another judge has already created
// dir, plant does nothing.
func (c *cache) copySeed(dir string, from seed) error {
	if from.dir == "" {
		return nil
	}
	root, err := os.OpenRoot(from.dir)
	if err != nil {
		return c.programs.Wrap(err)
	}
	defer root.Close()
	work, done, err := c.programs.Temp()
	if err != nil {
		return err
	}
	defer done()
	staged := filepath.Join(work, "seed")
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(staged, name)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return makeWritable(to)
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
		err = os.Rename(staged, dir)
	}
	if _, there := os.Lstat(dir); there == nil {
		return nil
	}
	return c.programs.Wrap(err)
}
