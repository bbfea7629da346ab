package mutate

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// marked surrounds a site or a change with comments. The position of a compile error then identifies the change
// that does not compile. The blanks separate the comments from operators.
func marked(kind byte, id int, text string) string {
	return fmt.Sprintf(" /*%c%d<*/%s/*%c%d>*/ ", kind, id, text, kind, id)
}

// endings maps functions that exit the program to their replacements.
var endings = map[string]string{
	"os.Exit": "assay_Exit", "log.Fatal": "assay_Fatal", "log.Fatalf": "assay_Fatalf", "log.Fatalln": "assay_Fatalln",
}

// expr writes an expression.
func (w *writer) expr(e ast.Expr) string {
	if renamed := w.renamed(e); renamed != "" {
		return renamed
	}
	tv, known := w.info.Types[e]
	if f, ok := e.(*ast.FuncLit); ok {
		return string(w.span(f.Pos(), f.Body.Pos())) + w.function(f.Type, f.Body)
	}
	if !known || !tv.IsValue() || tv.IsNil() || is2[*ast.ParenExpr](e) {
		return w.children(e, e.Pos(), e.End())
	}
	if tv.Value != nil {
		return w.constant(e, tv)
	}
	var text string
	if call, ok := e.(*ast.CallExpr); ok && w.callee(call) == "make" {
		text = w.sized(call)
	} else {
		text = w.children(e, e.Pos(), e.End())
	}
	if _, several := tv.Type.(*types.Tuple); several || w.roles[e]&fixed != 0 {
		return text
	}
	return w.choice(e, tv.Type, text, w.changes(e, tv.Type))
}

// renamed returns the harness's replacement for a name, or "" if there is none.
func (w *writer) renamed(e ast.Expr) string {
	switch n := e.(type) {
	case *ast.Ident:
		if f, ok := w.info.Uses[n].(*types.Func); ok && f.FullName() == "main.main" {
			return "assay_main"
		}
	case *ast.SelectorExpr:
		f, ok := w.info.Uses[n.Sel].(*types.Func)
		if !ok || f.Type().(*types.Signature).Recv() != nil {
			return ""
		}
		if instead := endings[f.FullName()]; instead != "" {
			w.exits[w.raw(n)] = true
			return instead
		}
	}
	return ""
}

// sized writes a call of make with limited sizes, because a mutant may request more memory than the machine has.
func (w *writer) sized(n *ast.CallExpr) string {
	args := []string{w.raw(n.Args[0])}
	for _, a := range n.Args[1:] {
		text := w.node(a)
		if w.info.Types[a].Value == nil {
			text = "assay_size(" + text + ")"
		}
		args = append(args, text)
	}
	return w.raw(n.Fun) + "(" + strings.Join(args, ", ") + ")"
}

// constant writes a constant expression.
func (w *writer) constant(e ast.Expr, tv types.TypeAndValue) string {
	basic, ok := tv.Type.Underlying().(*types.Basic)
	text := w.raw(e)
	if !ok || basic.Info()&types.IsUntyped != 0 && basic.Info()&types.IsBoolean == 0 || w.roles[e]&fixed != 0 {
		return text
	}
	return w.choice(e, tv.Type, text, w.constants(e, basic, tv.Value))
}

// choice writes an expression that evaluates to the original or to one of its changes.
func (w *writer) choice(e ast.Expr, t types.Type, text string, changes []change) string {
	if len(changes) == 0 || w.quiet > 0 {
		return text
	}
	if basic, ok := t.Underlying().(*types.Basic); ok && basic.Info()&types.IsBoolean != 0 {
		site, ids, kept := w.add(e, changes, w.outer(e))
		if len(ids) == 0 {
			return text
		}
		var b strings.Builder
		fmt.Fprintf(&b, "(assay_M-%d >= %d && (%s)", site, w.next-site, text)
		for i, c := range kept {
			fmt.Fprintf(&b, " || assay_M == %d && (%s)", ids[i], marked('m', ids[i], c.text()))
		}
		return marked('s', site, b.String()+")")
	}
	name, ok := w.typeName(types.Default(t))
	if !ok {
		return text
	}
	site, ids, kept := w.add(e, changes, w.outer(e))
	if len(ids) == 0 {
		return text
	}
	if w.pureAll(e, kept) && w.next-site <= maxPicks {
		return marked('s', site, w.pick(name, site, text, ids, kept))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func() %s { switch assay_M {", name)
	for i, c := range kept {
		fmt.Fprintf(&b, " case %d: return %s;", ids[i], marked('m', ids[i], c.text()))
	}
	fmt.Fprintf(&b, " }; return %s }()", text)
	return marked('s', site, b.String())
}

// maxPicks is the maximum number of changes that the harness's pick functions can take.
const maxPicks = 8

// pick writes a choice between the original and its changes that evaluates all of them.
func (w *writer) pick(name string, site int, text string, ids []int, kept []change) string {
	all := make([]string, w.next-site)
	for i := range all {
		all[i] = "*new(" + name + ")" // used for changes that do not compile
	}
	for i, c := range kept {
		all[ids[i]-site] = marked('m', ids[i], c.text())
	}
	return fmt.Sprintf("assay_pick%d[%s](%d, %s, %s)", len(all), name, site, text, strings.Join(all, ", "))
}

// outer returns the precedence of the operator around an operand.
func (w *writer) outer(e ast.Expr) int { return w.around[e] }

// pureAll reports whether an expression and all its changes may be evaluated, because they have no side
// effects and cannot fail.
func (w *writer) pureAll(e ast.Expr, changes []change) bool {
	if !w.pure(e) {
		return false
	}
	for _, c := range changes {
		switch {
		case strings.ContainsAny(c.text(), "/%<>[") && !is2[*ast.BasicLit](e) && w.info.Types[e].Value == nil:
			return false
		}
	}
	return true
}

// pure reports whether an expression has no side effects and cannot fail. A field accessed through a pointer is
// pure if its changes access fields through the same pointer.
func (w *writer) pure(e ast.Expr) bool {
	if w.info.Types[e].Value != nil {
		return true
	}
	switch n := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return w.pure(n.X)
	case *ast.SelectorExpr:
		return w.pure(n.X)
	case *ast.UnaryExpr:
		return n.Op != token.ARROW && n.Op != token.AND && w.pure(n.X)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.QUO, token.REM, token.SHL, token.SHR, token.LAND, token.LOR:
			return false
		}
		return w.pure(n.X) && w.pure(n.Y)
	case *ast.CallExpr:
		converts := w.info.Types[n.Fun].IsType() && isType[*types.Basic](w.typeOf(n))
		return len(n.Args) == 1 && (converts || w.callee(n) == "len") && w.pure(n.Args[0])
	}
	return false
}

// stmt writes a statement that is not a block.
func (w *writer) stmt(s ast.Stmt) string {
	switch n := s.(type) {
	case *ast.LabeledStmt:
		w.labeled = n.Stmt
	case *ast.ForStmt, *ast.RangeStmt:
		return w.loop(s)
	}
	text := w.children(s, s.Pos(), s.End())
	if w.roles[s]&fixed != 0 {
		return text
	}
	changes := w.statements(s)
	if len(changes) == 0 {
		return text
	}
	site, ids, kept := w.add(s, changes, 0)
	if len(ids) == 0 {
		return text
	}
	text = w.alternatives(site, ids, kept, text)
	if w.roles[s]&post != 0 {
		text = "func() { " + text + " }()" // only a simple statement is allowed here
	}
	return text
}

// alternatives writes code that executes the original statement or one of its changes.
func (w *writer) alternatives(site int, ids []int, kept []change, text string) string {
	if len(ids) == 1 && kept[0].after == "" {
		return marked('s', site, fmt.Sprintf("if assay_M != %d { %s }", ids[0], text))
	}
	var b strings.Builder
	for i, c := range kept {
		if i > 0 {
			b.WriteString(" else ")
		}
		fmt.Fprintf(&b, "if assay_M == %d { %s }", ids[i], marked('m', ids[i], c.text()))
	}
	return marked('s', site, fmt.Sprintf("%s else { %s }", b.String(), text))
}

// inverse maps an assignment operator to the one that undoes it.
var inverse = map[token.Token]string{
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "+=", token.QUO_ASSIGN: "*=", token.REM_ASSIGN: "/=",
	token.AND_ASSIGN: "|=", token.OR_ASSIGN: "&=", token.XOR_ASSIGN: "|=", token.SHL_ASSIGN: ">>=",
	token.SHR_ASSIGN: "<<=", token.AND_NOT_ASSIGN: "&=",
}

// statements lists the replacements of a statement. The empty string removes the statement.
func (w *writer) statements(s ast.Stmt) []change {
	none := change{op: Statement}
	switch n := s.(type) {
	case *ast.ExprStmt:
		call, ok := ast.Unparen(n.X).(*ast.CallExpr)
		if !ok || w.roles[call]&frozen != 0 || w.synchronizes(call) {
			return nil
		}
		return []change{none}
	case *ast.DeferStmt:
		if w.synchronizes(n.Call) {
			return nil
		}
		return []change{none}
	case *ast.AssignStmt:
		return w.assignments(n)
	case *ast.IncDecStmt:
		other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		return []change{none, {op: Assignment, after: w.raw(n.X) + other}}
	case *ast.BranchStmt:
		if n.Label != nil || n.Tok != token.BREAK && n.Tok != token.CONTINUE {
			return nil
		}
		if w.roles[n]&inLoop == 0 {
			return []change{none}
		}
		return []change{none, {op: Branch, after: map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]}}
	case *ast.ReturnStmt:
		if w.roles[n]&last != 0 {
			return nil
		}
		return []change{none}
	}
	return nil
}

// assignments lists the replacements of an assignment.
func (w *writer) assignments(n *ast.AssignStmt) []change {
	if n.Tok == token.DEFINE || len(n.Lhs) == 1 && isBlank(n.Lhs[0]) {
		return nil
	}
	all := []change{{op: Statement}}
	if other := inverse[n.Tok]; other != "" {
		lhs, rhs := w.raw(n.Lhs[0]), w.raw(n.Rhs[0])
		if basic, ok := w.typeOf(n.Lhs[0]).Underlying().(*types.Basic); ok && basic.Info()&types.IsString == 0 {
			all = append(all, change{op: Assignment, after: lhs + " " + other + " " + rhs})
		}
		return append(all, change{op: Assignment, after: lhs + " = " + rhs})
	}
	if len(n.Lhs) > 1 && len(n.Lhs) == len(n.Rhs) {
		parts := make([]string, len(n.Lhs))
		for i := range n.Lhs {
			parts[i] = w.raw(n.Lhs[i]) + " = " + w.raw(n.Rhs[i])
		}
		all = append(all, change{op: Assignment, after: strings.Join(parts, "; ")})
	}
	return all
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// synchronizes reports whether a call synchronizes goroutines. Without such a call, a program might wait until the
// wall time limit.
func (w *writer) synchronizes(n *ast.CallExpr) bool {
	callee := w.callee(n)
	return callee == "close" || strings.Contains(callee, "sync.") || strings.Contains(callee, "time.")
}
