package problem

import (
	"assay/judge"
	"assay/judge/internal/formula"
)

// Formulas returns how many formulas a statement in Markdown has, those that are broken, and
// those that pages cannot draw.
func Formulas(file string, markdown []byte) (n int, broken, undrawn judge.Faults) {
	n, found := formula.Check(markdown)
	for _, f := range found {
		to := &broken
		if f.Undrawn {
			to = &undrawn
		}
		*to = append(*to, &judge.Fault{File: file, Line: f.Line, Text: f.Text, Hint: f.Hint})
	}
	return n, broken, undrawn
}
