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

// FormatFile is the name of the file that declares the form of the inputs.
const FormatFile = "input.format"

// FormatWord starts the generator lines that are made from that declaration.
const FormatWord = "format"

// FormatPath returns the path of the declaration, "" if the folder has none.
func (f *Folder) FormatPath() string {
	path := filepath.Join(f.Dir, FormatFile)
	if _, err := os.Stat(path); err != nil && errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// Format reads the declaration of the input format; nil if the folder has none. The
// error is judge.Faults.
func (f *Folder) Format() (*format.Grammar, error) {
	path := f.FormatPath()
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, judge.Faults{{File: path, Text: Reason(err)}}
	}
	g, faults := format.Parse(path, text)
	return g, faults.AsError()
}

// Derived says whether a generator line asks for a case that is made from the
// declaration. In a folder that has none, it is like any other line.
func Derived(line string) bool {
	return line == FormatWord || strings.HasPrefix(line, FormatWord+" ")
}

// Derives says whether some generator line of the folder is made from the
// declaration.
func (f *Folder) Derives() bool {
	return f.FormatPath() != "" && slices.ContainsFunc(f.Groups, func(g judge.Group) bool {
		return slices.ContainsFunc(g.Cases, func(c judge.Case) bool { return Derived(c.Line) })
	})
}

// Makes says whether the folder has generator lines.
func (f *Folder) Makes() bool {
	return slices.ContainsFunc(f.Groups, func(g judge.Group) bool {
		return slices.ContainsFunc(g.Cases, func(c judge.Case) bool { return c.Line != "" })
	})
}

// lintFormat finds what is wrong with the declaration, and numbers of it that the
// statement does not have.
func (f *Folder) lintFormat() (faults judge.Faults) {
	g, err := f.Format()
	if all, ok := err.(judge.Faults); ok {
		return all
	}
	if g == nil {
		return nil
	}
	statement, err := os.ReadFile(f.Statement())
	if err != nil {
		return nil // Lint has said so
	}
	for _, n := range g.Missing(string(statement)) {
		faults = append(faults, &judge.Fault{
			File: f.FormatPath(), Line: n.Row, Text: "the number " + n.String() + " does not stand in the statement",
			Hint: "it bounds " + n.Of + "; write it into the statement's constraints, or mend the bound",
		})
	}
	return faults
}
