// Package mutate measures how many small mistakes the cases of a problem would miss. It makes mutants of a correct
// program, each with one small mutation, and runs them on the cases. A mutant that is correct on all cases has
// survived, and reveals a missing case.
//
//	source --Read--> mutants, and programs that contain many of them
//	          --Open--> workers in the sandbox --Judge--> killed by which case, or survived
//	                                           --Search--> an input that kills it, or none
//
// Mutants of Go programs are derived from syntax and types (writer.go). Mutants of programs in other languages are
// derived from tokens (token_mutator.go), using the tables in families.toml. A mutant is dropped if it does not compile,
// or if the compiler generates the same code as for the original or another mutant.
//
// Mutants are not built one by one. A worker process selects a mutant, and passes its input and output in memory
// files. The worker counts steps, or CPU time if it cannot count steps, to stop endless loops early. If a mutant
// crashes its worker, that is recorded, and another worker is started.
//
// A mutant is killed only if its output differs and the problem's checker rejects that output. A score does not
// prove that the cases are sufficient. It shows when more work is needed.
package mutate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge/running/config"
)

// Operator is a kind of mutation.
type Operator string

const (
	Relation   Operator = "relation"   // < for <=
	Condition  Operator = "condition"  // negate a condition, or make it constant
	Logic      Operator = "logic"      // || instead of &&, or only one operand
	Arithmetic Operator = "arithmetic" // - instead of +, or only one operand
	Constant   Operator = "constant"   // one more, one less, or zero
	Index      Operator = "index"      // off by one
	Bound      Operator = "bound"      // one loop iteration more or less
	Variable   Operator = "variable"   // another variable of the same type
	Call       Operator = "call"       // swap arguments, or remove the call
	Statement  Operator = "statement"  // removed
	Assignment Operator = "assignment" // another assignment operator
	Branch     Operator = "branch"     // continue instead of break
	Width      Operator = "width"      // 32 bits
	Float      Operator = "float"      // compute in floating point
)

// Operators returns all kinds of mutation, in the order in which tables show them.
func Operators() []Operator {
	return []Operator{
		Relation, Condition, Logic, Arithmetic, Constant, Index, Bound, Variable, Call, Statement, Assignment,
		Branch, Width, Float,
	}
}

// Mutant is a mutation of a program.
type Mutant struct {
	ID       int      // unique in its program; starts at 1, with gaps
	Operator Operator // kind of the mutation
	File     string   // relative path in the program, with slashes
	Line     int      // from 1
	Column   int      // in bytes, from 1
	Before   string   // original source text
	After    string   // its replacement

	start, end int  // byte offsets in the file
	block      int  // block that contains the mutation
	outer      bool // outside of all functions, in code that all copies share
}

// Source is a program that can be mutated.
type Source struct {
	Path    string // path as the user named it
	Mutants []*Mutant
	Notes   []string // describe parts that are not mutated

	files    map[string][]byte // all files of the program, by slash-separated name
	names    []string          // files of package main, sorted
	blocks   int
	schemata map[string][]byte
	forks    bool // starts goroutines, which may outlive a run
	single   bool // is a file, not a directory

	family   *Family // nil for Go
	language *config.Language
	steps    []insertion // insertions that count steps
}

// UnmutableError explains why a program cannot be mutated.
type UnmutableError struct{ Path, Reason string }

func (e *UnmutableError) Error() string { return e.Path + ": " + e.Reason }

// Toolchain tells where the sources of imported packages are.
type Toolchain struct {
	Goroot string // directory of the Go distribution
	Kit    fs.FS  // the kit's sources

	known map[string]*types.Package // cached types of standard packages; may be nil
}

// maxMutants is the maximum number of mutants of one program. If there are more, an even selection is kept.
const maxMutants = 3000

// Read reads a Go program, which is a file or a directory, and finds its mutants. If the program cannot be
// mutated, it returns an *UnmutableError.
func Read(name string, tools Toolchain) (*Source, error) {
	s := &Source{Path: name, files: map[string][]byte{}}
	if err := s.load(); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, n := range s.names {
		f, err := parser.ParseFile(fset, n, s.files[n], parser.SkipObjectResolution)
		if err != nil {
			return nil, &UnmutableError{name, "it cannot be parsed: " + err.Error()}
		}
		if f.Name.Name != "main" {
			return nil, &UnmutableError{name, "it is not a command: its package is " + f.Name.Name}
		}
		if bytes.Contains(s.files[n], []byte("\n//go:embed")) {
			return nil, &UnmutableError{name, "it embeds files"}
		}
		parsed = append(parsed, f)
	}
	imports := newImporter(fset, tools, s.files)
	info := newInfo()
	var first error
	config := types.Config{Importer: imports, Sizes: types.SizesFor("gc", build.Default.GOARCH), Error: func(err error) {
		if first == nil {
			first = err
		}
	}}
	pkg, err := config.Check("main", fset, parsed, info)
	if first != nil || err != nil {
		return nil, &UnmutableError{name, "its types cannot be worked out: " + first.Error()}
	}
	w := newWriter(s, fset, pkg, info, parsed)
	return s, w.findCompiling(imports)
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
	}
}

// load reads the files of a Go program.
func (s *Source) load() error {
	if err := s.readFiles(); err != nil {
		return err
	}
	if s.single {
		if path.Ext(s.Path) != ".go" {
			return &UnmutableError{s.Path, "it is not written in Go"}
		}
		s.files, s.names = map[string][]byte{"main.go": s.files[filepath.Base(s.Path)]}, []string{"main.go"}
		return nil
	}
	context := build.Default
	context.CgoEnabled = false
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if strings.HasSuffix(name, "_test.go") {
			delete(s.files, name)
			continue
		}
		matches, err := context.MatchFile(filepath.Join(s.Path, path.Dir(name)), path.Base(name))
		if path.Ext(name) != ".go" || err != nil || !matches {
			continue
		}
		if path.Dir(name) == "." {
			s.names = append(s.names, name)
		} else if note := "package " + path.Dir(name) + " is not mutated"; !slices.Contains(s.Notes, note) {
			s.Notes = append(s.Notes, note)
		}
	}
	if len(s.names) == 0 {
		return &UnmutableError{s.Path, "it is not written in Go"}
	}
	return nil
}

// readFiles reads the program's file, or all files in its directory except hidden ones.
func (s *Source) readFiles() error {
	info, err := os.Stat(s.Path)
	if err != nil {
		return err
	}
	root, start := os.DirFS(s.Path), "."
	if s.single = !info.IsDir(); s.single {
		root, start = os.DirFS(filepath.Dir(s.Path)), filepath.Base(s.Path)
	}
	err = fs.WalkDir(root, start, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != start && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() && !s.single:
			return nil
		}
		s.files[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the program: %w", err)
	}
	return nil
}

// Name returns the file and line of a mutant, for messages.
func (s *Source) Name(m *Mutant) string {
	file := filepath.Join(s.Path, filepath.FromSlash(m.File))
	if s.single {
		file = s.Path
	}
	return fmt.Sprintf("%s:%d", file, m.Line)
}

// Lines returns the source lines that a mutant changes, before and after the change.
func (s *Source) Lines(m *Mutant) (before, after string) {
	text := s.files[m.File]
	from := bytes.LastIndexByte(text[:m.start], '\n') + 1
	to := len(text)
	if n := bytes.IndexByte(text[m.end:], '\n'); n >= 0 {
		to = m.end + n
	}
	before = string(text[from:to])
	after = string(text[from:m.start]) + m.After + string(text[m.end:to])
	return before, after
}

// Diff returns the lines that a mutant changes, as a diff.
func (s *Source) Diff(m *Mutant) string {
	before, after := s.Lines(m)
	var b strings.Builder
	for _, part := range []struct{ sign, text string }{{"-", before}, {"+", after}} {
		for line := range strings.SplitSeq(part.text, "\n") {
			if strings.TrimSpace(line) != "" || part.sign == "-" {
				b.WriteString(part.sign + line + "\n")
			}
		}
	}
	return b.String()
}

// Schemata returns the files of a program that can behave as any of the mutants.
func (s *Source) Schemata() map[string][]byte { return s.schemata }
