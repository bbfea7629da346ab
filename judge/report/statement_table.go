package report

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
)

// minColumn is the minimum width of a table column.
const minColumn = 6

// cellText is the content of one cell of a table.
type cellText struct {
	words []textWord
	align tables.Alignment
}

// renderTable formats a table. If the table is too wide for room, the text in the widest columns is wrapped.
func (s *textRenderer) renderTable(n *tables.Table, room int) []string {
	var rows [][]cellText
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []cellText
		style := []attribute(nil)
		if _, head := row.(*tables.TableHeader); head {
			style = bold
		}
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, s.cell(c, style))
		}
		rows = append(rows, cells)
	}
	wide := columnWidths(rows)
	for sum(wide)+2*(len(wide)-1) > room {
		widest := slices.Index(wide, slices.Max(wide))
		if wide[widest] <= minColumn {
			break
		}
		wide[widest]--
	}
	var lines []string
	for i, row := range rows {
		lines = append(lines, s.tableRow(row, wide)...)
		if i == 0 {
			var rule []string
			for _, w := range wide {
				rule = append(rule, strings.Repeat("-", w))
			}
			lines = append(lines, strings.Join(rule, "  "))
		}
	}
	return lines
}

func (s *textRenderer) cell(n ast.Node, style []attribute) cellText {
	c := cellText{words: s.inlineWords(n, style)}
	if cell, ok := n.(*tables.TableCell); ok {
		c.align = cell.Alignment
	}
	return c
}

// columnWidths returns the width that each column needs if its text is not wrapped.
func columnWidths(rows [][]cellText) []int {
	var wide []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(wide) {
				wide = append(wide, 1)
			}
			wide[i] = max(wide[i], width(wordsText(c.words)))
		}
	}
	return wide
}

func sum(numbers []int) int {
	n := 0
	for _, v := range numbers {
		n += v
	}
	return n
}

// tableRow formats a row. It has as many lines as its longest cell.
func (s *textRenderer) tableRow(row []cellText, wide []int) []string {
	plain, painted := make([][]string, len(row)), make([][]string, len(row))
	height := 1
	for i, c := range row {
		plain[i] = (&textRenderer{}).fillLines(c.words, wide[i])
		painted[i] = s.fillLines(c.words, wide[i])
		height = max(height, len(plain[i]))
	}
	lines := make([]string, height)
	for y := range lines {
		var b strings.Builder
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			text, long := "", 0
			if y < len(plain[i]) {
				text, long = painted[i][y], width(plain[i][y])
			}
			room := max(0, wide[i]-long)
			before := 0
			switch c.align {
			case tables.AlignRight:
				before = room
			case tables.AlignCenter:
				before = room / 2
			}
			b.WriteString(strings.Repeat(" ", before) + text + strings.Repeat(" ", room-before))
		}
		lines[y] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
