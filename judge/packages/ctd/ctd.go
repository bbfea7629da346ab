// Package ctd interprets checktestdata scripts (.ctd files), with which many problem packages describe their
// inputs:
//
//	INT(1,100,n) NEWLINE
//	REPI(i,n,SPACE) INT(-1000,1000,x[i]) END NEWLINE
//	ASSERT(UNIQUE(x))
//
// Parse reads a script. Check compares a text with it. Numbers have any size, and decimals are exact: 0.1+0.2 is
// 0.3. Texts are bytes, not characters.
//
// If the language's description does not define something, the package behaves like the program checktestdata: !
// applies to as much as possible on its right, && and || have equal precedence, ^ is left-associative, and a dot
// in a regular expression matches a line feed. Unlike in checktestdata, UNIQUE returns false and does not end the
// check, so !UNIQUE can be true.
//
// The package does not generate texts from scripts, and does no input or output.
package ctd

import (
	"context"
	"fmt"

	"assay/judge"
)

// Program is a parsed script. It is safe for concurrent use.
type Program struct {
	file     string
	commands []command
	names    []string // names of the variables, by slot
}

// Options change how a text is compared with a script.
type Options struct {
	// Lenient lets SPACE match any white space within a line, and ignores white
	// space at both ends of a line.
	Lenient bool
}

// Mismatch describes where and why a text does not match the script.
type Mismatch struct {
	Line, Column int    // position in the text, from 1; columns count bytes
	Text         string // what is wrong there
	ScriptLine   int    // line of the script that did not match
	Command      string // the command as written in the script
}

// Error describes the position in the input, the mismatch, and the line of the script.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("line %d, column %d: %s (script line %d: %s)", m.Line, m.Column, m.Text, m.ScriptLine, m.Command)
}

// Parse parses a script. Faults name file as the script's file. The error is a *judge.ProblemError.
func Parse(file string, script []byte) (*Program, error) {
	p := &parser{scanner: scanner{file: file, src: string(script), line: 1}, slots: map[string]int{}}
	commands, err := p.program()
	if err != nil {
		return nil, err
	}
	return &Program{file: file, commands: commands, names: p.names}, nil
}

// Check compares a text with the script. If the text matches, the *Mismatch is nil. A script that cannot continue,
// because it divides by zero or uses a variable without a value, matches no text. Check returns an error only if
// ctx is done.
func (p *Program) Check(ctx context.Context, text []byte, o Options) (*Mismatch, error) {
	r := &run{program: p, ctx: ctx, text: text, lenient: o.Lenient, vars: make([]variable, len(p.names)), patterns: map[string]*pattern{}}
	return r.checkAll()
}

// fault returns a fault in the script.
func fault(file string, line, column int, hint, format string, args ...any) *judge.ProblemError {
	return &judge.ProblemError{File: file, Line: line, Column: column, Text: fmt.Sprintf(format, args...), Hint: hint}
}
