package verify

import (
	"context"
	"maps"
	"os"
	"slices"

	"assay/judge"
	"assay/judge/problem"
)

// pictures checks that the pictures of the statements can be shown.
func (v *Verifier) pictures(context.Context) (n int, faults judge.ProblemErrors, err error) {
	n, faults, _ = v.allPictures()
	return n, faults, nil
}

// unshown returns warnings about parts of the statements that are not shown, or not shown everywhere. For example,
// the extension of a picture may be that of another file type. The check named pictures reports the other
// mistakes.
func (v *Verifier) unshown(context.Context) (n int, warnings judge.ProblemErrors, err error) {
	_, _, warnings = v.allPictures()
	if v.Directory.Package == nil {
		for _, file := range v.statements() {
			warnings = append(warnings, problem.MisspelledMarks(file)...)
		}
	}
	return len(warnings), warnings, nil
}

func (v *Verifier) allPictures() (n int, faults, warnings judge.ProblemErrors) {
	if v.Directory.Package != nil {
		return v.Directory.Package.CheckPictures()
	}
	for _, file := range v.statements() {
		found, wrong, misnamed := problem.CheckPictures(v.Directory.Dir, file)
		n, faults, warnings = n+found, append(faults, wrong...), append(warnings, misnamed...)
	}
	return n, faults, warnings
}

// statements returns the files of the problem's statements, in all languages.
func (v *Verifier) statements() (files []string) {
	files = append([]string{v.Directory.Statement()}, slices.Sorted(maps.Values(v.Directory.Statements()))...)
	if v.Directory.Golf != nil && v.Directory.Golf.Statement != "" {
		files = append(files, v.Directory.Golf.Statement)
	}
	if v.Directory.Game != nil && v.Directory.Game.Statement != "" {
		files = append(files, v.Directory.Game.Statement)
	}
	return files
}

// formulas checks that no formula of the statements is broken.
func (v *Verifier) formulas(context.Context) (n int, faults judge.ProblemErrors, err error) {
	n, faults, _ = v.allFormulas()
	return n, faults, nil
}

// undrawn returns warnings about formulas in the statements that pages cannot render.
func (v *Verifier) undrawn(context.Context) (n int, warnings judge.ProblemErrors, err error) {
	_, _, warnings = v.allFormulas()
	return len(warnings), warnings, nil
}

func (v *Verifier) allFormulas() (n int, broken, undrawn judge.ProblemErrors) {
	if v.Directory.Package != nil {
		return v.Directory.Package.CheckFormulas()
	}
	for _, file := range v.statements() {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // Lint has reported it
		}
		found, faults, warnings := problem.Formulas(file, data)
		n, broken, undrawn = n+found, append(broken, faults...), append(undrawn, warnings...)
	}
	return n, broken, undrawn
}
