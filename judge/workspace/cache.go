package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge/internal/raze"
)

// CheckCache returns why nothing can be written into a cache; it makes the folder if
// there is none.
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

// ProbeCache returns why nothing could be written into a cache, and leaves nothing behind. If the
// directory does not exist, it looks at the nearest one above it that does.
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

// SpareCache makes a cache for the time of one command, which done removes.
func SpareCache() (dir string, done func() error, err error) {
	return raze.Temp("", "assay-cache-")
}
