package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// change replaces some bytes of a file.
type change struct {
	file     string // from the root of the project
	at       token.Position
	from, to int
	text     string
	line     string // the line where it starts, as it was
	node     ast.Node
	number   int // in the program with many changes; 0 where it does not stand there
}

func (c change) String() string {
	return fmt.Sprintf("%s | %s | %s", c.file, c.line, c.what())
}

// what is the change in words.
func (c change) what() string {
	if c.text == "" {
		return "left out"
	}
	return fmt.Sprintf("column %d: %s", c.at.Column, c.text)
}

func (c change) apply(src []byte) []byte {
	return slices.Concat(src[:c.from], []byte(c.text), src[c.to:])
}

// pack is a package with the changes to try.
type pack struct {
	set      *token.FileSet
	files    []*ast.File
	names    []string
	source   map[string][]byte
	info     *types.Info
	types    *types.Package
	importer types.Importer
	changes  []change
}

func load(pkg string) (*pack, error) {
	p := &pack{set: token.NewFileSet(), source: map[string][]byte{}}
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export,DepOnly,GoFiles", pkg)
	list.Stderr = os.Stderr
	data, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(data))); ; {
		var one struct {
			ImportPath, Export string
			DepOnly            bool
			GoFiles            []string
		}
		if err := d.Decode(&one); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		exports[one.ImportPath] = one.Export
		if !one.DepOnly {
			p.names = one.GoFiles
		}
	}
	p.importer = importer.ForCompiler(p.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for i, name := range p.names {
		file := filepath.ToSlash(filepath.Join(pkg, name))
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(p.set, file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.names[i], p.source[file] = file, src
		p.files = append(p.files, parsed)
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if p.types, err = p.check(p.files, p.info); err != nil {
		return nil, err
	}
	for i, file := range p.files {
		lines := strings.Split(string(p.source[p.names[i]]), "\n")
		add := func(n ast.Node, from, to token.Pos, text string) {
			at := p.set.Position(from)
			p.changes = append(p.changes, change{
				file: p.names[i], at: at, from: at.Offset, to: p.set.Position(to).Offset,
				text: text, line: strings.TrimSpace(lines[at.Line-1]), node: n,
			})
		}
		ast.Inspect(file, func(n ast.Node) bool {
			visit(n, add)
			_, imports := n.(*ast.ImportSpec)
			return !imports
		})
	}
	return p, nil
}

func (p *pack) check(files []*ast.File, info *types.Info) (*types.Package, error) {
	config := types.Config{Importer: p.importer}
	return config.Check("package", p.set, files, info)
}

// compiles says whether the package compiles with a change.
func (p *pack) compiles(c change) bool {
	files := slices.Clone(p.files)
	i := slices.Index(p.names, c.file)
	changed, err := parser.ParseFile(p.set, c.file, c.apply(p.source[c.file]), parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files[i] = changed
	_, err = p.check(files, nil)
	return err == nil
}

// others are what an operator becomes.
var others = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"*"},
}

func visit(n ast.Node, add func(n ast.Node, from, to token.Pos, text string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		for _, other := range others[n.Op] {
			add(n, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			add(n, n.OpPos, n.OpPos+1, " ")
		}
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 10, 32); n.Kind == token.INT && err == nil {
			add(n, n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			leaveOut(s, add)
		}
	case *ast.CaseClause:
		for _, s := range n.Body {
			leaveOut(s, add)
		}
	}
}

// leaveOut leaves a statement out that declares nothing.
func leaveOut(s ast.Stmt, add func(n ast.Node, from, to token.Pos, text string)) {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		add(s, s.Pos(), s.End(), "")
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			add(s, s.Pos(), s.End(), "")
		}
	}
}
