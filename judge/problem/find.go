package problem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// NotFoundError says that there is no problem of this name.
type NotFoundError struct {
	Name string
	Hint string
}

// Error says which name it was, with the hint below it.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no problem %q\n    %s", e.Name, strings.ReplaceAll(e.Hint, "\n", "\n    "))
}

// List returns the ids of the problems of a contest, sorted.
func List(formats *Formats, root string) ([]string, error) {
	dir := filepath.Join(root, "problems")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list problems: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if Is(formats, filepath.Join(dir, e.Name())) {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// RootOf returns the nearest directory, from dir upwards, whose directory problems/ has a problem
// in it. If there is none, it is empty.
func RootOf(formats *Formats, dir string) string {
	at, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if ids, err := List(formats, at); err == nil && len(ids) > 0 {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
		at = filepath.Dir(at)
	}
}

// Is says whether a folder is a problem folder, of the judge's own form or a
// problem package.
func Is(formats *Formats, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, File))
	return err == nil || formats.Is(dir)
}

// notAProblem says why nobody can judge with what a path names.
func notAProblem(formats *Formats, path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "there is no such folder"
	case !info.IsDir():
		return "it is a file: a problem is a folder, or an archive of a package"
	case Is(formats, path) || IsPlain(path):
		return fmt.Sprintf("to judge on what is in the directory, write its path: .%c%s", filepath.Separator, path)
	}
	return fmt.Sprintf("the path has no %s, %s, and no inputs with answers", File, strings.Join(formats.Files, " or "))
}

// Find returns the folder of a problem and the one of its generated cases. Name
// is the id of a problem of the contest, or the path of a problem folder or of an
// archive of a package anywhere; root is "" outside any contest. The folder of an
// archive is the archive itself.
func Find(formats *Formats, root, name string) (dir, tests string, err error) {
	if formats.IsArchive(name) {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name, name, nil
		}
		return "", "", &NotFoundError{name, "there is no such archive"}
	}
	if strings.ContainsRune(name, filepath.Separator) || name == "." {
		if Is(formats, name) || IsPlain(name) {
			return name, testsOf(name), nil
		}
		return "", "", &NotFoundError{name, notAProblem(formats, name)}
	}
	dir = filepath.Join(root, "problems", name)
	if name != "" && Is(formats, dir) {
		return dir, filepath.Join(root, "testcases", name), nil
	}
	if name != "" && formats.Is(name) { // a package beside others, in a repository of them
		return name, name, nil
	}
	ids, err := List(formats, root)
	if err != nil {
		return "", "", err
	}
	hint := "this contest has no problems yet; make one with: judge new " + name
	if _, err := os.Stat(name); err == nil {
		hint = notAProblem(formats, name)
	} else if len(ids) > 0 {
		hint = suggest.Hint(name, ids)
	}
	return "", "", &NotFoundError{name, hint}
}

// testsOf is where the generated cases of a problem folder stand: in testcases/
// beside problems/ for a folder of a contest, else in the folder itself.
func testsOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if problems := filepath.Dir(abs); filepath.Base(problems) == "problems" {
			return filepath.Join(filepath.Dir(problems), "testcases", filepath.Base(abs))
		}
	}
	return filepath.Join(dir, "testcases")
}

// Bots is the folder, beside those of the verdicts, of the contestants of a game.
// They are promised no verdict, because they meet each other.
const Bots = "bots"

// Solutions returns the folder of a problem's solutions, beside its cases.
func Solutions(dir, tests string) string {
	if filepath.Base(filepath.Dir(tests)) == "testcases" {
		return filepath.Join(filepath.Dir(filepath.Dir(tests)), "solutions", filepath.Base(tests))
	}
	return filepath.Join(dir, "solutions")
}

// Blame is the asker's.
func (*NotFoundError) Blame() judge.Blame { return judge.Asker }
