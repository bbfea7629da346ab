package problem

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
)

// usualParts fills in programs that problem.toml does not name. If a table names no program, its program is the
// one with the table's name. A program with the name of a part is that part, even without a table. In a directory
// with a game or golf, programs may have other uses, so a table is required. A checker always requires its table;
// without one, tokens are compared. If there are several programs with the name of a part, none is taken, and Lint
// reports a fault.
func (f *Directory) usualParts(t *table) {
	alone := t.Game == nil && t.Golf == nil
	named := func(name string, p **part, wanted bool) {
		switch {
		case *p != nil && (*p).Program == "":
			(*p).Program = name
		case *p == nil && wanted && alone && f.isUnique(name):
			*p = &part{Program: f.programNames(name)[0]}
		}
	}
	named("reference", &t.Reference, true)
	named("validator", &t.Validator, true)
	named("interactor", &t.Interactor, f.Kind.Interactive)
	switch g := t.Generator; {
	case g != nil && g.Program == "":
		g.Program = "generator"
	case g == nil && alone && f.isUnique("generator"):
		t.Generator = &generator{Program: f.programNames("generator")[0]}
	}
	if c := t.Checker; c != nil && c.Name == "" && c.Program == "" && len(f.programNames("checker")) > 0 {
		c.Program = "checker"
	}
}

// noPrograms lists extensions of files that are not programs, or that a compiler wrote.
var noPrograms = []string{
	".md", ".txt", ".html", ".pdf", ".toml", ".json", ".yaml", ".in", ".ans", ".out", ".png", ".jpg", ".svg", ".zip",
	".class", ".exe", ".hi", ".o", ".obj", ".pyc",
}

// isUnique reports whether the directory contains exactly one program named like a part. If there are several, it
// adds a fault for Lint.
func (f *Directory) isUnique(name string) bool {
	found := f.programNames(name)
	if len(found) > 1 {
		f.ambiguous = append(f.ambiguous, f.ambiguousFault(name, name, found))
	}
	return len(found) == 1
}

// ambiguousFault returns the fault for several files that are called name.
func (f *Directory) ambiguousFault(key, name string, found []string) *judge.ProblemError {
	part, _, _ := strings.Cut(key, ".")
	return f.Fault(key, fmt.Sprintf("several files are called %s: %s", name, strings.Join(found, ", ")),
		fmt.Sprintf("remove all but one, or choose one: [%s] program = %q", part, found[0]))
}

// programNames returns the file or directory named like a part, with its extension. It returns several files if there
// is no such directory, and the files differ only in their extensions.
func (f *Directory) programNames(name string) (found []string) {
	if entries, err := os.ReadDir(filepath.Join(f.Dir, name)); err == nil && len(entries) > 0 {
		return []string{name}
	}
	entries, _ := os.ReadDir(f.Dir) // it was read a moment ago
	for _, e := range entries {
		base, extension := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), strings.ToLower(filepath.Ext(e.Name()))
		if !e.IsDir() && base == name && !slices.Contains(noPrograms, extension) {
			found = append(found, e.Name())
		}
	}
	return found
}
