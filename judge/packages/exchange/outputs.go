package exchange

import (
	"archive/zip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// Submissions that consist of outputs have a file for each case, named after the case. So cases keep their names;
// groups do not.

// checkCaseNames returns a fault for case names that a package cannot keep.
func (e *exporter) checkCaseNames() error {
	seen := map[string]bool{}
	for _, g := range e.from.Groups {
		for _, c := range g.Cases {
			switch {
			case seen[c.Name]:
				return e.fault(
					"group",
					"two cases are called "+c.Name+", and submissions have an output for each, whose name does not tell them apart in a package",
					"call one of them otherwise",
				)
			case goodName(c.Name) != c.Name:
				return e.fault(
					"group",
					"case "+c.ID()+" cannot be called so in a package, and submissions have an output of that name",
					"name it with letters, digits, - . and _ only",
				)
			}
			seen[c.Name] = true
		}
	}
	return nil
}

// outputs copies a submission that consists of outputs. An archive becomes a directory, and the content of a
// group's directory is moved up.
func (e *exporter) outputs(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return &judge.ProblemError{File: from, Text: problem.Reason(err)}
	}
	all := os.DirFS(from)
	switch {
	case info.IsDir():
	case strings.EqualFold(path.Ext(from), ".zip"):
		archive, err := zip.OpenReader(from)
		if err != nil {
			return &judge.ProblemError{File: from, Text: "cannot be read: " + err.Error()}
		}
		defer archive.Close()
		all, to = archive, strings.TrimSuffix(to, path.Ext(to))
	default:
		return copyFile(from, to)
	}
	return fs.WalkDir(all, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := fs.ReadFile(all, name)
		if err != nil {
			return err
		}
		group, inside, _ := strings.Cut(name, "/")
		if slices.ContainsFunc(e.from.Groups, func(g judge.Group) bool { return g.Name == group }) {
			name = inside
		}
		return write(filepath.Join(to, filepath.FromSlash(name)), data, 0o644)
	})
}
