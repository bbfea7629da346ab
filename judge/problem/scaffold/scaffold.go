// Package scaffold writes the first files of a contest and of a problem, as a
// setter would write them by hand: small, whole, and green in `judge verify`
// before the first change. It never writes over a file, and it does not generate
// cases; package gen does.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
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

// goodID is what a problem may be called: its name is a folder's, and part of
// commands.
var goodID = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,59}$`)

// Contest starts a contest in a folder: a judge.toml that marks its root. It
// returns the paths that it wrote.
func Contest(dir string) ([]string, error) {
	if _, err := os.Lstat(filepath.Join(dir, config)); err == nil {
		return nil, &judge.Fault{File: filepath.Join(dir, config), Text: "the folder is a contest already", Hint: "add a problem to it with: judge new <problem>"}
	}
	return write([]string{"templates/contest"}, "", func(name string) string { return filepath.Join(dir, name) })
}

// config is the file that marks the root of a contest.
const config = "judge.toml"

// Kinds are the kinds of problems that can be started. Languages are those of a setter's
// programs that have a kit. There is a template for each pair.
var (
	Kinds     = []string{"batch", "interactive"}
	Languages = []string{"go", "python"}
)

// Problem writes a new problem of the contest whose root is given: of one of the Kinds,
// with programs in one of the Languages. Its generated cases are still to be made.
func Problem(root, id, kind, language string) ([]string, error) {
	if !slices.Contains(Kinds, kind) || !slices.Contains(Languages, language) {
		return nil, &judge.Fault{Text: fmt.Sprintf("no problem of the kind %q can be started in the language %q", kind, language), Hint: fmt.Sprintf("kinds: %s; languages: %s", strings.Join(Kinds, ", "), strings.Join(Languages, ", "))}
	}
	if !goodID.MatchString(id) {
		return nil, &judge.Fault{Text: fmt.Sprintf("%q cannot be the name of a problem", id), Hint: "lower case letters, digits, - and _ will do, such as: judge new two-sum"}
	}
	if _, err := os.Lstat(filepath.Join(root, "problems", id)); err == nil {
		return nil, &judge.Fault{Text: fmt.Sprintf("the problem %q is there already", id), Hint: fmt.Sprintf("choose another name, or remove problems/%s first", id)}
	}
	of := "templates/" + kind + "/"
	return write([]string{of + "all", of + language}, id, func(name string) string {
		if solution, ok := strings.CutPrefix(name, "solutions/"); ok {
			return filepath.Join(root, "solutions", id, filepath.FromSlash(solution))
		}
		return filepath.Join(root, "problems", id, filepath.FromSlash(name))
	})
}

// write writes the files of template folders to where place puts them. Nothing
// is written if one of them is there.
func write(from []string, id string, place func(name string) string) (written []string, err error) {
	type file struct {
		path string
		data []byte
	}
	var files []file
	for _, from := range from {
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
	}
	for _, f := range files {
		if err := atomicfile.Write(f.path, f.data); err != nil {
			return written, err
		}
		written = append(written, f.path)
	}
	return written, nil
}
