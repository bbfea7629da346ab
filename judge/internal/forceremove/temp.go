package forceremove

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Temp creates a temporary directory in above, with a name that begins with prefix. If parent is empty, it uses the
// system's temporary directory. First it calls RemoveStale. A living process holds a lock on its directory, so
// RemoveStale works even if processes in several containers share a directory and do not see each other.
//
// The function done removes the directory with all its contents.
func Temp(parent, prefix string) (dir string, remove func() error, err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	RemoveStale(parent, prefix)
	for range 10 {
		if dir, err = os.MkdirTemp(parent, prefix); err != nil {
			return "", nil, fmt.Errorf("create a temporary directory: %w", err)
		}
		if unlock := lock(dir); unlock != nil {
			return dir, func() error { return errors.Join(All(dir), unlock()) }, nil
		}
	}
	return "", nil, fmt.Errorf("create a temporary directory: %s is removed again and again", dir)
}

// RemoveStale removes directories created by Temp whose processes have ended. If a directory cannot be removed, a
// later call tries again.
func RemoveStale(parent, prefix string) {
	if !locks {
		return
	}
	left, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, dir := range left {
		if unlock := lock(dir); unlock != nil {
			_ = All(dir)
			_ = unlock()
		}
	}
}
