// Package scaffold writes the first files of a contest or a problem, as a setter would write them by hand: small,
// complete, and accepted by `judge verify` without changes. It never overwrites a file. It does not generate
// cases; package gen does.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/internal/pattern"
)

//go:embed templates
var templates embed.FS

// idForm matches problem ids, which are also directory names and command arguments.
var idForm = pattern.New(`^[a-z0-9][a-z0-9_-]{0,59}$`)

// Draft is a set of files to be written.
type Draft struct {
	files []file
	// Extensions lists the file extensions of the programs in the setter's language.
	Extensions []string
}

type file struct {
	path string
	data []byte
}

// Contest drafts a contest in a directory: a judge.toml that marks its root.
func Contest(dir string) (*Draft, error) {
	if file := fileIn(dir); file != "" {
		return nil, &judge.ProblemError{
			File: file, Text: "it is a file, and a contest is a directory",
			Hint: "choose a directory, new or empty, such as: judge init my-contest",
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, config)); err == nil {
		return nil, &judge.ProblemError{
			File: filepath.Join(dir, config), Text: "the directory is already a contest",
			Hint: "add a problem to it with: judge new <problem>",
		}
	}
	d := &Draft{}
	return d, d.add("templates/contest", "", func(name string) string { return filepath.Join(dir, name) })
}

// fileIn returns the part of a path that exists and is not a directory. If there is none, it returns an empty
// string.
func fileIn(path string) string {
	for {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			return path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return ""
		}
		path = parent
	}
}

// config is the file that marks the root of a contest.
const config = "judge.toml"

// Kinds lists the problem kinds that have templates. Languages lists the languages with a kit, in which the
// setter's programs can be written. There is a template for each pair.
var (
	Kinds     = []string{"batch", "interactive", "multi-pass", "answers", "scores", "golf", "game"}
	Languages = []string{"go", "python", "cpp"}
)

// Problem drafts a new problem in the contest with this root. It has one of the Kinds, and its programs are in one
// of the Languages. Its cases are not generated.
func Problem(root, id, kind, language string) (*Draft, error) {
	if !slices.Contains(Kinds, kind) || !slices.Contains(Languages, language) {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("there is no template of the kind %q in the language %q", kind, language),
			Hint: fmt.Sprintf(
				"kinds: %s; languages: %s", strings.Join(Kinds, ", "), strings.Join(Languages, ", "),
			),
		}
	}
	if !idForm().MatchString(id) {
		return nil, &judge.ProblemError{Text: fmt.Sprintf(
			"%q cannot be the name of a problem", id,
		), Hint: "use lower case letters, digits, - and _, such as: judge new two-sum"}
	}
	for _, of := range []string{"problems", "solutions", "testcases"} {
		dir := filepath.Join(root, of, id)
		if _, err := os.Lstat(dir); err == nil {
			return nil, &judge.ProblemError{
				Text: dir + " already exists", Hint: "choose another name, or remove it first; nothing was written",
			}
		}
	}
	d := &Draft{}
	place := func(name string) string {
		if solution, ok := strings.CutPrefix(name, "solutions/"); ok {
			return filepath.Join(root, "solutions", id, filepath.FromSlash(solution))
		}
		return filepath.Join(root, "problems", id, filepath.FromSlash(name))
	}
	if err := d.add("templates/"+kind+"/all", id, place); err != nil {
		return nil, err
	}
	examples := len(d.files)
	if err := d.add("templates/"+kind+"/"+language, id, place); err != nil {
		return nil, err
	}
	for _, f := range d.files[examples:] {
		if ext := strings.TrimPrefix(filepath.Ext(f.path), "."); !slices.Contains(d.Extensions, ext) {
			d.Extensions = append(d.Extensions, ext)
		}
	}
	return d, nil
}

// add drafts the files in a template directory, with {{id}} replaced by id. The function place returns the path of
// a drafted file for its name in the template directory.
func (d *Draft) add(from, id string, place func(name string) string) error {
	return fs.WalkDir(templates, from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := templates.ReadFile(path)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, from+"/"), ".tmpl")
		d.files = append(d.files, file{place(name), []byte(strings.ReplaceAll(string(data), "{{id}}", id))})
		return nil
	})
}

// Write writes the files of all drafts, or none of them, and returns their paths.
func Write(drafts ...*Draft) (written []string, err error) {
	var made []string
	for _, d := range drafts {
		for _, f := range d.files {
			made = append(missingDirs(f.path), made...)
			if err := atomicfile.Write(f.path, f.data); err != nil {
				for _, path := range append(written, made...) {
					_ = os.Remove(path) // a directory may not have been created, or have files of the user
				}
				return nil, err
			}
			written = append(written, f.path)
		}
	}
	return written, nil
}

// missingDirs returns the parent directories of a path that do not exist, the deepest first.
func missingDirs(path string) (dirs []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return dirs
		}
		dirs = append(dirs, dir)
	}
}
