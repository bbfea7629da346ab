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

// NotFoundError means that there is no problem with this name.
type NotFoundError struct {
	Name string
	Hint string
}

// Error returns the name, and the hint on the next line.
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

// RootOf returns the nearest directory, from dir upwards, whose problems/ directory contains a problem. It returns
// the empty string if there is none.
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

// Is reports whether dir is a problem directory or a problem package.
func Is(formats *Formats, dir string) bool {
	_, err := os.Stat(filepath.Join(dir, File))
	return err == nil || formats.Is(dir)
}

// notAProblem explains why a path is not a problem.
func notAProblem(formats *Formats, path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "there is no such directory"
	case !info.IsDir():
		return "it is a file: a problem is a directory, or an archive of a package"
	case Is(formats, path) || IsPlain(path):
		return fmt.Sprintf("to judge with the files in that directory, write its path as: .%c%s", filepath.Separator, path)
	}
	return fmt.Sprintf("the path contains no %s, %s, or inputs with answers", File, strings.Join(formats.Files, " or "))
}

// Find returns the directory of a problem and the directory of its generated cases. Name is the id of a
// problem of the contest, or the path of a problem directory or package archive anywhere. Outside a contest,
// root is empty. The directory of an archive is the archive itself.
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
	if name != "" && formats.Is(name) { // a package in a repository of packages
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

// testsOf returns the directory of a problem's generated cases. For a problem of a contest it is in
// testcases/ beside problems/. Otherwise it is the problem directory itself.
func testsOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		if problems := filepath.Dir(abs); filepath.Base(problems) == "problems" {
			return filepath.Join(filepath.Dir(problems), "testcases", filepath.Base(abs))
		}
	}
	return filepath.Join(dir, "testcases")
}

// Bots is the name of the directory of a game's bots, beside the directories that are named after verdicts. Bots
// have no expected verdict, because they play against each other.
const Bots = "bots"

// Solutions returns the directory of a problem's solutions, beside its cases.
func Solutions(dir, tests string) string {
	if filepath.Base(filepath.Dir(tests)) == "testcases" {
		return filepath.Join(filepath.Dir(filepath.Dir(tests)), "solutions", filepath.Base(tests))
	}
	return filepath.Join(dir, "solutions")
}

// Blame returns judge.Caller.
func (*NotFoundError) Blame() judge.Blame { return judge.Caller }
