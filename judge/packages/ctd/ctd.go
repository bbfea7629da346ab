// Package ctd interprets checktestdata scripts (.ctd files), by which many problem
// packages describe their inputs:
//
//	INT(1,100,n) NEWLINE
//	REPI(i,n,SPACE) INT(-1000,1000,x[i]) END NEWLINE
//	ASSERT(UNIQUE(x))
//
// Parse reads a script, Check holds a text against it. Numbers have any size, and
// decimals are exact: 0.1+0.2 is 0.3. Texts are bytes, not characters.
//
// Where the language's description is silent, it does as the program checktestdata
// does: ! reaches as far to the right as it can, && and || are of one rank, ^
// groups from the left, and a dot in a regular expression matches a line feed.
// Unlike there, UNIQUE gives false rather than ending the check, so that !UNIQUE
// can be true.
//
// The package does not generate texts from scripts, and does no input or output.
package ctd

import (
	"context"
	"fmt"

	"assay/judge"
)

// Program is a script that was parsed. It is safe for concurrent use.
type Program struct {
	file     string
	commands []command
	names    []string // of the variables, by slot
}

// Options change how a text is held against a script.
type Options struct {
	// Lenient lets SPACE match any white space within a line, and ignores white
	// space at both ends of a line.
	Lenient bool
}

// Mismatch says where and why a text is not as the script describes it.
type Mismatch struct {
	Line, Column int    // of the text, from 1; columns count bytes
	Text         string // what was wrong there
	ScriptLine   int    // line of the script that was not met
	Command      string // as the script has it
}

// Error returns where the input differs from the script, and from which line of it.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("line %d, column %d: %s (script line %d: %s)", m.Line, m.Column, m.Text, m.ScriptLine, m.Command)
}

// Parse parses a script; file is its name in faults. The error is a *judge.Fault.
func Parse(file string, script []byte) (*Program, error) {
	p := &parser{scanner: scanner{file: file, src: string(script), line: 1}, slots: map[string]int{}}
	commands, err := p.program()
	if err != nil {
		return nil, err
	}
	return &Program{file: file, commands: commands, names: p.names}, nil
}

// Check holds a text against the script. The *Mismatch is nil if it fits. A
// script that cannot continue, because it divides by zero or uses a variable that
// was never set, does not fit any text. The error is that of ctx only.
func (p *Program) Check(ctx context.Context, text []byte, o Options) (*Mismatch, error) {
	r := &run{program: p, ctx: ctx, text: text, lenient: o.Lenient, vars: make([]variable, len(p.names)), patterns: map[string]*pattern{}}
	return r.all()
}

// fault makes a fault of the script.
func fault(file string, line, column int, hint, format string, args ...any) *judge.Fault {
	return &judge.Fault{File: file, Line: line, Column: column, Text: fmt.Sprintf(format, args...), Hint: hint}
}
