package icpc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/problem"
)

// Stage copies the program at path, a file or directory inside or outside the package, to the new directory to.
// The copy omits junk and follows links. Files of the named directories of include/ are added, and replace files
// of the same name. Constants are filled in. If not empty, entry is the file that starts the program.
func (p *Package) Stage(programPath, to string, include []string, entry string) (*problem.Staged, error) {
	from, name, inside, err := p.open(programPath)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	info, err := from.Stat(name)
	if err != nil {
		return nil, &judge.ProblemError{File: programPath, Text: problem.Reason(err)}
	}
	c := copier{p: p, from: from, to: to, constants: inside || len(p.constants) > 0}
	base := filepath.Base(filepath.Clean(programPath))
	if inside {
		base = path.Base(name)
	}
	if !info.IsDir() && len(include) == 0 {
		return &problem.Staged{Path: filepath.Join(to, base)}, c.copyFile(name, base)
	}
	s := &problem.Staged{Path: filepath.Join(to, base), Entry: entry}
	if info.IsDir() {
		err = c.copyDir(name, base)
	} else {
		s.Path, s.Entry = filepath.Join(to, "program"), base
		err = c.copyFile(name, path.Join("program", base))
		base = "program"
	}
	if err != nil {
		return nil, err
	}
	c.from = p.root
	for _, dir := range include {
		if err := c.copyDir(path.Join("include", dir), base); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// open opens the directory that contains a program, and returns the program's name in it. For a program of the
// package, this is the package's directory, so that no link leads out of it.
func (p *Package) open(programPath string) (root *packageDir, name string, inside bool, err error) {
	if rel, err := filepath.Rel(p.Dir, programPath); err == nil && filepath.IsLocal(rel) {
		root, err := openDir(p.Dir)
		return root, filepath.ToSlash(rel), true, err
	}
	full, err := filepath.EvalSymlinks(programPath)
	if err != nil {
		return nil, "", false, &judge.ProblemError{File: programPath, Text: problem.Reason(err)}
	}
	own, err := os.OpenRoot(filepath.Dir(full))
	return &packageDir{own: own}, filepath.Base(full), false, err
}

// Includes returns the directories of include/ in the order in which they are copied, with default first. The
// function of reports whether a directory is for the program's language.
func (p *Package) Includes(of func(code string) bool) (dirs []string) {
	for _, e := range p.list("include") {
		if e.Dir && (e.Name == "default" || of(e.Name)) {
			dirs = append(dirs, e.Name)
		}
	}
	slices.SortStableFunc(dirs, func(a, b string) int {
		switch {
		case a == "default":
			return -1
		case b == "default":
			return 1
		}
		return strings.Compare(a, b)
	})
	return dirs
}

// StageInclude copies the directories of include/, with the constants filled in, to the new directory to. If
// there are none, it does nothing.
func (p *Package) StageInclude(to string) error {
	c := copier{p: p, from: p.root, to: to, constants: true}
	for _, name := range p.Includes(func(string) bool { return true }) {
		if err := c.copyDir(path.Join("include", name), name); err != nil {
			return err
		}
	}
	return nil
}

// maxStaged is the maximum number of files in a program.
const maxStaged = 2000

// copier copies programs.
type copier struct {
	p         *Package
	from      *packageDir
	to        string
	constants bool
	count     int
}

func (c *copier) copyDir(dir, to string) error {
	if err := os.MkdirAll(filepath.Join(c.to, filepath.FromSlash(to)), 0o755); err != nil {
		return fmt.Errorf("copy a program: %w", err)
	}
	entries, err := c.from.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("copy a program: %w", err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if isIgnored(e.Name()) {
			continue
		}
		info, err := c.from.Stat(name)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			continue // Warnings contains it; the compiler reports it if the file is needed
		case err != nil:
			return &judge.ProblemError{File: filepath.Join(c.from.Name(), name), Text: problem.Reason(err)}
		case info.IsDir():
			err = c.copyDir(name, path.Join(to, e.Name()))
		case info.Mode().IsRegular():
			err = c.copyFile(name, path.Join(to, e.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isIgnored reports whether a file in a program's directory does not belong to the program. Compilers and editors
// leave files there that would interfere.
func isIgnored(name string) bool {
	switch extension(name) {
	case "bin", "exe", "o", "obj", "class", "pyc", "hi", "swp", "bak", "orig", "ctd", "pdf":
		return true
	}
	return strings.HasPrefix(name, ".") || problem.Leftover(name) || strings.HasSuffix(name, "~") ||
		name == "__pycache__" || name == "a.out" || !utf8.ValidString(name)
}

func (c *copier) copyFile(name, to string) error {
	if c.count++; c.count > maxStaged {
		return &judge.ProblemError{File: c.from.Name(), Text: fmt.Sprintf("the program has more than %d files", maxStaged)}
	}
	info, err := c.from.Stat(name)
	if err != nil {
		return fmt.Errorf("copy a program: %w", err)
	}
	if info.Size() > maxFile {
		return &judge.ProblemError{
			File: filepath.Join(c.from.Name(), name),
			Text: fmt.Sprintf("a file of the program has %d bytes", info.Size()),
			Hint: "submit source code, not data",
		}
	}
	data, err := c.from.ReadFile(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return &judge.ProblemError{File: filepath.Join(c.from.Name(), name), Text: problem.Reason(err), Hint: "chmod a+r"}
		}
		return fmt.Errorf("copy a program: %w", err)
	}
	if c.constants && bytes.Contains(data, []byte("{{")) && bytes.IndexByte(data, 0) < 0 {
		data = []byte(c.p.Constants(string(data)))
	}
	full := filepath.Join(c.to, filepath.FromSlash(to))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return fmt.Errorf("copy a program: %w", err)
	}
	if err := os.Remove(full); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("copy a program: %w", err)
	}
	if err := os.WriteFile(full, data, info.Mode().Perm()|0o600); err != nil {
		return fmt.Errorf("copy a program: %w", err)
	}
	return nil
}
