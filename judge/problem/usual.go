package problem

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usualParts fills in programs that problem.toml does not name. If a table names no program, its program is the
// one with the table's name. A program with the name of a part is that part, even without a table. In a directory
// with a game or golf, programs may have other uses, so a table is required. A checker always requires its table;
// without one, tokens are compared.
func (f *Directory) usualParts(t *table) {
	alone := t.Game == nil && t.Golf == nil
	named := func(name string, p **part, wanted bool) {
		switch {
		case *p != nil && (*p).Program == "":
			(*p).Program = name
		case *p == nil && wanted && alone && f.hasProgram(name):
			*p = &part{Program: f.programName(name)}
		}
	}
	named("reference", &t.Reference, true)
	named("validator", &t.Validator, true)
	named("interactor", &t.Interactor, f.Kind.Interactive)
	switch g := t.Generator; {
	case g != nil && g.Program == "":
		g.Program = "generator"
	case g == nil && alone && f.hasProgram("generator"):
		t.Generator = &generator{Program: f.programName("generator")}
	}
	if c := t.Checker; c != nil && c.Name == "" && c.Program == "" && f.hasProgram("checker") {
		c.Program = "checker"
	}
}

// noPrograms lists extensions of files that are not programs.
var noPrograms = []string{".md", ".txt", ".html", ".pdf", ".toml", ".json", ".yaml", ".in", ".ans", ".out", ".png", ".jpg", ".svg", ".zip"}

// hasProgram reports whether the directory contains a program named like a part.
func (f *Directory) hasProgram(name string) bool { return f.programName(name) != "" }

// programName returns the file or directory named like a part, with its extension. It returns the empty string if
// there is none.
func (f *Directory) programName(name string) string {
	if entries, err := os.ReadDir(filepath.Join(f.Dir, name)); err == nil && len(entries) > 0 {
		return name
	}
	entries, _ := os.ReadDir(f.Dir) // it was read a moment ago
	found := ""
	for _, e := range entries {
		base, extension := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name())), strings.ToLower(filepath.Ext(e.Name()))
		switch {
		case e.IsDir() || base != name || slices.Contains(noPrograms, extension):
		case found != "":
			return "" // ambiguous
		default:
			found = e.Name()
		}
	}
	return found
}
