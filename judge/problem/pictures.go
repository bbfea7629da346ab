package problem

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/pictures"
)

// PictureTypes lists the extensions that are tried for a picture name without one.
var PictureTypes = []string{".png", ".jpg", ".jpeg", ".svg", ".gif", ".pdf", ".eps"}

// PictureNames returns the possible file names of a picture in a statement. If name has no extension, each of
// PictureTypes is appended.
func PictureNames(name string) (all []string) {
	if name == "" {
		return nil
	}
	for _, extension := range append([]string{""}, PictureTypes...) {
		all = append(all, name+extension)
	}
	return all
}

// FindPicture finds a picture that a statement names, relative to the statement's directory. It reports whether
// the file exists inside the directory root.
func FindPicture(root, folder, name string) (path string, ok bool) {
	for _, name := range PictureNames(name) {
		full := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && inside(root, full) {
			return full, true
		}
	}
	return "", false
}

// inside reports whether a file is inside a directory after links are resolved.
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
func NoPicture(file string, line int, name string) *judge.ProblemError {
	return &judge.ProblemError{File: file, Line: line, Text: fmt.Sprintf("the statement shows the picture %s, which does not exist", name),
		Hint: "add the file below the statement's directory; upper and lower case must match"}
}

// MaxStatementFile is the maximum size of a file that a statement shows, in bytes.
const MaxStatementFile = 16 << 20

// CheckPicture checks the file at path, which a statement shows as the picture name. It returns a fault if the
// picture cannot be shown. Otherwise, it returns a warning if the extension is that of another file type.
func CheckPicture(file string, line int, name, path string, data []byte) (fault, warning *judge.ProblemError) {
	if len(data) > MaxStatementFile {
		return &judge.ProblemError{File: file, Line: line,
			Text: fmt.Sprintf("the statement shows the picture %s, which is larger than %d MiB", name, MaxStatementFile>>20),
			Hint: "save it in a smaller size"}, nil
	}
	if why := pictures.Check(data); why != "" {
		return &judge.ProblemError{File: file, Line: line, Text: fmt.Sprintf("the statement shows the picture %s, which %s", name, why),
			Hint: "replace " + path + " by a picture that a browser can show"}, nil
	}
	if format, extension := pictures.FormatMismatch(path, data); format != "" {
		return nil, &judge.ProblemError{
			File: file, Line: line,
			Text: fmt.Sprintf("the name of the picture %s does not fit its type, %s", name, format),
			Hint: fmt.Sprintf("rename it to %s, here and on the disk: LaTeX finds the type by the name",
				strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+extension),
		}
	}
	return nil, nil
}

// CheckPictures checks the pictures of a Markdown or HTML statement. It returns their number, and faults for those
// that do not exist inside the directory root or cannot be shown. The warnings are for pictures whose extension is
// that of another file type.
func CheckPictures(root, file string) (n int, faults, warnings judge.ProblemErrors) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, nil, nil // Lint has reported it
	}
	for _, p := range pictures.Paths(data) {
		n++
		path, ok := FindPicture(root, filepath.Dir(file), p.Path)
		if !ok {
			faults = append(faults, NoPicture(file, p.Line, p.Path))
			continue
		}
		picture, err := readHead(path, MaxStatementFile+1)
		if err != nil {
			faults = append(faults, &judge.ProblemError{File: path, Text: Reason(err)})
			continue
		}
		if fault, warning := CheckPicture(file, p.Line, p.Path, path, picture); fault != nil {
			faults = append(faults, fault)
		} else if warning != nil {
			warnings = append(warnings, warning)
		}
	}
	return n, faults, warnings
}

// readHead reads at most n bytes of a file.
func readHead(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, n))
}
