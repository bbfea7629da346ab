package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Aligned is a table: lines of cells, each but the last of a line ended by a tab. It
// is drawn at Flush, and counts the cells of the terminal that a text takes.
type Aligned struct {
	w     io.Writer
	right bool
	text  bytes.Buffer
}

// NewAligned returns a table whose columns are aligned at the left, or at the right.
func NewAligned(w io.Writer, right bool) *Aligned { return &Aligned{w: w, right: right} }

// Write takes a part of the table.
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
				break // nothing is after it
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
