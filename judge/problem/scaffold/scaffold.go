// Package scaffold writes the first files of a contest and of a puzzle, as a
// setter would write them by hand: small, whole, and green in `judge verify`
// before the first change. It never writes over a file, and it does not generate
// cases; package gen does.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/atomicfile"
)

//go:embed templates
var templates embed.FS

// goodID is what a puzzle may be called: its name is a folder's, and part of
// commands.
var goodID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,59}$`)

// Contest starts a contest in a folder: a judge.toml that marks its root. It
// returns the paths that it wrote.
func Contest(dir string) ([]string, error) {
	return write("templates/contest", "", func(name string) string { return filepath.Join(dir, name) })
}

// puzzles are the templates of puzzles, by the kinds that they are of.
var puzzles = map[string]string{
	"batch":       "templates/puzzle",
	"interactive": "templates/interactive",
}

// Puzzle writes a new puzzle of the contest whose root is given, of a kind that has a
// template. Its generated cases are still to be made.
func Puzzle(root, id, kind string) ([]string, error) {
	template, ok := puzzles[kind]
	if !ok {
		return nil, &judge.Fault{Text: fmt.Sprintf("no puzzle of the kind %q can be started", kind), Hint: "one of: " + strings.Join(slices.Sorted(maps.Keys(puzzles)), ", ")}
	}
	if !goodID.MatchString(id) {
		return nil, &judge.Fault{Text: fmt.Sprintf("%q is no name for a puzzle", id), Hint: "lower case letters, digits, - and _ will do, such as: judge new two-sum"}
	}
	return write(template, id, func(name string) string {
		if solution, ok := strings.CutPrefix(name, "solutions/"); ok {
			return filepath.Join(root, "solutions", id, filepath.FromSlash(solution))
		}
		return filepath.Join(root, "problems", id, filepath.FromSlash(name))
	})
}

// write writes the files of a template folder to where place puts them. Nothing
// is written if one of them is there.
func write(from, id string, place func(name string) string) (written []string, err error) {
	type file struct {
		path string
		data []byte
	}
	var files []file
	err = fs.WalkDir(templates, from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, from+"/"), ".tmpl")
		target := place(name)
		if _, err := os.Lstat(target); err == nil {
			return &judge.Fault{File: target, Text: "the file is there already", Hint: "choose another name, or remove it first"}
		}
		files = append(files, file{target, []byte(strings.ReplaceAll(string(data), "{{id}}", id))})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := atomicfile.Write(f.path, f.data); err != nil {
			return written, err
		}
		written = append(written, f.path)
	}
	return written, nil
}
