package judge_test

import (
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPackageDocs checks that each package comment is short and says what the package does and does not do.
func TestPackageDocs(t *testing.T) {
	for _, p := range list(t, "./judge/...", "./cmd/...") {
		text := docOf(t, p)
		words := strings.Fields(text)
		switch {
		case len(words) < 10:
			t.Errorf("package %s has no doc to speak of", p.ImportPath)
		case !slices.Contains(words, "not") && !slices.Contains(words, "nothing") && !slices.Contains(words, "no") &&
			!slices.Contains(words, "never"):
			t.Errorf("package %s does not say what it is not", p.ImportPath)
		case strings.Count(text, "\n") > 20 && p.ImportPath != "assay/judge/host": // which contains only its package comment
			t.Errorf("the doc of package %s has %d lines", p.ImportPath, strings.Count(text, "\n"))
		}
	}
}

// sources parses the files of a package for all systems, without tests.
func docOf(t *testing.T, p listed) string {
	t.Helper()
	_, files := sources(t, p)
	var text strings.Builder
	for _, f := range files {
		if f.Doc != nil {
			text.WriteString(f.Doc.Text())
		}
	}
	return text.String()
}

// TestArchitectureNamesEveryPackage checks that the list in ARCHITECTURE.md names each package exactly once, in
// rows of at most two packages.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	data, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, line := range strings.Split(string(data), "\n") {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			names, _, _ := strings.Cut(rest, "` |")
			all := strings.Split(names, "`, `")
			if len(all) > 2 {
				t.Errorf("a row of ARCHITECTURE.md names %d packages, want at most 2: %s", len(all), names)
			}
			for _, name := range all {
				if named[name] {
					t.Errorf("ARCHITECTURE.md names %s twice", name)
				}
				named[name] = true
			}
		}
	}
	for _, p := range list(t, "./judge/...", "./cmd/...") {
		name := strings.TrimPrefix(p.ImportPath, "assay/")
		if !named[name] {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("ARCHITECTURE.md names %s, which is not a package", name)
	}
}

// TestExportedNamesHaveADoc checks that each exported name below judge/ has a doc comment: types, functions,
// methods, constants, and variables. One comment may cover the names of a line or of a whole block.
func TestExportedNamesHaveADoc(t *testing.T) {
	for _, p := range list(t, "./judge/...") {
		set, files := sources(t, p)
		for _, f := range files {
			for _, name := range undocumented(f) {
				t.Errorf("%s: %s has no doc", set.Position(name.Pos()), name.Name)
			}
		}
	}
}

// known lists methods that are documented by interfaces of the standard library.
var known = []string{"Error", "String", "Unwrap", "Write"}

// undocumented returns the exported names of f without a comment. It returns none for generated code, which only
// its own package uses.
func undocumented(f *ast.File) (names []*ast.Ident) {
	if ast.IsGenerated(f) {
		return nil
	}
	note := func(of []*ast.Ident, docs ...*ast.CommentGroup) {
		if slices.ContainsFunc(docs, func(d *ast.CommentGroup) bool { return d.Text() != "" }) {
			return
		}
		for _, name := range of {
			if name.IsExported() {
				names = append(names, name)
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || receiverIsExported(d.Recv) && !slices.Contains(known, d.Name.Name) {
				note([]*ast.Ident{d.Name}, d.Doc)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					note(s.Names, d.Doc, s.Doc, s.Comment)
				case *ast.TypeSpec:
					note([]*ast.Ident{s.Name}, d.Doc, s.Doc, s.Comment)
				}
			}
		}
	}
	return names
}

func receiverIsExported(recv *ast.FieldList) bool {
	of := recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	name, ok := of.(*ast.Ident)
	return !ok || name.IsExported()
}
