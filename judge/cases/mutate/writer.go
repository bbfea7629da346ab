package mutate

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// writer rewrites a program so that a variable selects the mutant. It writes each change next to the original
// code:
//
//	a < b      (assay_M-7 >= 2 && (a < b) || assay_M == 7 && (a <= b) || assay_M == 8 && (a != b))
//	a + b      assay_pick2[int](9, a+b, a-b, a)           if evaluating all of them is harmless
//	f(x) / y   func() int { switch assay_M { case 11: return f(x) * y }; return f(x) / y }()
//	total = x  if assay_M != 12 { total = x }
//
// Functions and loops are written twice, with their changes and without. So code that the selected mutant does not
// change runs at full speed.
//
// Only one mutant is selected at a time. So changes contain the original source, and the size of the text is
// proportional to the number of mutants, not to their product.
type writer struct {
	s      *Source
	fset   *token.FileSet
	pkg    *types.Package
	info   *types.Info
	parsed []*ast.File
	roles  map[ast.Node]role
	around map[ast.Expr]int // precedence of the operator that encloses an operand

	dropped map[int]bool // mutants that do not compile
	mutants []*Mutant
	file    *ast.File
	text    []byte
	start   token.Pos // of the file
	quiet   int       // if positive, no mutants are added
	next    int       // number of the next mutant
	block   int       // block of the next mutant
	blocks  int
	inits   int
	labeled ast.Stmt        // statement after the last label
	exits   map[string]bool // names of functions in this file that exit the program
	resets  []string        // functions that reset package variables, in order
}

func newWriter(s *Source, fset *token.FileSet, pkg *types.Package, info *types.Info, parsed []*ast.File) *writer {
	w := &writer{
		s: s, fset: fset, pkg: pkg, info: info, parsed: parsed, roles: map[ast.Node]role{},
		around: map[ast.Expr]int{}, dropped: map[int]bool{},
	}
	for _, f := range parsed {
		w.mark(f)
	}
	return w
}

// write writes the files of the whole program, and the harness.
func (w *writer) write() map[string][]byte {
	w.mutants, w.next, w.block, w.blocks, w.inits, w.resets = nil, 1, 0, 1, 0, nil
	out := map[string][]byte{}
	type tail struct {
		order int
		call  string
	}
	var inits []string
	var sets []tail
	for i, f := range w.parsed {
		w.open(i, f)
		var b strings.Builder
		at := f.FileStart
		for _, d := range f.Decls {
			b.Write(w.span(at, d.Pos()))
			b.WriteString(w.decl(d, &inits))
			at = d.End()
		}
		b.Write(w.span(at, f.FileEnd))
		b.WriteString("\n")
		for k, init := range w.info.InitOrder {
			if init.Rhs.Pos() >= f.FileStart && init.Rhs.Pos() < f.FileEnd {
				if text := w.initializer(init, len(sets)); text != "" {
					fmt.Fprintf(&b, "func assay_var%d() { %s }\n", len(sets), text)
					sets = append(sets, tail{k, fmt.Sprintf("assay_var%d", len(sets))})
				}
			}
		}
		for _, text := range w.zeros(f) {
			fmt.Fprintf(&b, "func assay_var%d() { %s }\n", len(sets), text)
			sets = append(sets, tail{-1, fmt.Sprintf("assay_var%d", len(sets))})
		}
		for name := range w.exits {
			fmt.Fprintf(&b, "var _ = %s\n", name)
		}
		out[w.s.names[i]] = []byte(b.String())
	}
	slices.SortStableFunc(sets, func(a, b tail) int { return cmp.Compare(a.order, b.order) })
	for _, s := range sets {
		w.resets = append(w.resets, s.call)
	}
	w.resets = append(w.resets, inits...)
	out[harnessFile] = harness(w.blocks, w.resets, w.s.forks)
	return out
}

func (w *writer) open(i int, f *ast.File) {
	w.file, w.text, w.start, w.exits = f, w.s.files[w.s.names[i]], f.FileStart, map[string]bool{}
}

func (w *writer) span(from, to token.Pos) []byte {
	return w.text[from-w.start : to-w.start]
}

func (w *writer) raw(n ast.Node) string { return string(w.span(n.Pos(), n.End())) }

func (w *writer) rawFrom(from, to token.Pos) string { return string(w.span(from, to)) }

func (w *writer) rawAll(list []ast.Expr) []string {
	all := make([]string, len(list))
	for i, e := range list {
		all[i] = w.raw(e)
	}
	return all
}

// precOf returns the precedence of an expression's operator. It returns zero if the expression never needs
// parentheses.
func (w *writer) precOf(e ast.Expr) int {
	switch n := e.(type) {
	case *ast.BinaryExpr:
		return n.Op.Precedence()
	case *ast.UnaryExpr, *ast.StarExpr:
		return 6
	}
	return 0
}

// paren writes an expression as an operand of an operator.
func (w *writer) paren(e ast.Expr, prec int) string {
	if p := w.precOf(e); p != 0 && p < prec {
		return "(" + w.raw(e) + ")"
	}
	return w.raw(e)
}

// join writes two operands with an operator between them.
func (w *writer) join(x ast.Expr, op string, y ast.Expr) string {
	prec := precedence[op]
	return w.paren(x, prec) + " " + op + " " + w.paren(y, prec+1)
}

// typeName formats a type as it must be named in this file.
func (w *writer) typeName(t types.Type) (string, bool) {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == w.pkg {
			return ""
		}
		for _, spec := range w.file.Imports {
			if strings.Trim(spec.Path.Value, `"`) == p.Path() {
				if spec.Name != nil {
					return spec.Name.Name
				}
				return p.Name()
			}
		}
		ok = false
		return p.Name()
	})
	return name, ok
}

// decl writes a top-level declaration.
func (w *writer) decl(d ast.Decl, inits *[]string) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Body == nil {
		return w.raw(d)
	}
	name := f.Name.Name
	switch {
	case f.Recv == nil && name == "main":
		name = "assay_main"
	case f.Recv == nil && name == "init":
		name = fmt.Sprintf("assay_init%d", w.inits)
		w.inits++
		*inits = append(*inits, name)
	}
	return string(w.span(f.Pos(), f.Name.Pos())) + name + string(w.span(f.Name.End(), f.Body.Pos())) + w.body(f)
}

// initializer writes code that initializes package variables again.
func (w *writer) initializer(init *types.Initializer, _ int) string {
	var names []string
	blank := true
	for _, v := range init.Lhs {
		names = append(names, v.Name())
		blank = blank && v.Name() == "_"
	}
	if blank {
		return ""
	}
	w.block = 0
	return strings.Join(names, ", ") + " = " + w.expr(init.Rhs)
}

// zeros writes code that resets package variables without initial values to zero.
func (w *writer) zeros(f *ast.File) (lines []string) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for _, name := range v.Names {
				switch {
				case len(v.Values) > 0 || name.Name == "_":
				case isType[*types.Array](w.info.Defs[name].Type()):
					lines = append(lines, fmt.Sprintf("assay_clear(%s[:])", name.Name))
				default:
					lines = append(lines, fmt.Sprintf("%s = *new(%s)", name.Name, w.raw(v.Type)))
				}
			}
		}
	}
	return lines
}

// function writes a function body. If the function has results, the body ends with a panic. Without it, the end of
// the body might become reachable when a return statement is removed, and the program would not compile.
func (w *writer) function(t *ast.FuncType, body *ast.BlockStmt) string {
	text := w.node(body)
	if t.Results != nil && len(t.Results.List) > 0 {
		text = strings.TrimSuffix(text, "}") + ";panic(\"no return\")}"
	}
	return text
}

// body writes the body of a declared function twice: unchanged, for mutants of other functions, and with its
// changes.
func (w *writer) body(f *ast.FuncDecl) string {
	text, clean, site := w.twice(f.Body, func() string { return w.function(f.Type, f.Body) }, func() string { return w.node(f.Body) })
	if clean == "" {
		return text
	}
	if f.Type.Results == nil {
		clean = strings.TrimSuffix(clean, "}") + ";return}"
	}
	return fmt.Sprintf("{ if assay_M-%d >= %d %s;%s", site, w.next-site, clean, text[1:])
}

// loop writes a loop twice: unchanged and with its changes.
func (w *writer) loop(s ast.Stmt) string {
	write := func() string { return w.children(s, s.Pos(), s.End()) }
	text, clean, site := w.twice(s, write, write)
	if clean == "" || s == w.labeled {
		return text
	}
	return fmt.Sprintf("if assay_M-%d >= %d { %s } else { %s }", site, w.next-site, clean, text)
}

// twice writes a node with its changes and without. Both texts have the same blocks. The result site is the id of
// the first change. The result clean, the text without changes, is empty if nothing changes or if the text cannot
// occur twice in a function.
func (w *writer) twice(n ast.Node, write, plain func() string) (text, clean string, site int) {
	before := w.blocks
	site = w.next
	if text = write(); w.next == site || hasLabel(n) {
		return text, "", site
	}
	w.blocks = before
	w.quiet++
	clean = plain()
	w.quiet--
	return text, clean, site
}

func hasLabel(n ast.Node) (found bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if _, ok := c.(*ast.LabeledStmt); ok {
			found = true
		}
		return !found
	})
	return found
}

// node writes a node and all its children.
func (w *writer) node(n ast.Node) string {
	r := w.roles[n]
	if r&frozen != 0 {
		w.quiet++
		defer func() { w.quiet-- }()
	}
	switch n := n.(type) {
	case ast.Expr:
		return w.expr(n)
	case *ast.BlockStmt:
		if r&bare != 0 {
			return w.children(n, n.Pos(), n.End())
		}
		return w.tick(func(tick string) string {
			return "{" + tick + w.children(n, n.Lbrace+1, n.End())
		})
	case *ast.CaseClause:
		return w.clause(n, n.Colon)
	case *ast.CommClause:
		return w.clause(n, n.Colon)
	case ast.Stmt:
		return w.stmt(n)
	case *ast.GenDecl:
		if n.Tok != token.VAR {
			return w.raw(n)
		}
	}
	return w.children(n, n.Pos(), n.End())
}

// tick writes a block, with code that counts a step and records that the block was reached.
func (w *writer) tick(write func(tick string) string) string {
	outer := w.block
	w.block = w.blocks
	w.blocks++
	text := write(fmt.Sprintf(" assay_tick(%d);", w.block))
	w.block = outer
	return text
}

// clause writes a case of a switch or select. The conditions of the case are outside its block.
func (w *writer) clause(n ast.Node, colon token.Pos) string {
	head := w.children(n, n.Pos(), colon+1)
	return w.tick(func(tick string) string {
		return head + tick + w.children(n, colon+1, n.End())
	})
}

// children writes the source between two positions, and rewrites the nodes below n.
func (w *writer) children(n ast.Node, from, to token.Pos) string {
	var b strings.Builder
	at := from
	ast.Inspect(n, func(c ast.Node) bool {
		switch {
		case c == n:
			return true
		case c == nil || c.Pos() < at || c.End() > to:
			return false
		}
		b.Write(w.span(at, c.Pos()))
		b.WriteString(w.node(c))
		at = c.End()
		return false
	})
	b.Write(w.span(at, to))
	return b.String()
}

// add adds a mutant for each change of a node, and returns the ids of those that compile. The first id also
// identifies the site.
func (w *writer) add(n ast.Node, changes []change, outer int) (site int, ids []int, kept []change) {
	if w.quiet > 0 {
		return 0, nil, nil
	}
	site = w.next
	function := hasFunction(n)
	before := w.raw(n)
	seen := map[string]bool{before: true}
	at := w.fset.Position(n.Pos())
	for _, c := range changes {
		if seen[c.after] || function && strings.Contains(c.text(), "func") {
			continue
		}
		seen[c.after] = true
		id := w.next
		w.next++
		if w.dropped[id] {
			continue
		}
		after := c.after
		if c.prec != 0 && c.prec < outer {
			after = "(" + after + ")"
		}
		w.mutants = append(w.mutants, &Mutant{
			ID: id, Operator: c.op, File: at.Filename, Line: at.Line, Column: at.Column, Before: before, After: after,
			start: int(n.Pos() - w.start), end: int(n.End() - w.start), block: w.block,
		})
		ids, kept = append(ids, id), append(kept, c)
	}
	return site, ids, kept
}

// hasFunction reports whether a node contains a function literal. It looks at the original source, so it does not
// find the step counters that the harness adds.
func hasFunction(n ast.Node) (found bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if _, ok := c.(*ast.FuncLit); ok {
			found = true
		}
		return !found
	})
	return found
}
