package kit

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A Reader reads one of the three texts of a case. If the text is not as expected, the case ends with WA for the
// contestant's output and a validator's input, and with Fail for other texts.
//
// In a checker, a Reader skips white space before each token. A number is an optional sign and digits. In a
// validator, a Reader is strict: f must read every blank and line end, and a number has only one valid spelling
// (no "+1", "01", "-0").
type Reader struct {
	data   []byte
	pos    int
	name   string
	blame  Verdict
	strict bool
}

// Refuse ends the case with a message that starts with the current position.
func (r *Reader) Refuse(format string, args ...any) {
	r.refuseAt(r.pos, format, args...)
}

func (r *Reader) refuseAt(pos int, format string, args ...any) {
	line := 1 + bytes.Count(r.data[:pos], []byte{'\n'})
	column := pos - bytes.LastIndexByte(r.data[:pos], '\n')
	message := fmt.Sprintf(format, args...)
	panic(quit{r.blame, fmt.Sprintf("%s, line %d, column %d: %s", r.name, line, column, message)})
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func (r *Reader) skipSpace() {
	for r.pos < len(r.data) && isSpace(r.data[r.pos]) {
		r.pos++
	}
}

// Token reads a word, up to white space or EOF. It rejects an empty word.
func (r *Reader) Token() string {
	if !r.strict {
		r.skipSpace()
	}
	start := r.pos
	for r.pos < len(r.data) && !isSpace(r.data[r.pos]) {
		r.pos++
	}
	if start == r.pos {
		r.Refuse("want a word, got %s", r.next())
	}
	return string(r.data[start:r.pos])
}

// Word reads a token of lo to hi bytes of printable ASCII. The name appears in messages.
func (r *Reader) Word(lo, hi int, name string) string {
	if !r.strict {
		r.skipSpace()
	}
	start := r.pos
	w := r.Token()
	if len(w) < lo || len(w) > hi {
		r.refuseAt(start, "%s has %d characters, not %d to %d", name, len(w), lo, hi)
	}
	for i := range len(w) {
		if w[i] <= ' ' || w[i] > '~' {
			r.refuseAt(start, "%s = %s is not printable ASCII", name, short(w))
		}
	}
	return w
}

// Int64 reads a decimal integer.
func (r *Reader) Int64() int64 {
	if !r.strict {
		r.skipSpace()
	}
	start := r.pos
	text := r.Token()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || r.strict && text != strconv.FormatInt(n, 10) {
		r.refuseAt(start, "want an integer, got %s", short(text))
	}
	return n
}

// Int reads a decimal integer in lo..hi. The name appears in messages.
func (r *Reader) Int(lo, hi int64, name string) int64 {
	if !r.strict {
		r.skipSpace()
	}
	start := r.pos
	n := r.Int64()
	if n < lo || n > hi {
		r.refuseAt(start, "%s = %d is not in %d..%d", name, n, lo, hi)
	}
	return n
}

// Space reads exactly one blank.
func (r *Reader) Space() { r.literal(' ', "a blank") }

// EOLN reads exactly one line feed.
func (r *Reader) EOLN() { r.literal('\n', "the end of the line") }

func (r *Reader) literal(c byte, words string) {
	if r.pos >= len(r.data) || r.data[r.pos] != c {
		r.Refuse("want %s, got %s", words, r.next())
	}
	r.pos++
}

// EOF reads the end of the text. In a checker, white space may come before it.
func (r *Reader) EOF() {
	if !r.AtEOF() {
		r.Refuse("want the end of the file, got %s", r.next())
	}
}

// AtEOF reports whether the whole text has been read. In a checker, it ignores white space.
func (r *Reader) AtEOF() bool {
	if !r.strict {
		r.skipSpace()
	}
	return r.pos == len(r.data)
}

// Line reads a line, and returns it without its line feed.
func (r *Reader) Line() string {
	if r.pos == len(r.data) {
		r.Refuse("want a line, got the end of the file")
	}
	line, _, found := bytes.Cut(r.data[r.pos:], []byte{'\n'})
	if !found && r.strict {
		r.pos = len(r.data)
		r.Refuse("want the end of the line, got the end of the file")
	}
	r.pos = min(r.pos+len(line)+1, len(r.data))
	return string(line)
}

// Rest reads the rest of the text. A checker calls it to allow output that it does not check.
func (r *Reader) Rest() string {
	rest := string(r.data[r.pos:])
	r.pos = len(r.data)
	return rest
}

// next describes the text at the current position.
func (r *Reader) next() string {
	switch {
	case r.pos == len(r.data):
		return "the end of the file"
	case r.data[r.pos] == '\n':
		return "the end of the line"
	case r.data[r.pos] == ' ':
		return "a blank"
	}
	c, _ := utf8.DecodeRune(r.data[r.pos:])
	return strconv.QuoteRune(c)
}

// short quotes a text. It shortens a long text in the middle.
func short(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q...%q (%d bytes)", s[:most/2], s[len(s)-most/4:], len(s))
	}
	return strconv.Quote(s)
}
