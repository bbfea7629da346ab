package mutate

import (
	"go/ast"
	"go/token"
	"go/types"
)

// role tells how an expression or a statement may be mutated in its context.
type role uint8

const (
	fixed  role = 1 << iota // must stay, but its parts may change; for example, it is assigned to
	frozen                  // must not change, including all parts
	index                   // an index, for off-by-one mutations
	bound                   // determines the number of iterations of a loop
	inLoop                  // a statement that `continue` could replace
	bare                    // a block that contains only cases
	last                    // a return at the end of its function
	post                    // the post statement of a loop
)

// mark assigns roles to the nodes of a file.
func (w *writer) mark(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				w.roles[n] |= frozen
			}
		case ast.Expr:
			w.markExpr(n)
		case ast.Stmt:
			w.markStmt(n)
		case *ast.FuncDecl:
			if n.Body != nil {
				w.markEnd(n.Body)
			}
		}
		return true
	})
	w.markLoops(file, false)
}

func (w *writer) markExpr(e ast.Expr) {
	if tv, ok := w.info.Types[e]; ok && tv.IsType() {
		w.roles[e] |= frozen
	}
	switch n := e.(type) {
	case *ast.BinaryExpr:
		w.around[n.X], w.around[n.Y] = n.Op.Precedence(), n.Op.Precedence()+1
	case *ast.UnaryExpr:
		w.around[n.X] = token.UnaryPrec
		if n.Op == token.AND {
			w.markAssignable(n.X)
		}
	case *ast.SelectorExpr:
		w.around[n.X] = token.HighestPrec
	case *ast.IndexExpr:
		w.around[n.X] = token.HighestPrec
		if t := w.typeOf(n.X); t != nil && !isType[*types.Map](t) && !isType[*types.Signature](t) {
			w.roles[ast.Unparen(n.Index)] |= index
		}
	case *ast.SliceExpr:
		for _, at := range []ast.Expr{n.Low, n.High} {
			if at != nil {
				w.roles[ast.Unparen(at)] |= index
			}
		}
		if n.Max != nil {
			w.roles[n.Max] |= frozen
		}
		if isType[*types.Array](w.typeOf(n.X)) {
			w.markAssignable(n.X)
		}
	case *ast.CompositeLit:
		w.markLiteral(n)
	case *ast.FuncLit:
		w.markEnd(n.Body)
	case *ast.CallExpr:
		w.markCall(n)
	}
}

// markLiteral marks the keys of a composite literal as frozen if they must be names or constants.
func (w *writer) markLiteral(n *ast.CompositeLit) {
	if isType[*types.Map](w.typeOf(n)) {
		return
	}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			w.roles[kv.Key] |= frozen
		}
	}
}

// messages lists packages and functions whose arguments do not affect verdicts, such as error texts and sizes that
// only affect speed.
var messages = map[string]bool{
	"fmt.Errorf": true, "errors.New": true, "log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	"log.Print": true, "log.Printf": true, "log.Println": true, "log.SetFlags": true, "log.SetPrefix": true,
	"bufio.NewReaderSize": true, "bufio.NewWriterSize": true, "(*bufio.Scanner).Buffer": true,
	"slices.Grow": true, "(*strings.Builder).Grow": true, "(*bytes.Buffer).Grow": true,
	"runtime/debug.SetGCPercent": true, "runtime.GOMAXPROCS": true, "panic": true, "print": true, "println": true,
}

func (w *writer) markCall(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	w.roles[fun] |= fixed
	switch callee := w.callee(n); {
	case messages[callee], w.toStderr(n):
		for _, a := range n.Args {
			w.roles[a] |= frozen
		}
		w.roles[n] |= frozen
	case callee == "make" && len(n.Args) == 3:
		w.roles[n.Args[2]] |= frozen
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := w.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			if sig := s.Obj().Type().(*types.Signature); sig.Recv() != nil &&
				isType[*types.Pointer](sig.Recv().Type()) && !isType[*types.Pointer](w.typeOf(sel.X)) {
				w.markAssignable(sel.X)
			}
		}
	}
}

// toStderr reports whether a call prints to standard error.
func (w *writer) toStderr(n *ast.CallExpr) bool {
	if len(n.Args) == 0 {
		return false
	}
	sel, ok := n.Args[0].(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v, ok := w.info.Uses[sel.Sel].(*types.Var)
	return ok && v.Pkg() != nil && v.Pkg().Path() == "os" && v.Name() == "Stderr"
}

// callee returns the full name of the called function, or "" if it has none.
func (w *writer) callee(n *ast.CallExpr) string {
	var id *ast.Ident
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return ""
	}
	switch o := w.info.Uses[id].(type) {
	case *types.Func:
		return o.FullName()
	case *types.Builtin:
		return o.Name()
	}
	return ""
}

func (w *writer) markStmt(s ast.Stmt) {
	switch n := s.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			w.markAssignable(l)
		}
	case *ast.IncDecStmt:
		w.markAssignable(n.X)
	case *ast.RangeStmt:
		for _, l := range []ast.Expr{n.Key, n.Value} {
			if l != nil {
				w.markAssignable(l)
			}
		}
		w.roles[ast.Unparen(n.X)] |= bound
	case *ast.GoStmt:
		w.s.forks = true
		w.roles[n.Call] |= fixed
	case *ast.DeferStmt:
		w.roles[n.Call] |= fixed
	case *ast.ExprStmt:
		w.roles[ast.Unparen(n.X)] |= fixed
	case *ast.IfStmt:
		w.markHeader(n.Init)
	case *ast.ForStmt:
		w.markHeader(n.Init)
		if n.Post != nil {
			w.roles[n.Post] |= post
		}
	case *ast.SwitchStmt:
		w.markHeader(n.Init)
		w.roles[n.Body] |= bare
	case *ast.TypeSwitchStmt:
		w.markHeader(n.Init)
		w.roles[n.Assign] |= frozen
		w.roles[n.Body] |= bare
	case *ast.SelectStmt:
		w.roles[n.Body] |= bare
	case *ast.CommClause:
		if n.Comm != nil {
			w.roles[n.Comm] |= frozen
		}
	}
}

// markHeader marks a statement that is in the header of another statement, such as an `if` or `for`. The form of the
// statement must not change.
func (w *writer) markHeader(s ast.Stmt) {
	if s != nil {
		w.roles[s] |= fixed
	}
}

// markAssignable marks an expression that must remain assignable. It also marks the parts of the expression for which this
// is required.
func (w *writer) markAssignable(e ast.Expr) {
	w.roles[e] |= fixed
	switch n := e.(type) {
	case *ast.ParenExpr:
		w.markAssignable(n.X)
	case *ast.IndexExpr:
		if isType[*types.Array](w.typeOf(n.X)) {
			w.markAssignable(n.X)
		}
	case *ast.SelectorExpr:
		if !isType[*types.Pointer](w.typeOf(n.X)) {
			w.markAssignable(n.X)
		}
	}
}

// markEnd marks the return at the end of a function.
func (w *writer) markEnd(body *ast.BlockStmt) {
	if n := len(body.List); n > 0 {
		if r, ok := body.List[n-1].(*ast.ReturnStmt); ok {
			w.roles[r] |= last
		}
	}
}

// markLoops marks the branch statements that are inside a loop of their own function. The parameter in reports
// whether n is inside such a loop.
func (w *writer) markLoops(n ast.Node, in bool) {
	ast.Inspect(n, func(c ast.Node) bool {
		if c == n || c == nil {
			return true
		}
		switch c := c.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			w.markLoops(c, true)
			return false
		case *ast.FuncLit:
			w.markLoops(c, false)
			return false
		case *ast.BranchStmt:
			if in {
				w.roles[c] |= inLoop
			}
		}
		return true
	})
}

// typeOf returns the type of an expression, or nil.
func (w *writer) typeOf(e ast.Expr) types.Type {
	if tv, ok := w.info.Types[e]; ok {
		return tv.Type
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := w.info.Uses[id]; o != nil {
			return o.Type()
		}
	}
	return nil
}

// isType reports whether the underlying type of t is a T.
func isType[T types.Type](t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(T)
	return ok
}
