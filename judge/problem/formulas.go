package problem

import (
	"assay/judge"
	"assay/judge/internal/formula"
)

// Formulas returns the number of formulas in a Markdown statement, the broken ones, and those that pages cannot
// render.
func Formulas(file string, markdown []byte) (n int, broken, undrawn judge.ProblemErrors) {
	n, found := formula.Check(markdown)
	broken, undrawn = placed(file, found)
	return n, broken, undrawn
}

// HTMLFormulas is like Formulas for an HTML statement.
func HTMLFormulas(file string, page []byte) (n int, broken, undrawn judge.ProblemErrors) {
	n, found := formula.CheckHTML(page)
	broken, undrawn = placed(file, found)
	return n, broken, undrawn
}

// placed converts findings about formulas in a file to faults.
func placed(file string, all []formula.Finding) (broken, undrawn judge.ProblemErrors) {
	for _, f := range all {
		to := &broken
		if f.Unsupported {
			to = &undrawn
		}
		*to = append(*to, &judge.ProblemError{File: file, Line: f.Line, Text: f.Text, Hint: f.Hint})
	}
	return broken, undrawn
}
