package problem

import (
	"assay/judge"
	"assay/judge/internal/formula"
)

// Formulas returns how many formulas a statement in Markdown has, those that are broken, and
// those that pages cannot draw.
func Formulas(file string, markdown []byte) (n int, broken, undrawn judge.Faults) {
	n, found := formula.Check(markdown)
	broken, undrawn = placed(file, found)
	return n, broken, undrawn
}

// HTMLFormulas is Formulas for a statement in HTML.
func HTMLFormulas(file string, page []byte) (n int, broken, undrawn judge.Faults) {
	n, found := formula.CheckHTML(page)
	broken, undrawn = placed(file, found)
	return n, broken, undrawn
}

// placed makes faults of what is wrong with the formulas of a file.
func placed(file string, all []formula.Finding) (broken, undrawn judge.Faults) {
	for _, f := range all {
		to := &broken
		if f.Undrawn {
			to = &undrawn
		}
		*to = append(*to, &judge.Fault{File: file, Line: f.Line, Text: f.Text, Hint: f.Hint})
	}
	return broken, undrawn
}
