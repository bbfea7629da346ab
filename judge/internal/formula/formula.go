// Package formula finds formulas in Markdown statements, and errors in them.
//
// Formulas are enclosed in dollar signs, $n \le 5$. Two on each side show the formula on a separate line. The
// first dollar sign is not followed by a blank. The last one is not preceded by a blank or followed by a digit, so
// that "$5 and $7" is money. Write \$ for a dollar sign.
package formula

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Formula is a formula node in a statement.
type Formula struct {
	ast.BaseInline
	Source  string
	Display bool // shown on a separate line
	Offset  int  // offset in the statement, in bytes
}

// NodeKind is the node kind of a Formula.
var NodeKind = ast.NewNodeKind("Formula")

// Kind implements ast.NodeKind.
func (*Formula) Kind() ast.NodeKind { return NodeKind }

// Dump implements ast.NodeKind.
func (f *Formula) Dump(source []byte, level int) {
	ast.DumpHelper(f, source, level, map[string]string{"source": f.Source}, nil)
}

// ParserOption is the parser option that recognizes formulas in a statement. Formulas have a lower priority than code,
// and a higher one than links and emphasis.
var ParserOption = parser.WithInlineParsers(util.Prioritized(finder{}, 150))

// finder finds formulas for goldmark.
type finder struct{}

// longest is the approximate maximum length of a formula, in bytes.
const longest = 16 << 10

// Trigger returns the characters at which a formula may begin.
func (finder) Trigger() []byte { return []byte{'$'} }

// Parse returns the formula that begins at the current position of block. It returns nil if no formula begins
// there.
func (finder) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
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
			return &Formula{Source: string(bytes.TrimSpace(body)), Display: len(mark) == 2, Offset: start.Start}
		}
		body = append(body, line...)
		block.AdvanceLine()
	}
	block.SetPosition(number, start)
	return nil
}

// closing returns the position in line of the mark that ends a formula, or -1 if line contains no such mark. The
// parameter before contains the earlier lines of the formula.
func closing(before, line, mark []byte) int {
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case !bytes.HasPrefix(line[i:], mark):
		case len(mark) == 2 && (i > 0 || len(before) > 0):
			return i
		case len(mark) == 1 && (i > 0 && !isBlank(line[i-1]) || i == 0 && len(before) > 0) &&
			(i+1 == len(line) || line[i+1] < '0' || line[i+1] > '9'):
			return i
		}
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
