package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// An Table writes a table. Each line written to it is a row, with tabs between the cells. Flush writes the rows
// with aligned columns. Column widths are counted in terminal cells.
type Table struct {
	w          io.Writer
	alignRight bool
	text       bytes.Buffer
}

// NewTable returns a table that is written to w. If right is set, its columns are right-aligned.
func NewTable(w io.Writer, right bool) *Table { return &Table{w: w, alignRight: right} }

// Write adds a part of the table.
func (a *Table) Write(p []byte) (int, error) { return a.text.Write(p) }

// Flush draws the table.
func (a *Table) Flush() error {
	var rows [][]string
	var wide []int
	for line := range strings.Lines(a.text.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for k := range row {
			row[k] = sanitize(row[k])
			if k == len(row)-1 {
				break // the last cell of a line needs no padding
			}
			if k == len(wide) {
				wide = append(wide, 0)
			}
			wide[k] = max(wide[k], width(row[k]))
		}
		rows = append(rows, row)
	}
	a.text.Reset()
	var out strings.Builder
	for _, row := range rows {
		for k, cell := range row {
			switch {
			case k == len(row)-1:
			case a.alignRight:
				cell = "  " + padLeft(cell, wide[k])
			default:
				cell = pad(cell, wide[k]) + "  "
			}
			out.WriteString(cell)
		}
		out.WriteByte('\n')
	}
	if _, err := io.WriteString(a.w, out.String()); err != nil {
		return fmt.Errorf("write a table: %w", err)
	}
	return nil
}
