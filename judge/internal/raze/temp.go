package raze

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Temp makes a temporary folder below above ("" for the system's), whose name begins
// with the prefix. Before that it removes those of processes that did not get to
// remove theirs: a living process holds a lock on its folder, which also tells where
// processes of several containers share one folder and do not see each other.
//
// The function done removes the folder with all that is in it.
func Temp(above, prefix string) (dir string, done func() error, err error) {
	if above == "" {
		above = os.TempDir()
	}
	Sweep(above, prefix)
	for range 10 {
		if dir, err = os.MkdirTemp(above, prefix); err != nil {
			return "", nil, fmt.Errorf("make a temporary folder: %w", err)
		}
		if unlock := lock(dir); unlock != nil {
			return dir, func() error { return errors.Join(All(dir), unlock()) }, nil
		}
	}
	return "", nil, fmt.Errorf("make a temporary folder: %s is swept away again and again", dir)
}

// Sweep removes the folders of Temp whose processes are gone. What cannot be removed
// is left to the next.
func Sweep(above, prefix string) {
	if !locks {
		return
	}
	left, _ := filepath.Glob(filepath.Join(above, prefix+"*"))
	for _, dir := range left {
		if unlock := lock(dir); unlock != nil {
			_ = All(dir)
			_ = unlock()
		}
	}
}
