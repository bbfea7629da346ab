package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// switchboard is what the changed files call. A comparison or a sum with a change is a
// call, so that its operands are there once and are worked out once.
const switchboard = `package %s

import (
	"cmp"
	"os"
	"strconv"
)

var mutant, _ = strconv.Atoi(os.Getenv("MUTANT"))

func mutantIs(n int) bool { return n == mutant }

func mutantPick[T any](n int, as, changed T) T {
	if n == mutant {
		return changed
	}
	return as
}

func mutantCompare[T cmp.Ordered](as string, n int, first string, m int, second string, a, b T) bool {
	switch mutant {
	case n:
		as = first
	case m:
		as = second
	}
	switch as {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantAdd[T mutantNumber](n int, a, b T) T {
	if n == mutant {
		return a - b
	}
	return a + b
}

func mutantSub[T mutantNumber](n int, a, b T) T {
	if n == mutant {
		return a + b
	}
	return a - b
}

func mutantMul[T mutantNumber](n int, a, b T) T {
	if n == mutant {
		return a / b
	}
	return a * b
}

func mutantQuo[T mutantNumber](n int, a, b T) T {
	if n == mutant {
		return a * b
	}
	return a / b
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func mutantRem[T mutantInteger](n int, a, b T) T {
	if n == mutant {
		return a * b
	}
	return a %% b
}
`

var arithmetic = map[token.Token]string{
	token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul", token.QUO: "mutantQuo", token.REM: "mutantRem",
}

// edits are texts to put into a file.
type edits struct {
	before, after map[int]string // by offset; after is what ends there
	instead       map[int]replaced
}

type replaced struct {
	bytes int
	text  string
}

// together numbers the changes that can stand beside others, and makes the files that
// hold them all.
func (p *pack) together() (map[string][]byte, error) {
	constant := map[ast.Node]ast.Expr{} // the largest constant around a part of it
	fixed := map[ast.Node]bool{}        // must stay a constant, or what it is
	for _, file := range p.files {
		p.survey(file, constant, fixed)
	}
	all := map[string]*edits{}
	for _, name := range p.names {
		all[name] = &edits{before: map[int]string{}, after: map[int]string{}, instead: map[int]replaced{}}
	}
	for i := range p.changes {
		c := &p.changes[i]
		if fixed[c.node] {
			continue
		}
		number := i + 1
		if e := all[c.file]; p.place(e, c, number, constant[c.node]) {
			c.number = number
		}
	}
	out := map[string][]byte{}
	for name, e := range all {
		out[name] = e.apply(p.source[name])
	}
	board := filepath.Join(filepath.Dir(p.names[0]), "mutant_switchboard.go")
	out[board] = fmt.Appendf(nil, switchboard, p.files[0].Name.Name)
	return out, nil
}

// survey finds the constants of a file, and what may not become a variable.
func (p *pack) survey(file *ast.File, constant map[ast.Node]ast.Expr, fixed map[ast.Node]bool) {
	fix := func(n ast.Node) {
		if n != nil {
			ast.Inspect(n, func(n ast.Node) bool { fixed[n] = true; return true })
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				fix(n)
			}
		case *ast.ArrayType:
			if n.Len != nil {
				fix(n.Len)
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if pair, ok := e.(*ast.KeyValueExpr); ok && p.info.Types[pair.Key].Value != nil {
					fix(pair.Key)
				}
			}
		}
		if e, ok := n.(ast.Expr); ok && p.info.Types[e].Value != nil && constant[n] == nil {
			ast.Inspect(n, func(m ast.Node) bool {
				if m != nil && constant[m] == nil {
					constant[m] = e
				}
				return true
			})
		}
		return true
	})
}

// place puts a change into a file beside others.
func (p *pack) place(e *edits, c *change, number int, constant ast.Expr) bool {
	if constant != nil {
		name, ok := p.typeName(constant, c)
		if !ok || !p.compiles(*c) {
			return false
		}
		from, to := p.offset(constant.Pos()), p.offset(constant.End())
		src := p.source[c.file]
		changed := slices.Concat(src[from:c.from], []byte(c.text), src[c.to:to])
		e.around(from, to, fmt.Sprintf("mutantPick[%s](%d, ", name, number), fmt.Sprintf(", %s)", changed))
		return true
	}
	from, to := p.offset(c.node.Pos()), p.offset(c.node.End())
	on := fmt.Sprintf("mutantIs(%d)", number)
	switch n := c.node.(type) {
	case *ast.UnaryExpr:
		e.around(from, to, "((", ") != "+on+")")
	case *ast.BinaryExpr:
		return p.placeBinary(e, c, n, number, on)
	case *ast.BranchStmt:
		if n.Tok == token.FALLTHROUGH {
			return false
		}
		e.around(from, to, "if !"+on+" { ", " }")
	case ast.Stmt:
		if !p.compiles(*c) {
			return false
		}
		e.around(from, to, "if !"+on+" { ", " }")
	default:
		return false
	}
	return true
}

func (p *pack) placeBinary(e *edits, c *change, n *ast.BinaryExpr, number int, on string) bool {
	from, to := p.offset(n.Pos()), p.offset(n.End())
	switch n.Op {
	case token.EQL, token.NEQ:
		e.around(from, to, "((", ") != "+on+")")
		return true
	case token.LAND, token.LOR: // a or b is not (not a and not b)
		e.around(from, to, "(((", ") != "+on+") != "+on+")")
		e.instead[c.from] = replaced{c.to - c.from, fmt.Sprintf(") != %s %s (", on, n.Op)}
		return true
	}
	for _, x := range []ast.Expr{n.X, n.Y} {
		basic, ok := p.info.Types[x].Type.Underlying().(*types.Basic)
		if _, parameter := p.info.Types[x].Type.(*types.TypeParam); !ok || parameter || shifts(x) {
			return false
		}
		if arithmetic[n.Op] != "" && basic.Info()&types.IsNumeric == 0 {
			return false
		}
	}
	comma := replaced{c.to - c.from, ", "}
	if call := arithmetic[n.Op]; call != "" {
		e.around(from, to, fmt.Sprintf("%s(%d, ", call, number), ")")
		e.instead[c.from] = comma
		return true
	}
	if _, second := e.instead[c.from]; !second { // both changes of a comparison stand in one call
		both := others[n.Op]
		e.around(from, to, fmt.Sprintf("mutantCompare(%q, %d, %q, %d, %q, ", n.Op, number, both[0], number+1, both[1]), ")")
		e.instead[c.from] = comma
	}
	return true
}

// shifts says whether an expression is a shift whose type is that of what is around it.
func shifts(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		found = found || ok && (b.Op == token.SHL || b.Op == token.SHR)
		return !found
	})
	return found
}

// typeName is the type of a constant, as one would write it in the file of a change.
func (p *pack) typeName(constant ast.Expr, c *change) (name string, ok bool) {
	t := p.info.Types[constant].Type
	if _, parameter := t.(*types.TypeParam); parameter {
		return "", false
	}
	if basic, is := t.(*types.Basic); is && basic.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	ok = true
	name = types.TypeString(t, func(other *types.Package) string {
		if other == p.types {
			return ""
		}
		i := slices.Index(p.names, c.file)
		ok = ok && slices.ContainsFunc(p.files[i].Imports, func(s *ast.ImportSpec) bool {
			return s.Name == nil && strings.Trim(s.Path.Value, `"`) == other.Path()
		})
		return other.Name()
	})
	return name, ok
}

func (p *pack) offset(at token.Pos) int { return p.set.Position(at).Offset }

// around puts texts around some bytes, within those that are around more.
func (e *edits) around(from, to int, before, after string) {
	e.before[from] += before
	e.after[to] = after + e.after[to]
}

func (e *edits) apply(src []byte) []byte {
	var out bytes.Buffer
	for i := 0; i <= len(src); i++ {
		out.WriteString(e.after[i])
		out.WriteString(e.before[i])
		if r, ok := e.instead[i]; ok {
			out.WriteString(r.text)
			i += r.bytes - 1
		} else if i < len(src) {
			out.WriteByte(src[i])
		}
	}
	return out.Bytes()
}
