package judge

import (
	"fmt"
	"strings"
)

// Fault is a setter's mistake: something in a problem folder or in judge.toml
// that is not as it must be. It says where, what, and what to do next.
type Fault struct {
	File   string `json:"file"`           // path as the user knows it
	Line   int    `json:"line,omitempty"` // from 1; 0 where the fault has no line
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`           // what is wrong: `unknown key "tile"`
	Hint   string `json:"hint,omitempty"` // the way out: `did you mean "title"?`
}

// Error writes the fault as "file:line:column: text", with the hint below it.
func (f *Fault) Error() string {
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

// Faults are all the faults of a folder, in order of file and line.
type Faults []*Fault

// Error writes the faults one below the other.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// AsError returns the faults as an error, nil if there are none.
func (f Faults) AsError() error {
	if len(f) == 0 {
		return nil
	}
	return f
}
