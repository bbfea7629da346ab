package problem

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/internal/pictures"
)

// PictureTypes are the extensions that are tried for a picture that is named without one.
var PictureTypes = []string{".png", ".jpg", ".jpeg", ".svg", ".gif", ".pdf", ".eps"}

// PictureNames returns the possible file names of a picture that a statement names. A name without an
// extension gets each of PictureTypes.
func PictureNames(name string) (all []string) {
	if name == "" {
		return nil
	}
	for _, extension := range append([]string{""}, PictureTypes...) {
		all = append(all, name+extension)
	}
	return all
}

// FindPicture returns the file of a picture that a statement names, from the statement's directory. It
// reports whether the file exists inside the directory root.
func FindPicture(root, folder, name string) (path string, ok bool) {
	for _, name := range PictureNames(name) {
		full := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && inside(root, full) {
			return full, true
		}
	}
	return "", false
}

// inside reports whether a file is below a directory, after links are followed.
func inside(folder, file string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}

// NoPicture returns the fault for a missing picture.
func NoPicture(file string, line int, name string) *judge.Fault {
	return &judge.Fault{File: file, Line: line, Text: fmt.Sprintf("the statement shows the picture %s, which does not exist", name),
		Hint: "add the file below the statement's directory; upper and lower case must match"}
}

// MissingPictures returns how many pictures a Markdown or HTML statement has, and a fault for each one that
// does not exist inside the directory root.
func MissingPictures(root, file string) (n int, faults judge.Faults) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, nil // Lint has reported it
	}
	for _, p := range pictures.Paths(data) {
		n++
		if _, ok := FindPicture(root, filepath.Dir(file), p.Path); !ok {
			faults = append(faults, NoPicture(file, p.Line, p.Path))
		}
	}
	return n, faults
}
