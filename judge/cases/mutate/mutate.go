// Package mutate measures how many small mistakes the cases of a problem would miss. It makes mutants of a
// correct program, each with one small mutation, and runs them on the cases. A mutant that is correct on all
// cases has survived, and shows what is missing.
//
//	source --Read--> mutants, and programs that can be many of them
//	          --Open--> workers in the sandbox --Judge--> killed by which case, or survived
//	                                           --Search--> an input that kills it, or none
//
// Mutants of Go programs are made from syntax and types (writer.go). Mutants of programs in other languages
// are made from tokens (slips.go), by the tables of families.toml. Mutants that do not compile, or for which
// the compiler generates equal code, are dropped.
//
// Mutants are not built one by one. A worker process selects a mutant, and passes its input and output in
// memory files. It counts steps, or CPU time if it cannot, so that a mutant with an endless loop ends early.
// If a mutant ends the worker, that is recorded, and another worker is started.
//
// A difference from the correct program's output is only a kill if the problem's checker rejects it. A score
// does not certify a suite: it says when more work is needed.
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
	Condition  Operator = "condition"  // a condition negated, or constant
	Logic      Operator = "logic"      // && for ||, or one side alone
	Arithmetic Operator = "arithmetic" // - for +, or one operand alone
	Constant   Operator = "constant"   // one more, one less, none
	Index      Operator = "index"      // off by one
	Bound      Operator = "bound"      // a loop with one iteration more or less
	Variable   Operator = "variable"   // another variable of the same type
	Call       Operator = "call"       // arguments swapped, or the call removed
	Statement  Operator = "statement"  // removed
	Assignment Operator = "assignment" // another assignment operator
	Branch     Operator = "branch"     // break for continue
	Width      Operator = "width"      // 32 bits
	Float      Operator = "float"      // by floating point
)

// Operators returns all kinds of mutation, in the order of tables.
func Operators() []Operator {
	return []Operator{
		Relation, Condition, Logic, Arithmetic, Constant, Index, Bound, Variable, Call, Statement, Assignment,
		Branch, Width, Float,
	}
}

// Mutant is a program with one mutation.
type Mutant struct {
	ID       int      // in its program; from 1, with gaps
	Operator Operator // kind of the mutation
	File     string   // of the program, with slashes
	Line     int      // from 1
	Column   int      // in bytes, from 1
	Before   string   // the source text that is changed
	After    string   // its replacement

	start, end int  // offsets in the file
	block      int  // block that contains it
	outer      bool // outside of all functions, where all copies share the code
}

// Source is a program that can be mutated.
type Source struct {
	Path    string // as the user named it
	Mutants []*Mutant
	Notes   []string // parts that are not mutated

	files    map[string][]byte // all files of the program, by name with slashes
	names    []string          // files of package main, sorted
	blocks   int
	schemata map[string][]byte
	forks    bool // it starts goroutines, which may outlive a run
	single   bool // it is a file, not a directory

	family   *Family // nil for Go
	language *config.Language
	steps    []put // code that counts its steps
}

// UnmutableError says why a program is not mutated.
type UnmutableError struct{ Path, Reason string }

func (e *UnmutableError) Error() string { return e.Path + ": " + e.Reason }

// Toolchain says where imported packages are read from.
type Toolchain struct {
	Goroot string // directory of the Go distribution
	Kit    fs.FS  // the kit's sources

	known map[string]*types.Package // cache of the types of standard packages; may be nil
}

// Most mutants of one program. If there are more, they are thinned out evenly.
const mostMutants = 3000

// Read reads a Go program, a file or a directory, and finds its mutants. If it cannot be mutated, the error
// is an *UnmutableError.
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
	return s, w.settle(imports)
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

// readFiles reads a program: its file, or all files of its directory, except those whose names begin with a
// dot.
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

// Name returns the place of the mutant's line, for people.
func (s *Source) Name(m *Mutant) string {
	file := filepath.Join(s.Path, filepath.FromSlash(m.File))
	if s.single {
		file = s.Path
	}
	return fmt.Sprintf("%s:%d", file, m.Line)
}

// Lines returns the source lines that a mutant changes, before and after.
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

// Diff shows what the mutant changes.
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

// Schemata returns the files of the program that can be any of its mutants.
func (s *Source) Schemata() map[string][]byte { return s.schemata }
