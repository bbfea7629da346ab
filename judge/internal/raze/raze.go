// Package raze removes folders that programs have written to whom nobody trusts. It
// is not os.RemoveAll, which holds a descriptor for each level and so stops where
// folders are nested deeper than a process may have files open, while everybody else
// in the process cannot open any either.
package raze

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// All removes a folder with all that is in it, however deep, also what its owner may
// not write to. No link is followed. It is not an error if there is nothing. Nobody else
// may change the folder meanwhile.
//
// What is too deep is moved up to the top first, so that few levels are ever open.
func All(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return os.Remove(path)
	}
	if err == nil {
		err = empty(path, info)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", filepath.Base(path), err)
	}
	return nil
}

func empty(path string, info fs.FileInfo) error {
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
	r := razing{top: top}
	for before := -1; r.moved > before; { // until nothing was moved up any more
		before = r.moved
		if err := r.empty(top, ".", 0); err != nil {
			return err
		}
	}
	return nil
}

// deepest is how many levels are open at one time.
const deepest = 30

// razing is one removal on its way.
type razing struct {
	top   *os.Root
	moved int // how many folders have been moved up
}

// empty empties a folder, which stands at path below the top, but for what was moved
// up meanwhile.
func (r *razing) empty(dir *os.Root, path string, depth int) error {
	folders, err := clear(dir)
	if err != nil {
		return err
	}
	for _, name := range folders {
		if dir.Remove(name) == nil {
			continue // it was empty
		}
		if err := open(dir, name); err != nil {
			return err
		}
		if depth == deepest {
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

func (r *razing) remove(dir *os.Root, name, path string, depth int) error {
	below, err := dir.OpenRoot(name)
	if err != nil {
		return err
	}
	err = r.empty(below, path, depth+1)
	below.Close()
	if err != nil {
		return err
	}
	return dir.Remove(name)
}

// moveUp moves a folder to the top, under a name that is not taken.
func (r *razing) moveUp(path string) error {
	for {
		r.moved++
		err := r.top.Rename(path, "raze-"+strconv.Itoa(r.moved))
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

// clear removes the files of a folder, and returns the names of its folders.
func clear(dir *os.Root) (folders []string, err error) {
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
			folders = append(folders, e.Name())
		} else if err := dir.Remove(e.Name()); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// open gives the rights on a folder back that its owner has given up.
func open(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if err == nil && info.Mode()&0o700 != 0o700 {
		err = dir.Chmod(name, 0o700)
	}
	return err
}
