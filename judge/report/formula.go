package report

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"assay/judge/internal/tex"
)

// Formulas in statements stand between dollars, $n \le 5$, or between two on each side, to
// be shown on a line of their own. No blank follows the first dollar, none stands before the
// last, and no digit after it, so that "$5 and $7" is money; \$ is a dollar.

// formula is a node of a statement.
type formula struct {
	ast.BaseInline
	source  string
	display bool
}

var kindFormula = ast.NewNodeKind("Formula")

// Kind is goldmark's way of asking what a node is.
func (*formula) Kind() ast.NodeKind { return kindFormula }

// Dump is for those who look for mistakes in goldmark.
func (f *formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"source": f.source}, nil)
}

// formulas finds formulas and draws them.
type formulas struct{}

// withFormulas makes a parser of statements know formulas. Code goes before them, links and
// emphasis after.
var withFormulas = parser.WithInlineParsers(util.Prioritized(formulas{}, 150))

// longest is how long a formula may be, in bytes.
const longest = 16 << 10

// Trigger is goldmark's way of asking where a formula may begin.
func (formulas) Trigger() []byte { return []byte{'$'} }

// Parse reads a formula, or nothing where there is none.
func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	number, start := block.Position()
	line, _ := block.PeekLine()
	mark := []byte("$")
	if bytes.HasPrefix(line, []byte("$$")) {
		mark = []byte("$$")
	}
	line = line[len(mark):]
	var body []byte
	if len(line) == 0 || len(mark) == 1 && isBlank(line[0]) {
		return nil
	}
	block.Advance(len(mark))
	for len(body) < longest {
		if line, _ = block.PeekLine(); line == nil {
			break
		}
		if end := closing(body, line, mark); end >= 0 {
			block.Advance(end + len(mark))
			body = append(body, line[:end]...)
			return &formula{source: string(bytes.TrimSpace(body)), display: len(mark) == 2}
		}
		body = append(body, line...)
		block.AdvanceLine()
	}
	block.SetPosition(number, start)
	return nil
}

// closing finds the dollars that end a formula of which some lines are known; -1 for none.
func closing(before, line, mark []byte) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case !bytes.HasPrefix(line[i:], mark):
		case len(mark) == 2 && (i > 0 || len(before) > 0):
			return i
		case len(mark) == 1 && (i > 0 && !isBlank(line[i-1]) || i == 0 && len(before) > 0) && (i+1 == len(line) || line[i+1] < '0' || line[i+1] > '9'):
			return i
		}
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// RegisterFuncs is goldmark's way of asking who draws what.
func (formulas) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindFormula, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			f := n.(*formula)
			drawn, ok := tex.MathML(f.source, f.display)
			if !ok {
				drawn = `<code class="undrawn" title="this formula cannot be drawn: it is shown as it was written">` + template.HTMLEscapeString(safe(f.source)) + `</code>`
			}
			_, _ = w.WriteString(drawn) // an error is told by the buffer's Flush
		}
		return ast.WalkSkipChildren, nil
	})
}

// formulaText is a formula on a terminal.
func formulaText(f *formula) string { return safe(tex.Formula(f.source)) }
