package tail

import (
	"strings"

	"assay/judge/internal/pattern"
)

// maxLine is the maximum number of bytes of a line that are examined and kept.
const maxLine = 300

// Reason returns the line of a standard error that tells why a program failed: the panic message or the uncaught
// exception. If no runtime reports a reason, it returns the last line that is not indented, because the lines of a
// stack trace are indented. If text is the output of a Buffer, Reason considers everything that was written to the
// Buffer.
func Reason(text string) string {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(rest, "...") {
		return cut(strings.TrimSpace(first))
	}
	var p reasonPicker
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		p.addLine(line)
		if trimmed := strings.TrimSpace(line); trimmed != "" && (last == "" || line[0] != ' ' && line[0] != '\t') {
			last = trimmed
		}
	}
	if p.text != "" {
		return p.text
	}
	return cut(last)
}

// reasonPicker selects the line that tells the reason from a sequence of lines. A later line replaces an earlier one,
// because a program may continue after it prints an exception.
type reasonPicker struct {
	text  string
	first int  // length in bytes of the first line of text
	final bool // the runtime reported the end of the program

	traceback bool // inside a Python traceback, which ends with the unindented reason
	more      bool // the next line is part of text

	before string // previous line
}

// thrown is the beginning of the line that Node.js writes below a thrown value that is not an Error.
const thrown = "(Use `node --trace-uncaught"

var (
	// fatalMessages are the words by which language runtimes say that something ends the program.
	fatalMessages = pattern.New(`^(?:panic: |fatal error: |runtime: goroutine stack exceeds|` + // Go
		`thread '.*' (?:\(\d+\) )?panicked at |thread '.*' has overflowed its stack|memory allocation of \d+ bytes failed|` + // Rust
		`Exception in thread |Exception: |Error occurred during initialization|` + // Java
		`Unhandled [Ee]xception|Fatal error\.|Stack overflow\.|Out of memory\.|` + // C#
		`Uncaught |error: Uncaught |FATAL ERROR: |` + // JavaScript
		`terminate called |.*: Assertion .* failed|` + // C++
		`(?:PHP )?Fatal error: |(?:\S*/)?lua[\d.]*: )`) // PHP, OCaml; Lua
	// exceptionName is an exception by its name, perhaps with its package: what most languages print.
	exceptionName = pattern.New(`^(?:Caused by: )?(?:[A-Za-z_$][\w$]*[.:]+)*[\w$]*(?:Error|Exception)(?: \[\w+\])?(?:: |:?$)`)
	// unfinished are lines whose reason is on the next one.
	unfinished = pattern.New(
		`^(?:thread '.*' .*panicked at .*:\d+:\d+:|terminate called after throwing an instance of '[^']*'|Unhandled [Ee]xception[.:]?)$`,
	)
)

func (p *reasonPicker) addLine(line string) {
	line = strings.TrimRight(line, "\r")
	trimmed := strings.TrimSpace(line)
	indented := line != "" && (line[0] == ' ' || line[0] == '\t')
	before := p.before
	p.before = trimmed
	switch {
	case trimmed == "":
		return
	case p.more:
		p.more = false
		p.text = cut(p.text + " " + trimmed)
		return
	case strings.HasPrefix(line, "Traceback (most recent call last)"):
		p.traceback = true
		return
	case indented:
		return
	case strings.HasPrefix(line, thrown):
		p.final, trimmed = true, before
	case p.traceback || fatalMessages().MatchString(line):
		p.traceback, p.final = false, true
	case !p.final && exceptionName().MatchString(line):
	default:
		return
	}
	p.text = cut(trimmed)
	p.first = len(p.text)
	p.more = unfinished().MatchString(trimmed)
}

func cut(line string) string {
	if len(line) > maxLine {
		return strings.ToValidUTF8(line[:maxLine], "")
	}
	return line
}
