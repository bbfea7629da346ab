package mutate

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// change is one replacement of an expression or a statement.
type change struct {
	op    Operator
	after string // for people
	code  string // text for the compiler, if different
	prec  int    // precedence of after's operator; zero if it has none
}

func (c change) text() string {
	if c.code != "" {
		return c.code
	}
	return c.after
}

// relations maps comparisons to their replacements. Each comparison has only a few replacements, because tests
// that detect these also detect the others.
var relations = map[token.Token][]string{
	token.LSS: {"<=", "!=", "false"}, token.LEQ: {"<", "==", "true"},
	token.GTR: {">=", "!=", "false"}, token.GEQ: {">", "==", "true"},
	token.EQL: {"<=", ">=", "false"}, token.NEQ: {"<", ">", "true"},
}

// arithmetics maps operators to their replacements.
var arithmetics = map[token.Token][]string{
	token.ADD: {"-", "*"}, token.SUB: {"+"}, token.MUL: {"+"}, token.QUO: {"*", "%"}, token.REM: {"/"},
	token.AND: {"|"}, token.OR: {"&", "^"}, token.XOR: {"|", "&"}, token.AND_NOT: {"&"}, token.SHL: {">>"}, token.SHR: {"<<"},
}

var precedence = map[string]int{
	"*": 5, "/": 5, "%": 5, "<<": 5, ">>": 5, "&": 5, "&^": 5, "+": 4, "-": 4, "|": 4, "^": 4,
	"==": 3, "!=": 3, "<": 3, "<=": 3, ">": 3, ">=": 3, "&&": 2, "||": 1,
}

// changes lists the replacements of a non-constant expression.
func (w *writer) changes(e ast.Expr, t types.Type) (list []change) {
	basic, _ := t.Underlying().(*types.Basic)
	r := w.roles[e]
	switch n := e.(type) {
	case *ast.Ident:
		list = w.otherVariables(n, t)
	case *ast.SelectorExpr:
		list = w.fields(n, t)
	case *ast.BinaryExpr:
		list = w.binary(n, basic)
	case *ast.UnaryExpr:
		if basic != nil && n.Op != token.AND && n.Op != token.ARROW && n.Op != token.ADD {
			op := Arithmetic
			if n.Op == token.NOT {
				op = Condition
			}
			list = append(list, change{op: op, after: w.raw(n.X)})
		}
	case *ast.CallExpr:
		list = w.call(n, t)
	case *ast.SliceExpr:
		if n.Low != nil && n.High == nil && !isType[*types.Array](w.typeOf(n.X)) && types.Identical(w.typeOf(n.X), t) {
			list = append(list, change{op: Index, after: w.raw(n.X)})
		}
	}
	if basic != nil && basic.Info()&types.IsInteger != 0 && r&(index|bound) != 0 {
		op := Index
		if r&bound != 0 {
			op = Bound
		}
		text := w.paren(e, 4)
		list = append(list, change{op: op, after: text + "+1", prec: 4}, change{op: op, after: text + "-1", prec: 4})
	}
	if r&bound != 0 && w.pure(e) && (isType[*types.Slice](t) || basic != nil && basic.Info()&types.IsString != 0) {
		x := w.raw(e)
		list = append(list,
			change{op: Bound, after: x + "[1:]", code: fmt.Sprintf("%s[min(1, len(%s)):]", x, x)},
			change{op: Bound, after: fmt.Sprintf("%s[:len(%s)-1]", x, x), code: fmt.Sprintf("%s[:max(0, len(%s)-1)]", x, x)})
	}
	if basic != nil && basic.Info()&types.IsBoolean != 0 && (!is2[*ast.BinaryExpr](e) && !is2[*ast.UnaryExpr](e)) {
		list = append(list, change{op: Condition, after: "!" + w.paren(e, 6), prec: 6})
	}
	return list
}

func is2[T ast.Expr](e ast.Expr) bool { _, ok := e.(T); return ok }

// otherVariables lists replacements of a variable by other variables of the same type. Variables with nearer declarations
// come first.
func (w *writer) otherVariables(n *ast.Ident, t types.Type) (changes []change) {
	own, ok := w.info.Uses[n].(*types.Var)
	if !ok || types.Identical(t, types.Universe.Lookup("error").Type()) {
		return nil
	}
	for _, v := range w.inScope(n.Pos()) {
		if v != own && v.Name() != "_" && types.Identical(v.Type(), t) && len(changes) < maxOtherVariables {
			changes = append(changes, change{op: Variable, after: v.Name()})
		}
	}
	return changes
}

// maxOtherVariables is the maximum number of other variables that replace a variable.
const maxOtherVariables = 2

// inScope lists the variables that are visible at pos. Nearer declarations come first.
func (w *writer) inScope(pos token.Pos) (vars []*types.Var) {
	hidden := map[string]bool{}
	for scope := w.pkg.Scope().Innermost(pos); scope != nil && scope != types.Universe; scope = scope.Parent() {
		var here []*types.Var
		for _, name := range scope.Names() {
			v, ok := scope.Lookup(name).(*types.Var)
			if hidden[name] || !ok {
				hidden[name] = true
				continue
			}
			if scope == w.pkg.Scope() || v.Pos() < pos {
				if _, found := scope.LookupParent(name, pos); found == nil && scope != w.pkg.Scope() {
					continue // the declaration is not complete at pos
				}
				hidden[name] = true
				here = append(here, v)
			}
		}
		slices.SortFunc(here, func(a, b *types.Var) int { return int(b.Pos()) - int(a.Pos()) })
		vars = append(vars, here...)
	}
	return vars
}

// fields lists replacements of a field by other fields of the same type.
func (w *writer) fields(n *ast.SelectorExpr, t types.Type) (changes []change) {
	s := w.info.Selections[n]
	if s == nil || s.Kind() != types.FieldVal || len(s.Index()) != 1 {
		return nil
	}
	of := s.Recv().Underlying()
	if p, ok := of.(*types.Pointer); ok {
		of = p.Elem().Underlying()
	}
	st, ok := of.(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		f := st.Field(i)
		if f != s.Obj() && f.Name() != "_" && (f.Exported() || f.Pkg() == w.pkg) && types.Identical(f.Type(), t) &&
			len(changes) < maxOtherVariables {
			changes = append(changes, change{op: Variable, after: w.raw(n.X) + "." + f.Name()})
		}
	}
	return changes
}

// binary lists the replacements of a binary operator.
func (w *writer) binary(n *ast.BinaryExpr, t *types.Basic) (changes []change) {
	add := func(op Operator, after string, prec int) {
		changes = append(changes, change{op: op, after: after, prec: prec})
	}
	switch n.Op {
	case token.LAND, token.LOR:
		other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[n.Op]
		add(Logic, w.raw(n.X), w.precOf(n.X))
		add(Logic, w.raw(n.Y), w.precOf(n.Y))
		add(Logic, w.join(n.X, other, n.Y), precedence[other])
		return changes
	}
	if becomes, ok := relations[n.Op]; ok {
		return w.compare(n, becomes)
	}
	if t == nil {
		return nil
	}
	integer, text := t.Info()&types.IsInteger != 0, t.Info()&types.IsString != 0
	if !text {
		for _, op := range arithmetics[n.Op] {
			if (op == "%" || op == "&" || op == "|") && !integer {
				continue
			}
			add(Arithmetic, w.join(n.X, op, n.Y), precedence[op])
		}
	}
	shift := n.Op == token.SHL || n.Op == token.SHR
	add(Arithmetic, w.raw(n.X), w.precOf(n.X))
	if !shift && types.Identical(w.typeOf(n.Y), w.typeOf(n)) {
		add(Arithmetic, w.raw(n.Y), w.precOf(n.Y))
	}
	if !shift && (text || n.Op == token.SUB || n.Op == token.QUO || n.Op == token.REM) {
		add(Arithmetic, w.join(n.Y, n.Op.String(), n.X), precedence[n.Op.String()])
	}
	if integer {
		changes = append(changes, w.narrow(n, t)...)
	}
	return changes
}

// compare lists the replacements of a comparison.
func (w *writer) compare(n *ast.BinaryExpr, becomes []string) (changes []change) {
	t := w.typeOf(n.X)
	if isType[*types.Interface](t) || isNil(w, n.X) || isNil(w, n.Y) {
		if types.Identical(t, types.Universe.Lookup("error").Type()) ||
			types.Identical(w.typeOf(n.Y), types.Universe.Lookup("error").Type()) {
			return nil // errors do not occur in a correct program
		}
	}
	ordered := false
	for _, side := range []ast.Expr{n.X, n.Y} {
		if b, ok := w.typeOf(side).Underlying().(*types.Basic); ok && b.Info()&types.IsOrdered != 0 && b.Kind() != types.UntypedNil {
			ordered = true
		}
	}
	if !ordered {
		becomes = map[token.Token][]string{token.EQL: {"!=", "false"}, token.NEQ: {"==", "true"}}[n.Op]
	}
	for _, op := range becomes {
		switch op {
		case "true", "false":
			changes = append(changes, change{op: Condition, after: op})
		default:
			changes = append(changes, change{op: Relation, after: w.join(n.X, op, n.Y), prec: 3})
		}
	}
	return changes
}

func isNil(w *writer, e ast.Expr) bool { return w.info.Types[e].IsNil() }

// narrow lists replacements that compute with 32 bits or in floating point.
func (w *writer) narrow(n *ast.BinaryExpr, t *types.Basic) (changes []change) {
	name, ok := w.typeName(w.typeOf(n))
	wide := t.Kind() == types.Int || t.Kind() == types.Int64 || t.Kind() == types.Uint64 || t.Kind() == types.Uint
	if !ok || !wide || w.info.Types[n.X].Value != nil && w.info.Types[n.Y].Value != nil {
		return nil
	}
	small := "int32"
	if t.Info()&types.IsUnsigned != 0 {
		small = "uint32"
	}
	if n.Op == token.MUL || n.Op == token.SHL || n.Op == token.ADD && w.info.Types[n.Y].Value == nil {
		changes = append(changes, change{op: Width, after: fmt.Sprintf("%s(%s(%s))", name, small, w.raw(n))})
	}
	if n.Op == token.MUL || n.Op == token.QUO {
		changes = append(
			changes,
			change{op: Float, after: fmt.Sprintf("%s(float64(%s) %s float64(%s))", name, w.raw(n.X), n.Op, w.raw(n.Y))},
		)
	}
	if n.Op == token.QUO {
		changes = append(changes, change{op: Float, after: fmt.Sprintf("%s(float64(%s)/float64(%s) + 0.5)", name, w.raw(n.X), w.raw(n.Y))})
	}
	return changes
}

// swaps maps functions to functions with which they are easily confused.
var swaps = map[string]string{"min": "max", "max": "min"}

// call lists the replacements of a call. Two arguments are swapped, or an argument replaces the call.
func (w *writer) call(n *ast.CallExpr, t types.Type) (changes []change) {
	tv := w.info.Types[n.Fun]
	if tv.IsType() {
		return w.conversion(n, t)
	}
	callee := w.callee(n)
	if other := swaps[callee]; other != "" {
		changes = append(changes, change{op: Call, after: other + w.rawFrom(n.Lparen, n.End())})
	}
	if n.Ellipsis.IsValid() {
		return changes
	}
	fun := w.raw(n.Fun)
	if tv.Value == nil && !tv.IsBuiltin() {
		for i := 1; i < len(n.Args); i++ {
			a, b := n.Args[i-1], n.Args[i]
			if types.Identical(w.typeOf(a), w.typeOf(b)) && w.raw(a) != w.raw(b) {
				args := w.rawAll(n.Args)
				args[i-1], args[i] = args[i], args[i-1]
				changes = append(changes, change{op: Call, after: fun + "(" + strings.Join(args, ", ") + ")"})
			}
		}
	}
	left := 0
	for _, a := range n.Args {
		if !w.info.Types[a].IsType() && types.Identical(w.typeOf(a), t) && left < maxOtherVariables && w.info.Types[a].Value == nil {
			left++
			changes = append(changes, change{op: Call, after: w.raw(a), prec: w.precOf(a)})
		}
	}
	return changes
}

// conversion lists the replacements of a conversion between numbers.
func (w *writer) conversion(n *ast.CallExpr, t types.Type) []change {
	b, ok := t.Underlying().(*types.Basic)
	from, ok2 := w.typeOf(n.Args[0]).Underlying().(*types.Basic)
	if !ok || !ok2 || from.Info()&types.IsInteger == 0 || from.Info()&types.IsUntyped != 0 {
		return nil
	}
	if k := b.Kind(); k == types.Int || k == types.Int64 || k == types.Uint64 {
		return []change{{op: Width, after: fmt.Sprintf("%s(int32(%s))", w.raw(n.Fun), w.raw(n.Args[0]))}}
	}
	return nil
}

// constants lists the replacements of a constant expression of a basic type.
func (w *writer) constants(e ast.Expr, t *types.Basic, v constant.Value) (changes []change) {
	add := func(v constant.Value, after string) {
		if representable(v, t) && !slices.ContainsFunc(changes, func(c change) bool { return c.after == after }) {
			changes = append(changes, change{op: Constant, after: after, prec: precIn(after)})
		}
	}
	switch {
	case t.Info()&types.IsBoolean != 0:
		changes = append(changes, change{op: Condition, after: fmt.Sprint(!constant.BoolVal(v))})
	case t.Info()&types.IsString != 0:
		if constant.StringVal(v) != "" {
			changes = append(changes, change{op: Constant, after: `""`})
		}
	case t.Info()&types.IsInteger != 0:
		v = constant.ToInt(v)
		one := constant.MakeInt64(1)
		up, down := constant.BinaryOp(v, token.ADD, one), constant.BinaryOp(v, token.SUB, one)
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.INT {
			add(up, up.ExactString())
			add(down, down.ExactString())
		} else {
			add(up, w.paren(e, 4)+" + 1")
			add(down, w.paren(e, 4)+" - 1")
		}
		if constant.Sign(v) != 0 && !is2[*ast.BasicLit](e) || constant.Compare(v, token.GTR, one) || constant.Sign(v) < 0 {
			add(constant.MakeInt64(0), "0")
		}
		if constant.Compare(v, token.GEQ, constant.MakeInt64(100)) {
			add(constant.BinaryOp(v, token.QUO_ASSIGN, constant.MakeInt64(10)), w.paren(e, 5)+" / 10")
		}
	case t.Info()&types.IsFloat != 0:
		add(v, w.paren(e, 4)+" + 1")
		if constant.Sign(v) != 0 {
			add(constant.MakeInt64(0), "0")
			add(v, w.paren(e, 5)+" * 0.999999")
		}
	}
	return changes
}

func precIn(text string) int {
	for _, op := range []string{" + ", " - "} {
		if strings.Contains(text, op) {
			return 4
		}
	}
	if strings.Contains(text, " / ") || strings.Contains(text, " * ") {
		return 5
	}
	return 0
}

// representable reports whether an integer type can hold a value.
func representable(v constant.Value, t *types.Basic) bool {
	if t.Info()&types.IsInteger == 0 {
		return true
	}
	bits := map[types.BasicKind]int{
		types.Int8: 8, types.Uint8: 8, types.Int16: 16, types.Uint16: 16, types.Int32: 32, types.Uint32: 32,
	}[t.Kind()]
	if bits == 0 {
		bits = 64
	}
	if t.Info()&types.IsUnsigned != 0 {
		return constant.Sign(v) >= 0 && constant.BitLen(v) <= bits
	}
	return constant.BitLen(v) < bits
}
