package judge_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// part is a group of files in a package. The files are given by the prefixes of their names.
type part struct {
	name  string
	files []string
}

// ordered maps each package whose files are ordered to its parts. A part may use only the parts above it.
var ordered = map[string][]part{
	"cases/format": {
		{"grammar", []string{"format", "model", "expr"}},
		{"parsing", []string{"lex", "parse"}},
		{"reading", []string{"tree", "read"}},
		{"programs for peers", []string{"peer"}},
		{"coverage", []string{"cover"}},
		{"writing", []string{"write"}},
		{"drawing", []string{"draw"}},
		{"near misses", []string{"near"}},
		{"shrinking", []string{"refit", "reduce"}},
	},
	"workspace": {
		{"the contest", []string{"workspace", "bundled", "cache", "suggest"}},
		{"what a name is", []string{"unpack", "locate"}},
		{"opening", []string{"open", "fetch"}},
		{"building", []string{"script", "build"}},
		{"what contestants read", []string{"statement", "convert"}},
		{"golf and games", []string{"golf", "arena"}},
		{"mutants", []string{"mutants", "second"}},
		{"making ready", []string{"filling", "prepare"}},
		{"for elsewhere", []string{"bundle", "verify"}},
		{"judging", []string{"bench", "submit", "warm", "tester", "grid"}},
	},
}

// TestFilesKnowOneWay checks that the ordered parts of a package depend on each other in one direction only.
func TestFilesKnowOneWay(t *testing.T) {
	for dir, parts := range ordered {
		t.Run(dir, func(t *testing.T) { knowOneWay(t, dir, parts) })
	}
}

func knowOneWay(t *testing.T, dir string, parts []part) {
	partOf := func(path string) int {
		word, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".go"), "_")
		return slices.IndexFunc(parts, func(p part) bool { return slices.Contains(p.files, word) })
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if partOf(path) < 0 {
			t.Errorf("%s belongs to no part of the package", path)
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: importer.Default(), Error: func(error) {}} // declarations of other packages do not matter
	pkg, _ := c.Check(dir, set, files, info)
	told := map[string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := set.Position(ident.Pos()).Filename, set.Position(object.Pos()).Filename
		text := fmt.Sprintf("%s knows %s of %s", from, object.Name(), to)
		if a, b := partOf(from), partOf(to); a < b && !told[text] {
			told[text] = true
			t.Errorf("%s: %s comes before %s", text, parts[a].name, parts[b].name)
		}
	}
	if len(info.Uses) < 100 {
		t.Errorf("only %d names were looked at", len(info.Uses))
	}
}
