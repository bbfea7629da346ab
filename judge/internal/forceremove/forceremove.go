// Package forceremove removes directories that untrusted programs have written to. It does not use os.RemoveAll, which holds
// a descriptor for each level. If directories are nested deeper than a process may have files open, os.RemoveAll
// fails, and while it runs, no other goroutine may be able to open a file.
package forceremove

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// All removes a directory with all its contents, however deep. It also removes directories that their owner cannot
// write to. It does not follow links. If the path does not exist, it returns nil. The directory must not change
// meanwhile.
//
// It first moves deep directories up to the top, so that few levels are open at once.
func All(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return os.Remove(path)
	}
	if err == nil {
		err = removeContents(path, info)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(path), err)
	}
	return nil
}

func removeContents(path string, info fs.FileInfo) error {
	if info.Mode()&0o700 != 0o700 {
		if err := os.Chmod(path, 0o700); err != nil {
			return err
		}
	}
	top, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer top.Close()
	r := removal{top: top}
	for before := -1; r.moved > before; { // until no more directories are moved up
		before = r.moved
		if err := r.removeContents(top, ".", 0); err != nil {
			return err
		}
	}
	return nil
}

// maxOpenLevels is the maximum number of levels open at once.
const maxOpenLevels = 30

// removal is a removal in progress.
type removal struct {
	top   *os.Root
	moved int // number of directories moved up
}

// removeContents removes the contents of a directory, which is at path relative to the top, except for directories that it
// moves up.
func (r *removal) removeContents(dir *os.Root, path string, depth int) error {
	folders, err := removeFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range folders {
		if dir.Remove(name) == nil {
			continue // the directory was empty
		}
		if err := openForced(dir, name); err != nil {
			return err
		}
		if depth == maxOpenLevels {
			err = r.moveUp(filepath.Join(path, name))
		} else {
			err = r.remove(dir, name, filepath.Join(path, name), depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *removal) remove(dir *os.Root, name, path string, depth int) error {
	below, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	err = r.removeContents(below, path, depth+1)
	below.Close()
	if err != nil {
		return err
	}
	return dir.Remove(name)
}

// moveUp moves a directory to the top, under an unused name.
func (r *removal) moveUp(path string) error {
	for {
		r.moved++
		err := r.top.Rename(path, "raze-"+strconv.Itoa(r.moved))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// removeFiles removes the files of a directory, and returns the names of its subdirectories.
func removeFiles(dir *os.Root) (dirs []string, err error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for err == nil {
		var more []fs.DirEntry
		more, err = f.ReadDir(1000)
		all = append(all, more...)
	}
	if err != io.EOF {
		return nil, err
	}
	for _, e := range all {
		if e.IsDir() {
			dirs = append(dirs, e.Name())
		} else if err := dir.Remove(e.Name()); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// openForced restores the owner's missing permissions on a directory.
func openForced(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if err == nil && info.Mode()&0o700 != 0o700 {
		err = dir.Chmod(name, 0o700)
	}
	return err
}
