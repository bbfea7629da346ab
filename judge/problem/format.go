package problem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/cases/format"
)

// FormatFile is the name of the file that declares the input format.
const FormatFile = "input.format"

// FormatWord is the first word of generator lines whose cases are made from the declared input format.
const FormatWord = "format"

// FormatPath returns the path of the declaration, or the empty string if the directory has none.
func (f *Directory) FormatPath() string {
	path := filepath.Join(f.Dir, FormatFile)
	if _, err := os.Stat(path); err != nil && errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// Format reads the declaration of the input format. It returns nil, nil if the directory has none. The error is
// judge.ProblemErrors.
func (f *Directory) Format() (*format.Grammar, error) {
	path := f.FormatPath()
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, judge.ProblemErrors{{File: path, Text: Reason(err)}}
	}
	g, faults := format.Parse(path, text)
	return g, faults.AsError()
}

// Derived reports whether a generator line requests a case that is made from the declaration. In a directory
// without a declaration, such a line is ordinary.
func Derived(line string) bool {
	return line == FormatWord || strings.HasPrefix(line, FormatWord+" ")
}

// Derives reports whether any generator line of the directory is made from the declaration.
func (f *Directory) Derives() bool {
	return f.FormatPath() != "" && slices.ContainsFunc(f.Groups, func(g judge.Group) bool {
		return slices.ContainsFunc(g.Cases, func(c judge.Case) bool { return Derived(c.Line) })
	})
}

// Makes reports whether the directory has generator lines.
func (f *Directory) Makes() bool {
	return slices.ContainsFunc(f.Groups, func(g judge.Group) bool {
		return slices.ContainsFunc(g.Cases, func(c judge.Case) bool { return c.Line != "" })
	})
}

// lintFormat finds errors in the declaration, and numbers in it that the statement does not mention.
func (f *Directory) lintFormat() (faults judge.ProblemErrors) {
	g, err := f.Format()
	if all, ok := err.(judge.ProblemErrors); ok {
		return all
	}
	if g == nil {
		return nil
	}
	statement, err := os.ReadFile(f.Statement())
	if err != nil {
		return nil // Lint has reported it
	}
	for _, n := range g.MissingNumbers(string(statement)) {
		faults = append(faults, &judge.ProblemError{
			File: f.FormatPath(), Line: n.Line, Text: "the number " + n.String() + " is missing in the statement",
			Hint: "it bounds " + n.Name + "; add it to the statement's constraints, or correct the bound",
		})
	}
	return faults
}
