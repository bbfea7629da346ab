// Package exchange converts problems of other formats to problem directories (Native, Companion), and problem
// directories to packages of the ICPC format (ICPC) and of Polygon (Polygon), so that submissions get the same
// verdicts. If the target format lacks a feature that affects judging, the error is a *judge.ProblemError. Other
// missing features are notes.
//
//	native.go     to problem directories; toml.go: problem.toml; programs.go
//	icpc.go       to the ICPC format; wrap.go: programs that use another protocol there;
//	              generators.go: generators.yaml
//	polygon.go    to Polygon; polygon_xml.go: problem.xml; polygon_programs.go; polygon_statement.go
//	companion.go  from the JSON of the browser extension Competitive Companion
//
// A directory is written beside its target and then renamed, so it appears completely or not at all. The package
// does not run or build anything.
package exchange

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/problem"
)

// Notes are sentences for the user about what was omitted or changed.
type Notes []string

func (n *Notes) add(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// ExistsError means that the target directory already exists.
type ExistsError struct{ Path string }

// Error returns the path and the remedy.
func (e *ExistsError) Error() string {
	return e.Path + " exists already\n    remove it first, or choose another name"
}

// createAtomically creates directories that appear completely or not at all. It calls make with new directories beside the
// given ones, and then renames them.
func createAtomically(make func(dirs []string) error, to ...string) (err error) {
	var tmp []string
	defer func() {
		for _, dir := range tmp {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	for _, dir := range to {
		if _, err := os.Lstat(dir); err == nil {
			return &ExistsError{dir}
		}
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", dir, err)
		}
		made, err := os.MkdirTemp(filepath.Dir(dir), ".tmp-")
		if err != nil {
			return fmt.Errorf("write %s: %w", dir, err)
		}
		tmp = append(tmp, made)
	}
	if err := make(tmp); err != nil {
		return err
	}
	for i, dir := range to {
		if entries, err := os.ReadDir(tmp[i]); err == nil && len(entries) == 0 {
			continue // no files were written
		}
		if err := os.Chmod(tmp[i], 0o755); err != nil {
			return fmt.Errorf("write %s: %w", dir, err)
		}
		if err := os.Rename(tmp[i], dir); err != nil {
			return fmt.Errorf("write %s: %w", dir, err)
		}
	}
	return nil
}

// write writes a file and creates its parent directories.
func write(file string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, mode)
}

// copyFile copies a file, with its execute permission.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return &judge.ProblemError{File: from, Text: problem.Reason(err)}
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// copyTree copies a file or directory, without hidden files and links.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return &judge.ProblemError{File: from, Text: problem.Reason(err)}
	}
	if !info.IsDir() {
		return copyFile(from, to)
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case rel != "." && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") && rel != ".":
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(to, rel))
		}
		return nil
	})
}

// Name returns the package name for a problem. The format allows lower case letters and digits.
func Name(id string) string {
	made := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(id))
	if made == "" {
		return "problem"
	}
	return made
}

var badInName = pattern.New(`[^a-zA-Z0-9_.-]+`)

// goodName converts name to a valid name for a group or case.
func goodName(name string) string {
	name = strings.TrimLeft(badInName().ReplaceAllString(name, "-"), "-._")
	if name == "" {
		return "unnamed"
	}
	return name
}

// unusedName returns a name that is not in taken.
func unusedName(name string, taken map[string]bool) string {
	made := name
	for i := 2; taken[made]; i++ {
		made = fmt.Sprintf("%s-%d", name, i)
	}
	taken[made] = true
	return made
}
