package format_test

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

// group is a part of the package, and the words with which its files' names start.
type group struct {
	name  string
	files []string
}

// groups are the parts of the package. Each knows those above it, and nothing below.
var groups = []group{
	{"grammar", []string{"format", "model", "expr"}},
	{"parsing", []string{"lex", "parse"}},
	{"reading", []string{"tree", "read"}},
	{"programs for peers", []string{"peer"}},
	{"coverage", []string{"cover"}},
	{"writing", []string{"write"}},
	{"drawing", []string{"draw"}},
	{"near misses", []string{"near"}},
	{"shrinking", []string{"refit", "reduce"}},
}

func groupOf(file string) int {
	word, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return slices.IndexFunc(groups, func(g group) bool { return slices.Contains(g.files, word) })
}

// TestFilesKnowOneWay holds that the parts of the package depend on each other in one
// direction.
func TestFilesKnowOneWay(t *testing.T) {
	paths, _ := filepath.Glob("*.go")
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if groupOf(path) < 0 {
			t.Errorf("%s belongs to no part of the package", path)
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	c := types.Config{Importer: importer.Default(), Error: func(error) {}} // what others declare is not looked at
	pkg, _ := c.Check("format", set, files, info)
	told := map[string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := set.Position(ident.Pos()), set.Position(object.Pos())
		text := fmt.Sprintf("%s knows %s of %s", from.Filename, object.Name(), to.Filename)
		if a, b := groupOf(from.Filename), groupOf(to.Filename); a < b && !told[text] {
			told[text] = true
			t.Errorf("%s: %s comes before %s", text, groups[a].name, groups[b].name)
		}
	}
	if len(info.Uses) == 0 {
		t.Error("nothing was looked at")
	}
}
