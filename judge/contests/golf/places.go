package golf

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"assay/judge/internal/pattern"
)

// Compilers see a function inside its driver. This file converts the positions in their messages to positions in
// the submission, and removes the driver's text.

// marker is a text that marks pieces of a submission's code in a larger text.
type marker string

// newMarker returns a seam that does not occur in the code.
func newMarker(code string) marker {
	sum := sha256.Sum256([]byte(code))
	return marker("\x00" + hex.EncodeToString(sum[:8]))
}

// mark adds marks to a piece of the submission's code. The argument at is the offset of the piece in the code.
func (s marker) mark(piece string, at int) string {
	if s == "" || piece == "" {
		return piece
	}
	return string(s) + strconv.Itoa(at) + "<" + piece + string(s) + ">"
}

// piece is a part of a file that is code of the submission.
type piece struct{ from, to, at int } // start and end in the file, and start in the code

// remove removes the marks from a text, and returns the marked pieces.
func (s marker) remove(text string) (clean string, pieces []piece) {
	if s == "" {
		return text, nil
	}
	parts := strings.Split(text, string(s))
	for k, part := range parts {
		if k > 0 {
			number, rest, opens := strings.Cut(part, "<")
			if at, err := strconv.Atoi(number); opens && err == nil {
				pieces, part = append(pieces, piece{len(clean), len(clean) + len(rest), at}), rest
			} else {
				part = strings.TrimPrefix(part, ">")
			}
		}
		clean += part
	}
	return clean, pieces
}

// A builtFile file is a file that was passed to a compiler.
type builtFile struct {
	name, text string
	pieces     []piece
}

// offset returns the offset of a line and column, both counted from 1. Columns count runes. Column zero is the
// start of the line.
func (b *builtFile) offset(line, column int) int {
	at := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(b.text[at:], '\n')
		if n < 0 {
			return len(b.text)
		}
		at += n + 1
	}
	for ; column > 1 && at < len(b.text) && b.text[at] != '\n'; column-- {
		_, n := utf8.DecodeRuneInString(b.text[at:])
		at += n
	}
	return at
}

// find returns the offset in the submission's code that corresponds to a line and column of the built file. If
// only part of the line is code of the submission, find returns the nearest offset in that part. It returns false
// if the line belongs to the driver.
func (b *builtFile) find(line, column int) (at int, ok bool) {
	here, next := b.offset(line, 0), b.offset(line+1, 0)
	want, nearest := b.offset(line, column), -1
	for _, p := range b.pieces {
		from, to := max(p.from, here), min(p.to, next)
		if from > to || from == to && from != p.to {
			continue
		}
		near := min(max(want, from), to)
		if far := max(near-want, want-near); nearest < 0 || far < nearest {
			nearest, at = far, p.at+near-p.from
		}
	}
	return at, nearest >= 0
}

// compilerError is a compiler error.
type compilerError struct {
	file         *builtFile // nil for another file, such as a library header
	line, column int        // column zero means unknown
	words        []string
}

var (
	// located matches the start of an error: file, line, column, and message.
	located = pattern.New(`^\s*(?:\./)?([^\s:()]+)[:(]+(\d+)(?:[:,](\d+))?[-\d(),]*\)?:?\s*(.*)$`)
	// arrow matches the position of an error whose message is on the line before.
	arrow = pattern.New(`^\s*--> ([^\s:]+):(\d+):(\d+)$`)
	// headline matches the message of an error whose position is on the next line.
	headline = pattern.New(`^(?:error(?:\[\w+\])?|warning|note|help): .*$`)
	// advice matches messages that are not errors.
	advice = pattern.New(`^(?i:warning|note|help)\b`)
	// caret matches a line that points to a column of the previous line.
	caret = pattern.New(`^\s*\^[\s^~]*$`)
	// excerpt matches lines that show parts of the source, and messages about the driver or about several errors.
	excerpt = pattern.New(
		`^\s*\d*\s*\||^\s*\.\.\.|^\s+location: |^\d+ errors?$|^Note: |^#|^Compilation failed|^\S+: In |^In file included from |^\s+from \S+:\d+`,
	)
	// unclosed matches errors for code that ends too early or too late.
	unclosed = pattern.New(`(?i)not allowed here|expect|end of file|unclosed|unterminated|unmatched|unbalanced|syntax|parse`)
)

// parseCompilerErrors parses a compiler's messages about files.
func parseCompilerErrors(log string, files []*builtFile) (found []compilerError) {
	var last *compilerError // error to which the following lines belong
	head := ""
	var before string
	for _, line := range strings.Split(log, "\n") {
		m, above := located().FindStringSubmatch(line), head
		if a := arrow().FindStringSubmatch(line); a != nil {
			m = append(a, above)
		}
		if headline().MatchString(line) {
			last, head = nil, line
			continue
		}
		head = ""
		k := -1
		if m != nil {
			k = slices.IndexFunc(files, func(b *builtFile) bool { return filepath.Base(m[1]) == b.name })
		}
		switch {
		case k >= 0:
			last = nil
			if !advice().MatchString(strings.TrimSpace(m[4])) {
				c := compilerError{file: files[k], words: []string{m[4]}}
				c.line, _ = strconv.Atoi(m[2])
				c.column, _ = strconv.Atoi(m[3])
				found = append(found, c)
				last = &found[len(found)-1]
			}
		case m != nil && strings.Contains(m[4], "error"):
			last = nil
			found = append(found, compilerError{words: []string{m[4]}})
		case last == nil || strings.TrimSpace(line) == "" || excerpt().MatchString(line):
		case caret().MatchString(line):
			if last.column == 0 {
				last.column = 1 + utf8.RuneCountInString(line[:strings.IndexByte(line, '^')])
			}
			last.words = slices.DeleteFunc(last.words, func(w string) bool { return w == before })
		default:
			last.words = append(last.words, line)
		}
		before = line
	}
	return found
}

// The limits for showing compiler messages: the number of errors, of lines per error, and of runes per line of
// code.
const (
	maxErrors     = 5
	maxErrorLines = 8
	maxCodeRunes  = 120
)

// inSubmission converts a compiler's messages about files to positions in the submission. It also returns the messages
// about the submission's own code, one by one. If there are none, the text states this.
func (p *checkRun) inSubmission(log string, files []*builtFile) (text string, own []string) {
	all := parseCompilerErrors(log, files)
	for _, c := range all {
		if c.file == nil {
			continue
		}
		at, is := c.file.find(c.line, c.column)
		if is && c.column == 0 {
			at = lineStart(p.a.Code, at)
		}
		if !is || len(own) == maxErrors {
			continue
		}
		if one := p.a.formatError(at, c.column > 0, c.words); !slices.Contains(own, one) {
			own = append(own, one)
		}
	}
	if len(own) > 0 {
		return strings.Join(own, "\n"), own
	}
	for _, c := range all {
		if unclosed().MatchString(c.words[0]) {
			end := strings.TrimRight(p.a.Code, " \t\r\n;")
			text = p.a.formatError(len(end), true, []string{"error: the code ends too early or too late: check its brackets"})
			return text, []string{text}
		}
	}
	text = "the answer compiles in none of the ways to call it (docs/golf.md lists them)"
	if len(all) > 0 && !strings.Contains(strings.ToLower(all[0].words[0]), "golf") {
		text += "\n" + all[0].words[0]
	}
	return text, nil
}

func lineStart(text string, at int) int { return 1 + strings.LastIndexByte(text[:at], '\n') }

// formatError formats an error at an offset of the code.
func (a *Submission) formatError(at int, column bool, words []string) string {
	name, code := a.name(), a.Counted
	switch at -= a.before; {
	case at < 0:
		name, code, at = "header", a.Code[:a.before], at+a.before
	case at > len(code):
		name, code, at = "footer", a.Code[a.before+len(code)+1:], at-len(code)-1
	}
	start := lineStart(code, at)
	line, _, _ := strings.Cut(code[start:], "\n")
	column0 := utf8.RuneCountInString(code[start:at])
	text := fmt.Sprintf("%s:%d", name, 1+strings.Count(code[:at], "\n"))
	if column {
		text += fmt.Sprintf(":%d", 1+column0)
	}
	text += ": " + strings.Join(words[:min(len(words), maxErrorLines)], "\n")
	shown := []rune(strings.TrimRight(strings.ReplaceAll(line, "\t", " "), "\r"))
	if from := max(0, column0-maxCodeRunes/2); from > 0 && len(shown) > maxCodeRunes {
		shown, column0 = append([]rune("…"), shown[from:]...), column0-from+1
	}
	if len(shown) > maxCodeRunes {
		shown = append(shown[:maxCodeRunes], '…')
	}
	text += "\n  " + string(shown)
	if column {
		text += "\n  " + strings.Repeat(" ", column0) + "^"
	}
	return text
}

// name returns the name of the submission's file. For a post, the extension is that of the code's language.
func (a *Submission) name() string {
	name := filepath.Base(a.File)
	if all := a.Language.Extensions; len(all) > 0 && !slices.Contains(all, strings.TrimPrefix(filepath.Ext(name), ".")) {
		return "answer." + all[0]
	}
	return name
}
