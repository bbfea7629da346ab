package judge

import (
	"fmt"
	"strings"
)

// ProblemError is a setter's error in a problem directory or judge.toml. It contains the position, what is wrong, and a
// remedy.
type ProblemError struct {
	File   string `json:"file"`           // path as the user knows it
	Line   int    `json:"line,omitempty"` // from 1; zero if the fault has no line
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`           // what is wrong, such as `unknown key "tile"`
	Hint   string `json:"hint,omitempty"` // remedy, such as `did you mean "title"?`
}

// Error formats the fault as "file:line:column: text", with the hint on the next line.
func (f *ProblemError) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
		if f.Column > 0 {
			fmt.Fprintf(&b, ":%d", f.Column)
		}
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Text)
	if f.Hint != "" {
		b.WriteString("\n    " + strings.ReplaceAll(f.Hint, "\n", "\n    "))
	}
	return b.String()
}

// ProblemErrors lists all faults of a directory, ordered by file and line.
type ProblemErrors []*ProblemError

// Error returns the text of all faults, in order.
func (f ProblemErrors) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// AsError returns the faults as an error, or nil if there are none.
func (f ProblemErrors) AsError() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
