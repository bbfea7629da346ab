package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge/internal/forceremove"
)

// CheckCache returns an error if the cache directory is not writable. It creates the directory if it does not
// exist.
func CheckCache(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "writable-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4096))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// ProbeCache returns an error if the cache directory would not be writable, but creates nothing. If the directory
// does not exist, it checks the nearest existing parent directory.
func ProbeCache(dir string) error {
	for {
		_, err := os.Stat(dir)
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return CheckCache(dir)
		}
		dir = above
	}
}

// TempCache creates a cache for a single command. Done removes it.
func TempCache() (dir string, remove func() error, err error) {
	return forceremove.Temp("", "assay-cache-")
}
