package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"assay/judge/internal/pattern"
)

func TestNew(t *testing.T) {
	word := pattern.New(`^[a-z]+$`)
	if !word().MatchString("word") || word().MatchString("two words") {
		t.Error("the expression is not the one that was given")
	}
}

// TestEveryPattern compiles all expressions of the project, which are otherwise compiled on first use.
func TestEveryPattern(t *testing.T) {
	n := 0
	err := filepath.WalkDir("../../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "New" {
				return true
			} else if x, ok := f.X.(*ast.Ident); !ok || x.Name != "pattern" {
				return true
			}
			n++
			if text, constant := text(call.Args[0]); constant {
				if _, err := regexp.Compile(text); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || n < 50 {
		t.Errorf("%d patterns found in the project, %v", n, err)
	}
}

// text returns the value of a string expression, which may be a concatenation. It returns false if a part is not a
// literal.
func text(e ast.Expr) (value string, constant bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil
	case *ast.BinaryExpr:
		a, one := text(e.X)
		b, two := text(e.Y)
		return a + b, one && two
	}
	return "", false
}
