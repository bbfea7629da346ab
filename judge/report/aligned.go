package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// An Aligned writes a table. Each line written to it is a row, with tabs between the cells. Flush writes the rows
// with aligned columns. Column widths are counted in terminal cells.
type Aligned struct {
	w     io.Writer
	right bool
	text  bytes.Buffer
}

// NewAligned returns a table that is written to w. If right is set, its columns are right-aligned.
func NewAligned(w io.Writer, right bool) *Aligned { return &Aligned{w: w, right: right} }

// Write adds a part of the table.
func (a *Aligned) Write(p []byte) (int, error) { return a.text.Write(p) }

// Flush draws the table.
func (a *Aligned) Flush() error {
	var rows [][]string
	var wide []int
	for line := range strings.Lines(a.text.String()) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for k := range row {
			row[k] = safe(row[k])
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
			case a.right:
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
