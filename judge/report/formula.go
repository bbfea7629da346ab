package report

import (
	"html/template"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"assay/judge/internal/formula"
	"assay/judge/internal/tex"
)

// formulas renders the formulas of statements.
type formulas struct{}

// RegisterFuncs implements renderer.NodeRenderer of goldmark.
func (formulas) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(formula.NodeKind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f := n.(*formula.Formula)
			drawn, ok := tex.MathML(f.Source, f.Display)
			if !ok {
				drawn = `<code class="undrawn" title="this formula cannot be drawn: it is shown as it was written">` +
					template.HTMLEscapeString(sanitize(f.Source)) + `</code>`
			}
			_, _ = w.WriteString(drawn) // the buffer's Flush reports an error
		}
		return ast.WalkSkipChildren, nil
	})
}

// formulaText returns a formula as text for a terminal.
func formulaText(f *formula.Formula) string { return sanitize(tex.Formula(f.Source)) }
